import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let loop: Loop;

beforeAll(async () => {
  world = await startWorld();
  const issue = await world.labelled();
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  await world.as('maria', 'POST', `/issues/${issue}/comments`, { body: '/answer 1a 2a' });
  const { review } = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
  await world.as('maria', 'POST', `/issues/${review.pull}/comments`, { body: '/approve' });
  loop = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped', 300);
}, 360_000);
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
