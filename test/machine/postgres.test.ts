import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { fromKysely } from 'pg-boss';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { MIGRATIONS } from '../../src/adapters/database/migrations.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { enqueue } from '../../src/adapters/queue-items.ts';
import { ConflictError } from '../../src/errors.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { QueueItem } from '../../src/ports.ts';
import { describeCalls } from '../adapters/calls-behaviour.ts';
import { startEngineProcess } from '../adapters/database-process.ts';
import { databaseStage } from '../adapters/database-stage.ts';
import { describeLimits } from '../adapters/limits-behaviour.ts';
import { elapsed, loopOf, saveOf } from '../adapters/loops.ts';
import { describeOnboardings } from '../adapters/onboardings-behaviour.ts';
import { describeQueue } from '../adapters/queue-behaviour.ts';
import { describeRows } from '../adapters/rows-behaviour.ts';
import { describeStore } from '../adapters/store-behaviour.ts';
import { describeAdmission } from '../engine/admission-behaviour.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const log = pino({ level: 'silent' });
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const open = async (): Promise<Engine> => openEngine({ url: await server.createDatabase() });
describeCalls('on PostgreSQL', async () => databaseStage(await open()));
describeOnboardings('on PostgreSQL', async () => databaseStage(await open()));
describeLimits('on PostgreSQL', async () => databaseStage(await open()));
describeStore('on PostgreSQL', async () => databaseStage(await open()));
describeRows('PostgreSQL', open);
describeQueue('PostgreSQL', open);
describeAdmission('PostgreSQL', open);

