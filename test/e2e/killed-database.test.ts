/** The embedded database under whole processes that are killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { idOf } from '../../src/loop/terms.ts';
import { startEngineProcess } from '../adapters/database-process.ts';
import { elapsed, loopOf } from '../adapters/loops.ts';
import { layDatabase } from '../prepared.ts';

const log = pino({ level: 'silent' });

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
    expect(performance.now() - startedAt).toBeLessThan(9000);
    await queue.stop();
    await engine.close();
  });
});
