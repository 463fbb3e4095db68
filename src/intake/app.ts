/** Stores each webhook that the App listens to before it is acknowledged; payloads.ts lists them, intake.ts says what they mean. */
import type { Probot } from 'probot';
import type { Ports } from '../ports.ts';
import { WEBHOOKS } from './payloads.ts';

/** Whether the App listens to a webhook, as `issues.labeled` or `push`. */
export function isHeard(name: string): boolean {
  return WEBHOOKS.some((webhook) => webhook === name);
}

export function register(
  app: Probot,
  { store, clock }: Pick<Ports, 'clock'> & { readonly store: Pick<Ports['store'], 'receive'> },
): void {
  app.on([...WEBHOOKS], async ({ id, name, payload }) => {
    await store.receive({ id, name, payload, receivedAt: clock.now().toISOString() });
  });
}
