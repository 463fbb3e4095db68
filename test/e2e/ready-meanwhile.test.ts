/** What people say and do about pull requests that are ready while GitHub tells the App nothing: it is heard when the App may work again. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { asReviewed } from '../../src/loop/stages.ts';
import { commented, eventually, pushed, rightAtOnce, walked } from './acts.ts';
import { createHeldRuns } from './held-runs.ts';
import { startWorld, type World } from './world.ts';

const BUILD = 'loopwright-build.yml';
const held = createHeldRuns();
let world: World;
let issue: number;

beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce, executeWorkflow: held.execute });
  const finished = await walked(world);
  expect(finished.status, finished.note).toBe('succeeded');
  issue = finished.ref.issue;
  await world.until(issue, ({ pending }) => pending.length === 0);
  held.hold(BUILD);
});
afterAll(async () => {
  held.release(BUILD);
  await world.close();
});

async function arranged(arranged: object): Promise<void> {
  const answer = await fetch(`${world.github.url}/_local/switches`, {
    method: 'PATCH',
    body: JSON.stringify({ arranged }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

async function whileSuspended<Result>(act: () => Promise<Result>): Promise<Result> {
  await arranged({ isSuspended: true });
  const done = await act();
  await arranged({ isSuspended: false });
  return done;
}

it('evidence is void where the base moved meanwhile in what it rests on', async () => {
  const store = await readFile('src/demo/repository/src/store.js', 'utf8');
  const moved = await whileSuspended(() =>
    pushed(world, 'wout', { branch: 'main', path: 'src/store.js', text: `${store}// Moved.\n` }),
  );
  const loop = await world.until(issue, ({ shipping }) => shipping?.outdated !== undefined);
  expect(loop).toMatchObject({ status: 'succeeded', shipping: { outdated: { sha: moved } } });
});

it('a pull request that was sent back meanwhile is built again, once', async () => {
  const { review } = asReviewed((await world.loop(issue)) ?? expect.unreachable());
  await whileSuspended(() => commented(world, 'maria', review.pull, '/reject Search in the names only.'));
  const again = await world.until(issue, ({ phase, pending }) => phase === 'BUILD' && pending.length === 0);
  expect(again.requested.map(({ message }) => message)).toEqual(['Search in the names only.']);
  // What was heard before is read once more, and means nothing new.
  await whileSuspended(() =>
    eventually(async () => (await world.loop(issue))?.withheld !== undefined, 'the loop waits'),
  );
  await eventually(async () => (await world.loop(issue))?.withheld === undefined, 'the loop goes on');
  expect((await world.loop(issue))?.requested).toHaveLength(1);
});
