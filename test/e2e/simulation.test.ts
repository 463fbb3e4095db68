/** The simulation at length: many worlds, some of them on the real tables, and faults of old times that it must find. */
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { MEMORY } from '../prepared.ts';
import { createMirroredStore } from '../simulation/app/mirrored-store.ts';
import { bugNames, huntAgain } from '../simulation/bugs.ts';
import { runSeeds } from '../simulation/runner.ts';
import { type Outcome, simulate } from '../simulation/simulate.ts';

function told({ seed, failures }: Outcome): readonly string[] {
  return failures.map(({ sentence, detail }) => `${sentence} ${detail} (npm run simulate -- --seeds 1 --from ${seed})`);
}

it('1000 hostile worlds break no sentence of what the App owes', { timeout: 900_000 }, async () => {
  expect((await runSeeds({ from: 1, seeds: 1000, all: false })).flatMap(told)).toEqual([]);
});

describe('on the tables of PGlite, each answer compared with that of the memory', () => {
  it.each([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])(
    'world %i breaks no sentence',
    { timeout: 900_000 },
    async (seed) => {
      const engine = await openEngine({ url: MEMORY });
      try {
        const real = createStore(engine);
        const differences: string[] = [];
        const outcome = await simulate(seed, {
          all: false,
          around: (memory) => createMirroredStore(real, memory, (difference) => differences.push(difference)),
        });
        expect([...new Set(differences), ...told(outcome)]).toEqual([]);
      } finally {
        await engine.close();
      }
    },
  );
});

describe('a planted bug is found within 1000 worlds', async () => {
  const names = await bugNames();
  it('there are at least twenty', () => {
    expect(names.length).toBeGreaterThanOrEqual(20);
  });
  it.each(names)('%s', { timeout: 900_000 }, async (name) => {
    const { seed } = await huntAgain(name, 1000);
    expect(seed).toBeDefined();
  });
});
