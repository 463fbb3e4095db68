/** Webhooks that did not arrive, as rows, so that a restart or another replica goes on where one stopped. */
import { sql } from 'kysely';
import type { MissedDelivery, Store } from '../../ports.ts';
import type { Queries } from './tables.ts';

export async function noteMissed(db: Queries, missed: Parameters<Store['noteMissed']>[0]): Promise<void> {
  const rows = [...Map.groupBy(missed, ({ guid }) => guid)].flatMap(([guid, tries]) => {
    const sorted = tries.toSorted((left, right) => left.triedAt.localeCompare(right.triedAt));
    const [first, newest] = [sorted[0], sorted.at(-1)];
    if (first === undefined || newest === undefined) return [];
    const { name, id, triedAt } = newest;
    return [{ guid, name, delivery_id: id, first_tried_at: first.triedAt, tried_at: triedAt, due_at: first.triedAt }];
  });
  if (rows.length === 0) return;
  await db
    .insertInto('missed_deliveries')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column('guid')
        .doUpdateSet({ delivery_id: sql`excluded.delivery_id`, tried_at: sql`excluded.tried_at` })
        .where('missed_deliveries.tried_at', '<', sql<Date>`excluded.tried_at`),
    )
    .execute();
}

export async function dueMissed(
  db: Queries,
  { at, horizon, limit }: Parameters<Store['dueMissed']>[0],
): Promise<readonly MissedDelivery[]> {
  await db
    .deleteFrom('missed_deliveries')
    .where((where) =>
      where.or([
        where('tried_at', '<', new Date(horizon)),
        where('guid', 'in', db.selectFrom('deliveries').select('deliveries.id')),
      ]),
    )
    .execute();
  const rows = await db
    .selectFrom('missed_deliveries')
    .selectAll()
    .where('due_at', '<=', new Date(at))
    .orderBy('first_tried_at')
    .orderBy('guid')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    guid: row.guid,
    name: row.name,
    id: row.delivery_id,
    triedAt: row.tried_at.toISOString(),
    asked: row.asked,
  }));
}

export async function askedFor(db: Queries, guid: string, dueAt: string): Promise<void> {
  await db
    .updateTable('missed_deliveries')
    .set({ asked: sql`asked + 1`, due_at: dueAt })
    .where('guid', '=', guid)
    .execute();
}