describe('replicas on one PostgreSQL', () => {
  const replicas = async <Result>(work: (engines: readonly Engine[], url: string) => Promise<Result>) => {
    const url = await server.createDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine({ url })));
    try {
      return await work(engines, url);
    } finally {
      await Promise.all(engines.map((engine) => engine.close()));
    }
  };

  it('start together on an empty database, and use it past no open transaction', () =>
    replicas(async ([engine]) => {
      if (!engine) throw new Error('no engine');
      expect(await engine.db.selectFrom('schema_migrations').select('number').execute()).toEqual(
        MIGRATIONS.map(({ number }) => ({ number })),
      );
      const past = engine.transaction(() => createStore(engine).load('1/2/3'));
      await expect(past).rejects.toThrow(/from inside a transaction/);
    }));

  it('outlive a connection that PostgreSQL ends within a transaction, which fails alone', () =>
    replicas(async ([engine, other]) => {
      if (!engine || !other) throw new Error('no engine');
      const asked = sql<{ pid: number }>`select pg_backend_pid() as pid`;
      const begun = Promise.withResolvers<number | undefined>();
      const ended = Promise.withResolvers<void>();
      const lost = engine.transaction(async (trx) => {
        const { rows } = await asked.execute(trx);
        begun.resolve(rows[0]?.pid);
        await ended.promise;
        await asked.execute(trx);
      });
      await sql`select pg_terminate_backend(${await begun.promise}::int)`.execute(other.db);
      // Nothing is asked by it while its connection ends.
      await delay(500);
      ended.resolve();
      await expect(lost).rejects.toThrow();
      expect((await engine.transaction((trx) => asked.execute(trx))).rows).toHaveLength(1);
    }));

  it('never run two items of one key at once, and lose no wake', () =>
    replicas(async (engines) => {
      const running = new Map<string, number>();
      let overlaps = 0;
      const latest = new Map<string, number>();
      const handle = async (engine: Engine, item: QueueItem): Promise<void> => {
        if (item.type !== 'wake') return;
        const now = (running.get(item.loopId) ?? 0) + 1;
        running.set(item.loopId, now);
        if (now > 1) overlaps += 1;
        latest.set(item.loopId, (await createStore(engine).load(item.loopId))?.version ?? -1);
        await delay(3);
        running.set(item.loopId, now - 1);
      };
      const queues = engines.map((engine) => ({ engine, queue: createQueue(engine, { concurrency: 4, log }) }));
      for (const { engine, queue } of queues) await queue.start((item) => handle(engine, item));
      const loops = [1, 2, 3].map((issue) => loopOf({ issue }));
      await Promise.all(
        loops.map(async (loop, index) => {
          const engine = engines[index % engines.length];
          if (!engine) throw new Error('no engine');
          for (let version = 0; version < 60; version += 1) {
            await createStore(engine).save(saveOf(loop, version, { event: elapsed(version), wakes: ['work'] }));
          }
        }),
      );
      await vi.waitUntil(() => loops.every(({ ref }) => latest.get(idOf(ref)) === 60), { timeout: 120_000 });
      for (const { queue } of queues) await queue.stop();
      expect(overlaps).toBe(0);
      expect([...latest.values()]).toEqual([60, 60, 60]);
    }));

  it('neither lose a wake that is merged into an item just as it is fetched, nor run the item before the save is committed', () =>
    replicas(async ([saver, worker]) => {
      if (!saver || !worker) throw new Error('no engine');
      const item = { type: 'wake', loopId: 'a', lane: 'work' } as const;
      const fetched = () => worker.boss.fetch<object>('work', { batchSize: 5 });
      await saver.transaction((trx) => enqueue(saver.boss, trx, { items: [item] }));
      // Merged, not committed: the fetch passes the item by, and finds it when the transaction has ended.
      // Merged, not committed: the fetch passes the item by, and finds it when the transaction has ended.
      await saver.transaction(async (trx) => {
        await enqueue(saver.boss, trx, { items: [item] });
        expect(await fetched()).toEqual([]);
      });
      const [first, ...more] = await fetched();
      expect([first?.data, more]).toEqual([item, []]);
      // Fetched, but its fetch not committed: it counts as begun, and another is queued behind it.
      await worker.boss.complete('work', first?.id ?? '');
      await saver.transaction((trx) => enqueue(saver.boss, trx, { items: [item] }));
      const begun = Promise.withResolvers<unknown>();
      const queued = Promise.withResolvers<void>();
      const fetching = worker.transaction(async (trx) => {
        const [job] = await worker.boss.fetch<object>('work', { db: fromKysely(trx) });
        begun.resolve(job?.data);
        await queued.promise;
      });
      expect(await begun.promise).toEqual(item);
      await saver.transaction((trx) => enqueue(saver.boss, trx, { items: [item] }));
      queued.resolve();
      await fetching;
      const waiting = await sql<{
        state: string;
      }>`select state from pgboss.job where state <= 'active' order by state`.execute(saver.db);
      expect(waiting.rows).toEqual([{ state: 'created' }, { state: 'active' }]);
    }));

  it('have PostgreSQL keep what they ask again and again, and go on asking when a newer one has changed the tables', () =>
    replicas(async ([engine, newer]) => {
      if (!engine || !newer) throw new Error('no engine');
      const store = createStore(engine);
      const loop = loopOf({ issue: 4 });
      await store.save(saveOf(loop, 0, { event: elapsed(1) }));
      const askOften = async () => {
        for (let time = 0; time < 30; time += 1) {
          expect((await store.newest(loop.ref.repositoryId, 4))?.loop).toEqual(loop);
          expect(await store.log(idOf(loop.ref))).toHaveLength(1);
        }
      };
      await askOften();
      const kept = sql<{ statement: string }>`select statement from pg_prepared_statements`;
      const { rows } = await kept.execute(engine.db);
      expect(rows.filter(({ statement }) => /from "loops"/.test(statement))).toHaveLength(1);
      await sql`alter table loops add column later text`.execute(newer.db);
      await sql`alter table loop_log add column later text`.execute(newer.db);
      await askOften();
    }));

  it('have one leader, and another when that one ends', () =>
    replicas(async (engines) => {
      const stores = engines.map(createStore);
      const leading = async () => Promise.all(stores.map((store) => store.leads()));
      const first = await leading();
      expect(first.filter(Boolean)).toHaveLength(1);
      expect(await leading()).toEqual(first);
      const leader = first.indexOf(true);
      await engines[leader]?.close();
      const rest = stores.filter((_, index) => index !== leader);
      await vi.waitUntil(async () => (await Promise.all(rest.map((store) => store.leads()))).includes(true), {
        timeout: 60_000,
      });
    }));

  it('let one of several simultaneous saves of one version win', () =>
    replicas(async (engines) => {
      const loop = loopOf();
      for (let version = 0; version < 10; version += 1) {
        const saves = engines.map((engine) => createStore(engine).save(saveOf(loop, version, { settled: 'x' })));
        const results = await Promise.allSettled(saves);
        const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
        expect(lost).toHaveLength(2);
        for (const reason of lost) expect(reason).toBeInstanceOf(ConflictError);
      }
    }));

  it('take over a killed process’s item within 13 s, and not before its heartbeat ends', () =>
    replicas(async ([engine], url) => {
      if (!engine) throw new Error('no engine');
      const child = startEngineProcess(url, 'work');
      await child.said('open');
      const queue = createQueue(engine, { concurrency: 1, log });
      await queue.send({ type: 'intake', repositoryId: 1 });
      await child.said('holds');
      // Longer than a heartbeat: the item stays with a process that lives.
      const seen: number[] = [];
      await queue.start(async () => void seen.push(performance.now()));
      await delay(12_500);
      expect(seen).toEqual([]);
      await child.kill();
      const killedAt = performance.now();
      await vi.waitUntil(() => seen.length === 1, { timeout: 120_000 });
      expect((seen[0] ?? Number.NaN) - killedAt).toBeLessThan(13_500);
      await queue.stop();
    }));

  it('have every acknowledged save of a killed process, and none in part', () =>
    replicas(async ([engine], url) => {
      if (!engine) throw new Error('no engine');
      const child = startEngineProcess(url, 'save');
      await child.said('saved 20');
      await child.kill();
      const acknowledged = Number(child.lines.at(-1)?.split(' ')[1]);
      const store = createStore(engine);
      const id = idOf(loopOf().ref);
      const version = (await store.load(id))?.version ?? -1;
      expect(version).toBeGreaterThanOrEqual(acknowledged);
      expect((await store.log(id)).map(({ seq }) => seq)).toEqual(Array.from({ length: version }, (_, n) => n + 1));
      const woken: QueueItem[] = [];
      const queue = createQueue(engine, { concurrency: 8, log });
      await queue.start(async (item) => void woken.push(item));
      await vi.waitUntil(() => woken.length > 0, { timeout: 120_000 });
      await queue.stop();
      expect(woken).toEqual([{ type: 'wake', loopId: id, lane: 'work' }]);
    }));
});
