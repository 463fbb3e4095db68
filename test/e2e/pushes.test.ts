/** A whole loop that people push into: their commits win, the evidence is made anew, nothing is force-pushed; then merged, and labelled again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Loop } from '../../src/loop/loop.ts';
import { asBuilt, asReviewed, asStarted } from '../../src/loop/stages.ts';
import { commanded, eventually, headOf, historyOf, proposed, pushed, rightAtOnce, said } from './acts.ts';
import { startWorld, type World } from './world.ts';

const WHOLE_LOOP_MS = 1_000_000;

let world: World;
let issue: number;
/** What wout pushed, oldest first. */
const commits: string[] = [];
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce });
  issue = (await proposed(world, 'Search, with helping hands')).ref.issue;
});
afterAll(() => world.close());

async function push(loop: Loop, path: string, text = `${path}\n`): Promise<string> {
  const sha = await pushed(world, 'wout', { branch: asStarted(loop).started.branch, path, text });
  commits.push(sha);
  return sha;
}

/** A file of the product that every candidate of this issue changes. */
const SERVER = 'src/server.js';
const content = z.object({ content: z.string() });

async function textAt(ref: string): Promise<string> {
  const { body } = await world.as('wout', 'GET', `/contents/${SERVER}?ref=${ref}`);
  return Buffer.from(content.parse(body).content, 'base64').toString();
}

const voided = (sha: string) =>
  `@wout pushed ${sha.slice(0, 7)} to the branch, so the evidence is void and the next candidate is built on it.`;

describe('commits of people on the loop branch', () => {
  it('during BUILD end the run; the next one builds on them', async () => {
    await commanded(world, 'maria', issue, '/approve');
    const building = asReviewed(
      await world.until(issue, ({ phase, built }) => phase === 'BUILD' && built.run !== undefined),
    );
    const sha = await push(building, 'docs/hand-1.md');
    const next = await world.until(
      issue,
      ({ entry, built: { run } }) => entry > building.entry && run !== undefined && run.id !== building.built.run?.id,
    );
    expect(next).toMatchObject({
      phase: 'BUILD',
      review: { head: sha },
      approval: { digest: building.review.packet.digest },
      counters: { iterations: 1, interruptions: 1 },
    });
    expect(next.entries.find(({ entry }) => entry === building.entry)?.outcome).toBe('cancelled');
  });

  it(
    'during VERIFY void the candidate; the next one descends from them',
    async () => {
      const verifying = asBuilt(
        await world.until(issue, ({ phase, built, entry }) => phase === 'VERIFY' && built.run?.entry === entry),
      );
      expect(await historyOf(world, verifying.built.candidate.sha)).toContain(commits[0]);
      expect(await textAt(verifying.built.candidate.sha)).toContain('./search.js');
      const before = await textAt(verifying.started.branch);
      const sha = await push(verifying, SERVER, before.replace("'content-type': type", "'content-type': type, age: 0"));
      const next = await world.until(issue, ({ phase, entry }) => phase === 'BUILD' && entry > verifying.entry);
      expect(next).toMatchObject({ review: { head: sha }, counters: { iterations: 1, interruptions: 2 } });
      expect(next.built.candidate).toBeUndefined();
    },
    WHOLE_LOOP_MS,
  );

  it(
    'are all in the history of what is delivered, with evidence made after them',
    async () => {
      const end = await world.until(
        issue,
        ({ status, waitingFor }) => status !== 'working' || waitingFor !== undefined,
      );
      expect(end, JSON.stringify(end.entries.slice(4), undefined, 1)).toMatchObject({ status: 'succeeded' });
      const { built, review, started } = asBuilt(end);
      const history = await historyOf(world, review.head);
      expect(history).toEqual(expect.arrayContaining([...commits, built.candidate.sha]));
      expect(await headOf(world, started.branch)).toBe(review.head);
      expect(history.indexOf(commits[1] ?? '')).toBeGreaterThan(history.indexOf(built.candidate.sha));
    },
    WHOLE_LOOP_MS,
  );

  it('are kept in a file that the loop had changed before them, beside what the loop changed', async () => {
    const text = await textAt((await world.loop(issue))?.review?.head ?? '');
    expect(text).toContain("'content-type': type, age: 0");
    expect(text).toContain('./search.js');
  });

  it('are each said in one sentence', async () => {
    const bodies = (await said(world, issue)).map(({ body }) => body);
    expect(bodies.filter((body) => body.startsWith('@wout pushed'))).toEqual(commits.map(voided));
  });
});

describe('after the end', () => {
  it('a merge by a person is noted', async () => {
    const { pull } = asReviewed(await world.until(issue, () => true)).review;
    expect((await world.as('maria', 'PUT', `/pulls/${pull}/merge`, {})).status).toBe(200);
    await eventually(async () => (await world.loop(issue))?.note === 'Merged by @maria.', 'the note');
    expect((await world.loop(issue))?.status).toBe('succeeded');
  });

  it('the label starts loop 2 on a branch of its own, from the base as it is now', async () => {
    const first = await world.loop(issue);
    await world.as('maria', 'DELETE', `/issues/${issue}/labels/loop`);
    await world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
    const second = await world.until(issue, ({ ref, waitingFor }) => ref.n === 2 && waitingFor === 'answers');
    expect(second).toMatchObject({
      started: { branch: `loopwright/${issue}-2` },
      status: 'waiting',
      entries: [],
    });
    expect(second.started?.base.sha).toBe(await headOf(world, 'main'));
    expect(second.started?.base.sha).not.toBe(first?.started?.base.sha);
  });
});
