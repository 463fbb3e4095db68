/** Lets queued loops go on as slots become free: by priority, each few hours of waiting lift one class. */
import type { Ports } from '../ports.ts';
import { apply } from './advance.ts';

/** Admits until no queued loop may have a slot. Repeating it, also at the same time, is harmless: the slot is counted when it is taken. */
export async function admitQueued(ports: Pick<Ports, 'store' | 'slots' | 'clock'>): Promise<void> {
  for (;;) {
    const at = ports.clock.now().toISOString();
    const next = await ports.store.nextQueued(ports.slots, at);
    if (next === undefined) return;
    const answer = await apply(next.loop.ref, { type: 'admitted', at }, ports);
    // Somebody else took the slot; when it is free again this is called again.
    if (answer === 'queued') return;
  }
}
