/** What people say and do while GitHub tells the App nothing: it is heard when the App may work again, and before the loop goes on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegaining } from '../../src/engine/standing.ts';
import { hearingMeanwhile } from '../../src/intake/take-in.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { ReviewedLoop } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import { commented, eventually, proposed, pushed } from './acts.ts';
import { createHeldRuns } from './held-runs.ts';
import { startWorld, type World } from './world.ts';

const BUILD = 'loopwright-build.yml';
const held = createHeldRuns();
let world: World;
beforeAll(async () => {
  world = await startWorld({ executeWorkflow: held.execute });
  held.hold(BUILD);
});
afterAll(async () => {
  held.release(BUILD);
  await world.close();
});

async function local(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${world.github.url}/_local${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}
const suspended = (isSuspended: boolean) => local('PATCH', '/switches', { arranged: { isSuspended } });
const review = (loop: ReviewedLoop, event: string, body: string) =>
  world.as('maria', 'POST', `/pulls/${loop.review.pull}/reviews`, { event, body });
const logOf = async ({ ref }: Loop) =>
  (await world.composed.ports.store.log(idOf(ref))).map(({ event, settled }) => event?.type ?? settled);

interface Row {
  readonly what: string;
  readonly act: (loop: ReviewedLoop) => Promise<unknown>;
  /** What the loop is when it has gone on. */
  readonly becomes: Partial<Pick<Loop, 'status' | 'phase' | 'waitingFor'>>;
  /** How often a decision of people is in its log. */
  readonly heard: Readonly<
    Partial<Record<'commanded' | 'reviewed' | 'closed' | 'unlabelled' | 'ended' | 'pushed' | 'moved', number>>
  >;
}

/** The loop waits for the approval of its packet. */
const ROWS: readonly Row[] = [
  {
    what: '`/stop` on the issue',
    act: ({ ref }) => commented(world, 'maria', ref.issue, '/stop'),
    becomes: { status: 'stopped' },
    heard: { commanded: 2 },
  },
  {
    what: '`/approve` on the pull request',
    act: (loop) => commented(world, 'maria', loop.review.pull, '/approve'),
    becomes: { status: 'working', phase: 'BUILD' },
    heard: { commanded: 2 },
  },
  {
    what: '`/approve`, and then `/stop`',
    act: async (loop) => {
      await commented(world, 'maria', loop.review.pull, '/approve');
      await commented(world, 'maria', loop.ref.issue, '/stop');
    },
    becomes: { status: 'stopped' },
    heard: { commanded: 3 },
  },
  {
    what: '`/approve` by a reader',
    act: (loop) => commented(world, 'noah', loop.review.pull, '/approve'),
    becomes: { status: 'waiting', waitingFor: 'approval' },
    heard: { commanded: 2 },
  },
  {
    what: 'a comment that was made something else since',
    act: async (loop) => {
      const id = await commented(world, 'maria', loop.review.pull, 'Not now.');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await world.as('maria', 'PATCH', `/issues/comments/${id}`, { body: '/approve' });
    },
    becomes: { status: 'waiting', waitingFor: 'approval' },
    heard: { commanded: 1 },
  },
  {
    what: 'a review that asks for changes',
    act: (loop) => review(loop, 'REQUEST_CHANGES', 'Search in the names, too.'),
    becomes: { status: 'waiting' },
    heard: { reviewed: 1 },
  },
  {
    what: 'the label is taken off',
    act: ({ ref }) => world.as('maria', 'DELETE', `/issues/${ref.issue}/labels/loop`),
    becomes: { status: 'paused' },
    heard: { unlabelled: 1 },
  },
  {
    what: 'the issue is closed',
    act: ({ ref }) => world.as('maria', 'PATCH', `/issues/${ref.issue}`, { state: 'closed' }),
    becomes: { status: 'paused' },
    heard: { closed: 1 },
  },
  {
    what: 'the issue is closed and opened again',
    act: async ({ ref }) => {
      await world.as('maria', 'PATCH', `/issues/${ref.issue}`, { state: 'closed' });
      await world.as('maria', 'PATCH', `/issues/${ref.issue}`, { state: 'open' });
    },
    becomes: { status: 'waiting', waitingFor: 'approval' },
    heard: { closed: 0 },
  },
  {
    what: 'the pull request is closed',
    act: (loop) => world.as('maria', 'PATCH', `/pulls/${loop.review.pull}`, { state: 'closed' }),
    becomes: { status: 'stopped' },
    heard: { ended: 1 },
  },
  {
    what: 'somebody pushes to the branch of the loop',
    act: ({ started: { branch } }) => pushed(world, 'wout', { branch, path: 'NOTES.md', text: 'Mine.\n' }),
    becomes: {},
    heard: { pushed: 1 },
  },
  {
    what: 'the base moves',
    act: ({ started: { base } }) => pushed(world, 'wout', { branch: base.branch, path: 'NOTES.md', text: 'Ours.\n' }),
    becomes: { status: 'waiting', waitingFor: 'approval' },
    heard: { moved: 1 },
  },
];

/** All of a loop's log up to what let it go on. */
const until = (log: readonly string[]): readonly string[] => log.slice(0, log.lastIndexOf('regained') + 1);
const loops = new Map<string, ReviewedLoop>();

describe('while the installation is suspended', () => {
  beforeAll(async () => {
    const all = ROWS.map(async ({ what }) => loops.set(what, await proposed(world, `Search, and meanwhile ${what}`)));
    await Promise.all(all);
    await suspended(true);
    for (const { ref } of loops.values())
      await eventually(async () => (await world.loop(ref.issue))?.withheld !== undefined, `#${ref.issue} waits`);
    for (const { what, act } of ROWS) {
      const loop = loops.get(what);
      if (loop !== undefined) await act(loop);
    }
    await suspended(false);
    for (const { ref } of loops.values())
      await eventually(async () => (await world.loop(ref.issue))?.withheld === undefined, `#${ref.issue} goes on`);
  });

  it.each(ROWS)('$what is heard when it is back', async ({ what, becomes, heard }) => {
    const before = loops.get(what);
    if (before === undefined) throw new Error(what);
    const loop = await world.until(before.ref.issue, ({ pending }) => pending.length === 0);
    expect(loop).toMatchObject(becomes);
    const log = (await logOf(loop)).map(String);
    for (const [type, times] of Object.entries(heard)) {
      expect(log.filter((one) => one === type)).toHaveLength(times);
      // Before the loop is told to go on.
      expect(until(log).filter((one) => one === type)).toHaveLength(times);
    }
    expect(log.filter((one) => one === 'regained')).toHaveLength(1);
  });
});

it('what was said is heard too where the App itself finds that it may work again', async () => {
  const { ref } = await proposed(world, 'Search, and nobody tells');
  await suspended(true);
  await eventually(async () => (await world.loop(ref.issue))?.withheld !== undefined, `#${ref.issue} waits`);
  await commented(world, 'maria', ref.issue, '/stop');
  world.github.setWebhookUrl(undefined);
  await suspended(false);
  const { ports } = world.composed;
  await createRegaining(ports, hearingMeanwhile(ports))();
  expect(await world.loop(ref.issue)).toMatchObject({ status: 'stopped' });
  expect((await world.loop(ref.issue))?.withheld).toBeUndefined();
  world.github.setWebhookUrl(`${world.app.url}/api/github/webhooks`);
});
