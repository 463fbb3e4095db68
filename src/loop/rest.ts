/** How a loop comes to rest: what nobody awaits any more is dropped and remembered, and its run is ended. Pure. */
import { type Effect, isHeldWork } from './effect.ts';
import type { Loop } from './loop.ts';

/** Cancels what still runs for the current entry. */
export function cancellationOf({ built: { run } }: Loop): readonly Effect[] {
  return run === undefined ? [] : [cancellation(run.id)];
}

export function cancellation(runId: number): Effect {
  return { type: 'cancel', key: `${runId}/cancel`, runId };
}

/** The state of rest: no work of the loop is performed any more, what people were promised still is. What was held is decided on, or only paid for, by `decide`. */
export function atRest(loop: Loop, status: 'succeeded' | 'stopped', note: string): Loop {
  const { waitingFor: _w, pausedFrom: _p, pausedFor: _f, pausedAt: _a, ...rest } = loop;
  return { ...withoutWork(rest), status, note: note.trim() };
}

/** At most so many abandoned effects are remembered; one that is older has ended long ago. */
const REMEMBERED = 20;

/** Nobody awaits the effects of the entry any more. One that is under way is remembered, so that its costs are counted and its run is ended. */
export function withoutWork<Some extends Loop>(loop: Some): Some {
  const isWork = (effect: Effect): boolean => isHeldWork(effect) || effect.type === 'ask';
  const abandoned = [...loop.abandoned, ...loop.pending.filter(isWork).map(({ key }) => key)].slice(-REMEMBERED);
  return { ...loop, pending: loop.pending.filter((effect) => !isWork(effect)), abandoned };
}
