/** Queue items as pg-boss jobs: which queue, which key, which options; sending happens in the caller's transaction. */
import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { fromKysely, type PgBoss, type SendOptions } from 'pg-boss';
import { z } from 'zod';
import type { RetryError } from '../errors.ts';
import { effectLane } from '../loop/effect.ts';
import type { QueueItem, Tries } from '../ports.ts';
import type { Queries } from './database/tables.ts';

/**
 * Queues with their own slots, so that a `/stop` is heard while every slot of `work` waits for a model.
 * work: the effects that take minutes · quick: timers and what is said to people · intake: deliveries, one item a repository.
 */
export const QUEUE_NAMES = ['work', 'quick', 'intake'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** The channel of Postgres' NOTIFY that says in which queues an item may be there, with a space between. */
export const WAKE_CHANNEL = 'loopwright_queue';

const TEN_YEARS_SECONDS = 10 * 365 * 24 * 3600;
const RETRY_FOR_EVER = 2 ** 31 - 1;

/**
 * `key_strict_fifo` is the one policy of pg-boss that fits: at most one item per key is active or waits to be retried (a unique index, so also across
 * processes), and any number may be queued behind it; `enqueue` keeps that number at one. `stately`, `short` and `exclusive` drop an item whose key is
 * queued already; on Postgres that item may be fetched just before our commit, and then the wake is lost. `singleton` skips keys by a cached list that
 * is up to a minute old.
 */
export const QUEUE_OPTIONS = {
  policy: 'key_strict_fifo',
  retryLimit: RETRY_FOR_EVER,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  heartbeatSeconds: 10,
  // The longest that pg-boss allows; a dead process is noticed by its heartbeat.
  expireInSeconds: 24 * 3600 - 1,
  retentionSeconds: TEN_YEARS_SECONDS,
  deleteAfterSeconds: 3600,
} as const;

/** The door for what comes back from the database. */
export const queueItem: z.ZodType<QueueItem> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('intake'), repositoryId: z.int() }),
  z.strictObject({ type: z.literal('admit') }),
  z.strictObject({ type: z.literal('prove'), repositoryId: z.int(), pull: z.int() }),
  z.strictObject({ type: z.literal('onboard'), repositoryId: z.int() }),
  z.strictObject({ type: z.literal('wake'), loopId: z.string(), lane: effectLane }),
  z.strictObject({
    type: z.literal('elapse'),
    loopId: z.string(),
    key: z.string(),
    entry: z.int(),
    timer: z.enum(['run', 'checks']),
  }),
]);

/** Items with the same key never run at the same time. */
export function keyOf(item: QueueItem): string {
  switch (item.type) {
    case 'intake':
      return `intake ${item.repositoryId}`;
    case 'admit':
      return 'admit';
    case 'prove':
      return `prove ${item.repositoryId} ${item.pull}`;
    case 'onboard':
      return `onboard ${item.repositoryId}`;
    case 'wake':
      return `wake ${item.loopId} ${item.lane}`;
    case 'elapse':
      return `elapse ${item.loopId} ${item.key}`;
  }
}

/** The failures of an item's tries after one more. */
export function countedFailures(
  { failed, of: before }: Pick<Tries, 'failed' | 'of'>,
  { kind, of }: Pick<RetryError, 'kind' | 'of'>,
): Tries['failed'] {
  const same = before === of ? failed : {};
  return kind === undefined ? same : { ...same, [kind]: (same[kind] ?? 0) + 1 };
}

interface Request {
  readonly items: readonly QueueItem[];
  readonly delaySeconds?: number | undefined;
}

/** Queues items in the given transaction and wakes the workers of every process when it commits. */
export async function enqueue(boss: PgBoss, trx: Queries, request: Request): Promise<void> {
  const { items, delaySeconds = 0 } = request;
  if (items.length === 0) return;
  if (delaySeconds > 0) return send(boss, trx, request);
  const found =
    await sql<Ringing>`with queued as materialized (${queuedAmong(items)}) select ${ringing(items)}`.execute(trx);
  await send(boss, trx, { items: notQueued(items, found.rows) });
}

/** Sends what is not queued already. */
export async function send(boss: PgBoss, trx: Queries, { items, delaySeconds = 0 }: Request): Promise<void> {
  const db = fromKysely(trx);
  for (const item of items) {
    const options = { ...onceOptions(item), singletonKey: keyOf(item), startAfter: delaySeconds, db };
    await boss.send(queueOf(item), item, options);
  }
}

/**
 * The keys of which an item is queued that has not begun, or waits to be tried again: it will see what this transaction commits. The lock keeps it so:
 * a fetch takes rows `for update skip locked`, so until we commit it passes these by, and one that it has already in hand is skipped here. Several
 * transactions may hold the lock on one row.
 */
export function queuedAmong(items: readonly QueueItem[]): RawBuilder<unknown> {
  const keys = items.filter(({ type }) => type !== 'elapse').map(keyOf);
  return sql`select singleton_key as key from pgboss.job
    where name = any(${[...QUEUE_NAMES]}::text[]) and singleton_key = any(${keys}::text[])
    and state < 'active' and not blocked and policy = ${QUEUE_OPTIONS.policy}
    and (state = 'retry' or start_after <= now())
    for key share skip locked`;
}

/** What a statement selects that has `queuedAmong` as its `queued`: the keys found, and, as it does so, NOTIFY. */
export function ringing(items: readonly QueueItem[]): RawBuilder<unknown> {
  const queues = [...new Set(items.map(queueOf))].join(' ');
  return sql`(select array_agg(key) from queued) as queued, pg_notify(${WAKE_CHANNEL}, ${queues})`;
}

export interface Ringing {
  readonly queued: readonly string[] | null;
}

export function notQueued<Item extends QueueItem>(items: readonly Item[], rows: readonly Ringing[]): readonly Item[] {
  const queued = new Set(rows.flatMap((row) => row.queued ?? []));
  return items.filter((item) => !queued.has(keyOf(item)));
}

function queueOf(item: QueueItem): QueueName {
  if (item.type === 'intake') return 'intake';
  const takesMinutes =
    item.type === 'prove' || item.type === 'onboard' || (item.type === 'wake' && item.lane === 'work');
  return takesMinutes ? 'work' : 'quick';
}

/** A timer is one item by its id, for as long as pg-boss remembers it: the effect that asks for it has a key that never repeats. */
function onceOptions(item: QueueItem): SendOptions {
  if (item.type !== 'elapse') return {};
  return { id: uuidOf(keyOf(item)), deleteAfterSeconds: 90 * 24 * 3600 };
}

/** A UUID of version 8 (RFC 9562) that is made from text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
