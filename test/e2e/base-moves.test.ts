/** A base that goes on while a loop is at work, through HTTP: the loop takes it over by a merge, and what it builds and proves is measured against it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifyReport } from '../../src/loop/brief.ts';
import { asBuilt, asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { commanded, eventually, headOf, proposed, pushed, rightAtOnce, said } from './acts.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

const WHOLE_LOOP_MS = 1_000_000;
const PLANNED = 'src/server.js';
const DONE = { reactions: ['+1'], sentences: [] };

let world: World;
/** A clone of wout's, from which wout may push. */
let clone: string;
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce });
  clone = join(world.directory, 'clone');
  const address = `${world.github.url.replace('://', '://x:wout-token@')}/${REPOSITORY}.git`;
  await execa('git', ['clone', '--quiet', address, clone]);
});
afterAll(() => world.close());

async function git(...argv: readonly string[]): Promise<string> {
  const people = ['-c', 'user.name=Wout', '-c', 'user.email=wout@guestbook.example', '-c', 'commit.gpgsign=false'];
  return (await execa('git', [...people, ...argv], { cwd: clone, env: { GIT_CONFIG_GLOBAL: '/dev/null' } })).stdout;
}

async function parentsOf(sha: string): Promise<readonly string[]> {
  const { body } = await world.as('maria', 'GET', `/git/commits/${sha}`);
  return z
    .object({ parents: z.array(z.object({ sha: z.string() })) })
    .parse(body)
    .parents.map((parent) => parent.sha);
}

async function textOf(path: string): Promise<string> {
  const { body } = await world.as('maria', 'GET', `/contents/${path}?ref=main`);
  return Buffer.from(z.object({ content: z.string() }).parse(body).content, 'base64').toString('utf8');
}

async function runTitles(): Promise<readonly string[]> {
  const { body } = await world.as('maria', 'GET', '/actions/runs?per_page=100');
  const runs = z.object({ workflow_runs: z.array(z.object({ display_title: z.string() })) });
  return runs.parse(body).workflow_runs.map((run) => run.display_title);
}

/** Maria adds a line to the end of a file on main; returns the commit. */
async function mainMoved(line: string, path = PLANNED): Promise<string> {
  const text = path === PLANNED ? `${await textOf(path)}${line}\n` : `${line}\n`;
  return pushed(world, 'maria', { branch: 'main', path, text });
}

const packetOf = async (issue: number, rounds: number): Promise<ReviewedLoop> =>
  asReviewed(
    await world.until(issue, ({ waitingFor, counters }) => waitingFor === 'approval' && counters.rounds === rounds),
  );

const sentencesOf = async (issue: number) => (await said(world, issue)).map(({ body }) => body);

describe('a base that moves in a planned file while the packet waits', () => {
  let issue: number;
  let first: ReviewedLoop;
  let moved: string;
  beforeAll(async () => {
    first = await proposed(world, 'Search, on a base that goes on');
    issue = first.ref.issue;
    moved = await mainMoved('// One.');
  });

  it('is merged by the next packet, so that the branch brings documents only', async () => {
    const packet = await packetOf(issue, 2);
    expect(await sentencesOf(issue)).toContain(
      `The base moved in ${PLANNED}, which the plan changes, so the packet is void and a new plan is made.`,
    );
    expect(packet.started.base).toEqual({ branch: 'main', sha: moved });
    expect(await parentsOf(packet.review.head)).toEqual([first.review.head, moved]);
    expect(packet.review.packet.digest).not.toBe(first.review.packet.digest);
    await git('fetch', '--quiet', 'origin');
    const changed = (await git('diff', '--name-only', `origin/main...origin/${packet.started.branch}`)).split('\n');
    expect(changed.filter((path) => !path.startsWith(`.loopwright/${issue}/`))).toEqual([]);
    expect(changed).toContain(`.loopwright/${issue}/spec.md`);
    expect(await git('show', `origin/${packet.started.branch}:${PLANNED}`)).toMatch(/\/\/ One\.$/);
  });

  it('keeps the base to which a person brought the branch, and says nothing about what it is not bound to', async () => {
    const before = asReviewed(await world.until(issue, () => true));
    const news = await mainMoved('News.', 'NEWS.md');
    await git('fetch', '--quiet', 'origin');
    await git('checkout', '--quiet', before.started.branch);
    await git('merge', '--quiet', '--no-edit', 'origin/main');
    await git('push', '--quiet', 'origin', before.started.branch);
    const after = asReviewed(await world.until(issue, ({ started }) => started?.base.sha === news));
    expect(after).toMatchObject({ waitingFor: 'approval', counters: { rounds: 2 } });
    expect(after.review.packet.digest).toBe(before.review.packet.digest);
    expect(after.review.head).toBe(await git('rev-parse', 'HEAD'));
  });

  it(
    'is what is approved, built on and compared with',
    async () => {
      const { started, review } = asReviewed(await world.until(issue, () => true));
      expect(await commanded(world, 'maria', issue, '/approve')).toEqual(DONE);
      const end = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
      expect(end, end.note).toMatchObject({ status: 'succeeded', started: { base: started.base } });
      const done = asBuilt(end);
      const report = await world.composed.ports.store.blob(done.built.reports.verify ?? '');
      expect(verifyReport.parse(JSON.parse(Buffer.from(report).toString('utf8'))).base).toBe(started.base.sha);
      expect(await parentsOf(done.built.candidate.sha)).toEqual([review.head]);
    },
    WHOLE_LOOP_MS,
  );
});

