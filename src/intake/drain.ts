/** Takes in what a repository sent, in the order in which it came. What cannot be taken in now is tried again, and keeps others back for a short while only. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  CreationsLimitedError,
  LimitedError,
  NotYetError,
  RetryError,
  UnansweredError,
  UnreadableError,
} from '../errors.ts';
import type { Ports, UnreadDelivery } from '../ports.ts';
import { subjectsBy } from './subject.ts';
import { takeIn } from './take-in.ts';

/** So many at a time; then other repositories have their turn. */
const AT_ONCE = 50;
/** So often a delivery is tried before those behind it, after 1, 2, 4 and 8 s. */
const PATIENT_TRIES = 5;
const LONGEST_WAIT_MS = 10 * 60_000;
/** As long as GitHub itself remembers a delivery. */
const GIVEN_UP_AFTER_MS = 3 * 24 * 3600_000;
/** So long after it came a delivery that cannot be taken in keeps back what is said of the same thing: told in another order, it would mean something else. */
const KEEPS_BACK_MS = 5 * 60_000;
/** So long after it came a delivery keeps everything back to which GitHub does not answer: it would not answer to the others. */
const OUTAGE_MS = 60 * 60_000;
/** What GitHub does not bear out yet is asked again after this, and later ever more seldom: after a fifth of its age. */
const SHORTEST_WAIT_MS = 2000;

type Became = 'done' | 'kept';

/** What became of the deliveries that were looked at. */
interface Looked {
  /** What those were about that are kept, and young. */
  readonly kept: Set<string>;
  readonly done: UnreadDelivery[];
}

/** @throws {RetryError} while a delivery is to be tried before all others; the queue calls again then. */
export async function drain(repositoryId: number, ports: Ports, log: Logger): Promise<void> {
  const now = ports.clock.now();
  const at = now.toISOString();
  const since = new Date(now.getTime() - KEEPS_BACK_MS).toISOString();
  const looked: Looked = { kept: new Set(), done: [] };
  const subjectOf = subjectsBy(ports.store);
  let page: readonly UnreadDelivery[] = [];
  try {
    do {
      // Behind a page that only waits there may be what need not.
      page = await ports.store.unread({ repositoryId, at, since, after: page.at(-1)?.serial, limit: AT_ONCE });
      for (const delivery of page) await lookAt(delivery, looked, { at, since, subjectOf, ports, log });
    } while (page.length === AT_ONCE && looked.done.length === 0);
  } finally {
    await ports.store.markRead(looked.done.map(({ id }) => id));
  }
  if (page.length === AT_ONCE) await ports.queue.send({ type: 'intake', repositoryId });
}

interface Looking {
  readonly at: string;
  readonly since: string;
  readonly subjectOf: ReturnType<typeof subjectsBy>;
  readonly ports: Ports;
  readonly log: Logger;
}

async function lookAt(delivery: UnreadDelivery, { kept, done }: Looked, looking: Looking): Promise<void> {
  const { at, since, subjectOf, ports, log } = looking;
  // The embedded database works in this process: between two deliveries what arrives has its turn.
  await setImmediate();
  const isBehind = async (): Promise<boolean> => kept.size > 0 && kept.has((await subjectOf(delivery)) ?? '');
  const waits = delivery.dueAt > at || (await isBehind());
  if (!waits && (await tryToTakeIn(delivery, ports, log)) === 'done') {
    done.push(delivery);
    return;
  }
  const subject = Date.parse(delivery.receivedAt) > Date.parse(since) ? await subjectOf(delivery) : undefined;
  if (subject !== undefined) kept.add(subject);
}

/** What is given up has its note stored already. */
async function tryToTakeIn(delivery: UnreadDelivery, ports: Ports, log: Logger): Promise<Became> {
  try {
    const note = await takeIn(delivery, ports);
    if (note === undefined) return 'done';
    await ports.store.markRead([delivery.id], note);
    log.warn({ delivery: delivery.id, webhook: delivery.name }, `a webhook is left unread: ${note}`);
    return 'done';
  } catch (error) {
    return afterFailure(delivery, { error, ports, log });
  }
}

interface Failure {
  readonly error: unknown;
  readonly ports: Ports;
  readonly log: Logger;
}

async function afterFailure(delivery: UnreadDelivery, { error, ports, log }: Failure): Promise<Became> {
  const { id, name, receivedAt, tries } = delivery;
  const fields = { delivery: id, webhook: name, tries: tries + 1, err: error };
  // Only what is said in answer waits: others, as a `/stop`, need not.
  if (error instanceof CreationsLimitedError) {
    await postpone(delivery, error.seconds * 1000, ports);
    return 'kept';
  }
  // No delivery is at fault, and each would ask in vain: the repository waits as a whole, and the order stays.
  if (error instanceof LimitedError) throw new RetryError(`${name} ${id}`, error, { seconds: error.seconds });
  const ageMs = ports.clock.now().getTime() - Date.parse(receivedAt);
  if (error instanceof UnansweredError && ageMs < OUTAGE_MS)
    throw new RetryError(`${name} ${id}`, error, { seconds: Math.ceil(Math.min(60, Math.max(1, ageMs / 4000))) });
  if (error instanceof UnreadableError) {
    await ports.store.markRead([id], error.message);
    log.error(fields, 'what a webhook means could not be saved; it is given up');
    return 'done';
  }
  if (ageMs > GIVEN_UP_AFTER_MS) {
    await ports.store.markRead([id], `given up: ${String(error)}`);
    log.error(fields, 'a webhook could not be taken in for three days; it is given up');
    return 'done';
  }
  if (error instanceof NotYetError) {
    await postpone(delivery, Math.min(Math.max(SHORTEST_WAIT_MS, ageMs / 5), LONGEST_WAIT_MS), ports);
    log.info(fields, 'GitHub does not bear a webhook out yet; it is asked again');
    return 'kept';
  }
  if (tries + 1 < PATIENT_TRIES) {
    await ports.store.postpone(id, ports.clock.now().toISOString());
    log.warn(fields, 'a webhook could not be taken in; it is tried again');
    // With this delivery's own pause: the queue's would grow with the failures of others.
    throw new RetryError(`${name} ${id}`, error, { seconds: 2 ** tries });
  }
  await postpone(delivery, Math.min(1000 * 2 ** tries, LONGEST_WAIT_MS), ports);
  log.error(fields, 'a webhook cannot be taken in yet; others go first');
  return 'kept';
}

async function postpone(
  { id, repositoryId }: UnreadDelivery,
  waitMs: number,
  { store, queue, clock }: Ports,
): Promise<void> {
  await store.postpone(id, new Date(clock.now().getTime() + waitMs).toISOString());
  if (repositoryId !== undefined) await queue.send({ type: 'intake', repositoryId }, Math.ceil(waitMs / 1000));
}
