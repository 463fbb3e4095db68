/** A finished pull request is sent back by a review, built again with what was asked, and ready again. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { asReviewed, type ReviewedLoop } from '../../src/loop/stages.ts';
import { commanded, eventually, said, walked } from './acts.ts';
import { asAsked, WANTED } from './asked-differently.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let finished: ReviewedLoop;
let issue: number;

beforeAll(async () => {
  world = await startWorld({ script: asAsked });
  finished = asReviewed(await walked(world));
  expect(finished.status, finished.note).toBe('succeeded');
  issue = finished.ref.issue;
});
afterAll(() => world.close());

const pullNow = async () =>
  z
    .object({ draft: z.boolean(), head: z.object({ sha: z.string() }) })
    .parse((await world.as('maria', 'GET', `/pulls/${finished.review.pull}`)).body);

async function lineOf(path: string, text: string): Promise<number> {
  const { body } = await world.as('maria', 'GET', `/contents/${path}?ref=${finished.started.branch}`);
  const { content } = z.object({ content: z.string() }).parse(body);
  return (
    Buffer.from(content, 'base64')
      .toString()
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  );
}

const testsOn = async (sha: string): Promise<readonly string[]> => {
  const { body } = await world.as('maria', 'GET', `/git/trees/${sha}?recursive=1`);
  const { tree } = z.object({ tree: z.array(z.object({ path: z.string() })) }).parse(body);
  return tree.map(({ path }) => path).filter((path) => /\.test\.js$/.test(path));
};

const requestChanges = async (login: string) => {
  const comments = await Promise.all(
    WANTED.map(async ({ path, body, was }) => ({ path, body, line: await lineOf(path, was), side: 'RIGHT' })),
  );
  const review = { event: 'REQUEST_CHANGES', comments };
  const { status } = await world.as(login, 'POST', `/pulls/${finished.review.pull}/reviews`, review);
  expect(status).toBe(200);
  return comments;
};

it('is left as it is by somebody who may only read', async () => {
  await requestChanges('noah');
  const { reactions, sentences } = await commanded(world, 'noah', issue, '/reject I do not like it.');
  expect([reactions, sentences]).toEqual([['confused'], ['`/reject` needs write permission.']]);
  expect(await world.loop(issue)).toMatchObject({ status: 'succeeded', requested: [] });
  expect(await pullNow()).toMatchObject({ draft: false, head: { sha: finished.review.head } });
});

it('becomes a draft again on "Request changes" with two comments and no summary, and the next iteration has them', async () => {
  const comments = await requestChanges('wout');
  const building = asReviewed(await world.until(issue, ({ phase }) => phase === 'BUILD'));
  expect(building).toMatchObject({ counters: { iterations: 2, plans: 1 }, approval: finished.approval });
  expect(
    building.requested.map(({ file, line, message }) => ({ path: file, line, body: message, side: 'RIGHT' })),
  ).toEqual(comments);
  await eventually(async () => (await pullNow()).draft, 'the pull request to be a draft');
  const { body } = await world.as('maria', 'GET', `/pulls/${finished.review.pull}`);
  expect(z.object({ body: z.string() }).parse(body).body).toContain('sent the finished pull request back');
});

it('is built with what was asked, and ready again over a new head', async () => {
  const again = asReviewed(await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped'));
  expect(again.status, again.note).toBe('succeeded');
  expect(again.entries.slice(finished.entries.length).map(({ phase, outcome }) => `${phase} ${outcome}`)).toEqual([
    'BUILD passed',
    'SEED_DATA passed',
    'VERIFY passed',
    'SHIP passed',
    'REFLECT passed',
  ]);
  expect(again.requested).toEqual([]);
  expect(await pullNow()).toEqual({ draft: false, head: { sha: again.review.head } });
  expect(again.review.head).not.toBe(finished.review.head);
  for (const { path, is } of WANTED) expect(await lineOf(path, is), path).toBeGreaterThan(0);
  const ours = (await world.checks(again.review.head)).filter(({ name }) => name.startsWith('loopwright / '));
  expect(ours.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success', 'success']);
});

it('goes back to the plan on "/reject plan: …": its new packet is approved, and it is built and ready once more', async () => {
  expect((await commanded(world, 'wout', issue, '/reject plan: say it in fewer words')).reactions).toEqual(['+1']);
  const packet = asReviewed(await world.until(issue, ({ waitingFor }) => waitingFor === 'approval'));
  expect(packet).toMatchObject({ counters: { rounds: 2, plans: 1 } });
  expect(packet.approval).toBeUndefined();
  const tests = await testsOn(packet.review.head);
  expect((await pullNow()).draft).toBe(true);
  await commanded(world, 'maria', issue, '/approve');
  const again = asReviewed(await world.until(issue, ({ status }) => status === 'succeeded' || status === 'stopped'));
  expect(again.status, again.note).toBe('succeeded');
  expect(again).toMatchObject({ counters: { plans: 2, iterations: 1 }, requested: [] });
  expect(await testsOn(again.review.head), 'those of the plan that was sent back are taken away').toEqual(tests);
  expect(await pullNow()).toEqual({ draft: false, head: { sha: again.review.head } });
});

it('can no longer be sent back once it is merged: one sentence says so', async () => {
  const { status } = await world.as('maria', 'PUT', `/pulls/${finished.review.pull}/merge`, {});
  expect(status).toBe(200);
  const before = (await said(world, issue)).length;
  const sentence =
    'The pull request is merged, so nothing more is built on it; set the label `loop` on the issue again for a new loop.';
  expect((await commanded(world, 'wout', issue, '/reject One more thing.')).sentences).toEqual([sentence]);
  await world.as('wout', 'POST', `/pulls/${finished.review.pull}/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' });
  await eventually(async () => (await said(world, issue)).length === before + 2, 'an answer to the review');
  expect((await said(world, issue)).at(-1)?.body).toBe(sentence);
});
