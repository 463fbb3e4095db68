/** What `doctor` says of a PostgreSQL server: nothing in it is changed by the look. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEngine } from '../../src/adapters/database/database.ts';
import { lookAtDatabase } from '../../src/adapters/database/database-look.ts';
import { MIGRATIONS } from '../../src/adapters/database/migrations.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const WITHIN_MS = 30_000;

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
});
afterAll(() => server.stop());

async function query(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test('an empty database answers and can be written, with every migration to come, and stays empty', async () => {
  const numbers = MIGRATIONS.map(({ number }) => number);
  const told = { type: 'server', isWritable: true, applied: [], known: numbers };
  expect(await lookAtDatabase(url, WITHIN_MS)).toMatchObject(told);
  expect(await query("select 1 from pg_tables where schemaname = 'public'")).toEqual([]);
});

test('one that the App has opened has them all', async () => {
  await (await openEngine({ url })).close();
  const numbers = MIGRATIONS.map(({ number }) => number);
  expect(await lookAtDatabase(url, WITHIN_MS)).toMatchObject({ applied: numbers, known: numbers });
});

test('one that takes no writes is told as that', async () => {
  const name = new URL(url).pathname.slice(1);
  await query(`alter database "${name}" set default_transaction_read_only = on`);
  expect(await lookAtDatabase(url, WITHIN_MS)).toMatchObject({ type: 'server', isWritable: false });
});

test('a database that there is not is certainly none', async () => {
  const other = new URL(url);
  other.pathname = '/nowhere';
  expect(await lookAtDatabase(other.href, WITHIN_MS)).toMatchObject({ type: 'unreachable', isCertain: true });
});
