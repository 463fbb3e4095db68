/** Every attack of a product on its tests, on every shape of a test. */
import { afterAll, beforeAll } from 'vitest';
import { describeForgedResults } from '../../jobs/forged-results.ts';
import { NODE_ATTACKS } from '../../jobs/node-attacks.ts';
import { openRunnerWorld, type RunnerWorld } from '../../jobs/runner-world.ts';

let world: RunnerWorld;
beforeAll(async () => {
  world = await openRunnerWorld();
});
afterAll(() => world.close());

describeForgedResults(
  () => world,
  () => Object.keys(NODE_ATTACKS),
);
