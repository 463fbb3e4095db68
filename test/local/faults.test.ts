/** `/_local/faults`: what goes wrong on purpose, through HTTP. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, git, HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterEach(async () => void (await stage.local('DELETE', '/faults', undefined, 'alice')));
afterAll(() => stage.close());

const armed = z.object({ id: z.int() });
const arm = async (fault: object) => {
  const { status, body } = await stage.local('POST', '/faults', fault, 'alice');
  expect(status, JSON.stringify(body)).toBe(201);
  return armed.parse(body).id;
};
const list = z.object({
  faults: z.array(z.looseObject({ id: z.int(), struck: z.int(), struckBy: z.record(z.string(), z.int()) })),
  limits: z.object({ requestsPerMinute: z.int().nullable(), creationsPerMinute: z.int().nullable() }),
});
const told = async () => list.parse((await stage.local('GET', '/faults', undefined, 'alice')).body);
const MAIN = '/repos/alice/toys/git/ref/heads/main';
const asked = async (path: string, init: { method?: string; token?: string; body?: object } = {}) =>
  fetch(`${stage.server.url}/api/v3${path}`, {
    method: init.method ?? 'GET',
    headers: { authorization: `Bearer ${init.token ?? 'token-alice'}` },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
const statusOf = async (path: string, init: Parameters<typeof asked>[1] = {}) => (await asked(path, init)).status;

describe('who may arm a fault', () => {
  test('a person with admin may; others, the App and strangers may not', async () => {
    const fault = { route: '*', status: 502 };
    for (const login of ['bob', 'carol'])
      expect(await stage.local('POST', '/faults', fault, login)).toEqual({
        status: 403,
        body: { message: 'Faults are for a person with admin.' },
      });
    expect((await stage.local('POST', '/faults', fault)).status).toBe(401);
    const app = await fetch(`${stage.server.url}/_local/faults`, {
      headers: { authorization: `Bearer ${await installationToken(stage.server)}` },
    });
    expect(app.status).toBe(401);
    expect((await told()).faults).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    ['nothing to do', { route: '*' }, 'body: a rule needs one of status, delayMs, cut, tokenOver'],
    ['a success', { route: '*', status: 200 }, 'body.status: Too small: expected number to be >=400'],
    [
      'both an answer and none',
      { route: '*', status: 502, cut: true },
      'body: an answer has a "status" or is "cut", not both',
    ],
    ['an unknown key', { route: '*', status: 502, time: 1 }, 'body: Unrecognized key: "time"'],
    [
      'a route that nobody serves',
      { method: 'GET', route: '/repos/{owner}/{repo}/issue', status: 404 },
      'body.route: this server answers no GET /repos/{owner}/{repo}/issue',
    ],
    [
      'a route with another method',
      { method: 'DELETE', route: '/repos/{owner}/{repo}/pulls', status: 404 },
      'body.route: this server answers no DELETE /repos/{owner}/{repo}/pulls',
    ],
    [
      'no route',
      { route: 'issues', status: 404 },
      'body.route: expected a route as in GitHub\'s description, which begins with "/", or "*"',
    ],
    [
      'a webhook and nothing to do',
      { webhook: 'push' },
      'body.does: Invalid option: expected one of "drop"|"twice"|"hold"|"shuffle"',
    ],
    ['no object', 7, 'body: Invalid input: expected object, received number'],
  ])('a rule with %s is refused in one sentence', async (_, fault, message) => {
    expect(await stage.local('POST', '/faults', fault, 'alice')).toEqual({ status: 422, body: { message } });
  });

  test('limits that are none are refused', async () => {
    for (const body of [{ requestsPerMinute: 0 }, { perMinute: 1 }, { creationsPerMinute: 'few' }])
      expect((await stage.local('PATCH', '/faults/limits', body, 'alice')).status).toBe(422);
  });
});

describe('a fault of a request', () => {
  test('answers with its status, headers and body as often as it says, and tells how often it struck', async () => {
    const id = await arm({
      method: 'GET',
      route: '/repos/{owner}/{repo}/git/ref/{ref}',
      status: 403,
      headers: { 'retry-after': '7', 'x-ratelimit-reset': { inSeconds: 60 } },
      body: { message: 'Slow down' },
      times: 2,
    });
    const first = await asked(MAIN);
    expect([first.status, first.headers.get('retry-after'), await first.json()]).toEqual([
      403,
      '7',
      { message: 'Slow down' },
    ]);
    const reset = Number(first.headers.get('x-ratelimit-reset')) - Date.now() / 1000;
    expect(reset).toBeGreaterThan(50);
    expect(reset).toBeLessThan(70);
    expect(await statusOf('/repos/alice/toys')).toBe(200);
    expect([await statusOf(MAIN), await statusOf(MAIN)]).toEqual([403, 200]);
    expect((await told()).faults).toMatchObject([
      { id, struck: 2, struckBy: { 'GET /repos/{owner}/{repo}/git/ref/{ref}': 2 } },
    ]);
  });

  test('lets some go by first, and strikes one filled-in route only', async () => {
    await arm({ route: MAIN, status: 404, after: 1, times: 1 });
    expect(await statusOf('/repos/alice/toys/git/ref/heads/other')).toBe(404);
    expect([await statusOf(MAIN), await statusOf(MAIN), await statusOf(MAIN)]).toEqual([200, 404, 200]);
  });

  test('strikes what is asked by the id of the repository too', async () => {
    const { data } = await stage.as('alice').rest.repos.get(HERE);
    await arm({ route: MAIN, status: 502, times: 1 });
    expect(await statusOf(`/repositories/${data.id}/git/ref/heads/main`)).toBe(502);
  });

  test('strikes each kind of request once where it counts by route', async () => {
    await arm({ route: '*', countedBy: 'route', status: 502, times: 1 });
    expect([await statusOf(MAIN), await statusOf(MAIN)]).toEqual([502, 200]);
    expect([await statusOf('/user'), await statusOf('/user')]).toEqual([502, 200]);
    expect((await told()).faults[0]?.struckBy).toEqual({
      'GET /repos/{owner}/{repo}/git/ref/{ref}': 1,
      'GET /user': 1,
    });
  });

  test('strikes the App alone where it says so', async () => {
    await arm({ route: MAIN, by: 'app', status: 502 });
    expect(await statusOf(MAIN)).toBe(200);
    expect(await statusOf(MAIN, { token: await installationToken(stage.server) })).toBe(502);
    await arm({ route: MAIN, by: 'person', status: 503 });
    expect(await statusOf(MAIN)).toBe(503);
  });

  test('is performed all the same where it says so, and is not where it does not', async () => {
    const issues = '/repos/alice/toys/issues';
    const titles = async () => (await stage.as('alice').rest.issues.listForRepo(HERE)).data.map(({ title }) => title);
    const opened = (title: string) => statusOf(issues, { method: 'POST', body: { title } });
    await arm({ method: 'POST', route: '/repos/{owner}/{repo}/issues', status: 502, times: 1 });
    expect(await opened('Not made')).toBe(502);
    await arm({ method: 'POST', route: '/repos/{owner}/{repo}/issues', status: 502, performs: true, times: 1 });
    expect(await opened('Made, and answered otherwise')).toBe(502);
    await arm({ method: 'POST', route: '/repos/{owner}/{repo}/issues', cut: true, performs: true, times: 1 });
    const half = await asked(issues, { method: 'POST', body: { title: 'Made, and cut' } });
    await expect(half.json()).rejects.toThrow();
    await arm({ method: 'POST', route: '/repos/{owner}/{repo}/issues', cut: true, times: 1 });
    await expect(
      asked(issues, { method: 'POST', body: { title: 'Lost' } }).then((answer) => answer.json()),
    ).rejects.toThrow();
    expect(await opened('After')).toBe(201);
    expect(await titles()).toEqual(['After', 'Made, and cut', 'Made, and answered otherwise']);
  });

  test('comes late where it says so', async () => {
    await arm({ route: MAIN, delayMs: 300, times: 1 });
    const begunMs = Date.now();
    expect(await statusOf(MAIN)).toBe(200);
    expect(Date.now() - begunMs).toBeGreaterThanOrEqual(290);
  });

  test('ends the token of a request, which nothing brings back but a new one', async () => {
    const token = await installationToken(stage.server);
    await arm({ route: MAIN, tokenOver: true, times: 1 });
    expect(await statusOf(MAIN)).toBe(200);
    expect(await statusOf(MAIN, { token })).toBe(401);
    expect(await statusOf('/repos/alice/toys', { token })).toBe(401);
    expect(await statusOf(MAIN, { token: await installationToken(stage.server) })).toBe(200);
  });

  test('strikes GraphQL and git', async () => {
    await arm({ method: 'POST', route: '/graphql', status: 502, times: 1 });
    const graphql = await fetch(`${stage.server.url}/api/graphql`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-alice' },
      body: '{}',
    });
    expect(graphql.status).toBe(502);
    await arm({ method: 'GET', route: '/{owner}/{repo}/info/refs', status: 502, times: 1 });
    const fetched = () => git(stage.directory, ['ls-remote', `${stage.server.url}/alice/toys.git`], false);
    expect((await fetched()).exitCode).not.toBe(0);
    expect((await fetched()).exitCode).toBe(0);
  });

  test('is taken away alone or with all others, and survives a restart otherwise', async () => {
    const id = await arm({ route: MAIN, status: 502 });
    await arm({ route: MAIN, status: 503 });
    expect(await statusOf(MAIN)).toBe(502);
    expect((await stage.local('DELETE', `/faults/${id}`, undefined, 'alice')).status).toBe(204);
    expect((await stage.local('DELETE', `/faults/${id}`, undefined, 'alice')).status).toBe(404);
    expect(await statusOf(MAIN)).toBe(503);
    expect((await stage.local('DELETE', '/faults', undefined, 'alice')).status).toBe(204);
    expect(await statusOf(MAIN)).toBe(200);
  });

  test('is in the log of requests, though nothing was performed', async () => {
    await arm({ route: MAIN, status: 502, times: 1 });
    await asked(MAIN);
    const rows = z
      .array(z.looseObject({ path: z.string(), status: z.int() }))
      .parse((await stage.local('GET', '/requests?after=0')).body);
    expect(rows.filter(({ status }) => status === 502).at(-1)).toMatchObject({ path: MAIN, actor: 'user:alice' });
  });
});

describe('a limit', () => {
  const limited = (body: object) => stage.local('PATCH', '/faults/limits', body, 'alice');

  test('has no headers while there is none', async () => {
    expect((await asked(MAIN)).headers.get('x-ratelimit-limit')).toBeNull();
  });

  test('of requests is told with each answer, refuses with what GitHub says, and ends with its minute', async () => {
    await limited({ requestsPerMinute: 2 });
    const token = await installationToken(stage.server);
    const of = async () => {
      const { status, headers } = await asked(MAIN, { token });
      return [
        status,
        headers.get('x-ratelimit-limit'),
        headers.get('x-ratelimit-remaining'),
        headers.get('x-ratelimit-used'),
      ];
    };
    await stage.local('POST', '/clock', { advanceMs: 60_000 });
    expect([await of(), await of(), await of()]).toEqual([
      [200, '2', '1', '1'],
      [200, '2', '0', '2'],
      [403, '2', '0', '2'],
    ]);
    const refused = await asked(MAIN, { token });
    const seconds =
      Number(refused.headers.get('x-ratelimit-reset')) - Date.parse(refused.headers.get('date') ?? '') / 1000;
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(61);
    expect(z.object({ message: z.string() }).parse(await refused.json()).message).toContain('API rate limit exceeded');
    expect(await statusOf('/user'), 'another account has its own').toBe(200);
    await stage.local('POST', '/clock', { advanceMs: 60_000 });
    expect((await of())[0]).toBe(200);
    await stage.local('POST', '/clock', { offsetMs: 0 });
  });

  test('of requests counts none that is answered with 304', async () => {
    await limited({ requestsPerMinute: 100 });
    const headers = { authorization: `Bearer ${await installationToken(stage.server)}` };
    const read = (more = {}) => fetch(`${stage.server.url}/api/v3${MAIN}`, { headers: { ...headers, ...more } });
    const first = await read();
    const second = await read({ 'if-none-match': first.headers.get('etag') ?? '' });
    const used = [first, second].map((answer) => answer.headers.get('x-ratelimit-used'));
    expect([second.status, used[1]]).toEqual([304, used[0]]);
  });

  test('of creations counts what people see, and says when to try again', async () => {
    await limited({ creationsPerMinute: 1 });
    const open = () => octokit(stage.server.url, 'token-bob').rest.issues.create({ ...HERE, title: 'One' });
    expect((await open()).status).toBe(201);
    await expect(open()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('secondary rate limit'),
    });
    expect(await statusOf(MAIN, { token: 'token-bob' })).toBe(200);
    const answer = await asked('/repos/alice/toys/issues', {
      method: 'POST',
      token: 'token-bob',
      body: { title: 'Two' },
    });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a fault of webhooks', () => {
  /** Titles of the issues in the order in which the App is told that they were opened. */
  const opened = async (titles: readonly string[]) => {
    for (const title of titles) await stage.as('alice').rest.issues.create({ ...HERE, title });
  };
  const heard = (prefix: string) =>
    stage.receiver.received
      .filter(({ event, payload }) => event === 'issues' && payload.action === 'opened')
      .map(({ guid, payload }) => ({ guid, title: z.object({ title: z.string() }).parse(payload.issue).title }))
      .filter(({ title }) => title.startsWith(prefix));
  const titles = (prefix: string) => heard(prefix).map(({ title }) => title);
  const afterwards = (prefix: string, count: number) =>
    eventually(async () => heard(prefix).length >= count, `${count} webhooks`, 5000);

  test('drops: it does not arrive, and is listed as failed', async () => {
    await arm({ webhook: 'issues.opened', does: 'drop', times: 1 });
    await opened(['drop 1', 'drop 2']);
    await afterwards('drop', 1);
    expect(titles('drop')).toEqual(['drop 2']);
    const { data } = await octokit(stage.server.url, jwtOf(stage.server.credentials)).rest.apps.listWebhookDeliveries();
    expect(data.filter(({ status }) => status !== 'OK')).toMatchObject([
      { event: 'issues', action: 'opened', status: 'failed to connect to host', status_code: 0 },
    ]);
    expect((await told()).faults).toMatchObject([{ struck: 1, struckBy: { 'issues.opened': 1 } }]);
  });

  test('twice: it comes again under the same id', async () => {
    await arm({ webhook: 'issues', does: 'twice', times: 1 });
    await opened(['twice 1', 'twice 2']);
    await afterwards('twice', 3);
    expect(titles('twice')).toEqual(['twice 1', 'twice 1', 'twice 2']);
    const [first, second, third] = heard('twice').map(({ guid }) => guid);
    expect([first === second, first === third]).toEqual([true, false]);
  });

  test('holds: it comes after those behind it', async () => {
    await arm({ webhook: '*', does: 'hold', times: 1, forMs: 300 });
    await opened(['hold 1', 'hold 2']);
    await afterwards('hold', 2);
    expect(titles('hold')).toEqual(['hold 2', 'hold 1']);
  });

  test('shuffles: those of a while come in the opposite order', async () => {
    // The while is ended here: on a machine that does much else three requests take any time.
    await arm({ webhook: 'issues', does: 'shuffle', forMs: 600_000 });
    await opened(['shuffle 1', 'shuffle 2', 'shuffle 3']);
    await stage.local('DELETE', '/faults', undefined, 'alice');
    await afterwards('shuffle', 3);
    expect(titles('shuffle')).toEqual(['shuffle 3', 'shuffle 2', 'shuffle 1']);
  });

  test('what is held goes when all faults are taken away', async () => {
    await arm({ webhook: 'issues', does: 'hold', forMs: 600_000 });
    await opened(['release 1']);
    await stage.local('DELETE', '/faults', undefined, 'alice');
    await afterwards('release', 1);
    expect(titles('release')).toEqual(['release 1']);
  });
});