describe('a base that moved while nobody listened', () => {
  it('is seen before anything is built: the approval is void, and no run is started for it', async () => {
    const { ref } = await proposed(world, 'Search, unheard');
    const { issue } = ref;
    expect((await commanded(world, 'maria', issue, '/approve')).reactions).toEqual(['+1']);
    await world.until(issue, ({ built }) => built.run !== undefined);
    expect((await commanded(world, 'maria', issue, '/stop')).reactions).toEqual(['+1']);
    const moved = await mainMoved('// Unheard.');
    expect((await commanded(world, 'maria', issue, '/rerun BUILD')).reactions).toEqual(['+1']);
    const packet = await packetOf(issue, 2);
    expect(packet.started.base.sha).toBe(moved);
    expect(packet.approval).toBeUndefined();
    expect((await sentencesOf(issue)).filter((body) => body.includes('so the approval is void'))).toEqual([
      `The base moved in ${PLANNED}, which the plan changes, so the approval is void and a new plan is made.`,
    ]);
    const titles = await runTitles();
    expect(titles.filter((title) => title.includes(`#${issue} `))).toHaveLength(1);
  });
});

describe('a base that conflicts with what people committed on the branch', () => {
  let issue: number;

  it('stops with one sentence that names the files and what to do', async () => {
    const { ref, started } = await proposed(world, 'Search, in conflict');
    const { branch } = started;
    issue = ref.issue;
    const mine = `${await textOf(PLANNED)}// Mine.\n`;
    const head = await pushed(world, 'wout', { branch, path: PLANNED, text: mine });
    await world.until(issue, (loop) => loop.review?.head === head);
    await mainMoved('// Theirs.');
    const stopped = await world.until(issue, ({ status }) => status === 'stopped');
    expect(stopped.note).toBe(
      `The base main conflicts with ${branch} in ${PLANNED}; merge main into ${branch} and say \`/rerun PLAN\`.`,
    );
    expect(await headOf(world, branch)).toBe(head);
  });

  it('goes on from the merge of a person', async () => {
    const { branch } = asReviewed(await world.until(issue, () => true)).started;
    await git('fetch', '--quiet', 'origin');
    await git('checkout', '--quiet', branch);
    await git('merge', '--quiet', 'origin/main').catch(() => undefined);
    await writeFile(join(clone, PLANNED), `${await textOf(PLANNED)}// Mine.\n`);
    await git('commit', '--quiet', '--all', '-m', 'Merge main');
    const merge = await git('rev-parse', 'HEAD');
    await git('push', '--quiet', 'origin', branch);
    // The new packet may be there already when all is said.
    expect((await commanded(world, 'wout', issue, '/rerun PLAN')).reactions).toEqual(DONE.reactions);
    const packet = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
    expect(packet.started.base.sha).toBe(await headOf(world, 'main'));
    expect(await parentsOf(packet.review.head)).toEqual([merge]);
  });
});

