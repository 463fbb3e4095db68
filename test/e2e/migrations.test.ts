import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS, migrate } from '../../src/adapters/database/migrations.ts';
import type { Tables } from '../../src/adapters/database/tables.ts';

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const by = { id: 1, login: 'maria', type: 'User' as const };

async function databaseOfMigration1(): Promise<Kysely<Tables>> {
  const lite = await PGlite.create();
  const kysely = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite: lite }) });
  onTestFinished(() => kysely.destroy());
  await kysely.transaction().execute((trx) => migrate(trx, MIGRATIONS.slice(0, 1)));
  return kysely;
}

/** A loop as it was written then. */
function loopThen(issue: number, changes: Readonly<Record<string, unknown>>) {
  const ref = { installationId: 9, repositoryId: 3, owner: 'acme', repo: 'shop', issue, n: 1 };
  const rest = { phase: 'PLAN', entry: 1, startedAt: '', priority: 'routine', spent: { usd: 0.5 }, pending: [] };
  return { schema: 1, ref, status: 'working', ...rest, ...changes };
}

async function insertLoop(db: Kysely<Tables>, loop: ReturnType<typeof loopThen>): Promise<void> {
  const { issue } = loop.ref;
  await sql`insert into loops (id, version, repository_id, issue, n, status, branch, loop) values
    (${`3/${issue}/1`}, 1, 3, ${issue}, 1, ${loop.status}, 'loopwright/1', ${JSON.stringify(loop)})`.execute(db);
}

test('migration 2 finds the loops that are there by what they remember, whatever stands in their JSON', async () => {
  const db = await databaseOfMigration1();
  const issue = { title: 'Sort \u0000 \ud800 items', body: '', author: by };
  const pending = [
    { type: 'draft' as const, key: '2/draft', phase: 'PLAN' as const, entry: 2 },
    { type: 'show' as const, key: 'show/2' },
  ];
  await insertLoop(
    db,
    loopThen(1, {
      ...{ phase: 'SHIP', entry: 3, run: { id: 5, entry: 3 }, head: 'a'.repeat(40), issue, pending },
      base: { branch: 'main', sha: 'b'.repeat(40) },
      documents: [{ path: 'spec.md', digest: digest('1') }],
    }),
  );
  await insertLoop(db, loopThen(2, { status: 'succeeded' }));
  await insertLoop(db, loopThen(3, { status: 'paused', pausedFrom: 'waiting' }));
  await db.transaction().execute((trx) => migrate(trx));
  const rows = await db.selectFrom('loops').selectAll().orderBy('serial').execute();
  expect(rows[0]).toMatchObject({
    installation_id: 9,
    owner: 'acme',
    repo: 'shop',
    title: 'Sort  \ufffd items',
    phase: 'SHIP',
    head: 'a'.repeat(40),
    base_branch: 'main',
    priority: 'routine',
    lanes: 'work,voice',
    usd: 0.5,
    awaits_run: true,
    holds_slot: true,
    ended_at: null,
  });
  expect(rows[1]).toMatchObject({ status: 'succeeded', lanes: '', holds_slot: false, ended_at: rows[1]?.updated_at });
  expect(rows[2]).toMatchObject({ status: 'paused', awaits_run: false, holds_slot: false });
  expect(await db.selectFrom('loop_blobs').selectAll().execute()).toEqual([{ digest: digest('1'), loop_id: '3/1/1' }]);
});

test('migration 2 keeps of the deliveries what was not taken in yet, under its repository', async () => {
  const db = await databaseOfMigration1();
  await sql`create schema pgboss`.execute(db);
  await sql`create type pgboss.job_state as enum ('created', 'retry', 'active', 'completed')`.execute(db);
  await sql`create table pgboss.job (singleton_key text, state pgboss.job_state)`.execute(db);
  const arrive = async (id: string, payload: unknown, state: string): Promise<void> => {
    await sql`insert into deliveries (id, name, received_at, payload) values (${id}, 'push', '', ${JSON.stringify(payload)})`.execute(
      db,
    );
    await sql`insert into pgboss.job values (${`intake ${id}`}, ${state}::pgboss.job_state)`.execute(db);
  };
  await arrive('waiting', { repository: { id: 7 }, text: '\u0000' }, 'created');
  await arrive('failing', { repository: { id: 8 } }, 'retry');
  await arrive('taken in', { repository: { id: 7 } }, 'completed');
  await arrive('odd', { zen: 'no repository' }, 'created');
  await db.transaction().execute((trx) => migrate(trx));
  const rows = await db.selectFrom('deliveries').select(['id', 'repository_id', 'payload']).orderBy('serial').execute();
  expect(rows).toEqual([
    { id: 'waiting', repository_id: 7, payload: JSON.stringify({ repository: { id: 7 }, text: '\u0000' }) },
    { id: 'failing', repository_id: 8, payload: JSON.stringify({ repository: { id: 8 } }) },
    { id: 'taken in', repository_id: null, payload: null },
    { id: 'odd', repository_id: null, payload: null },
  ]);
  expect((await sql`select * from pgboss.job`.execute(db)).rows).toEqual([]);
});

test('migration 3 knows the commands that were applied before it', async () => {
  const db = await databaseOfMigration1();
  await insertLoop(db, loopThen(1, { status: 'stopped' }));
  await db.transaction().execute((trx) => migrate(trx, MIGRATIONS.slice(0, 2)));
  const events = [
    { ordinal: null, event: { type: 'commanded', commentId: 5, argument: '\u0000' } },
    { ordinal: null, event: { type: 'commanded', commentId: 5 } },
    { ordinal: 4, event: { type: 'commanded', commentId: 6 } },
    { ordinal: 2, event: { type: 'reviewed', body: '"commanded"' } },
    { ordinal: null, event: undefined },
  ];
  for (const [index, { ordinal, event }] of events.entries())
    await sql`insert into loop_log (loop_id, seq, event, settled, ordinal) values
      ('3/1/1', ${index + 1}, ${event === undefined ? null : JSON.stringify(event)}, 'x', ${ordinal})`.execute(db);
  await db.transaction().execute((trx) => migrate(trx));
  const rows = await db.selectFrom('heard').selectAll().orderBy('said').execute();
  expect(rows).toEqual(['comment/5/0', 'comment/5/1', 'comment/6/2'].map((said) => ({ repository_id: 3, said })));
});
