/** Which pending effect of a loop comes next. Pure. */
import { type Effect, type EffectLane, isHeldWork, laneOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';

/** What is shown at once is soon shown otherwise: a loop that changes mostly goes on changing within seconds. */
export const REST_SECONDS = 2;
/** And one that never rests is shown all the same. */
const LONGEST_SECONDS = 5;
/** Whoever gave the label looks for an answer. */
const FIRST_SHOWN = 'show/1';

/**
 * A loop that is paused or has no slot starts no work of an entry; people are answered all the same. Of several `show` effects only the newest is
 * performed, when the loop has rested: until then the lane `rests` where nothing else is pending in it.
 */
export function nextEffect(loop: Loop, lane: EffectLane, now: () => Date): Effect | 'rests' | undefined {
  const isHeld = loop.status === 'paused' || loop.status === 'queued';
  const mine = loop.pending.filter((effect) => laneOf(effect) === lane && !(isHeld && isHeldWork(effect)));
  const [first] = mine;
  if (first?.type !== 'show') return first;
  const shows = mine.filter((effect) => effect.type === 'show');
  if (isDue(shows, now())) return shows.at(-1);
  return mine.find(({ type }) => type !== 'show') ?? 'rests';
}

function isDue(shows: readonly Extract<Effect, { type: 'show' }>[], now: Date): boolean {
  const ages = shows.map(({ since = '' }) => (now.getTime() - Date.parse(since)) / 1000);
  const [oldest = Number.NaN, newest = Number.NaN] = [ages[0], ages.at(-1)];
  // A clock that went back keeps nothing from being shown.
  const isYoung = newest >= 0 && newest < REST_SECONDS && oldest < LONGEST_SECONDS;
  return !isYoung || shows.some(({ key }) => key === FIRST_SHOWN);
}