describe('a base that goes on in the product after the candidate was verified', () => {
  const OTHER = 'src/store.js';
  let issue: number;

  /** Maria adds a comment to a file that no plan names. */
  const otherMoved = async (line: string) =>
    pushed(world, 'maria', { branch: 'main', path: OTHER, text: `${await textOf(OTHER)}${line}\n` });

  async function evidenceCheck(sha: string) {
    const { body } = await world.as('maria', 'GET', `/commits/${sha}/check-runs?check_name=loopwright%20/%20evidence`);
    const runs = z.object({
      check_runs: z.array(z.object({ conclusion: z.string().nullable(), output: z.object({ title: z.string() }) })),
    });
    return runs.parse(body).check_runs.at(0);
  }

  it(
    'is merged into the branch and everything is proved again, before the draft becomes ready',
    async () => {
      const { ref } = await proposed(world, 'Search, while the base goes on');
      issue = ref.issue;
      expect((await commanded(world, 'maria', issue, '/approve')).reactions).toEqual(['+1']);
      // Verified, and not yet ready; what is shown of it comes later than that.
      await eventually(async () => (await world.loop(issue))?.phase === 'SHIP', 'SHIP has begun', WHOLE_LOOP_MS);
      const moved = await otherMoved('// Moved.');
      const end = await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped');
      expect(end, end.note).toMatchObject({
        ...{ status: 'succeeded', started: { base: { sha: moved } } },
        counters: { merges: 1, iterations: 1 },
      });
      const done = asBuilt(end);
      expect(await parentsOf(done.built.candidate.sha)).toEqual([expect.any(String), moved]);
      expect(await parentsOf(done.review.head)).toEqual([done.built.candidate.sha]);
      const report = await world.composed.ports.store.blob(done.built.reports.verify ?? '');
      expect(verifyReport.parse(JSON.parse(Buffer.from(report).toString('utf8')))).toMatchObject({
        base: moved,
        candidate: done.built.candidate.sha,
      });
      await git('fetch', '--quiet', 'origin');
      expect(await git('show', `origin/${done.started.branch}:${OTHER}`)).toMatch(/\/\/ Moved\.$/);
      await world.until(issue, ({ pending }) => pending.length === 0);
      expect(await evidenceCheck(done.review.head)).toMatchObject({ conclusion: 'success' });
    },
    WHOLE_LOOP_MS,
  );

  it('voids the evidence of a pull request that is ready', async () => {
    // A loop that is still at work takes the move over instead, and is waited for in vain.
    await world.until(issue, ({ status }) => status === 'succeeded');
    const moved = await otherMoved('// Again.');
    const loop = asReviewed(await world.until(issue, ({ shipping }) => shipping?.outdated !== undefined));
    expect(loop).toMatchObject({ status: 'succeeded', shipping: { outdated: { sha: moved, bearing: [OTHER] } } });
    await world.until(issue, ({ pending }) => pending.length === 0);
    expect(await evidenceCheck(loop.review.head)).toMatchObject({
      conclusion: 'neutral',
      output: { title: `Void: the base moved in ${OTHER} since this was verified` },
    });
  });

  it(
    'is merged and proved again where a person asks for it, and the pull request is ready once more',
    async () => {
      expect((await commanded(world, 'maria', issue, '/rerun VERIFY')).reactions).toEqual(['+1']);
      const end = await world.until(
        issue,
        ({ status, shipping }) => status === 'stopped' || (status === 'succeeded' && shipping?.outdated === undefined),
      );
      expect(end, end.note).toMatchObject({ status: 'succeeded', counters: { iterations: 1 } });
      const done = asBuilt(end);
      expect(done.started.base.sha).toBe(await headOf(world, 'main'));
      expect(await evidenceCheck(done.review.head)).toMatchObject({ conclusion: 'success' });
      const { body } = await world.as('maria', 'GET', `/pulls/${done.review.pull}`);
      expect(body).toMatchObject({ draft: false, state: 'open' });
    },
    WHOLE_LOOP_MS,
  );
});
