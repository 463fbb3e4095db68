import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { startEngineProcess } from '../adapters/database-process.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'loopwright-first-start-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('an engine in a directory begins again when its first start was killed half-way', async () => {
  const child = startEngineProcess(directory, 'open');
  await vi.waitUntil(() => existsSync(join(directory, 'postgres', 'PG_VERSION')), { timeout: 300_000, interval: 1 });
  await child.kill();
  expect(child.lines).toEqual([]);
  const engine = await openEngine({ url: directory });
  expect(await createStore(engine).overview({ limit: 1 })).toEqual([]);
  await engine.close();
  expect(readdirSync(directory)).not.toContain('first-start-unfinished');
});
