/** How an entry is judged: its gates, its costs, the defects that it leaves. Pure. */
import { allPassed, standardOf, verdictsOf } from './gates.ts';
import type { Decision, Loop, Verdict } from './loop.ts';
import { PHASES } from './phases.ts';
import { isStarted, type StartedLoop } from './stages.ts';
import { type Ending, emit, fail, only, pass, withoutApproval } from './walk.ts';

/** What an entry is judged by. */
export type Findings = Pick<Ending, 'at' | 'measurements' | 'defects' | 'signature'>;

export const NO_FINDINGS: Omit<Findings, 'at'> = { measurements: [], defects: [], signature: '' };

/** Judges the current entry by its gates and walks on. */
export function judge(loop: StartedLoop, findings: Findings): Decision {
  const ending = endingOf(loop, findings);
  if (!allPassed(ending.gates)) return fail(loop, ending);
  const decision = pass(loop, ending);
  // What people are asked to approve is new: it never inherits an approval.
  return PHASES[decision.loop.phase].waits === 'approval' && isStarted(decision.loop)
    ? emit(only(withoutApproval(decision.loop)), ...decision.effects)
    : decision;
}

export function endingOf(loop: Loop, { at, measurements, defects, signature }: Findings): Ending {
  const gates = verdictsOf(standardOf(loop, loop.phase), measurements);
  return {
    at,
    outcome: allPassed(gates) ? 'passed' : 'failed',
    gates,
    measurements,
    defects,
    reason: reasonOf(loop, gates),
    signature,
  };
}

/** What failed, by name; of what could not be measured only how much it is, because that follows from something else. */
function reasonOf({ phase }: Loop, gates: readonly Verdict[]): string {
  const red = gates.filter(({ passed }) => !passed);
  const failed = red.flatMap(({ name, value, threshold }) =>
    value === undefined ? [] : [`${name} ${value} (needs ${threshold})`],
  );
  const count = red.length - failed.length;
  const unmeasured =
    count === 1
      ? '1 gate was not measured, because what it needs was not there.'
      : `${count} gates were not measured, because what they need was not there.`;
  if (failed.length === 0) return count === 0 ? '' : `${phase}: ${unmeasured}`;
  return `${phase}: ${failed.join(', ')}.${count === 0 ? '' : ` ${unmeasured}`}`;
}
