/** What people do with a pull request that is ready: they send it back, with what should be different. Pure. */
import type { EventOf } from '../event.ts';
import type { Decision, Loop } from '../loop.ts';
import { ITERATION, onlyLooksBack, PHASES } from '../phases.ts';
import type { StartedLoop } from '../stages.ts';
import type { Actor, PhaseName } from '../terms.ts';
import { close, enter, nextRound, withoutApproval } from '../walk.ts';
import { isLive, resumeFirst } from './people.ts';
import { aimed, defectsOf, exhaustedOf, type Point, tooMuch } from './rejection.ts';

/** Whether the pull request was made ready: the loop has ended, or only looks back on what it did. */
export function isHandedOver({ phase }: Pick<Loop, 'phase'>): boolean {
  return onlyLooksBack(phase);
}

/** Whether its pull request is ready and, as far as is known, open. */
export function awaitsMerge({ status, review, shipping }: Loop): boolean {
  return status === 'succeeded' && shipping !== undefined && review !== undefined && review.isOver !== true;
}

/** Something was noted, but what was asked for is not done, and why; one sentence. */
export interface Kept {
  readonly loop: Loop;
  readonly but: string;
}

/** A rejection of a finished pull request, by a comment or by a review. */
export interface Rejection {
  readonly at: string;
  readonly by: Actor;
  readonly writtenAt: string;
  /** How the pull request stands, read afresh. */
  readonly pull: EventOf<'commanded'>['pull'];
  readonly points: readonly Point[];
  /** What is to be done again once the loop is resumed: `/reject`. */
  readonly again: string;
}

/** Sends a finished pull request back: to the next iteration, or with `spec: …` and `plan: …` further. A sentence says why not. */
export function sendBack(loop: StartedLoop, rejection: Rejection): Decision | Kept | string {
  const { pull, writtenAt, again } = rejection;
  if (loop.status === 'paused') return resumeFirst(again);
  if (pull === 'closed' || pull === 'merged') return closedSentence(pull);
  if (Date.parse(writtenAt) < handedOverMs(loop))
    return `The pull request was built again after that was written; look at it as it is now, and then ${again} again.`;
  const { to, points } = aimed(loop, rejection.points);
  if (to === ITERATION && loop.approval === undefined)
    return 'No packet is approved, so nothing can be built; `/reject plan: <why>` makes a new packet.';
  const refused = tooMuch(points, loop.requested);
  if (refused !== undefined) return refused;
  // Each draft and each build reads them, until the pull request is ready again.
  const requested = [...loop.requested, ...defectsOf(points, `${loop.entry}/${loop.seq}`)];
  const exhausted = exhaustedLimit(loop, to);
  return exhausted === undefined
    ? begun({ ...loop, requested }, to, rejection)
    : { loop: { ...loop, requested }, but: exhausted };
}

/** What a pull request that is no longer open is answered with. */
export function closedSentence(pull: 'closed' | 'merged'): string {
  return `The pull request is ${pull}, so nothing more is built on it; set the label \`loop\` on the issue again for a new loop.`;
}

function begun(loop: StartedLoop, to: PhaseName, { at, by }: Rejection): Decision {
  const { candidate } = loop.built;
  const closed: StartedLoop = {
    ...ending(loop, at),
    // What a person sent back is not handed over again as it was.
    trees: [...loop.trees, ...(candidate === undefined ? [] : [candidate.codeTree])],
    note: `@${by.login} sent the finished pull request back, so it is a draft again.`,
  };
  return to === ITERATION ? enter(closed, to, at) : enter(nextRound(withoutApproval(closed)), to, at);
}

/** A loop that still looked back does so no more; one that has ended has closed its last entry. */
function ending(loop: StartedLoop, at: string): StartedLoop {
  if (!isLive(loop)) return loop;
  const reason = 'The finished pull request was sent back.';
  return close(loop, { at, outcome: 'cancelled', gates: [], measurements: [], reason });
}

/** Which limit stands in the way, if any, and what goes on all the same. */
function exhaustedLimit(loop: StartedLoop, to: PhaseName): string | undefined {
  const { counters, started } = loop;
  const most = started.limits.iterations + counters.grants;
  if (to !== ITERATION) return exhaustedOf(loop);
  return counters.iterations < most
    ? undefined
    : `The approved plan's ${most} iterations are used up, so nothing is built yet; what you asked for is kept: \`/rerun\` grants one more iteration with it, \`/reject plan: <why>\` makes a new plan.`;
}

/** When the draft became ready, in whole seconds as GitHub tells times. */
function handedOverMs({ entries }: Loop): number {
  const shipped = entries.findLast(
    ({ phase, outcome }) => PHASES[phase].promotes !== undefined && outcome === 'passed',
  );
  return shipped === undefined ? 0 : Math.floor(Date.parse(shipped.endedAt) / 1000) * 1000;
}
