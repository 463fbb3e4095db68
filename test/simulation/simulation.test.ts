/** The first seeds of the simulation, and what it promises of itself. */
import { expect, it } from 'vitest';
import { simulate } from './simulate.ts';
import { counted, emptyTally, hollowness } from './tally.ts';

/** Failures with the command that shows them again. */
function told({ seed, failures }: Awaited<ReturnType<typeof simulate>>): readonly string[] {
  return failures.map(({ sentence, detail }) => `${sentence} ${detail} (npm run simulate -- --seeds 1 --from ${seed})`);
}

const WORLDS = 15;

it(`${WORLDS} hostile worlds break no sentence, and their loops come to the end`, { timeout: 300_000 }, async () => {
  const broken: string[] = [];
  let tally = emptyTally(1);
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const outcome = await simulate(seed);
    broken.push(...told(outcome));
    tally = counted(tally, outcome);
  }
  expect(broken).toEqual([]);
  expect(hollowness(tally)).toBeUndefined();
});

it('worlds whose loops do not come to their end, and worlds without loops, are told to be hollow', () => {
  const of = (ends: Record<string, number>, done = 10) => hollowness({ ...emptyTally(1), done, ends });
  expect(of({ 'stopped in DEFINE': 7, 'succeeded in REFLECT': 3 })).toMatch(/^3 of 10 loops came to their end/);
  expect(of({})).toMatch(/^0 of 0 loops/);
  expect(of({ 'stopped in DEFINE': 6, 'succeeded in REFLECT': 4 })).toBeUndefined();
  expect(of({ 'stopped in DEFINE': 2 }, 2)).toBeUndefined();
});

it('the same seed gives the same world, step for step', async () => {
  const [first, second] = [await simulate(4242, { all: true }), await simulate(4242, { all: true })];
  expect(second).toEqual(first);
  expect(first.steps).toBeGreaterThan(500);
});
