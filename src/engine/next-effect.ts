/** Which pending effect of a loop comes next. Pure. */
import { type Effect, type EffectLane, isHeldWork, laneOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';

/** A state in which others are awaited is shown when it has lasted so long, and one that follows on others at `longest`. */
export const REST_SECONDS = 2;
const AWAITING: Patience = { rest: REST_SECONDS, longest: 5 };
/**
 * What a loop does itself is over within seconds, of a slow GitHub or on a slow machine too, and is followed by another state: each of these would cost three writes that
 * nobody had the time to read. Drafts of a slow model, and what GitHub does not take, last longer.
 */
const AT_WORK: Patience = { rest: 30, longest: 120 };
/** How a loop ended is what people wait for; what it looks back at afterwards mostly takes no longer than that. */
const AFTER_END: Patience = { rest: 4, longest: 15 };

interface Patience {
  /** Seconds since the newest change. */
  readonly rest: number;
  /** And since the oldest that is not shown: a loop that never rests is shown all the same. */
  readonly longest: number;
}

/** Whoever gave the label looks for an answer. */
const FIRST_SHOWN = 'show/1';

/**
 * What waits for a right of the App is not begun. A loop that is paused or has no slot starts no work of an entry; people are answered all the same. Of several `show` effects only the newest is
 * performed, when the loop has rested: until then the lane `rests` where nothing else is pending in it.
 */
export function nextEffect(loop: Loop, lane: EffectLane, now: () => Date): Effect | 'rests' | undefined {
  if (loop.withheld?.lanes.includes(lane) === true) return undefined;
  const isHeld = loop.status === 'paused' || loop.status === 'queued';
  const mine = loop.pending.filter((effect) => laneOf(effect) === lane && !(isHeld && isHeldWork(effect)));
  const [first] = mine;
  if (first?.type !== 'show') return first;
  const shows = mine.filter((effect) => effect.type === 'show');
  if (isDue(shows, patienceWith(loop, isHeld), now())) return shows.at(-1);
  return mine.find(({ type }) => type !== 'show') ?? 'rests';
}

function patienceWith(loop: Loop, isHeld: boolean): Patience {
  if (isHeld) return AWAITING;
  const isAtWork = loop.pending.some((effect) => laneOf(effect) === 'work' && effect.type !== 'wait');
  if (isAtWork && loop.status !== 'working') return AFTER_END;
  return isAtWork || isAboutToLook(loop) ? AT_WORK : AWAITING;
}

/** Which of the repository's own checks are awaited is known once they were looked at. */
function isAboutToLook({ status, shipping }: Loop): boolean {
  return status === 'working' && shipping?.timer !== undefined && shipping.waitsFor.length === 0;
}

function isDue(shows: readonly Extract<Effect, { type: 'show' }>[], { rest, longest }: Patience, now: Date): boolean {
  const ages = shows.map(({ since = '' }) => (now.getTime() - Date.parse(since)) / 1000);
  const [oldest = Number.NaN, newest = Number.NaN] = [ages[0], ages.at(-1)];
  // A clock that went back keeps nothing from being shown.
  const isYoung = newest >= 0 && newest < rest && oldest < longest;
  return !isYoung || shows.some(({ key }) => key === FIRST_SHOWN);
}
