import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { walked } from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let loop: Loop;

beforeAll(async () => {
  world = await startWorld();
  loop = await walked(world);
});
afterAll(() => world.close());

it('a labelled issue becomes a verified pull request, with one build that failed and was fed back', () => {
  expect(loop.note).toBe('All gates passed. The pull request is ready for review; a person merges it.');
  expect(loop.entries.map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
    'DISCOVER passed',
    'DEFINE passed',
    'PLAN passed',
    'ARCH_REVIEW passed',
    'BUILD failed',
    'BUILD passed',
    'SEED_DATA passed',
    'VERIFY passed',
    'SHIP passed',
    'REFLECT passed',
  ]);
  expect(loop.spent.callsOutsideBuild).toBeLessThanOrEqual(10);
});
