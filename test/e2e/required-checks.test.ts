/** Where rules require checks of ours, everybody's pull requests can be merged, and no loop's without what it was judged by. */
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Loop } from '../../src/loop/loop.ts';
import { jwtOf } from '../local/server.ts';
import { eventually, headOf, pushed, rightAtOnce, walked } from './acts.ts';
import { createVirtualTime } from './virtual-time.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

const LOOP_MS = 600_000;
const EVIDENCE = 'loopwright / evidence';

const time = createVirtualTime();
let world: World;
beforeAll(async () => {
  world = await startWorld({ script: rightAtOnce, time });
});
afterAll(() => world.close());

async function local(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${world.github.url}/_local${path}`, {
    method,
    headers: { authorization: 'Bearer maria-token', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const QUEUE = {
  type: 'merge_queue',
  parameters: {
    ...{ check_response_timeout_minutes: 60, grouping_strategy: 'ALLGREEN', merge_method: 'MERGE' },
    ...{ max_entries_to_build: 1, max_entries_to_merge: 1 },
    ...{ min_entries_to_merge: 1, min_entries_to_merge_wait_minutes: 0 },
  },
};

async function required(names: readonly string[], more: readonly object[] = []): Promise<void> {
  const rule = {
    type: 'required_status_checks',
    parameters: {
      required_status_checks: names.map((context) => ({ context, integration_id: world.github.credentials.appId })),
      strict_required_status_checks_policy: false,
    },
  };
  const rules = [...(names.length === 0 ? [] : [rule]), ...more];
  await local('PATCH', '/switches', { mergeableAfterMs: 0, arranged: { rules } });
  // The App takes rules to be as they were a minute ago.
  await time.moveTo(time.now().getTime() + 61_000, world.github.url);
}

const numbered = z.object({ number: z.int(), head: z.object({ sha: z.string() }) });

async function opened(branch: string, base = 'main'): Promise<z.infer<typeof numbered>> {
  const sha = await headOf(world, base);
  await world.as('wout', 'POST', '/git/refs', { ref: `refs/heads/${branch}`, sha });
  await pushed(world, 'wout', { branch, path: `${branch}.md`, text: 'x\n' });
  return numbered.parse((await world.as('wout', 'POST', '/pulls', { title: branch, head: branch, base })).body);
}

const pullOf = async (pull: number) =>
  z.object({ merged: z.boolean(), state: z.string() }).parse((await world.as('wout', 'GET', `/pulls/${pull}`)).body);
const merge = async (pull: number) => (await world.as('maria', 'PUT', `/pulls/${pull}/merge`, {})).status;

/** What the App has sent since, as `POST /check-runs`. */
async function sentSince(id: number): Promise<readonly string[]> {
  const sent = (await world.requests()).filter(
    (one) => one.id > id && one.actor === 'app' && !/\/app(?:\/|$)/.test(one.path),
  );
  return sent.map(
    ({ method, path, status }) =>
      `${method} ${path.replace(/^.*\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)/, '').replace(/\?.*$/, '')} ${status}`,
  );
}
const lastRequest = async (): Promise<number> => (await world.requests()).at(-1)?.id ?? 0;

const deliveries = z.array(
  z.object({ id: z.int(), event: z.string(), action: z.string().nullable(), status_code: z.int() }),
);

async function asApp(method: string, path: string): Promise<unknown> {
  const authorization = `Bearer ${jwtOf(world.github.credentials, 540, time.now().getTime())}`;
  return (
    await fetch(`${world.github.url}/api/v3/app/hook/deliveries${path}`, { method, headers: { authorization } })
  ).json();
}

/** What GitHub has told of pull requests by this action, newest first. */
async function toldOf(action: string) {
  const told = deliveries.parse(await asApp('GET', '?per_page=100'));
  return told.filter((one) => one.event === 'pull_request' && one.action === action && one.status_code === 200);
}

/** Until so many more have been told and all is taken in. */
async function takenIn(action: string, act: () => Promise<unknown>, count = 1): Promise<void> {
  const before = (await toldOf(action)).length;
  await act();
  await eventually(async () => (await toldOf(action)).length >= before + count, `the webhook of ${action}`);
  await idle();
}

async function idle(): Promise<void> {
  const { store } = world.composed.ports;
  await eventually(async () => (await store.unreadRepositories()).length === 0, 'the end of all intake');
}

/** Brings the newest of them once more, under another id: who has one can do that. */
async function replayed(action: string): Promise<void> {
  const [last] = await toldOf(action);
  const { request } = z
    .object({ request: z.object({ payload: z.unknown() }) })
    .parse(await asApp('GET', `/${last?.id}`));
  const text = JSON.stringify(request.payload);
  const hmac = createHmac('sha256', world.github.credentials.webhookSecret).update(text).digest('hex');
  const { status } = await fetch(`${world.app.url}/api/github/webhooks`, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'pull_request',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${hmac}`,
    },
  });
  expect(status).toBe(200);
  await idle();
}

const written = async (sha: string) =>
  (await world.checks(sha)).map(({ name, conclusion, output }) => ({
    name,
    conclusion,
    summary: output.summary?.replace(/<!--.*?-->\n/, ''),
  }));

/** Walks a loop to its end; its timers are over at once. */
async function walkedAtOnce(): Promise<Loop> {
  const moving = setInterval(() => {
    const due = time.nextTimerMs();
    if (due !== undefined) void time.moveTo(due, world.github.url);
  }, 500);
  try {
    return await walked(world);
  } finally {
    clearInterval(moving);
  }
}

