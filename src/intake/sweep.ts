/** Webhooks that GitHub could not bring are asked for again: GitHub tries only once. Only those that no row of the store has. */
import type { Logger } from 'pino';
import { LoopError } from '../errors.ts';
import type { FailedDelivery } from '../github/github-port.ts';
import type { Ports } from '../ports.ts';

export interface SweepOptions {
  readonly ports: Pick<Ports, 'clock'> & {
    readonly store: Pick<Ports['store'], 'delivery'>;
    readonly github: Pick<Ports['github'], 'failedDeliveries' | 'redeliver'>;
  };
  /** Whether the App listens to a webhook of this name (`issues.labeled`); the others are not missed. */
  readonly isHeard: (name: string) => boolean;
  readonly log: Logger;
}

/** A webhook of which at least one try failed. */
interface Missed {
  readonly guid: string;
  readonly name: string;
  /** Of the newest failed try. */
  id: string;
  firstTriedMs: number;
  lastTriedMs: number;
  readonly failedIds: Set<string>;
  /** How often this process asked for it, and when it did so last. */
  asked: number;
  askedMs: number;
}

/** GitHub remembers deliveries for so long. */
const HORIZON_MS = 3 * 24 * 3600_000;
/** A try is told by the time at which it began, and listed when it has failed; GitHub waits at most 30 s for an answer. */
const MARGIN_MS = 120_000;
const MAX_PAGES = 30;
const MAX_REDELIVERIES = 30;
/** With the waits that double, these tries span the three days. */
const MAX_TRIES = 14;
const FIRST_WAIT_MS = 30_000;

/**
 * Makes a sweep: one look at what failed since the last one (at first: all that GitHub remembers), then at most 30 redeliveries, oldest first. The first
 * that this process asks for comes at once, each further one of the same webhook after a wait that doubles. Repeating a sweep is harmless, two at once are not made.
 */
export function createSweep(options: SweepOptions): () => Promise<void> {
  const { ports, isHeard, log } = options;
  const missed = new Map<string, Missed>();
  let sweptUntilMs = 0;
  const sweep = async (): Promise<void> => {
    const nowMs = ports.clock.now().getTime();
    forget(missed, nowMs - HORIZON_MS);
    const failed = await listFailed(options, Math.max(sweptUntilMs, nowMs - HORIZON_MS));
    for (const delivery of failed.filter(({ name }) => isHeard(name))) note(missed, delivery);
    const newest = failed[0];
    if (newest !== undefined) sweptUntilMs = Date.parse(newest.triedAt) - MARGIN_MS;
    for (const one of dueOf(missed, nowMs)) await askFor(one, { missed, nowMs, ports, log });
  };
  let sweeping: Promise<void> | undefined;
  return () => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined;
    });
    return sweeping;
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

function note(missed: Map<string, Missed>, { id, guid, name, triedAt }: FailedDelivery): void {
  const triedMs = Date.parse(triedAt);
  const known = missed.get(guid);
  if (known === undefined) {
    const failedIds = new Set([id]);
    missed.set(guid, { guid, name, id, firstTriedMs: triedMs, lastTriedMs: triedMs, failedIds, asked: 0, askedMs: 0 });
    return;
  }
  known.failedIds.add(id);
  known.firstTriedMs = Math.min(known.firstTriedMs, triedMs);
  if (triedMs <= known.lastTriedMs) return;
  known.lastTriedMs = triedMs;
  known.id = id;
}

function triesOf({ failedIds, asked }: Missed): number {
  return Math.max(failedIds.size, asked + 1);
}

function dueOf(missed: ReadonlyMap<string, Missed>, nowMs: number): readonly Missed[] {
  return [...missed.values()]
    .filter((one) => triesOf(one) < MAX_TRIES && nowMs >= one.askedMs + waitMsOf(one))
    .toSorted((left, right) => left.firstTriedMs - right.firstTriedMs)
    .slice(0, MAX_REDELIVERIES);
}

/** None before the first asking of this process, because its start is what mends most failures. */
function waitMsOf({ asked }: Missed): number {
  return asked === 0 ? 0 : FIRST_WAIT_MS * 2 ** (asked - 1);
}

interface Asking {
  readonly missed: Map<string, Missed>;
  readonly nowMs: number;
  readonly ports: SweepOptions['ports'];
  readonly log: Logger;
}

/** What is stored did arrive, however it came, and GitHub's list of failures does not tell. */
async function askFor(one: Missed, { missed, nowMs, ports, log }: Asking): Promise<void> {
  const { guid, name, id } = one;
  if ((await ports.store.delivery(guid)) !== undefined) {
    missed.delete(guid);
    return;
  }
  one.asked += 1;
  one.askedMs = nowMs;
  try {
    await ports.github.redeliver(id);
    log.info(
      { delivery: guid, webhook: name, tries: triesOf(one) },
      'a webhook that did not arrive was asked for again',
    );
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    log.warn({ delivery: guid, webhook: name }, `a webhook that did not arrive cannot be had again: ${error.message}`);
  }
}

function forget(missed: Map<string, Missed>, beforeMs: number): void {
  for (const { guid, lastTriedMs } of missed.values()) if (lastTriedMs < beforeMs) missed.delete(guid);
}
