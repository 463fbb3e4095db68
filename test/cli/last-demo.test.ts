import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockDirectory } from '../../src/adapters/database/directory-lock.ts';
import { keepAsLast, newDemoDirectory } from '../../src/cli/last-demo.ts';

let state: string;

beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'loopwright-state-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(state, { recursive: true, force: true });
});

test('the demo that ended before goes when the next one ends', async () => {
  const [first, second] = [await newDemoDirectory(), await newDemoDirectory()];
  expect(await keepAsLast(first)).toEqual([]);
  expect(await keepAsLast(second)).toEqual([]);
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
});

test('a demo that somebody looks at stays, is named, and goes once nobody does', async () => {
  const [first, second, third] = [await newDemoDirectory(), await newDemoDirectory(), await newDemoDirectory()];
  await keepAsLast(first);
  const unlock = lockDirectory(first);
  expect(await keepAsLast(second)).toEqual([first]);
  expect(existsSync(first)).toBe(true);
  unlock();
  expect(await keepAsLast(third)).toEqual([]);
  expect([existsSync(first), existsSync(second), existsSync(third)]).toEqual([false, false, true]);
});
