/** Deliveries as rows: the payload is there until it was taken in, the id for as long as GitHub may bring it again. */
import { sql } from 'kysely';
import type { Delivery, Store, UnreadDelivery } from '../../ports.ts';
import { notQueued, queuedAmong, type Ringing, ringing, send } from '../queue-items.ts';
import type { Engine } from './database.ts';
import { grouped } from './group-commit.ts';
import type { DeliveryRow, Queries } from './tables.ts';

/** PGlite works inside this process, in one go: while it writes nothing arrives, and without a wait every group would be of one. */
const LINGER_MS = { pglite: 2, postgres: 0 };

export function createReceiver(engine: Engine): Store['receive'] {
  return grouped((deliveries) => receive(engine, deliveries), LINGER_MS[engine.kind]);
}

/** Whether each of them is new; one that stands twice among them is so once. One statement, because each one is a way to the database and back. */
async function receive(engine: Engine, deliveries: readonly Delivery[]): Promise<readonly boolean[]> {
  const items = intakesOf(deliveries);
  const fresh = await engine.transaction(async (trx) => {
    const written = await sql<Ringing & { inserted: readonly string[] | null }>`with inserted as (
        insert into deliveries (id, name, received_at, created_at, due_at, repository_id, payload, note)
        select id, name, received_at, received_at::timestamptz, ${DUE_AT_ONCE}::timestamptz, repository_id, payload, note
        from json_to_recordset(${JSON.stringify(deliveries.map(rowOf))}::json) as given
          (id text, name text, received_at text, repository_id bigint, payload text, note text)
        on conflict do nothing returning id
      ), queued as materialized (${queuedAmong(items)})
      select (select array_agg(id) from inserted) as inserted, ${ringing(items)}`.execute(trx);
    const inserted = new Set(written.rows.flatMap((row) => row.inserted ?? []));
    const unread = intakesOf(deliveries.filter(({ id }) => inserted.has(id)));
    await send(engine.boss, trx, { items: notQueued(unread, written.rows) });
    return inserted;
  });
  return deliveries.map(({ id }) => fresh.delete(id));
}

/** Whatever the clocks of other replicas say. */
const DUE_AT_ONCE = '1970-01-01T00:00:00Z';

function intakesOf(deliveries: readonly Delivery[]) {
  const repositories = new Set(deliveries.map((one) => (one.payload === undefined ? undefined : one.repositoryId)));
  repositories.delete(undefined);
  return [...repositories].map((repositoryId) => ({ type: 'intake', repositoryId: repositoryId ?? 0 }) as const);
}

function rowOf({ id, name, receivedAt, repositoryId, payload, note }: Delivery) {
  return {
    id,
    name,
    received_at: receivedAt,
    repository_id: repositoryId,
    // Text in the text, so that it comes out as it was, \u0000 included.
    payload: payload === undefined ? null : JSON.stringify(payload),
    note: note?.replaceAll('\u0000', ''),
  };
}

export async function readDelivery(db: Queries, id: string): Promise<Delivery | undefined> {
  const row = await db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  return row && deliveryOf(row);
}

function deliveryOf(row: Omit<DeliveryRow, 'serial' | 'tries' | 'due_at' | 'created_at'>): Delivery {
  return {
    id: row.id,
    name: row.name,
    receivedAt: row.received_at,
    // pg reads a bigint as text.
    repositoryId: row.repository_id === null ? undefined : Number(row.repository_id),
    payload: row.payload === null ? undefined : JSON.parse(row.payload),
    note: row.note ?? undefined,
  };
}

type Unread = Parameters<Store['unread']>[0];

export async function unread(
  db: Queries,
  { repositoryId, at, since, after = 0, limit }: Unread,
): Promise<readonly UnreadDelivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('payload', 'is not', null)
    .where((is) => is.or([is('due_at', '<=', new Date(at)), is('created_at', '>', new Date(since))]))
    .where('serial', '>', after)
    .orderBy('serial')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...deliveryOf(row),
    tries: row.tries,
    dueAt: row.due_at.toISOString(),
    serial: Number(row.serial),
  }));
}

export async function unreadRepositories(db: Queries): ReturnType<Store['unreadRepositories']> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['repository_id', (fn) => fn.fn.min('due_at').as('due')])
    .where('payload', 'is not', null)
    .where('repository_id', 'is not', null)
    .groupBy('repository_id')
    .execute();
  return rows.map((row) => ({ repositoryId: Number(row.repository_id), dueAt: new Date(row.due).toISOString() }));
}

export async function markRead(db: Queries, ids: readonly string[], note?: string): Promise<void> {
  if (ids.length === 0) return;
  await db
    .updateTable('deliveries')
    .set({ payload: null, ...(note === undefined ? {} : { note }) })
    .where('id', 'in', ids)
    .execute();
}

export async function postpone(db: Queries, id: string, until: string): Promise<void> {
  await db.updateTable('deliveries').set({ due_at: until, tries: sql`tries + 1` }).where('id', '=', id).execute();
}
