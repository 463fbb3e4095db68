/** The table "Life cycle" through HTTP, as far as a loop gets before it builds for long: labels, issues, pull requests, branches, bases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asReviewed } from '../../src/loop/stages.ts';
import { MARK_READY_FOR_REVIEW } from '../../src/referee/graphql.ts';
import {
  commanded,
  commented,
  eventually,
  headOf,
  historyOf,
  proposed,
  pushed,
  quiet,
  rightAtOnce,
  said,
} from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce });
});
afterAll(() => world.close());

async function setLabel(issue: number): Promise<void> {
  await world.as('wout', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
}

async function takeLabel(issue: number): Promise<void> {
  await world.as('wout', 'DELETE', `/issues/${issue}/labels/loop`);
}

describe('label and issue', () => {
  let issue: number;
  /** The pull request of loop 1. */
  let firstPull: number;
  beforeAll(async () => {
    issue = (await proposed(world, 'Search, on and off')).ref.issue;
  });
  /** Says it where loop 1 was, and gives what the App answers there. */
  async function saidToFirst(body: string): Promise<string | undefined> {
    const earlier = await world.comments(firstPull);
    await commented(world, 'wout', firstPull, body);
    const isAnswered = async () => (await world.comments(firstPull)).length > earlier.length + 1;
    await eventually(isAnswered, `an answer to "${body}"`);
    return (await world.comments(firstPull)).at(-1)?.body;
  }
  const status = async () => (await world.loop(issue))?.status;

  it('a label that is removed pauses; set again, the loop goes on', async () => {
    await takeLabel(issue);
    await eventually(async () => (await status()) === 'paused', 'the pause');
    expect((await world.loop(issue))?.note).toBe('Paused: @wout removed the label; set it again or say `/resume`.');
    await setLabel(issue);
    await eventually(async () => (await status()) === 'waiting', 'going on');
    expect(await world.loop(issue)).toMatchObject({ ref: { n: 1 }, waitingFor: 'approval' });
  });

  it('a label on a loop that is live gets one sentence and changes nothing', async () => {
    await takeLabel(issue);
    await eventually(async () => (await status()) === 'paused', 'the pause');
    await commanded(world, 'wout', issue, '/resume');
    const earlier = await said(world, issue);
    await setLabel(issue);
    await eventually(async () => (await said(world, issue)).length > earlier.length, 'a sentence');
    await quiet(world, issue);
    const fresh = (await said(world, issue)).filter(({ id }) => earlier.every((one) => one.id !== id));
    expect(fresh.map(({ body }) => body)).toEqual([
      'A loop is already at work on this issue; `/status` says where it is.',
    ]);
    expect(await world.loop(issue)).toMatchObject({ ref: { n: 1 }, status: 'waiting', waitingFor: 'approval' });
  });

  it('an issue that is closed pauses; reopened, /resume goes on', async () => {
    await world.as('wout', 'PATCH', `/issues/${issue}`, { state: 'closed' });
    await eventually(async () => (await status()) === 'paused', 'the pause');
    expect((await world.loop(issue))?.note).toBe(
      'Paused: @wout closed the issue; to go on all the same, say `/resume`.',
    );
    await world.as('wout', 'PATCH', `/issues/${issue}`, { state: 'open' });
    expect(await commanded(world, 'wout', issue, '/resume')).toEqual({ reactions: ['+1'], sentences: [] });
    expect(await world.loop(issue)).toMatchObject({ status: 'waiting', waitingFor: 'approval' });
  });

  it('a pull request that is closed stops; the label then starts loop 2 on a branch of its own', async () => {
    await world.as('wout', 'PATCH', `/pulls/${(await world.loop(issue))?.review?.pull}`, { state: 'closed' });
    const stopped = await world.until(issue, (loop) => loop.status === 'stopped');
    expect(stopped.note).toBe('Stopped: pull request closed by @wout.');
    firstPull = stopped.review?.pull ?? 0;
    await takeLabel(issue);
    await setLabel(issue);
    const second = await world.until(issue, (loop) => loop.ref.n === 2 && loop.waitingFor === 'answers');
    expect(second).toMatchObject({
      started: { branch: `loopwright/${issue}-2` },
      counters: { interviews: 1 },
    });
    expect(second.review).toBeUndefined();
    const boards = (await said(world, issue)).filter(({ body }) => body.includes('Scripted model'));
    expect(boards.length).toBeGreaterThanOrEqual(2);
  });

  it('a loop that another one followed is not set going again: one sentence names where to go', async () => {
    expect(await saidToFirst('/rerun')).toBe(
      `A newer loop of #${issue} took its place, so this one does not go on; say \`/rerun\` on the issue #${issue}.`,
    );
    expect(await world.loop(issue)).toMatchObject({ ref: { n: 2 }, waitingFor: 'answers' });
  });

  it('a branch that is deleted stops the loop', async () => {
    await commanded(world, 'wout', issue, '/auto');
    const loop = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
    expect(await headOf(world, `loopwright/${issue}-2`)).toBe(loop.review.head);
    await world.as('wout', 'DELETE', `/git/refs/heads/${loop.started.branch}`);
    const stopped = await world.until(issue, ({ status: now }) => now === 'stopped');
    expect(stopped.note).toMatch(/^Stopped: (?:branch deleted|pull request closed) by @wout\.$/);
    expect(await saidToFirst('/rerun BUILD')).toBe(
      `A newer loop of #${issue} took its place, so this one does not go on; say \`/rerun\` on its pull request #${loop.review.pull}.`,
    );
    expect(await saidToFirst('/help')).toContain('/rerun');
  });
});

