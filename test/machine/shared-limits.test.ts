/** Two replicas on one PostgreSQL before a GitHub that limits what is created: together they stay within it, and nothing is lost or doubled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { compose } from '../../src/compose.ts';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { readScript } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { LimitedError } from '../../src/errors.ts';
import { isCreation } from '../../src/github/creations.ts';
import { createGitHub } from '../../src/github/github.ts';
import { wire } from '../../src/github/wire.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/local/local-github.ts';
import { startServer } from '../../src/server.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { freePort } from '../listening.ts';
import { executeHere } from '../local/workflow-kit.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const FULL_NAME = 'acme/guestbook';
const log = pino({ level: 'silent' });
let server: PostgresServer;
let directory: string;
let source: string;
beforeAll(async () => {
  server = await startPostgres();
  directory = await mkdtemp(join(tmpdir(), 'loopwright-limits-'));
  source = await prepareDemoRepository(directory);
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

async function startGitHub(name: string): Promise<LocalGitHub> {
  const github = await startLocalGitHub({
    ...{ dataDirectory: join(directory, name), port: 0, executeWorkflow: executeHere },
    imports: [{ source, fullName: FULL_NAME }],
    users: [{ login: 'maria', role: 'admin', token: 'maria-token' }],
  });
  onTestFinished(() => github.close());
  return github;
}

const headers = { authorization: 'Bearer maria-token', 'content-type': 'application/json' };

async function as(github: LocalGitHub, method: string, path: string, body?: unknown): Promise<unknown> {
  const url = path.startsWith('/_local/') ? github.url : `${github.url}/api/v3/repos/${FULL_NAME}`;
  const answer = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const rows = z.array(
  z.object({ id: z.int(), at: z.string(), actor: z.string(), method: z.string(), path: z.string(), status: z.int() }),
);

async function sentByApp(github: LocalGitHub) {
  const found: z.infer<typeof rows> = [];
  for (;;) {
    const more = rows.parse(await as(github, 'GET', `/_local/requests?after=${found.at(-1)?.id ?? 0}`));
    if (more.length === 0) return found.filter(({ actor }) => actor === 'app');
    found.push(...more);
  }
}

const limit = (github: LocalGitHub, creationsPerMinute: number) =>
  as(github, 'PATCH', '/_local/faults/limits', { creationsPerMinute });
const numbered = z.object({ number: z.int() });
const comments = z.array(z.object({ body: z.string(), user: z.object({ login: z.string() }) }));

const LOOPS = 40;
const QUESTION = 'ask/';
const BOARD = 'board/';

test('two replicas with forty loops at once create no more than GitHub takes, each of them all that it wants, and once', async () => {
  const github = await startGitHub('burst');
  await limit(github, 80);
  const { issue: _, ...forAnyIssue } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const model = await startScriptedModel(forAnyIssue);
  onTestFinished(() => model.close());
  const databaseUrl = await server.createDatabase();
  const sent = [0, 0];
  const urls = [
    await startReplica({ github, databaseUrl, modelUrl: model.url, sends: () => (sent[0] = (sent[0] ?? 0) + 1) }),
    await startReplica({ github, databaseUrl, modelUrl: model.url, sends: () => (sent[1] = (sent[1] ?? 0) + 1) }),
  ];
  github.setWebhookUrl(`${urls[0]}/api/github/webhooks`);
  const issues: number[] = [];
  for (let loop = 0; loop < LOOPS; loop += 1) {
    const { number } = numbered.parse(
      await as(github, 'POST', '/issues', { title: 'Let visitors search', body: 'Please.' }),
    );
    await as(github, 'POST', `/issues/${number}/labels`, { labels: ['loop'] });
    issues.push(number);
  }
  // Help is a comment and a reaction more.
  for (const number of issues.slice(0, 20)) await as(github, 'POST', `/issues/${number}/comments`, { body: '/help' });
  const wanted = LOOPS * 2 + 20 * 2;
  const created = async () =>
    (await sentByApp(github)).filter((one) => isCreation(one) && one.status < 300).map(({ at }) => Date.parse(at));
  const endMs = Date.now() + 480_000;
  while (Date.now() < endMs && (await created()).length < wanted) await sleep(1000);
  // Whatever comes twice comes soon.
  await sleep(3000);
  const times = (await created()).toSorted((left, right) => left - right);
  expect(times).toHaveLength(wanted);
  const inAnyMinute = times.map((from) => times.filter((at) => at >= from && at < from + 60_000).length);
  expect(Math.max(...inAnyMinute)).toBeLessThanOrEqual(80);
  expect((await sentByApp(github)).filter(({ status }) => status === 403 || status === 429)).toEqual([]);
  expect(Math.min(...sent)).toBeGreaterThan(0);
  for (const number of issues) {
    const bodies = comments
      .parse(await as(github, 'GET', `/issues/${number}/comments?per_page=100`))
      .filter(({ user }) => user.login !== 'maria')
      .map(({ body }) => body);
    expect(bodies.filter((body) => body.includes(BOARD))).toHaveLength(1);
    expect(bodies.filter((body) => body.includes(QUESTION))).toHaveLength(1);
  }
});

interface Replica {
  readonly github: LocalGitHub;
  readonly databaseUrl: string;
  readonly modelUrl: string;
  readonly sends: () => void;
}

async function startReplica({ github, databaseUrl, modelUrl, sends }: Replica): Promise<string> {
  const port = await freePort();
  const { appId, privateKey, webhookSecret, slug } = github.credentials;
  const apiUrl = `${github.url}/api/v3`;
  const guarded = wire({ apiUrl, checked: true });
  const counted: typeof globalThis.fetch = (input, init) => {
    sends();
    return guarded(input, init);
  };
  const { ports, routes, close } = await compose({
    ...{ databaseUrl, workspaceDirectory: join(directory, `clones-${port}`), publicUrl: `http://127.0.0.1:${port}` },
    ...{ slug, webhookSecret, log },
    github: { appId, privateKey, apiUrl, fetch: counted, log },
    model: {
      baseUrl: modelUrl,
      name: 'scripted',
      apiKey: 'scripted',
      scripted: true,
      price: { prompt: 0, completion: 0 },
    },
    limits: {
      slots: { overall: LOOPS, installation: LOOPS, repository: LOOPS },
      keepDays: { deliveries: 4, logs: 90, blobs: 40, commits: 14 },
    },
  });
  onTestFinished(close);
  const app = await startServer({
    ...{ appId, privateKey, webhookSecret, apiUrl, host: '127.0.0.1', port, fetch: counted, ports, routes, log },
  });
  onTestFinished(() => app.close());
  return app.url;
}

test('a burst waits in two replicas and in all its loops alike, and comes out whole', async () => {
  const github = await startGitHub('waits');
  const { number } = numbered.parse(await as(github, 'POST', '/issues', { title: 'One', body: '' }));
  const { target, replica } = await portsTo(github);
  await limit(github, 80);
  const replicas = [await replica(), await replica()];
  let waits = 0;
  const write = async (loop: number): Promise<void> => {
    const port = replicas[loop % 2];
    for (const nth of [1, 2, 3]) {
      const marker = `burst/${loop}/${nth}`;
      // Each loop has its own pull request, so that each has a place of its own.
      await retried(
        async () => port?.comment(target, number + loop, { marker, body: marker, isNew: true }),
        () => (waits += 1),
      );
    }
  };
  for (let loop = 1; loop < LOOPS; loop += 1) await as(github, 'POST', '/issues', { title: 'One', body: '' });
  await Promise.all(Array.from({ length: LOOPS }, (_, loop) => write(loop)));
  const sent = await sentByApp(github);
  expect(sent.filter(({ status }) => status === 403 || status === 429)).toEqual([]);
  expect(sent.filter(isCreation)).toHaveLength(LOOPS * 3);
  expect(waits).toBeGreaterThan(0);
  const twice = sent.filter(isCreation).map(({ path }) => path);
  for (const path of new Set(twice)) expect(twice.filter((one) => one === path)).toHaveLength(3);
  // Nobody was served thrice before all were served once.
  expect(new Set(twice.slice(0, LOOPS)).size).toBeGreaterThan(LOOPS / 2);
});

test('what GitHub refuses one replica, because another program of the App had its share, holds all until then', async () => {
  const github = await startGitHub('refused');
  const { number } = numbered.parse(await as(github, 'POST', '/issues', { title: 'One', body: '' }));
  const { target, replica, outsider } = await portsTo(github);
  await limit(github, 3);
  const [one, other] = [await replica(), await replica()];
  for (const marker of ['a', 'b', 'c']) await outsider.comment(target, number, { marker, body: marker, isNew: true });
  // It waits for as long as GitHub says, and then writes.
  const waiting = one.comment(target, number, { marker: 'one', body: 'one', isNew: true });
  const refusals = async () => (await sentByApp(github)).filter(({ status }) => status === 403);
  while ((await refusals()).length === 0) await sleep(50);
  const [refusal] = await refusals();
  const later = await other.comment(target, number, { marker: 'other', body: 'other', isNew: true }).catch(String);
  await waiting;
  if (typeof later === 'string') await retried(() => other.comment(target, number, { marker: 'other', body: 'other' }));
  expect(await refusals()).toHaveLength(1);
  const after = (await sentByApp(github)).filter(({ id }) => id > (refusal?.id ?? 0));
  expect(after.filter(isCreation)).toHaveLength(2);
  // The embedded GitHub's minute began with the first comment.
  const [first] = (await sentByApp(github)).filter(isCreation);
  for (const { at } of after.filter(isCreation))
    expect(Date.parse(at)).toBeGreaterThan(Date.parse(first?.at ?? '') + 59_000);
});

async function portsTo(github: LocalGitHub) {
  const { id: repositoryId } = z.object({ id: z.int() }).parse(await as(github, 'GET', ''));
  const { appId, privateKey, installationId } = github.credentials;
  const apiUrl = `${github.url}/api/v3`;
  const options = { appId, privateKey, apiUrl, fetch: wire({ apiUrl, checked: true }), log };
  const databaseUrl = await server.createDatabase();
  return {
    target: { installationId, repositoryId, owner: 'acme', repo: 'guestbook' },
    /** A program of the App that does not know the database. */
    outsider: createGitHub(options),
    replica: async () => {
      const engine = await openEngine({ url: databaseUrl });
      onTestFinished(() => engine.close());
      return createGitHub({ ...options, limits: createStore(engine).askLimits });
    },
  };
}

async function retried(action: () => Promise<unknown>, waits: () => unknown = () => undefined): Promise<void> {
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (!(error instanceof LimitedError)) throw error;
      waits();
      await sleep(error.seconds * 1000);
    }
  }
}
