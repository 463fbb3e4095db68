import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { fromKysely } from 'pg-boss';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database.ts';
import { MIGRATIONS, migrate } from '../../src/adapters/migrations.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { createStore } from '../../src/adapters/store.ts';
import { ConfigError, StoreError } from '../../src/errors.ts';
import { idOf } from '../../src/loop/terms.ts';
import { layDatabase, MEMORY } from '../prepared.ts';
import { startEngineProcess } from './database-process.ts';
import { elapsed, loopOf } from './loops.ts';

const log = pino({ level: 'silent' });

async function withCopy<Result>(use: (engine: Engine) => Promise<Result>): Promise<Result> {
  const engine = await openEngine({ url: MEMORY });
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

describe('an engine in memory', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ url: 'memory:' });
  });
  afterAll(() => engine.close());

  // Must come first: later transactions find their queues known.
  it('sends and fetches in the first transaction of a new database', async () => {
    const fetched = await engine.transaction(async (trx) => {
      const db = fromKysely(trx);
      const id = await engine.boss.send('work', { a: 1 }, { singletonKey: 'k', db });
      const jobs = await engine.boss.fetch('quick', { db });
      return { id, jobs };
    });
    expect(fetched).toEqual({ id: expect.any(String), jobs: [] });
  });

  it('throws, instead of waiting for ever, when the database is used past an open transaction', async () => {
    const store = createStore(engine);
    const past: readonly (() => Promise<unknown>)[] = [
      () => store.load('1/2/3'),
      () => sql`select 1`.execute(engine.db),
      () => engine.transaction(async () => {}),
      () => engine.boss.send('work', {}, { singletonKey: 'x' }),
    ];
    for (const use of past) {
      await expect(engine.transaction(() => use())).rejects.toThrow(StoreError);
      await expect(engine.transaction(() => use())).rejects.toThrow(/from inside a transaction, but not through it/);
    }
    expect(await store.load('1/2/3')).toBeUndefined();
  });

  it('leaves other work alone while a transaction is open', async () => {
    const store = createStore(engine);
    const both = Promise.all([
      engine.transaction(async (trx) => {
        await trx.insertInto('blobs').values({ digest: 'x', content: new Uint8Array() }).execute();
        await new Promise((resolve) => setTimeout(resolve, 50));
        throw new Error('rolled back');
      }),
      new Promise((resolve) => setTimeout(resolve, 10)).then(() => store.putBlob('kept')),
    ]);
    await expect(both).rejects.toThrow('rolled back');
    await vi.waitFor(async () => {
      const rows = await engine.db.selectFrom('blobs').select('digest').execute();
      expect(rows.map(({ digest }) => digest)).toEqual([await store.putBlob('kept')]);
    });
  });

  it('shares nothing with another engine in memory', async () => {
    const digest = await createStore(engine).putBlob('mine');
    const other = await openEngine({ url: MEMORY });
    await expect(createStore(other).blob(digest)).rejects.toThrow(StoreError);
    await other.close();
  });

  it('starts as a copy of a dump, with schema and queues made, and leaves the dump as it was', async () => {
    const digest = await withCopy((copy) => createStore(copy).putBlob('mine'));
    await withCopy(async (copy) => {
      const numbers = await copy.db.selectFrom('schema_migrations').select('number').execute();
      expect(numbers).toHaveLength(MIGRATIONS.length);
      await expect(createStore(copy).blob(digest)).rejects.toThrow(StoreError);
      await copy.boss.send('work', { a: 1 }, { singletonKey: 'k' });
      expect(await copy.boss.fetch('work')).toHaveLength(1);
    });
  });

  it('applies a migration once, in order, and refuses a database of a newer version', async () => {
    const next = MIGRATIONS.length + 1;
    const more = [...MIGRATIONS, { number: next, name: 'a table', statements: ['create table later (x integer)'] }];
    const applied = async () =>
      (await engine.db.selectFrom('schema_migrations').select('number').orderBy('number').execute()).map(
        ({ number }) => number,
      );
    await Promise.all([1, 2].map(() => engine.transaction((trx) => migrate(trx, more))));
    expect(await applied()).toEqual(more.map(({ number }) => number));
    await sql`insert into later values (1)`.execute(engine.db);
    await expect(engine.transaction((trx) => migrate(trx))).rejects.toThrow(
      new RegExp(`migration ${next},.*newer Loopwright`),
    );
  });

  it('leaves nothing of a migration that fails half-way', async () => {
    const next = MIGRATIONS.length + 1;
    const broken = [...MIGRATIONS, { number: next, name: '', statements: [] }].concat({
      number: next + 1,
      name: 'broken',
      statements: ['create table half (x integer)', 'create table half (x integer)'],
    });
    await expect(engine.transaction((trx) => migrate(trx, broken))).rejects.toThrow(/already exists/);
    await expect(sql`select * from half`.execute(engine.db)).rejects.toThrow(/does not exist/);
  });

  it('refuses a URL that it does not know', async () => {
    for (const url of ['mysql://localhost/x', '']) {
      await expect(openEngine({ url })).rejects.toThrow(ConfigError);
      await expect(openEngine({ url })).rejects.toThrow(`database "${url}"`);
    }
  });
});