describe('what others do to branch, documents and base', () => {
  let issue: number;
  beforeAll(async () => {
    issue = (await proposed(world, 'Search, disturbed')).ref.issue;
  });

  it("a person's commit while the packet waits stays, voids nothing, and is said in one sentence", async () => {
    const before = asReviewed(await world.until(issue, () => true));
    const sha = await pushed(world, 'wout', { branch: before.started.branch, path: 'NOTES.md', text: 'Mine.\n' });
    const after = await world.until(issue, ({ review }) => review?.head === sha);
    expect(after.waitingFor).toBe('approval');
    expect(after.review?.packet).toEqual(before.review.packet);
    expect(after.note).toBe(`@wout pushed ${sha.slice(0, 7)} to the branch; the next candidate is built on it.`);
    await eventually(async () => (await ownChecks(sha)).length === 4, 'the four check runs on the new head');
    expect(await headOf(world, before.started.branch)).toBe(sha);
  });

  it('a commit that changes the documents makes a new packet on top of it, and says so', async () => {
    const before = asReviewed(await world.until(issue, () => true));
    const path = before.documents.find((document) => document.path.endsWith('/spec.md'))?.path ?? '';
    const sha = await pushed(world, 'wout', { branch: before.started.branch, path, text: '# Mine\n' });
    const after = await world.until(
      issue,
      ({ waitingFor, counters }) => waitingFor === 'approval' && counters.rounds === 2,
    );
    expect(await historyOf(world, after.review?.head ?? '')).toContain(sha);
    const bodies = (await said(world, issue)).map(({ body }) => body.slice(0, 200));
    expect(bodies).toEqual(
      expect.arrayContaining([
        `@wout pushed ${sha.slice(0, 7)} and changed the documents on the branch, so the packet is void and a new packet is made.`,
      ]),
    );
  });

  it('a base that moves elsewhere is none of its business; in a planned file it voids the approval', async () => {
    await commanded(world, 'wout', issue, '/approve');
    const building = await world.until(issue, ({ built }) => built.run !== undefined);
    await pushed(world, 'maria', { branch: 'main', path: 'NEWS.md', text: 'News.\n' });
    await pushed(world, 'maria', {
      branch: 'main',
      path: 'src/server.js',
      text: `${await textOf('src/server.js')}\n// Moved.\n`,
    });
    const again = await world.until(
      issue,
      ({ waitingFor, counters }) => waitingFor === 'approval' && counters.rounds === 3,
    );
    expect(again.approval).toBeUndefined();
    expect(again.entries.filter(({ entry, phase }) => entry > building.entry && phase !== 'PLAN')).toEqual([]);
    expect(await said(world, issue)).toContainEqual(
      expect.objectContaining({
        body: 'The base moved in src/server.js, which the plan changes, so the approval is void and a new plan is made.',
      }),
    );
  });

  it.each([
    ['.github/loopwright.yml', 4, 'The configuration .github/loopwright.yml changed on the base at $sha'],
    ['src/auth-session.js', 5, 'The base moved in src/auth-session.js, a sensitive path'],
  ])(
    'a base that moves in %s voids a packet that waits, too; the next one is bound to what is there now',
    async (path, round, because) => {
      const before = asReviewed(await world.until(issue, () => true));
      const there = await textOf(path);
      const text = path.endsWith('.yml') ? `${there}# Read twice.\n` : '// Who is who.\n';
      const sha = await pushed(world, 'maria', { branch: 'main', path, text });
      const after = await world.until(
        issue,
        ({ waitingFor, counters }) => waitingFor === 'approval' && counters.rounds === round,
      );
      expect(after.review?.packet.digest).not.toBe(before.review.packet.digest);
      expect(after.started?.config.digest === before.started.config.digest).toBe(!path.endsWith('.yml'));
      expect(await said(world, issue)).toContainEqual(
        expect.objectContaining({
          body: `${because.replace('$sha', sha.slice(0, 7))}, so the packet is void and a new plan is made.`,
        }),
      );
    },
  );

  it('a person who merges early stops it', async () => {
    const loop = asReviewed(await world.until(issue, () => true));
    const pull = z
      .object({ node_id: z.string() })
      .parse((await world.as('maria', 'GET', `/pulls/${loop.review.pull}`)).body);
    await fetch(`${world.github.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: 'Bearer maria-token', 'content-type': 'application/json' },
      body: JSON.stringify({ query: MARK_READY_FOR_REVIEW, variables: { pullRequestId: pull.node_id } }),
    });
    expect((await world.as('maria', 'PUT', `/pulls/${loop.review.pull}/merge`, {})).status).toBe(200);
    const stopped = await world.until(issue, ({ status }) => status === 'stopped');
    expect(stopped.note).toBe('Stopped: pull request merged by @maria.');
  });
});

/** A file of the default branch; empty where there is none. */
async function textOf(path: string): Promise<string> {
  const { data } = z
    .object({ content: z.string() })
    .safeParse((await world.as('maria', 'GET', `/contents/${path}?ref=main`)).body);
  return Buffer.from(data?.content ?? '', 'base64').toString('utf8');
}

async function ownChecks(sha: string) {
  return (await world.checks(sha)).filter(({ name }) => name.startsWith('loopwright / '));
}
