/** Takes in what a repository sent, in the order in which it came. What cannot be taken in now is tried again, and keeps the rest back for a short while only. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LimitedError, RetryError, UnreadableError } from '../errors.ts';
import type { Ports, UnreadDelivery } from '../ports.ts';
import { takeIn } from './take-in.ts';

/** So many at a time; then other repositories have their turn. */
const AT_ONCE = 50;
/** So often a delivery is tried before those behind it; with the queue's growing delays about half a minute. */
const PATIENT_TRIES = 5;
const LONGEST_WAIT_MS = 10 * 60_000;
/** As long as GitHub itself remembers a delivery. */
const GIVEN_UP_AFTER_MS = 3 * 24 * 3600_000;

/** @throws what the first failing delivery threw, while it is to be tried before the others; the queue calls again then. */
export async function drain(repositoryId: number, ports: Ports, log: Logger): Promise<void> {
  const at = ports.clock.now().toISOString();
  const deliveries = await ports.store.unread({ repositoryId, at, limit: AT_ONCE });
  const taken: string[] = [];
  try {
    for (const delivery of deliveries) {
      // The embedded database works in this process: between two deliveries what arrives has its turn.
      await setImmediate();
      if (await isTakenIn(delivery, ports, log)) taken.push(delivery.id);
    }
  } finally {
    await ports.store.markRead(taken);
  }
  if (deliveries.length === AT_ONCE) await ports.queue.send({ type: 'intake', repositoryId });
}

/** False for what stays to be tried again, and for what is done with because it cannot be read: its note is stored. */
async function isTakenIn(delivery: UnreadDelivery, ports: Ports, log: Logger): Promise<boolean> {
  try {
    const note = await takeIn(delivery, ports);
    if (note === undefined) return true;
    await ports.store.markRead([delivery.id], note);
    log.warn({ delivery: delivery.id, webhook: delivery.name }, `a webhook is left unread: ${note}`);
    return false;
  } catch (error) {
    await afterFailure(delivery, { error, ports, log });
    return false;
  }
}

interface Failure {
  readonly error: unknown;
  readonly ports: Ports;
  readonly log: Logger;
}

async function afterFailure({ id, name, receivedAt, tries }: UnreadDelivery, failure: Failure): Promise<void> {
  const { error, ports, log } = failure;
  const fields = { delivery: id, webhook: name, tries: tries + 1, err: error };
  // No delivery is at fault, and each would ask in vain: the repository waits as a whole, and the order stays.
  if (error instanceof LimitedError) throw new RetryError(`${name} ${id}`, error, { seconds: error.seconds });
  if (error instanceof UnreadableError) {
    await ports.store.markRead([id], error.message);
    log.error(fields, 'what a webhook means could not be saved; it is given up');
    return;
  }
  const nowMs = ports.clock.now().getTime();
  if (nowMs - Date.parse(receivedAt) > GIVEN_UP_AFTER_MS) {
    await ports.store.markRead([id], `given up: ${String(error)}`);
    log.error(fields, 'a webhook could not be taken in for three days; it is given up');
    return;
  }
  const isPatient = tries + 1 < PATIENT_TRIES;
  const waitMs = isPatient ? 0 : Math.min(1000 * 2 ** tries, LONGEST_WAIT_MS);
  await ports.store.postpone(id, new Date(nowMs + waitMs).toISOString());
  if (isPatient) throw error;
  log.error(fields, 'a webhook cannot be taken in yet; others go first');
}
