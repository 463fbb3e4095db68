/** Runs loops: save what was decided, perform it, decide again on what came back. */
import { isDeepStrictEqual } from 'node:util';
import { ConflictError } from '../errors.ts';
import { decide, settle } from '../loop/decide.ts';
import { EFFECT_LANES, type Effect, type EffectLane } from '../loop/effect.ts';
import { type Event, event as eventSchema } from '../loop/event.ts';
import { type Decision, type Loop, newLoop } from '../loop/loop.ts';
import { idOf, type LoopRef } from '../loop/terms.ts';
import type { Ports, Store } from '../ports.ts';
import { perform } from './perform.ts';

/** Applies one event to one loop and queues what follows from it, all in one transaction. An event that does not apply changes nothing. */
export async function apply(ref: LoopRef, event: Event, store: Store): Promise<void> {
  await update(ref, store, { event, settled: undefined }, (loop) => decide(loop, event));
}

/** Which delivery said it, and as the how manieth thing to this loop. */
export interface Source {
  readonly delivery: string;
  readonly ordinal: number;
}

/**
 * Applies an event unless the loop's log has it already. A delivery is taken in again when the process died after it was applied;
 * a command would then be answered a second time, with what it means by now.
 */
export async function applyOnce(ref: LoopRef, event: Event, store: Store, _source: Source): Promise<void> {
  const log = await store.log(idOf(ref));
  const told = eventSchema.parse(event);
  if (log.some((entry) => isDeepStrictEqual(entry.event, told))) return;
  await apply(ref, event, store);
}

/** Performs the pending effects of one lane, in order, until none is left. Called by the queue, one at a time per loop and lane. */
export async function work(loopId: string, lane: EffectLane, ports: Ports): Promise<void> {
  for (;;) {
    const stored = await ports.store.load(loopId);
    const effect = stored === undefined ? undefined : nextEffect(stored.loop, lane);
    if (stored === undefined || effect === undefined) return;
    const outcome = await perform(effect, stored.loop, ports);
    await update(stored.loop.ref, ports.store, { event: outcome, settled: effect.key }, (loop) =>
      settle(loop, effect.key, outcome),
    );
  }
}

/** A paused loop starts no work; people are answered all the same. Of several `show` effects only the newest is performed. */
function nextEffect(loop: Loop, lane: EffectLane): Effect | undefined {
  if (loop.status === 'paused' && lane === 'work') return undefined;
  const mine = loop.pending.filter(({ type }) => EFFECT_LANES[type] === lane);
  return mine[0]?.type === 'show' ? mine.findLast(({ type }) => type === 'show') : mine[0];
}

const MAX_SAVES = 20;

interface Change {
  readonly event: Event | undefined;
  readonly settled: string | undefined;
}

/** Loads, changes and saves; starts over when another process saved first, so `decideOn` must be pure. */
async function update(ref: LoopRef, store: Store, change: Change, decideOn: (loop: Loop) => Decision): Promise<void> {
  for (let saves = 1; saves < MAX_SAVES; saves += 1) {
    const conflict = await tryUpdate(ref, store, change, decideOn);
    if (conflict === undefined) return;
  }
  throw new ConflictError(
    `loop ${idOf(ref)} was saved by others ${MAX_SAVES} times in a row; the effect is tried again later`,
  );
}

async function tryUpdate(
  ref: LoopRef,
  store: Store,
  change: Change,
  decideOn: (loop: Loop) => Decision,
): Promise<ConflictError | undefined> {
  const stored = await store.load(idOf(ref));
  const before = stored?.loop ?? newLoop(ref);
  const { loop } = decideOn(before);
  if (loop === before) return undefined;
  try {
    await store.save({ loop, expectedVersion: stored?.version ?? 0, ...change, wakes: lanesOf(loop) });
    return undefined;
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
}

function lanesOf({ pending }: Loop): readonly EffectLane[] {
  return [...new Set(pending.map(({ type }) => EFFECT_LANES[type]))];
}
