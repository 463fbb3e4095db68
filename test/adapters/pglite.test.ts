import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { maintainPglite, openPglite } from '../../src/adapters/database/pglite.ts';
import { MEMORY } from '../prepared.ts';

it('gives the room of deleted rows and of old write-ahead log free', async () => {
  const { lite, close } = await openPglite(MEMORY, pino({ level: 'silent' }));
  const number = async (query: string): Promise<number> => {
    const { rows } = await lite.query<{ value: number }>(`select (${query})::float8 as value`);
    return rows[0]?.value ?? Number.NaN;
  };
  const churn = async (): Promise<number> => {
    await lite.query(`insert into churned select n, repeat('x', 500) from generate_series(1, 2000) n`);
    await lite.query('delete from churned');
    return number(`pg_relation_size('churned')`);
  };
  const redoPoint = () => number(`(select redo_lsn from pg_control_checkpoint()) - '0/0'::pg_lsn`);
  await lite.query('create table churned (n integer, padding text)');
  const [size, redo] = [await churn(), await redoPoint()];
  await maintainPglite(lite);
  expect(await number(`pg_relation_size('churned')`)).toBe(0);
  expect(await redoPoint()).toBeGreaterThan(redo);
  expect(await churn()).toBe(size);
  await close();
});

it('begins with the empty database of the build', async () => {
  const made = async () => {
    const directory = await mkdtemp(join(tmpdir(), 'empty-database-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { lite, close } = await openPglite(directory, pino({ level: 'silent' }));
    const { rows } = await lite.query('select system_identifier::text from pg_control_system()');
    await close();
    // What Postgres makes has an identifier of its own each time.
    return { rows, major: await readFile(join(directory, 'postgres', 'PG_VERSION'), 'utf8') };
  };
  const first = await made();
  expect(first.rows).toHaveLength(1);
  expect(await made()).toEqual(first);
});
