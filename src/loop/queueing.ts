/** What a loop does while all slots are taken: it waits for one, in its class, and says so. Pure. */
import type { EventOf } from './event.ts';
import type { Decision } from './loop.ts';
import type { StartedLoop } from './stages.ts';
import { only } from './walk.ts';

/** No slot was free: what is to be done stays pending until the loop is admitted. */
export function queued(loop: StartedLoop, _event: EventOf<'queued'>): Decision {
  return only({ ...loop, status: 'queued' });
}

/** A slot is free: the pending work goes on. */
export function admitted(loop: StartedLoop, _event: EventOf<'admitted'>): Decision {
  return only({ ...loop, status: 'working' });
}
