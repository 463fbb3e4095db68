/** Webhooks as they really come, through HTTP: late, in another order, about accounts that are gone, and on issues that are none of the App's business. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { WEBHOOK_PATH } from '../../src/intake/webhooks.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import { commanded, commented, eventually, headOf, proposed, pushed, quiet, rightAtOnce, said } from './acts.ts';
import { startWorld, type World } from './world.ts';

let world: World;
let loop: Loop;
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce });
  loop = await proposed(world, 'Search, told late');
});
afterAll(() => world.close());

const repositoryOf = z.object({ id: z.int(), name: z.string(), owner: z.looseObject({}), default_branch: z.string() });
const person = z.object({ id: z.int(), login: z.string(), type: z.string() });

/** Brings a webhook to the App as GitHub does, made from what GitHub says now. */
async function brought(event: string, body: object): Promise<void> {
  const repository = repositoryOf.parse((await world.as('maria', 'GET', '')).body);
  const { user } = z.object({ user: person }).parse((await world.as('wout', 'GET', `/issues/${loop.ref.issue}`)).body);
  const installation = { id: world.github.credentials.installationId };
  const text = JSON.stringify({ repository, installation, sender: user, ...body });
  const answer = await fetch(`${world.app.url}${WEBHOOK_PATH}`, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', world.github.credentials.webhookSecret).update(text).digest('hex')}`,
    },
  });
  expect(answer.status).toBe(200);
}

async function issueOpened(title: string): Promise<number> {
  const opened = await world.as('noah', 'POST', '/issues', { title, body: 'Please.' });
  return z.object({ number: z.int() }).parse(opened.body).number;
}

async function labelledWebhook(issue: number, over: object = {}): Promise<void> {
  const body = z.looseObject({}).parse((await world.as('maria', 'GET', `/issues/${issue}`)).body);
  await brought('issues', { action: 'labeled', label: { name: 'loop' }, issue: { ...body, ...over } });
}

/** Something that GitHub tells the App nothing of. */
async function unheard(act: () => Promise<unknown>): Promise<void> {
  world.github.setWebhookUrl(undefined);
  await act();
  world.github.setWebhookUrl(`${world.app.url}${WEBHOOK_PATH}`);
}

/** Deliveries are taken in one after another, so the answer to this one shows that those before it were read. */
async function allRead(): Promise<void> {
  expect((await commanded(world, 'wout', loop.ref.issue, '/status')).reactions).toEqual(['+1']);
}

it('a label that was taken away before it is told starts no loop', async () => {
  const issue = await issueOpened('Labelled once');
  await labelledWebhook(issue);
  await allRead();
  expect(await world.loop(issue)).toBeUndefined();
});

it('a label on the issue of a deleted account starts a loop', async () => {
  const issue = await issueOpened('By nobody');
  await unheard(() => world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] }));
  await labelledWebhook(issue, { user: null });
  await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
  await commanded(world, 'wout', issue, '/stop');
});

it('on an issue without a loop strangers are left alone, and other bots have their commands; /help is answered to who may write', async () => {
  const issue = await issueOpened('Not for a loop');
  const ids = [
    await commented(world, 'noah', issue, '/approve'),
    await commented(world, 'noah', issue, '/help'),
    await commented(world, 'wout', issue, '/approve\n/hold'),
  ];
  await allRead();
  for (const id of ids) expect(await world.reactions(id)).toEqual([]);
  expect(await world.loop(issue)).toBeUndefined();
  const asked = await commented(world, 'wout', issue, '/help');
  await eventually(async () => (await world.reactions(asked)).includes('+1'), 'the answer');
  await quiet(world, issue);
  const bodies = (await said(world, issue)).map(({ body }) => body);
  expect(bodies).toEqual([expect.stringContaining('`/reject <what to change>`')]);
});

it('the branch is where it is, in whatever order its pushes are told', async () => {
  const { started, review } = asReviewed(loop);
  const { branch } = started;
  const first = await pushed(world, 'wout', { branch, path: 'one.md', text: '1\n' });
  const second = await pushed(world, 'wout', { branch, path: 'two.md', text: '2\n' });
  await world.until(loop.ref.issue, ({ review: now }) => now?.head === second);
  await brought('push', { ref: `refs/heads/${branch}`, before: review.head, after: first });
  await allRead();
  expect(await headOf(world, branch)).toBe(second);
  expect((await world.loop(loop.ref.issue))?.review?.head).toBe(second);
});

it('a rejection takes what stands below it along, up to the next command', async () => {
  const answer = await commanded(
    world,
    'wout',
    loop.ref.issue,
    'Thanks!\n\n/reject The plan misses:\n\n- a limit of `50`\n- this:\n\n```js\nlimit = 50;\n/approve\n```\n/context\nMind the index.',
  );
  expect(answer.reactions).toEqual(['+1']);
  const after = await world.until(
    loop.ref.issue,
    ({ counters, context }) => counters.rounds === 2 && context.length > 0,
  );
  expect(after.context).toEqual(['Mind the index.']);
  const log = await world.composed.ports.store.log(`${loop.ref.repositoryId}/${loop.ref.issue}/1`);
  expect(log.map(({ event }) => (event?.type === 'commanded' ? event.argument : ''))).toContain(
    'The plan misses:\n\n- a limit of `50`\n- this:\n\n```js\nlimit = 50;\n/approve\n```',
  );
});
