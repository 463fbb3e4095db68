/** How an entry is judged: its gates, its costs, the defects that it leaves. Pure. */
import { TEST_DESIGN } from './defect.ts';
import { allPassed, blocks, standardOf, verdictsOf } from './gates.ts';
import type { Decision, Loop, Verdict } from './loop.ts';
import type { Defect } from './measurement.ts';
import { PHASES } from './phases.ts';
import { isStarted, type StartedLoop } from './stages.ts';
import { strengthening } from './strengthening.ts';
import type { ToolName } from './tools.ts';
import { type Ending, emit, fail, only, pass, withoutApproval } from './walk.ts';

/** What an entry is judged by. */
export type Findings = Pick<Ending, 'at' | 'measurements' | 'defects' | 'signature'> & {
  /** Of the repository, beside the tests. */
  readonly tools?: readonly ToolName[] | undefined;
};

export const NO_FINDINGS: Omit<Findings, 'at'> = { measurements: [], defects: [], signature: '' };

/** Judges the current entry by its gates and walks on. */
export function judge(loop: StartedLoop, findings: Findings): Decision {
  const ending = endingOf(loop, findings);
  const weak = strengthening(loop, ending);
  if (weak !== undefined) return fail(loop, weak);
  if (!allPassed(ending.gates)) return fail(loop, ending);
  const decision = pass(loop, ending);
  // What people are asked to approve is new: it never inherits an approval.
  return PHASES[decision.loop.phase].waits === 'approval' && isStarted(decision.loop)
    ? emit(only(withoutApproval(decision.loop)), ...decision.effects)
    : decision;
}

export function endingOf(loop: Loop, { at, measurements, defects, signature, tools }: Findings): Ending {
  const gates = verdictsOf({ ...standardOf(loop, loop.phase), tools }, measurements);
  const red = gates.filter(blocks);
  return {
    at,
    outcome: allPassed(gates) ? 'passed' : 'failed',
    gates,
    measurements,
    defects,
    reason: red.length === 0 ? '' : `${loop.phase}: ${redText(red, { gates, defects })}.`,
    signature,
  };
}

/** What was measured by its number; what was not, which may be everything, in one clause. */
function redText(
  red: readonly Verdict[],
  { gates, defects }: { readonly gates: readonly Verdict[]; readonly defects: readonly Defect[] },
): string {
  const [unmeasured = [], measured = []] = [true, false].map((isMissing) =>
    red.filter(({ value }) => (value === undefined) === isMissing),
  );
  const numbers = measured.map(({ name, value, threshold }) => `${name} ${value} (needs ${threshold})`);
  if (unmeasured.length === 0) return numbers.join(', ');
  if (unmeasured.length > 1 && gates.every(({ value }) => value === undefined))
    return defects.some(({ rule }) => rule === TEST_DESIGN)
      ? 'no draft of the tests was right, so nothing was built and no gate passed'
      : 'it ended before anything was measured, so no gate passed';
  return [...numbers, `not measured: ${unmeasured.map(({ name }) => name).join(', ')}`].join('; ');
}
