/** Who holds a slot of the running loops, and what having none, or getting one, does to a loop. Pure; the store counts. */
import type { EventOf } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { only } from './walk.ts';

/** A loop holds a slot while it works, and while it is held in its work; what waits for people, or for a slot, holds none. */
export function holdsSlot({ status, pausedFrom }: Pick<Loop, 'status' | 'pausedFrom'>): boolean {
  return status === 'working' || (status === 'paused' && pausedFrom === 'working');
}

/** The work stays pending until the loop is admitted. */
export function queued(loop: Loop): Decision {
  if (loop.status === 'working') return only({ ...loop, status: 'queued' });
  return only(holdsSlot(loop) ? { ...loop, pausedFrom: 'queued' } : loop);
}

export function admitted(loop: Loop, _event: EventOf<'admitted'>): Decision {
  return only({ ...loop, status: 'working' });
}
