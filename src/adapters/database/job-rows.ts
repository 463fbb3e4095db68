/** The code of jobs that was offered to runners: a run that waited takes what it was started with, whichever process and version it asks. */
import { sql } from 'kysely';
import type { Store } from '../../ports.ts';
import { putBlob, readBlob } from './blob-rows.ts';
import type { Queries } from './tables.ts';

/** The part of the store that keeps it. */
export function jobRows(db: Queries): Pick<Store, 'offerJob' | 'job'> {
  return { offerJob: (content) => offerJob(db, content), job: (digest) => job(db, digest) };
}

async function offerJob(db: Queries, content: Uint8Array): Promise<string> {
  const digest = await putBlob(db, content);
  await db
    .insertInto('jobs')
    .values({ digest })
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ offered_at: sql`now()` }))
    .execute();
  return digest;
}

async function job(db: Queries, digest: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('jobs').select('digest').where('digest', '=', digest).executeTakeFirst();
  return row && (await readBlob(db, row.digest));
}

/** Those that another followed before the time: the newest of before was in use then, however long. */
export async function forgetJobs(db: Queries, before: string): Promise<void> {
  await db
    .deleteFrom('jobs')
    .where('offered_at', '<', ({ selectFrom, fn }) =>
      selectFrom('jobs').select(fn.max('offered_at').as('at')).where('offered_at', '<', new Date(before)),
    )
    .execute();
}