describe('an engine in a directory', () => {
  let root: string;
  let directory: string;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'loopwright-engine-'));
    directory = join(root, 'data');
    await layDatabase(directory);
  });
  const start = (mode: 'open' | 'save' | 'work') => startEngineProcess(directory, mode);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('is for one process at a time, says so to the second one, and is free after kill -9', async () => {
    const first = start('open');
    await first.said('open');
    const message = /data directory .*data cannot be locked, most likely because another Loopwright process uses it/;
    await expect(openEngine({ url: directory })).rejects.toThrow(message);
    const second = start('open');
    expect(await second.exited()).not.toBe(0);
    expect(second.errors()).toMatch(message);
    await first.kill();
    const engine = await openEngine({ url: directory });
    await expect(openEngine({ url: directory })).rejects.toThrow(message);
    await engine.close();
  });

  it('has every acknowledged save after kill -9, and none in part', async () => {
    for (let round = 0; round < 3; round += 1) {
      const child = start('save');
      await child.said('saved');
      await new Promise((resolve) => setTimeout(resolve, 100 + 130 * round));
      await child.kill();
      const acknowledged = Number(child.lines.at(-1)?.split(' ')[1]);
      const engine = await openEngine({ url: directory });
      const store = createStore(engine);
      const id = idOf(loopOf().ref);
      const stored = await store.load(id);
      const version = stored?.version ?? -1;
      expect(version).toBeGreaterThanOrEqual(acknowledged);
      expect(version).toBeLessThanOrEqual(acknowledged + 1);
      expect(stored?.loop.seq).toBe(version);
      const entries = await store.log(id);
      expect(entries.map(({ event }) => event)).toEqual(Array.from({ length: version }, (_, n) => elapsed(n + 1)));
      const jobs = await sql<{ count: number }>`select count(*)::int as count from pgboss.job`.execute(engine.db);
      expect(jobs.rows).toEqual([{ count: 1 }]);
      await engine.close();
    }
  });

  it('runs a killed process’s item again at once', async () => {
    const item = { type: 'intake', repositoryId: 1 } as const;
    const before = await openEngine({ url: directory });
    await createQueue(before, { concurrency: 1, log }).send(item);
    await before.close();
    const child = start('work');
    await child.said(`holds ${JSON.stringify(item)}`);
    await child.kill();
    const engine = await openEngine({ url: directory });
    const queue = createQueue(engine, { concurrency: 1, log });
    const seen: unknown[] = [];
    const startedAt = performance.now();
    await queue.start(async (found) => void seen.push(found));
    await vi.waitUntil(() => seen.some((found) => JSON.stringify(found) === JSON.stringify(item)), { timeout: 9000 });
    // Without the takeover it would wait for the end of the heartbeat, 10 s.
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await queue.stop();
    await engine.close();
  });

  it('refuses the files of another major version of Postgres and leaves the lock free', async () => {
    const old = join(root, 'old');
    mkdirSync(join(old, 'postgres'), { recursive: true });
    writeFileSync(join(old, 'postgres', 'PG_VERSION'), '17\n');
    for (const _ of [1, 2]) {
      await expect(openEngine({ url: old })).rejects.toThrow(/was made by Postgres 17, this version needs 18/);
    }
  });
});
