/** Slots of running loops, counted in the database: a save that takes one waits for every other that does. */
import { sql } from 'kysely';
import type { LoopRef } from '../../loop/terms.ts';
import { idOf } from '../../loop/terms.ts';
import type { AdmissionLimits, StoredLoop } from '../../ports.ts';
import { loopsOf, one } from './loop-rows.ts';
import type { Queries } from './tables.ts';

// Any constant will do that no other lock of ours has.
const ADVISORY_LOCK = 7_301_002;

/** Whether a slot is free for this loop. Until the transaction ends nobody else takes one. */
export async function hasSlot(trx: Queries, ref: LoopRef, limits: AdmissionLimits): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::int)`.execute(trx);
  const found = await sql<{ free: boolean }>`select count(*) < ${limits.overall}
    and count(*) filter (where installation_id = ${ref.installationId}) < ${limits.installation}
    and count(*) filter (where repository_id = ${ref.repositoryId}) < ${limits.repository} as free
    from loops where holds_slot and id <> ${idOf(ref)}`.execute(trx);
  return found.rows[0]?.free === true;
}

/** After so many hours a loop goes before the class above it. */
const LIFT_HOURS = 4;

/** Of the queued loops that may have a slot: vulnerability before incident before routine, each waited step lifts one class; then the longest waiting. */
export async function nextQueued(db: Queries, limits: AdmissionLimits, at: string): Promise<StoredLoop | undefined> {
  const rank = sql`case loops.priority when 'vulnerability' then 0 when 'incident' then 1 else 2 end
    - floor(extract(epoch from (${at}::timestamptz - loops.queued_at)) / ${LIFT_HOURS * 3600})`;
  const running = (column: 'installation_id' | 'repository_id', limit: number) =>
    sql<boolean>`(select count(*) from loops running where running.holds_slot
      and running.${sql.ref(column)} = loops.${sql.ref(column)}) < ${limit}`;
  return one(
    loopsOf(db)
      .where('status', '=', 'queued')
      .where(sql<boolean>`(select count(*) from loops running where running.holds_slot) < ${limits.overall}`)
      .where(running('installation_id', limits.installation))
      .where(running('repository_id', limits.repository))
      .orderBy(rank)
      .orderBy('queued_at')
      .orderBy('serial'),
  );
}
