/** The queue in memory, with the promises of the real one: one item of a key at a time and in order, growing delays, items of a killed process run again. */
import { countedFailures, keyOf } from '../../../src/adapters/queue-items.ts';
import { RetryError } from '../../../src/errors.ts';
import type { Queue, QueueItem, Tries } from '../../../src/ports.ts';
import type { Random } from '../world/random.ts';
import type { Life, Scheduler } from '../world/scheduler.ts';

export interface Queued {
  readonly item: QueueItem;
  readonly key: string;
  readonly long: boolean;
  availableMs: number;
  attempt: number;
  failed: Tries['failed'];
  of: Tries['of'];
  claimedBy: Life | undefined;
  readonly sentMs: number;
}

/** What the database holds of the queue, whichever processes live. */
export interface QueueTable {
  readonly items: Set<Queued>;
  /** Timers that were ever sent. */
  readonly once: Set<string>;
  readonly workers: Set<() => void>;
}

const SLOTS = 8;
const POLL_MS = 1000;
const HEARTBEAT_MS = 12_000;
const LONGEST_DELAY_S = 60;

export function createQueueTable(): QueueTable {
  return { items: new Set(), once: new Set(), workers: new Set() };
}

/** Puts an item into the table, in the transaction of whoever calls; one that is there already and has not begun stands for both. */
export function enqueue(table: QueueTable, scheduler: Scheduler, item: QueueItem, delaySeconds = 0): void {
  const key = keyOf(item);
  if (item.type === 'elapse') {
    if (table.once.has(key)) return;
    table.once.add(key);
  }
  const sentMs = scheduler.nowMs();
  const isMerged = delaySeconds === 0 && item.type !== 'elapse';
  if (isMerged && [...table.items].some((queued) => queued.key === key && hasNotBegun(queued, sentMs))) return;
  const long = item.type === 'wake' && item.lane === 'work';
  table.items.add({
    item,
    key,
    long,
    availableMs: sentMs + delaySeconds * 1000,
    attempt: 0,
    failed: {},
    of: undefined,
    claimedBy: undefined,
    sentMs,
  });
  for (const wake of table.workers) wake();
}

/** Waiting to be tried again counts as not begun: it will see what is committed now. */
function hasNotBegun({ claimedBy, attempt, availableMs }: Queued, nowMs: number): boolean {
  return claimedBy === undefined && (attempt > 0 || availableMs <= nowMs);
}

export interface QueueOptions {
  readonly table: QueueTable;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly life: Life;
  /** Told of each failure, for whoever looks for its cause. */
  readonly onFailure: (queued: Queued, error: unknown) => void;
}

/** The queue as one process sees it. */
export function createMemoryQueue({ table, scheduler, random, life, onFailure }: QueueOptions): Queue {
  let handle: Parameters<Queue['start']>[0] | undefined;
  let running = { long: 0, short: 0 };
  const finish = (queued: Queued, error: unknown): void => {
    if (queued.claimedBy !== life) return;
    queued.claimedBy = undefined;
    if (error === undefined) table.items.delete(queued);
    else {
      onFailure(queued, error);
      if (error instanceof RetryError) {
        queued.failed = countedFailures(queued, error);
        queued.of = error.of;
      }
      queued.availableMs = scheduler.nowMs() + delayOf(error, queued.attempt) + random.between(0, POLL_MS);
      // Whichever process lives by then polls it.
      scheduler.after(queued.availableMs - scheduler.nowMs(), fetchAll(table));
    }
    running = count(table, life);
    fetch();
  };
  const begin = (queued: Queued): void => {
    queued.claimedBy = life;
    queued.attempt += 1;
    running = count(table, life);
    handle?.(queued.item, { attempt: queued.attempt, failed: queued.failed, of: queued.of }).then(
      () => finish(queued, undefined),
      (error: unknown) => finish(queued, error ?? new Error('the handler threw nothing')),
    );
  };
  const delayOf = (error: unknown, attempt: number): number => {
    const told = error instanceof RetryError ? error.seconds : undefined;
    const most = Math.min(LONGEST_DELAY_S, 2 ** attempt);
    return 1000 * (told ?? random.between(most / 2, most));
  };
  let planned = false;
  const fetch = (): void => {
    if (planned || !life.alive || handle === undefined) return;
    planned = true;
    scheduler.after(
      5,
      () => {
        planned = false;
        for (const queued of eligible(table, scheduler.nowMs())) {
          if ((queued.long ? running.long : running.short) < SLOTS) begin(queued);
        }
      },
      life,
    );
  };
  return {
    async start(handler) {
      handle = handler;
      table.workers.add(fetch);
      fetch();
    },
    async send(item, delaySeconds) {
      await scheduler.sleep(2, life);
      enqueue(table, scheduler, item, delaySeconds);
      if (delaySeconds !== undefined && delaySeconds > 0)
        scheduler.after(delaySeconds * 1000 + random.between(0, POLL_MS), fetchAll(table));
    },
    async stop() {
      table.workers.delete(fetch);
    },
  };
}

function fetchAll({ workers }: QueueTable): () => void {
  return () => {
    for (const wake of workers) wake();
  };
}

function count({ items }: QueueTable, life: Life): { readonly long: number; readonly short: number } {
  const mine = [...items].filter(({ claimedBy }) => claimedBy === life);
  const long = mine.filter((queued) => queued.long).length;
  return { long, short: mine.length - long };
}

/** The oldest item of each key that nobody works on, when its time has come. */
function eligible({ items }: QueueTable, nowMs: number): readonly Queued[] {
  const seen = new Set<string>();
  const found: Queued[] = [];
  for (const queued of items) {
    if (seen.has(queued.key)) continue;
    seen.add(queued.key);
    if (queued.claimedBy === undefined && queued.availableMs <= nowMs) found.push(queued);
  }
  return found;
}

/** What a killed process had claimed is free again when its heartbeat is missed. */
export function freeClaims(table: QueueTable, scheduler: Scheduler, life: Life): void {
  scheduler.after(HEARTBEAT_MS, () => {
    for (const queued of table.items) if (queued.claimedBy === life) queued.claimedBy = undefined;
    fetchAll(table)();
  });
}
