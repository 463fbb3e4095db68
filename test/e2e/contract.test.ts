/** A whole loop under contract: every request and webhook as GitHub describes it, within the App's rows, and within a budget of writes. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUDGET, requestCount } from '../../src/demo/request-count.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { gitHubContract } from '../../src/referee/contract.ts';
import { GIT_SERVICES } from '../../src/referee/requests.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { jwtOf, octokit } from '../local/server.ts';
import { commented, proposed } from './acts.ts';
import { pollsIn, type Told } from './polls.ts';
import { problemsOf, startWorld, type World } from './world.ts';

let world: World;
let loop: Loop;
let sent: Awaited<ReturnType<World['requests']>>;
/** Oldest first. */
let told: readonly Told[];
beforeAll(async () => {
  world = await startWorld();
  const [title = ''] = (await readFile(packageFile('src', 'demo', 'issue.md'), 'utf8')).split('\n');
  const { ref, review } = await proposed(world, title.replace('# ', ''));
  await commented(world, 'maria', review.pull, '/approve');
  loop = await world.until(ref.issue, ({ status }) => status === 'succeeded' || status === 'stopped');
  sent = (await world.requests()).filter(({ actor }) => actor === 'app');
  told = await toldTo(world);
});
afterAll(() => world.close());

const delivered = z.object({
  sender: z.object({ login: z.string() }),
  check_run: z.object({ app: z.object({ slug: z.string() }) }).optional(),
  check_suite: z.object({ app: z.object({ slug: z.string() }) }).optional(),
});

async function toldTo({ github }: World): Promise<readonly Told[]> {
  const { paginate, rest } = octokit(github.url, jwtOf(github.credentials));
  const deliveries = await paginate(rest.apps.listWebhookDeliveries, { per_page: 100 });
  const each = deliveries.toReversed().map(async ({ id, event, action, delivered_at: at }) => {
    const { request } = (await rest.apps.getWebhookDelivery({ delivery_id: id })).data;
    const { sender, check_run, check_suite } = delivered.parse(request.payload);
    return { at, name: `${event}.${action}`, sender: sender.login, app: (check_run ?? check_suite)?.app.slug };
  });
  return Promise.all(each);
}

it('ends well, after one failed iteration', () => {
  expect(loop.status).toBe('succeeded');
  expect(loop.entries.filter(({ phase }) => phase === 'BUILD').map(({ outcome }) => outcome)).toEqual([
    'failed',
    'passed',
  ]);
});

it("breaks GitHub's description nowhere: no request, no answer, no webhook", async () => {
  expect(await problemsOf(world.github)).toEqual([]);
});

it('takes in every webhook at the first try', async () => {
  const app = octokit(world.github.url, jwtOf(world.github.credentials)).rest.apps;
  const deliveries = (await app.listWebhookDeliveries({ per_page: 100 })).data;
  expect(deliveries.filter(({ status }) => status !== 'OK')).toEqual([]);
  const names = new Set(deliveries.map(({ event, action }) => (action === null ? event : `${event}.${action}`)));
  expect(names).toContain('issues.labeled');
  expect(names).toContain('workflow_run.completed');
});

it("sends nothing beyond the App's rows, and nothing that GitHub refuses", () => {
  const contract = gitHubContract();
  const beyond = sent.filter(({ method, path }) => {
    const by = contract.match(method, path.split('?')[0] ?? '')?.row.by;
    const isGit = GIT_SERVICES.some(
      (service) => path.endsWith(`.git/${service}`) || path.endsWith(`service=${service}`),
    );
    return by !== 'app' && by !== 'both' && !isGit && path !== '/api/graphql';
  });
  expect(beyond).toEqual([]);
  const unsuccessful = sent.filter(({ status }) => status >= 400);
  // Looking for a branch, a ref or a run that is not there yet is how a repeated effect finds what it made.
  expect(unsuccessful.filter(({ method, status }) => method !== 'GET' || status !== 404)).toEqual([]);
});

it('stays within the budget of a loop with one round of questions, one approval and one failed BUILD', () => {
  const counted = requestCount(sent);
  const kinds = sent.map(({ method, path }) => `${method} ${path}`).join('\n');
  expect(counted.creations, kinds).toBeGreaterThan(3);
  for (const name of ['requests', 'writes', 'creations'] as const)
    expect(counted[name], `${name} of ${JSON.stringify(counted)}:\n${kinds}`).toBeLessThanOrEqual(BUDGET[name]);
});

describe('what is read once more', () => {
  it('has a reason each time: a webhook, or a place in the table of what is looked at by the clock', () => {
    expect(told.length).toBeGreaterThan(30);
    expect(pollsIn(sent, told)).toEqual([]);
  });

  // Of what the App reads, and of what it might. How long a loop takes differs between machines, so it is a count: the first needs no reason, and each webhook is one once.
  const POLLED = ['git/matching-refs/heads%2Fmain', 'actions/runs/3', 'pulls/2', 'issues/1/comments?per_page=100'];
  it.each(POLLED)('would be found if %s were asked for oftener than webhooks were brought', (path) => {
    const [firstMs = 0, lastMs = 0] = [sent.at(0), sent.at(-1)].map((one) => Date.parse(one?.at ?? ''));
    const count = told.length + 2;
    const polls = Array.from({ length: count }, (_, index) => ({
      at: new Date(firstMs + ((lastMs - firstMs) * (index + 1)) / count).toISOString(),
      ...{ method: 'GET', path: `/repositories/1/${path}`, status: 200 },
    }));
    const found = pollsIn(
      [...sent, ...polls].toSorted((left, right) => left.at.localeCompare(right.at)),
      told,
    );
    expect(found).not.toEqual([]);
  });
});

it('costs people one sticky comment, one comment of questions and one packet comment', async () => {
  const bodies = async (number: number) =>
    (await world.comments(number)).filter(({ author }) => author === 'loopwright[bot]').map(({ body }) => body);
  const onIssue = await bodies(loop.ref.issue);
  expect(onIssue).toHaveLength(2);
  expect(onIssue.filter((body) => body.includes(`pull request: #${loop.review?.pull}`))).toHaveLength(1);
  expect(await bodies(loop.review?.pull ?? 0)).toEqual([expect.stringContaining('read this packet')]);
});

it('leaves four green check runs on the head that it delivers', async () => {
  const own = (await world.checks(loop.review?.head ?? '')).filter(({ name }) => name.startsWith('loopwright / '));
  expect(own.map(({ name, conclusion }) => `${name}: ${conclusion}`).toSorted()).toEqual([
    'loopwright / build: success',
    'loopwright / evidence: success',
    'loopwright / plan: success',
    'loopwright / verify: success',
  ]);
});
