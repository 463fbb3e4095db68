/** A right that is taken from the App in the middle of a loop: it waits, says why, writes nothing, and goes on where it was when the right is back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loopLines } from '../../src/cli/loops-text.ts';
import { createRegaining } from '../../src/engine/standing.ts';
import { NEEDED } from '../../src/github/standing.ts';
import { hearingMeanwhile } from '../../src/intake/take-in.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import { commented, eventually, proposed, said } from './acts.ts';
import { createHeldRuns } from './held-runs.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

const [BUILD, VERIFY] = ['loopwright-build.yml', 'loopwright-verify.yml'];
const held = createHeldRuns();
let world: World;
let issue: number;
let pull: number;
beforeAll(async () => {
  world = await startWorld({ executeWorkflow: held.execute });
  const packet = await proposed(world, 'Search, while rights come and go');
  issue = packet.ref.issue;
  pull = packet.review.pull;
});
afterAll(() => world.close());

async function local(method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(`${world.github.url}/_local${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}
const arrange = (arranged: object) => local('PATCH', '/switches', { arranged });
const without = (permission: string) => ({ accepted: { ...NEEDED, [permission]: 'read' } });

interface Taken {
  readonly what: string;
  /** The workflow whose run is under way meanwhile. */
  readonly during: string;
  readonly take: () => Promise<void>;
  readonly giveBack: () => Promise<void>;
  readonly says: RegExp;
}

const ROWS: readonly Taken[] = [
  {
    what: 'the repository is archived',
    during: BUILD,
    take: () => arrange({ isArchived: true }),
    giveBack: () => arrange({}),
    says: /^acme\/guestbook is archived and takes no writes: unarchive it on http\S+\/acme\/guestbook\/settings\.$/,
  },
  {
    what: 'the installation is suspended',
    during: BUILD,
    take: () => arrange({ isSuspended: true }),
    giveBack: () => arrange({}),
    says: /^The installation of the App on acme\/guestbook is suspended: unsuspend it on http\S+\.$/,
  },
  {
    what: 'the repository is made private and taken out of the installation',
    during: VERIFY,
    take: async () => {
      await arrange({ isPrivate: true });
      await local('DELETE', `/repos/${REPOSITORY}/installed`);
    },
    giveBack: () => local('POST', `/repos/${REPOSITORY}/installed`),
    says: /^The App is not installed on acme\/guestbook any more: add acme\/guestbook to its installation\.$/,
  },
];

/** What the App wrote, and GitHub took. */
async function writes(): Promise<readonly string[]> {
  const rows = await world.requests();
  return rows
    .filter(
      ({ actor, method, path, status }) => actor === 'app' && method !== 'GET' && status < 300 && !/tokens$/.test(path),
    )
    .map(({ method, path }) => `${method} ${path}`);
}
const asked = async () => (await world.requests()).filter(({ actor }) => actor === 'app').length;
const here = async (): Promise<ReviewedLoop> => asReviewed(await world.until(issue, () => true));
const now = async (): Promise<Loop | undefined> => world.loop(issue);
const waits = async (): Promise<Loop | undefined> => {
  await eventually(async () => (await now())?.withheld !== undefined, 'the loop waits');
  return now();
};
const goesOn = () => eventually(async () => (await now())?.withheld === undefined, 'the loop goes on');
const logged = async () => {
  const loop = await now();
  const log = loop === undefined ? [] : await world.composed.ports.store.log(idOf(loop.ref));
  return log.map(({ event, settled }) => event?.type ?? settled);
};
const listed = async () => loopLines(await world.composed.ports.store.overview({ limit: 1 })).join('\n');

/** So long nothing must happen. */
const QUIET_MS = 2500;
const runs = z.object({ workflow_runs: z.array(z.object({ status: z.string() })) });

async function unendedRuns(file: string): Promise<number> {
  const { body } = await world.as('maria', 'GET', `/actions/workflows/${file}/runs`);
  return runs.parse(body).workflow_runs.filter(({ status }) => status !== 'completed').length;
}

it('the permission to start runs is taken: the pull request says why no build begins, and one begins when it is back', async () => {
  const dispatches = async () =>
    (await world.requests()).filter(({ actor, path }) => actor === 'app' && /\/dispatches$/.test(path));
  const body = async () => JSON.stringify((await world.as('maria', 'GET', `/pulls/${pull}`)).body);
  const { counters } = await here();
  await arrange(without('actions'));
  await commented(world, 'maria', pull, '/approve');
  const reason = (await waits())?.withheld?.reason ?? '';
  expect(reason).toMatch(
    /^The installation of the App on acme\/guestbook lacks `actions: write`: grant it on http\S+\.$/,
  );
  await eventually(async () => (await body()).includes(reason), 'the pull request says it');
  await eventually(async () => (await said(world, issue))[0]?.body.includes(reason) === true, 'so does the issue');
  await sleep(QUIET_MS);
  expect((await dispatches()).map(({ status }) => status)).toEqual([403]);
  expect(await now()).toMatchObject({ status: 'working', phase: 'BUILD' });
  held.hold(BUILD);
  await arrange({});
  const building = await world.until(issue, ({ built }) => built.run !== undefined);
  expect((await dispatches()).map(({ status }) => status)).toEqual([403, 200]);
  expect(building.counters).toEqual({ ...counters, plans: 1, iterations: 1 });
  await eventually(async () => !(await body()).includes(reason), 'the pull request no longer says it');
});

it('a right is found to be back by the own look of the App too', async () => {
  const { github, composed } = world;
  await arrange({ isSuspended: true });
  await waits();
  github.setWebhookUrl(undefined);
  await arrange({});
  expect((await now())?.withheld).toBeDefined();
  await createRegaining(composed.ports, hearingMeanwhile(composed.ports))();
  expect((await now())?.withheld).toBeUndefined();
  github.setWebhookUrl(`${world.app.url}/api/github/webhooks`);
});

describe.each(ROWS)('$what while a run is under way', ({ during, take, giveBack, says }) => {
  it('nothing is written, the reason is shown, and the loop goes on with what the run made', async () => {
    const before = await world.until(issue, ({ built, entry }) => built.run?.entry === entry);
    const log = await logged();
    await take();
    const reason = (await waits())?.withheld?.reason ?? '';
    expect(reason).toMatch(says);
    expect(await listed()).toContain(`  waits: ${reason} Then it goes on by itself.`);
    const [wrote, requests] = [await writes(), await asked()];
    held.release(during);
    await eventually(async () => (await unendedRuns(during)) === 0, 'the run has ended');
    await sleep(QUIET_MS);
    expect(await writes()).toEqual(wrote);
    expect((await asked()) - requests).toBeLessThan(8);
    const { status, phase, entry, counters } = before;
    expect(await now()).toMatchObject({ status, phase, entry, counters });
    for (const next of [BUILD, VERIFY]) held.hold(next);
    await giveBack();
    await goesOn();
    const after = await world.until(issue, ({ entry: next }) => next > entry);
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(after.entries.map(({ outcome }) => outcome)).not.toContain('cancelled');
    const logNow = await logged();
    expect(logNow.slice(0, log.length)).toEqual(log);
    const since = logNow.slice(log.length);
    for (const type of ['withheld', 'regained']) expect(since.filter((one) => one === type)).toHaveLength(1);
    expect(since).toContain('reported');
  });
});

it('the loop comes to its end', async () => {
  for (const file of [BUILD, VERIFY]) held.release(file);
  expect((await world.until(issue, ({ status }) => status !== 'working')).status).toBe('succeeded');
});
