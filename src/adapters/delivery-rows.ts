/** Deliveries as rows: the payload is there until it was taken in, the id for as long as GitHub may bring it again. */
import { sql } from 'kysely';
import type { Delivery, Store, UnreadDelivery } from '../ports.ts';
import type { Engine } from './engine.ts';
import { grouped } from './group-commit.ts';
import { enqueue } from './queue-items.ts';
import type { DeliveryRow, Queries } from './tables.ts';

export function createReceiver(engine: Engine): Store['receive'] {
  return grouped((deliveries) => receive(engine, deliveries));
}

/** Whether each of them is new; one that stands twice among them is so once. */
async function receive(engine: Engine, deliveries: readonly Delivery[]): Promise<readonly boolean[]> {
  const rows = [...new Map(deliveries.map((delivery) => [delivery.id, rowOf(delivery)])).values()];
  const fresh = await engine.transaction(async (trx) => {
    const inserted = await trx
      .insertInto('deliveries')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning(['id', 'repository_id', sql<boolean>`payload is not null`.as('unread')])
      .execute();
    const repositories = new Set(inserted.filter(({ unread }) => unread).map((row) => Number(row.repository_id)));
    const items = [...repositories].map((repositoryId) => ({ type: 'intake', repositoryId }) as const);
    await enqueue(engine.boss, trx, { items });
    return new Set(inserted.map(({ id }) => id));
  });
  return deliveries.map(({ id }) => fresh.delete(id));
}

function rowOf({ id, name, receivedAt, repositoryId, payload, note }: Delivery) {
  return {
    id,
    name,
    received_at: receivedAt,
    created_at: receivedAt,
    // Due at once, whatever the clocks of other replicas say.
    due_at: new Date(0),
    repository_id: repositoryId ?? null,
    payload: payload === undefined ? null : JSON.stringify(payload),
    note: note ?? null,
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

export async function unread(db: Queries, { repositoryId, at, limit }: Unread): Promise<readonly UnreadDelivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('payload', 'is not', null)
    .where('due_at', '<=', new Date(at))
    .orderBy('serial')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...deliveryOf(row), tries: row.tries }));
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

export async function markRead(db: Queries, id: string, note?: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ payload: null, ...(note === undefined ? {} : { note }) })
    .where('id', '=', id)
    .execute();
}

export async function postpone(db: Queries, id: string, until: string): Promise<void> {
  await db.updateTable('deliveries').set({ due_at: until, tries: sql`tries + 1` }).where('id', '=', id).execute();
}