describe('without a required check of ours', () => {
  it('nothing is written, and of many pull requests at once one asks for the rules', async () => {
    await required([]);
    const before = await lastRequest();
    const pulls: z.infer<typeof numbered>[] = [];
    await takenIn(
      'opened',
      async () => {
        for (const branch of ['one', 'two', 'three']) pulls.push(await opened(branch));
      },
      3,
    );
    const rules = await sentSince(before);
    expect(rules.toSorted()).toEqual(['GET /branches/main 200', 'GET /rules/branches/main 200']);
    for (const { head } of pulls) expect(await written(head.sha)).toEqual([]);
    await time.moveTo(time.now().getTime() + 61_000, world.github.url);
    await takenIn('synchronize', () => pushed(world, 'wout', { branch: 'one', path: 'one.md', text: 'y\n' }));
    expect((await sentSince(before)).filter((line) => line.endsWith(' 304')).toSorted()).toEqual([
      'GET /branches/main 304',
      'GET /rules/branches/main 304',
    ]);
  });
});

describe('where a check of ours is required', () => {
  it("a pull request that is no loop's is merged, by a neutral check that says why; told twice it is written once", async () => {
    await required([EVIDENCE]);
    // The check comes late enough that a merge without it can be tried before.
    const route = '/repos/{owner}/{repo}/rules/branches/{branch}';
    await local('POST', '/faults', { by: 'app', method: 'GET', route, delayMs: 5000, times: 1 });
    const { number, head } = await opened('foreign');
    expect(await merge(number)).toBe(405);
    await eventually(async () => (await written(head.sha)).length > 0, 'the check');
    const expected = [
      {
        name: EVIDENCE,
        conclusion: 'neutral',
        summary: "This pull request is no loop's, so there is nothing to judge.",
      },
    ];
    expect(await written(head.sha)).toEqual(expected);
    await idle();
    const before = await lastRequest();
    await takenIn('reopened', async () => {
      await world.as('wout', 'PATCH', `/pulls/${number}`, { state: 'closed' });
      await world.as('wout', 'PATCH', `/pulls/${number}`, { state: 'open' });
    });
    await replayed('opened');
    expect((await sentSince(before)).filter((line) => !line.startsWith('GET '))).toEqual([]);
    const moved = await pushed(world, 'wout', { branch: 'foreign', path: 'foreign.md', text: 'y\n' });
    await eventually(async () => (await written(moved)).length > 0, 'the check of the new head');
    expect(await merge(number)).toBe(200);
  });

  it('a pull request into another branch gets none, and one when it is to be merged into this one after all', async () => {
    await required([EVIDENCE]);
    const below = await opened('below');
    const { number, head } = await opened('above', 'below');
    await eventually(async () => (await written(below.head.sha)).length > 0, 'the check of the lower one');
    await idle();
    expect(await written(head.sha)).toEqual([]);
    await world.as('wout', 'PATCH', `/pulls/${number}`, { title: 'Above' });
    expect((await world.as('wout', 'PATCH', `/pulls/${number}`, { base: 'nowhere' })).status).toBe(422);
    expect((await world.as('wout', 'PATCH', `/pulls/${number}`, { base: 'main' })).body).toMatchObject({
      base: { ref: 'main' },
    });
    await eventually(async () => (await written(head.sha)).length > 0, 'its check');
    expect(await merge(number)).toBe(200);
  });

  it('a merge group gets through the queue', async () => {
    await required([EVIDENCE, 'loopwright / verify'], [QUEUE]);
    const { number, head } = await opened('queued');
    await eventually(async () => (await written(head.sha)).length === 2, 'both checks');
    expect((await local('POST', `/repos/${REPOSITORY}/pulls/${number}/queue`)).status).toBe(204);
    await eventually(async () => (await pullOf(number)).merged, 'the merge');
    const merged = (await headOf(world, 'main')) ?? '';
    expect((await written(merged)).filter(({ name }) => name === EVIDENCE)).toEqual([
      {
        name: EVIDENCE,
        conclusion: 'neutral',
        summary: `Pull request #${number} is no loop's, so there is nothing to judge in its merge group.`,
      },
    ]);
  });

  it(
    "a loop's own pull request has the loop's word, and its merge group says where that was given",
    async () => {
      await required([EVIDENCE], [QUEUE]);
      const loop = await walkedAtOnce();
      expect(loop.status, loop.note).toBe('succeeded');
      const pull = loop.review?.pull ?? 0;
      const head = (await headOf(world, loop.started?.branch ?? '')) ?? '';
      // Whoever opens another one from the same commit changes nothing.
      await takenIn('opened', async () => {
        await world.as('wout', 'POST', '/git/refs', { ref: 'refs/heads/same', sha: head });
        await world.as('wout', 'POST', '/pulls', { title: 'same', head: 'same', base: 'main' });
      });
      const evidence = (await written(head)).filter(({ name }) => name === EVIDENCE);
      expect(evidence).toMatchObject([{ conclusion: expect.stringMatching(/success|neutral/) }]);
      expect(evidence[0]?.summary).not.toContain('nothing to judge');
      expect((await local('POST', `/repos/${REPOSITORY}/pulls/${pull}/queue`)).status).toBe(204);
      await eventually(async () => (await pullOf(pull)).merged, 'the merge');
      const merged = (await headOf(world, 'main')) ?? '';
      const [group] = (await written(merged)).filter(({ name }) => name === EVIDENCE);
      expect(group?.conclusion).toBe('neutral');
      expect(group?.summary).toMatch(
        new RegExp(
          `^\`loopwright / evidence\` of pull request #${pull} says ".+" on its own head \`${head.slice(0, 7)}\`; this merge group is another tree, which was not judged\\.$`,
        ),
      );
    },
    LOOP_MS,
  );
});
