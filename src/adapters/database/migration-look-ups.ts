/** What migration 2 does that SQL cannot: reads the stored JSON, which holds what Postgres' own JSON refuses (\u0000), into the new columns. */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Queries } from './tables.ts';

const OPEN = `status in ('queued', 'working', 'waiting', 'paused')`;

export const LOOK_UPS: readonly string[] = [
  `alter table loops
    add column installation_id bigint not null default 0,
    add column owner text not null default '',
    add column repo text not null default '',
    add column title text not null default '',
    add column phase text not null default 'DISCOVER',
    add column waiting_for text,
    add column head text,
    add column base_branch text,
    add column priority text not null default 'routine',
    add column lanes text not null default '',
    add column awaits_run boolean not null default false,
    add column holds_slot boolean not null default false,
    add column usd double precision not null default 0,
    add column started_at text not null default '',
    add column queued_at timestamptz,
    add column ended_at timestamptz,
    add column forgotten boolean not null default false`,
  `create index loops_open_head on loops (repository_id, head) where ${OPEN}`,
  `create index loops_open_base on loops (repository_id, base_branch) where ${OPEN}`,
  `create index loops_open on loops (serial) where ${OPEN}`,
  `create index loops_unfinished on loops (serial) where lanes <> '' or awaits_run`,
  'create index loops_slots on loops (installation_id, repository_id) where holds_slot',
  `create index loops_queued on loops (queued_at) where status = 'queued'`,
  'create index loops_ended on loops (ended_at) where ended_at is not null and not forgotten',
  'alter table loop_log add column delivery_id text, add column ordinal integer',
  `create unique index loop_log_source on loop_log (loop_id, delivery_id, ordinal) where delivery_id is not null`,
  'alter table deliveries alter column payload drop not null',
  `alter table deliveries
    add column serial bigint generated always as identity,
    add column repository_id bigint,
    add column tries integer not null default 0,
    add column due_at timestamptz not null default now(),
    add column note text`,
  'create index deliveries_unread on deliveries (repository_id, serial) where payload is not null',
  'create index deliveries_created on deliveries (created_at)',
  `create table loop_blobs (
    digest text not null,
    loop_id text not null references loops (id) on delete cascade,
    primary key (digest, loop_id)
  )`,
  'create index loop_blobs_loop on loop_blobs (loop_id)',
  'create index blobs_created on blobs (created_at)',
  `create table missed_deliveries (
    guid text primary key,
    name text not null,
    delivery_id text not null,
    first_tried_at timestamptz not null,
    tried_at timestamptz not null,
    asked integer not null default 0,
    due_at timestamptz not null
  )`,
];

/** The shape of a loop as it was before this migration; it stays so, whatever becomes of loop.ts. */
const stored = z.looseObject({
  ref: z.looseObject({ installationId: z.int(), owner: z.string(), repo: z.string() }),
  status: z.string(),
  pausedFrom: z.string().optional(),
  phase: z.string(),
  entry: z.int(),
  startedAt: z.string(),
  waitingFor: z.string().optional(),
  head: z.string().optional(),
  base: z.looseObject({ branch: z.string() }).optional(),
  issue: z.looseObject({ title: z.string() }).optional(),
  priority: z.string(),
  run: z.looseObject({ entry: z.int() }).optional(),
  spent: z.looseObject({ usd: z.number() }),
  pending: z.array(z.looseObject({ type: z.string() })),
});

const VOICE: readonly string[] = ['cancel', 'react', 'reply', 'tell', 'ask', 'unlabel', 'show'];
const PAGE = 100;

/** Fills the columns of the loops that are there, and keeps of the deliveries only those that are not taken in yet. */
export async function fillLookUps(trx: Queries): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await trx
      .selectFrom('loops')
      .select(['id', 'serial', 'loop', 'updated_at'])
      .where('serial', '>', after)
      .orderBy('serial')
      .limit(PAGE)
      .execute();
    for (const row of rows) await fillLoop(trx, row);
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.serial;
  }
  await fillDeliveries(trx);
}

interface Row {
  readonly id: string;
  readonly loop: string;
  readonly updated_at: Date;
}

async function fillLoop(trx: Queries, { id, loop, updated_at }: Row): Promise<void> {
  const { ref, status, pausedFrom, run, pending, ...rest } = stored.parse(JSON.parse(loop));
  const ended = status === 'succeeded' || status === 'stopped';
  await trx
    .updateTable('loops')
    .set({
      installation_id: ref.installationId,
      owner: ref.owner,
      repo: ref.repo,
      title: storable(rest.issue?.title ?? ''),
      phase: rest.phase,
      waiting_for: rest.waitingFor ?? null,
      head: rest.head ?? null,
      base_branch: rest.base?.branch ?? null,
      priority: rest.priority,
      lanes: [...new Set(pending.map(({ type }) => (VOICE.includes(type) ? 'voice' : 'work')))].join(','),
      awaits_run: status === 'working' && run?.entry === rest.entry,
      holds_slot: status === 'working' || (status === 'paused' && pausedFrom === 'working'),
      usd: rest.spent.usd,
      started_at: rest.startedAt,
      ended_at: ended ? updated_at : null,
    })
    .where('id', '=', id)
    .execute();
  const digests = [...new Set(loop.match(/sha256:[0-9a-f]{64}/g))];
  if (digests.length === 0) return;
  await trx
    .insertInto('loop_blobs')
    .values(digests.map((digest) => ({ digest, loop_id: id })))
    .execute();
}

/** Postgres' text holds no NUL, and no half of a surrogate pair survives the way there. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** A queue item of each delivery said until now what is to be taken in. */
async function fillDeliveries(trx: Queries): Promise<void> {
  const queue = await sql<{ there: boolean }>`select to_regclass('pgboss.job') is not null as there`.execute(trx);
  const waiting = queue.rows[0]?.there === true ? await waitingDeliveries(trx) : [];
  for (const { id, payload } of waiting) {
    const read = z.looseObject({ repository: z.looseObject({ id: z.int() }) }).safeParse(JSON.parse(payload ?? 'null'));
    const repository_id = read.success ? read.data.repository.id : null;
    await trx.updateTable('deliveries').set({ repository_id }).where('id', '=', id).execute();
  }
  await sql`update deliveries set payload = null where repository_id is null`.execute(trx);
  if (waiting.length > 0) await sql`delete from pgboss.job where singleton_key like 'intake %'`.execute(trx);
}

async function waitingDeliveries(trx: Queries): Promise<readonly { id: string; payload: string | null }[]> {
  const found = await sql<{
    id: string;
    payload: string | null;
  }>`select id, payload from deliveries where 'intake ' || id in
    (select singleton_key from pgboss.job where state < 'completed')`.execute(trx);
  return found.rows;
}
