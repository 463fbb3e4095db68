/** Webhooks that GitHub could not bring are asked for again: GitHub tries only once. Only those that no row of the store has. */
import type { Logger } from 'pino';
import { LoopError } from '../errors.ts';
import type { FailedDelivery } from '../github/github-port.ts';
import type { MissedDelivery, Ports } from '../ports.ts';

export interface SweepOptions {
  readonly ports: Pick<Ports, 'clock'> & {
    readonly store: Pick<Ports['store'], 'noteMissed' | 'dueMissed' | 'askedFor'>;
    readonly github: Pick<Ports['github'], 'failedDeliveries' | 'redeliver'>;
  };
  /** Whether the App listens to a webhook of this name (`issues.labeled`); the others are not missed. */
  readonly isHeard: (name: string) => boolean;
  readonly log: Logger;
}

/** GitHub remembers deliveries for so long. */
const HORIZON_MS = 3 * 24 * 3600_000;
/** A try is told by the time at which it began, and listed when it has failed; GitHub waits at most 30 s for an answer. */
const MARGIN_MS = 120_000;
const MAX_PAGES = 30;
const MAX_REDELIVERIES = 30;
const FIRST_WAIT_MS = 30_000;
/** With the waits that double, so many span the three days. */
const MOST_ASKED = 13;
/** GitHub is asked again after this, and while nothing failed after waits that double: a quiet App asks a dozen times an hour, not 120 times. */
const LEAST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const BEFORE_ALL = '1970-01-01T00:00:00.000Z';
const NEVER = '9999-01-01T00:00:00.000Z';

/**
 * Makes a sweep: a look at what failed since the last one (at first: all that GitHub remembers) where it is time for one, then at most 30 redeliveries,
 * oldest first. The first comes at once, each further one of the same webhook after a wait that doubles. What was asked for is in
 * the store, so a restart or another replica goes on there. Repeating a sweep is harmless.
 */
export function createSweep(options: SweepOptions): () => Promise<void> {
  const { ports, isHeard, log } = options;
  let newestMs = 0;
  let pauseMs = 0;
  let lookAtMs = 0;
  const look = async (nowMs: number): Promise<void> => {
    const failed = await listFailed(options, Math.max(newestMs - MARGIN_MS, nowMs - HORIZON_MS));
    await ports.store.noteMissed(failed.filter(({ name }) => isHeard(name)));
    const foundMs = Date.parse(failed[0]?.triedAt ?? BEFORE_ALL);
    const isNew = foundMs > newestMs;
    newestMs = Math.max(newestMs, foundMs);
    pauseMs = isNew ? LEAST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 2 * pauseMs));
    lookAtMs = nowMs + pauseMs;
  };
  return async () => {
    const now = ports.clock.now();
    const horizonMs = now.getTime() - HORIZON_MS;
    if (now.getTime() >= lookAtMs) await look(now.getTime());
    const of = { at: now.toISOString(), horizon: new Date(horizonMs).toISOString(), limit: MAX_REDELIVERIES };
    for (const missed of await ports.store.dueMissed(of)) await askFor(missed, { now, ports, log });
  };
}

/** Newest first; one page where nothing failed. */
async function listFailed(
  { ports: { github }, log }: SweepOptions,
  sinceMs: number,
): Promise<readonly FailedDelivery[]> {
  const found: FailedDelivery[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { deliveries, next } = await github.failedDeliveries(cursor);
    const fresh = deliveries.filter(({ triedAt }) => Date.parse(triedAt) >= sinceMs);
    found.push(...fresh);
    if (next === undefined || fresh.length < deliveries.length) return found;
    cursor = next;
  }
  log.warn({ pages: MAX_PAGES }, 'more webhooks did not arrive than are listed at once; the older ones are left out');
  return found;
}

interface Asking {
  readonly now: Date;
  readonly ports: SweepOptions['ports'];
  readonly log: Logger;
}

/** Counted before it is asked for, so that one whose answer kills the process does not do so for ever. */
async function askFor({ guid, name, id, asked }: MissedDelivery, { now, ports, log }: Asking): Promise<void> {
  const dueMs = now.getTime() + FIRST_WAIT_MS * 2 ** asked;
  await ports.store.askedFor(guid, asked + 1 < MOST_ASKED ? new Date(dueMs).toISOString() : NEVER);
  try {
    await ports.github.redeliver(id);
    log.info({ delivery: guid, webhook: name, asked: asked + 1 }, 'a webhook that did not arrive was asked for again');
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    log.warn({ delivery: guid, webhook: name }, `a webhook that did not arrive cannot be had again: ${error.message}`);
  }
}
