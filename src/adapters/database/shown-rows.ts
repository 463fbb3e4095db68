/** What of a loop was brought to GitHub last, a row each. */
import { type Shown, shown as schema } from '../../loop/shown.ts';
import type { Store } from '../../ports.ts';
import { parseStored } from './loop-rows.ts';
import type { Queries } from './tables.ts';

/** The part of the store that keeps it. */
export function shownRows(db: Queries): Pick<Store, 'takeShown' | 'keepShown'> {
  return {
    takeShown: (loopId) => takeShown(db, loopId),
    keepShown: (loopId, shown) => keepShown(db, loopId, shown),
  };
}

async function takeShown(db: Queries, loopId: string): Promise<Shown | undefined> {
  const row = await db.deleteFrom('shown').where('loop_id', '=', loopId).returning('shown').executeTakeFirst();
  return row && parseStored(schema, row.shown, `what is shown of the loop ${loopId}`);
}

async function keepShown(db: Queries, loopId: string, shown: Shown): Promise<void> {
  const row = { shown: JSON.stringify(schema.parse(shown)) };
  await db
    .insertInto('shown')
    .values({ loop_id: loopId, ...row })
    .onConflict((conflict) => conflict.column('loop_id').doUpdateSet(row))
    .execute();
}
