/** The database schema as a numbered table; a number that was released is never edited again, only followed. */
import { sql } from 'kysely';
import { StoreError } from '../../errors.ts';
import { UNKNOWN } from './begun-rows.ts';
import { fillHeard, HEARD } from './migration-heard.ts';
import { fillLookUps, LOOK_UPS } from './migration-look-ups.ts';
import type { Queries } from './tables.ts';

interface Migration {
  readonly number: number;
  readonly name: string;
  /** One statement each: PGlite takes no more than one at a time. */
  readonly statements: readonly string[];
  /** What is done after them to the rows that are there. */
  readonly fill?: (trx: Queries) => Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'loops, log, deliveries, blobs',
    statements: [
      `create table loops (
        id text primary key,
        serial integer generated always as identity unique,
        version integer not null,
        repository_id bigint not null,
        issue integer not null,
        n integer not null,
        status text not null,
        branch text not null,
        pull integer,
        run_id bigint,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        loop text not null,
        unique (repository_id, issue, n)
      )`,
      'create index loops_pull on loops (repository_id, pull)',
      'create index loops_branch on loops (repository_id, branch)',
      'create index loops_run on loops (repository_id, run_id)',
      `create table loop_log (
        loop_id text not null references loops (id) on delete cascade,
        seq integer not null,
        event text,
        settled text,
        created_at timestamptz not null default now(),
        primary key (loop_id, seq),
        check (event is not null or settled is not null)
      )`,
      `create table deliveries (
        id text primary key,
        name text not null,
        received_at text not null,
        payload text not null,
        created_at timestamptz not null default now()
      )`,
      `create table blobs (
        digest text primary key,
        content bytea not null,
        created_at timestamptz not null default now()
      )`,
    ],
  },
  { number: 2, name: 'look-ups by column, sources, reduced deliveries', statements: LOOK_UPS, fill: fillLookUps },
  { number: 3, name: 'what people said, once for ever', statements: HEARD, fill: fillHeard },
  {
    number: 4,
    name: 'calls to models',
    statements: [
      `create table calls (
        loop_id text not null references loops (id) on delete cascade,
        number integer not null,
        entry integer,
        phase text not null,
        skill text not null,
        role text not null,
        attempt integer not null,
        model text,
        reserved_tokens bigint,
        reserved_usd double precision,
        settled boolean not null,
        prompt_tokens bigint not null,
        completion_tokens bigint not null,
        usd double precision,
        estimated boolean not null,
        duration_ms double precision not null,
        told boolean not null,
        at timestamptz not null,
        primary key (loop_id, number)
      )`,
      'create index calls_untold on calls (loop_id) where not told',
    ],
  },
  {
    number: 5,
    name: 'proofs of pull requests',
    statements: [
      `create table pull_proofs (
        repository_id bigint not null,
        pull integer not null,
        version integer not null,
        stage text not null,
        run_id bigint,
        updated_at timestamptz not null default now(),
        proof text not null,
        primary key (repository_id, pull)
      )`,
      'create index pull_proofs_run on pull_proofs (repository_id, run_id) where run_id is not null',
      `create index pull_proofs_open on pull_proofs (stage) where stage <> 'ended'`,
    ],
  },
  {
    number: 6,
    name: 'what is shown',
    statements: [
      'create table shown (loop_id text primary key references loops (id) on delete cascade, shown text not null)',
    ],
  },
  {
    number: 7,
    name: 'what was begun',
    statements: [
      'create table begun (loop_id text not null references loops (id) on delete cascade, name text not null, primary key (loop_id, name))',
      `insert into begun (loop_id, name) select id, '${UNKNOWN}' from loops`,
    ],
  },
  {
    number: 8,
    name: 'code of jobs',
    statements: [
      'create table jobs (digest text primary key references blobs (digest), offered_at timestamptz not null default now())',
    ],
  },
  {
    number: 9,
    name: 'what was said in calls',
    statements: ['alter table calls add column transcript text'],
  },
  {
    number: 10,
    name: 'what awaits a merge',
    // Loops that had ended before are not looked for: of their pull requests nobody knows which are open.
    statements: [
      'alter table loops add column awaits_merge boolean not null default false',
      'create index loops_awaiting_merge on loops (repository_id, base_branch) where awaits_merge',
    ],
  },
  {
    number: 11,
    name: 'onboardings',
    statements: [
      `create table onboardings (
        repository_id bigint primary key,
        version integer not null,
        stage text not null,
        updated_at timestamptz not null default now(),
        onboarding text not null
      )`,
      `create index onboardings_open on onboardings (stage) where stage in ('asked', 'trying')`,
    ],
  },
  {
    number: 12,
    name: 'limits of installations',
    statements: ['create table installation_limits (installation_id bigint primary key, limits text not null)'],
  },
  {
    number: 13,
    name: 'what waits for a right of the App',
    statements: [
      'alter table loops add column withheld text',
      'create index loops_withheld on loops (repository_id) where withheld is not null',
    ],
  },
];

// Any constant will do, as long as every version of Loopwright uses the same.
const ADVISORY_LOCK = 7_301_001;

/**
 * Applies the migrations that are missing; call it inside a transaction. Replicas that start together wait for each other.
 * @throws {StoreError} when the database was written by a newer Loopwright.
 */
export async function migrate(trx: Queries, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::int)`.execute(trx);
  await sql`create table if not exists schema_migrations (
    number integer primary key, name text not null, applied_at timestamptz not null default now()
  )`.execute(trx);
  const rows = await trx.selectFrom('schema_migrations').select('number').execute();
  const applied = new Set(rows.map((row) => row.number));
  refuseUnknown(applied, migrations);
  for (const migration of migrations.filter(({ number }) => !applied.has(number))) {
    for (const statement of migration.statements) await sql.raw(statement).execute(trx);
    await migration.fill?.(trx);
    await trx.insertInto('schema_migrations').values({ number: migration.number, name: migration.name }).execute();
  }
}

function refuseUnknown(applied: ReadonlySet<number>, migrations: readonly Migration[]): void {
  const unknown = [...applied].filter((number) => migrations.every((migration) => migration.number !== number));
  if (unknown.length === 0) return;
  throw new StoreError(
    `the database has migration ${unknown.join(', ')}, which this version does not know: it was written by a newer Loopwright; start that version, or restore a backup from before`,
  );
}
