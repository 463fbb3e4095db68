/** Stores each webhook before it is acknowledged; payloads.ts lists those that the App listens to, intake.ts says what they mean. */
import type { Logger } from 'pino';
import type { Probot } from 'probot';
import type { Ports } from '../ports.ts';
import { WEBHOOKS } from './payloads.ts';
import { deliveryOf } from './reduce.ts';

/** Whether the App listens to a webhook, as `issues.labeled` or `push`. */
export function isHeard(name: string): boolean {
  return WEBHOOKS.some((webhook) => webhook === name);
}

/** What the door needs: where to store, who the App is, and what time it is. */
export type DoorPorts = Pick<Ports, 'clock' | 'self'> & { readonly store: Pick<Ports['store'], 'receive'> };

/** Stores every webhook, of those that decide nothing the id alone, so that none is taken for missed or for new when it comes again. */
export function register(app: Probot, { store, clock, self }: DoorPorts, log: Logger): void {
  app.onAny(async ({ id, name, payload }) => {
    const delivery = deliveryOf({ id, name, payload, receivedAt: clock.now().toISOString() }, self);
    const isNew = await store.receive(delivery);
    if (isNew && delivery.note !== undefined)
      log.warn({ delivery: id, webhook: name }, `a webhook is left unread: ${delivery.note}`);
  });
}
