/** Retention: removes what is older than it need be kept. A loop's own row stays, and with it the blobs that the row names. */
import { sql } from 'kysely';
import type { Retention, Store } from '../../ports.ts';
import { UNKNOWN } from './begun-rows.ts';
import { digestsIn } from './blob-rows.ts';
import type { Engine } from './database.ts';
import { forgetJobs } from './job-rows.ts';
import type { Queries } from './tables.ts';

/** So many loops lose their log in one transaction; PGlite does nothing else meanwhile. */
const AT_ONCE = 20;

export async function forget(engine: Engine, retention: Retention): ReturnType<Store['forget']> {
  const deliveries = await forgetDeliveries(engine.db, retention.deliveriesBefore);
  let logs = 0;
  for (;;) {
    const forgotten = await forgetLogs(engine, retention.logsBefore);
    logs += forgotten;
    if (forgotten < AT_ONCE) break;
  }
  await forgetJobs(engine.db, retention.blobsBefore);
  return { deliveries, logs, blobs: await forgetBlobs(engine.db, retention.blobsBefore) };
}

/** What is not taken in yet stays, however old: the intake gives it up, not time alone. */
async function forgetDeliveries(db: Queries, before: string): Promise<number> {
  const removed = await db
    .deleteFrom('deliveries')
    .where('created_at', '<', new Date(before))
    .where('payload', 'is', null)
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}

function forgetLogs(engine: Engine, before: string): Promise<number> {
  return engine.transaction(async (trx) => {
    const loops = await trx
      .selectFrom('loops')
      .select(['id', 'loop'])
      .where('ended_at', '<', new Date(before))
      .where('forgotten', '=', false)
      .limit(AT_ONCE)
      .forUpdate()
      .execute();
    await forgetTimers(trx, loops);
    for (const { id, loop } of loops) {
      const named = digestsIn(loop);
      await trx.deleteFrom('loop_log').where('loop_id', '=', id).execute();
      await trx.deleteFrom('calls').where('loop_id', '=', id).execute();
      await trx.deleteFrom('shown').where('loop_id', '=', id).execute();
      await trx.deleteFrom('begun').where('loop_id', '=', id).execute();
      await trx.insertInto('begun').values({ loop_id: id, name: UNKNOWN }).execute();
      await trx
        .deleteFrom('loop_blobs')
        .where('loop_id', '=', id)
        .$if(named.length > 0, (query) => query.where('digest', 'not in', named))
        .execute();
      await trx.updateTable('loops').set({ forgotten: true }).where('id', '=', id).execute();
    }
    return loops.length;
  });
}

/** A timer is remembered after it ran, so that it runs once; that of an ended loop means nothing any more. */
async function forgetTimers(trx: Queries, loops: readonly { readonly id: string }[]): Promise<void> {
  const keys = loops.map(({ id }) => `elapse ${id} %`);
  await sql`delete from pgboss.job where state = 'completed' and singleton_key like any(${keys}::text[])`.execute(trx);
}

async function forgetBlobs(db: Queries, before: string): Promise<number> {
  const removed = await db
    .deleteFrom('blobs')
    .where('created_at', '<', new Date(before))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('loop_blobs').select('loop_blobs.digest').whereRef('loop_blobs.digest', '=', 'blobs.digest')),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('jobs').select('jobs.digest').whereRef('jobs.digest', '=', 'blobs.digest'))),
    )
    .executeTakeFirst();
  return Number(removed.numDeletedRows);
}
