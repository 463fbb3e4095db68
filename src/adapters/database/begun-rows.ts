/** What was begun for a loop on GitHub, a row each: what never was has to be looked for nowhere. */
import type { Store } from '../../ports.ts';
import type { Queries } from './tables.ts';

/** Stands for all that a loop did before this was noted. */
export const UNKNOWN = '*';

/** The part of the store that keeps it. */
export function begunRows(db: Queries): Pick<Store, 'begins'> {
  return { begins: (loopId, name) => begins(db, loopId, name) };
}

async function begins(db: Queries, loopId: string, name: string): Promise<boolean> {
  const written = await db
    .insertInto('begun')
    .values({ loop_id: loopId, name })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .execute();
  if (written.length === 0) return false;
  const unknown = await db
    .selectFrom('begun')
    .select('name')
    .where('loop_id', '=', loopId)
    .where('name', '=', UNKNOWN)
    .executeTakeFirst();
  return unknown === undefined;
}
