/** `/rerun`: a person grants one more try, after a stop or of a finished pull request. Pure. */

import { onAdvance, proveAgain } from '../behind.ts';
import type { EventOf } from '../event.ts';
import type { Decision, Loop } from '../loop.ts';
import { ITERATION, needsApproval, onlyLooksBack, PROOF } from '../phases.ts';
import type { Outdated } from '../shipping-record.ts';
import type { StartedLoop } from '../stages.ts';
import { type PhaseName, phaseName } from '../terms.ts';
import { enter, withoutApproval } from '../walk.ts';
import { closedSentence, isHandedOver } from './handed-over.ts';

type Commanded = EventOf<'commanded'>;

/** Enters the wanted phase, by default where the loop stopped, and raises every limit by one; one sentence says why not. */
export function rerun(loop: StartedLoop, event: Commanded): Decision | string {
  if (loop.status !== 'stopped' && loop.status !== 'succeeded')
    return '`/rerun` grants one more try after a stop; this loop has not stopped.';
  const wanted = phaseName.safeParse(event.argument === '' ? restartOf(loop) : event.argument.toUpperCase());
  if (!wanted.success) return `There is no phase "${event.argument}"; the phases are ${phaseName.options.join(', ')}.`;
  const outdated = event.argument === '' || wanted.data === PROOF ? loop.shipping?.outdated : undefined;
  const phase = needsApproval(wanted.data) ? ITERATION : wanted.data;
  const refused = refusalOf(loop, phase, event);
  if (refused !== undefined) return refused;
  if (outdated !== undefined) return provedAnew(loop, outdated, event);
  return enter(
    {
      // Documents that are made anew are not those that were approved.
      ...(isAhead(ITERATION, { phase }) ? withoutApproval(loop) : loop),
      note: `One more try granted by @${event.by.login}.`,
      // What stood in the way may be mended outside the code; the person who grants a try grants it to the same tree too.
      trees: [],
      counters: { ...loop.counters, grants: loop.counters.grants + 1 },
    },
    phase,
    event.at,
  );
}

/** A ready pull request that is behind its base: that is merged, and what was built stays as it is. */
function provedAnew(loop: StartedLoop, outdated: Outdated, { at, by }: Commanded): Decision {
  return proveAgain(onAdvance(loop, outdated), at, `@${by.login} had the base merged, and everything is proved again.`);
}

function refusalOf(loop: StartedLoop, phase: PhaseName, { argument, pull }: Commanded): string | undefined {
  if (phase === ITERATION && loop.approval === undefined)
    return 'No packet is approved, so nothing can be built; `/rerun PLAN` makes a new packet.';
  if (isAhead(phase, loop))
    return `The loop stopped in ${loop.phase}, so ${argument.toUpperCase()} cannot be tried yet; say \`/rerun\` alone, or name an earlier phase.`;
  const isClosed = pull === 'closed' || pull === 'merged';
  return isHandedOver(loop) && !onlyLooksBack(phase) && isClosed ? closedSentence(pull) : undefined;
}

/** Where a loop starts again by default: the draft that failed, or BUILD of the approved plan; so does one that has finished. */
function restartOf({ phase, status }: Loop): string {
  return needsApproval(phase) || status === 'succeeded' ? ITERATION : phase;
}

/** Whether the phase comes after the one where the loop is. */
function isAhead(phase: PhaseName, { phase: current }: Pick<Loop, 'phase'>): boolean {
  return phaseName.options.indexOf(phase) > phaseName.options.indexOf(current);
}
