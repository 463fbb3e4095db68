/** How an entry is judged: its gates, its costs, the defects that it leaves. Pure. */
import { allPassed, standardOf, verdictsOf } from './gates.ts';
import type { Decision, Loop } from './loop.ts';
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
  const red = gates
    .filter(({ passed }) => !passed)
    .map(
      ({ name, value, threshold }) => `${name} ${value === undefined ? 'not measured' : value} (needs ${threshold})`,
    );
  return {
    at,
    outcome: red.length === 0 ? 'passed' : 'failed',
    gates,
    measurements,
    defects,
    reason: red.length === 0 ? '' : `${loop.phase}: ${red.join(', ')}.`,
    signature,
  };
}
