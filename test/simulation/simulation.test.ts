/** The first seeds of the simulation, and what it promises of itself. */
import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';

/** Failures with the command that shows them again. */
function told({ seed, failures }: Awaited<ReturnType<typeof simulate>>): readonly string[] {
  return failures.map(({ sentence, detail }) => `${sentence} ${detail} (npm run simulate -- --seeds 1 --from ${seed})`);
}

const WORLDS = 15;

it(`${WORLDS} hostile worlds break no sentence`, { timeout: 300_000 }, async () => {
  const broken: string[] = [];
  for (let seed = 1; seed <= WORLDS; seed += 1) broken.push(...told(await simulate(seed)));
  expect(broken).toEqual([]);
});

it('the same seed gives the same world, step for step', async () => {
  const [first, second] = [await simulate(4242, { all: true }), await simulate(4242, { all: true })];
  expect(second).toEqual(first);
  expect(first.steps).toBeGreaterThan(500);
});
