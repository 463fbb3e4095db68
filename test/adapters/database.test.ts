import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { fromKysely } from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { MIGRATIONS, migrate } from '../../src/adapters/database/migrations.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { ConfigError, StoreError } from '../../src/errors.ts';
import { listening } from '../listening.ts';
import { MEMORY } from '../prepared.ts';

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

  it('says in one sentence that no server is there, without the password', async () => {
    const server = createServer();
    const port = new URL(await listening(server)).port;
    await new Promise((resolve) => server.close(resolve));
    const opening = openEngine({ url: `postgres://me:hunter2@127.0.0.1:${port}/loops` });
    await expect(opening).rejects.toThrow(
      new StoreError(
        `The database cannot be used: connect ECONNREFUSED 127.0.0.1:${port}. Start it, or correct DATABASE_URL.`,
      ),
    );
  });

  it('refuses a URL that it does not know', async () => {
    for (const url of ['mysql://localhost/x', '']) {
      await expect(openEngine({ url })).rejects.toThrow(ConfigError);
      await expect(openEngine({ url })).rejects.toThrow(`DATABASE_URL is "${url}"`);
    }
  });
});

describe('an engine that is closed', () => {
  const put = async (trx: Parameters<Parameters<Engine['transaction']>[0]>[0]) => {
    await trx.insertInto('blobs').values({ digest: 'x', content: new Uint8Array() }).execute();
    return 'stored';
  };

  it('refuses a transaction in one sentence, instead of leaving it open for ever and failing beside it', async () => {
    const engine = await openEngine({ url: MEMORY });
    await engine.close();
    await expect(engine.transaction(put)).rejects.toThrow(StoreError);
    await expect(engine.transaction(put)).rejects.toThrow('The database is closed');
  });

  it('ends the transactions first that were begun before', async () => {
    const engine = await openEngine({ url: MEMORY });
    const begun = [
      engine.transaction(put),
      engine.transaction(async (trx) => trx.selectFrom('blobs').selectAll().execute()),
    ];
    await engine.close();
    expect(await Promise.all(begun)).toEqual(['stored', [expect.objectContaining({ digest: 'x' })]]);
  });
});

describe('an engine in a directory', () => {
  it('refuses the files of another major version of Postgres and leaves the lock free', async () => {
    const old = mkdtempSync(join(tmpdir(), 'loopwright-engine-'));
    onTestFinished(() => rmSync(old, { recursive: true, force: true }));
    mkdirSync(join(old, 'postgres'), { recursive: true });
    writeFileSync(join(old, 'postgres', 'PG_VERSION'), '17\n');
    for (const _ of [1, 2]) {
      await expect(openEngine({ url: old })).rejects.toThrow(/was made by Postgres 17, this version needs 18/);
    }
  });
});
