import { expect, it } from 'vitest';
import { isAtRest, randomOf, walk } from '../loop/random-walk.ts';

it('200 seeded loops of the core alone end, in every way that a loop can end', () => {
  const walks = Array.from({ length: 200 }, (_, seed) =>
    walk(randomOf(seed), {
      passes: 0.5 + (seed % 5) / 10,
      fails: (seed % 4) / 40,
      approves: 0.8,
      interferes: (seed % 3) / 20,
    }),
  );
  expect(walks.filter(({ loop }) => !isAtRest(loop))).toEqual([]);
  const endings = new Set(walks.map(({ loop }) => loop.status));
  expect([...endings].sort()).toEqual(['stopped', 'succeeded']);
  const stops = walks.filter(({ loop }) => loop.status === 'stopped');
  expect(stops.filter(({ loop }) => loop.note === '')).toEqual([]);
});
