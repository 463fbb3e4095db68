/** The server as a process of its own keeps everything when it is killed, and tells afterwards what it had not told. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { RUNNER_SECRET } from '../../src/local/actions/runner-secret.ts';
import { loadCredentials } from '../../src/local/credentials.ts';
import { trackingIdOf } from '../../src/local/runner/process.ts';
import { processesWith } from '../../src/local/runner/process-table.ts';
import { openState } from '../../src/local/state.ts';
import { freePort, listening } from '../listening.ts';
import { createSource, eventually, git, HERE, jwtOf, octokit, type Receiver, startReceiver } from '../local/server.ts';
import { LOCAL_GITHUB, LOCAL_RUNNER } from '../prepared.ts';

const SLOW =
  'name: Slow\non: workflow_dispatch\njobs:\n  slow:\n    runs-on: ubuntu-latest\n    steps: [{ run: sleep 15 }]\n';

let directory = '';
let source = '';
let receiver: Receiver;
const children: { server?: ChildProcess; runner?: ChildProcess } = {};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'local-github-restart-'));
  source = await createSource(directory, { 'README.md': '# Toys\n', '.github/workflows/slow.yml': SLOW });
  receiver = await startReceiver();
});
afterEach(async () => {
  await stop('SIGTERM', 'runner');
  await stop('SIGKILL');
  await receiver.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(webhookUrl = receiver.url, port = 0): Promise<string> {
  const data = join(directory, 'data');
  const place = ['--data', data, '--port', String(port), '--webhook-url', webhookUrl];
  const content = ['--import', `${source}=alice/toys`, '--user', 'alice:admin:token-alice'];
  const { child, url } = await started(LOCAL_GITHUB, [...place, ...content]);
  children.server = child;
  receiver.secret = loadCredentials(data).webhookSecret;
  return url;
}

async function startRunner(url: string): Promise<void> {
  const secret = join(directory, 'data', RUNNER_SECRET);
  const place = ['--url', url, '--secret', secret, '--folder', join(directory, 'runner')];
  children.runner = (await started(LOCAL_RUNNER, place)).child;
}

async function started(program: string, argv: readonly string[]) {
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, url: z.object({ url: z.string() }).parse(JSON.parse(line)).url };
  throw new Error(`${program} ended before it said anything`);
}

async function stop(signal: NodeJS.Signals, name: keyof typeof children = 'server'): Promise<number | null> {
  const stopping = children[name];
  delete children[name];
  if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return stopping?.exitCode ?? null;
  return new Promise((resolve) => {
    stopping.once('exit', resolve);
    stopping.kill(signal);
  });
}

test('kill -9 loses no issue, no pushed commit and no webhook', async () => {
  const silent = createServer(() => undefined);
  const first = await start(await listening(silent));
  await octokit(first, 'token-alice').rest.issues.create({ ...HERE, title: 'Survive' });
  const clone = join(directory, 'clone');
  await git(directory, ['clone', '--quiet', `${first.replace('//', '//alice:token-alice@')}/alice/toys.git`, clone]);
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'Survive']);
  await git(clone, ['push', '--quiet', 'origin', 'main']);
  await stop('SIGKILL');
  silent.closeAllConnections();
  silent.close();
  expect(receiver.received).toEqual([]);

  const second = await start();
  const alice = octokit(second, 'token-alice').rest;
  const { data: issues } = await alice.issues.listForRepo(HERE);
  expect(issues).toMatchObject([{ number: 1, title: 'Survive' }]);
  const { data: commits } = await alice.repos.listCommits(HERE);
  expect(commits.map(({ commit }) => commit.message)).toEqual(['Survive', 'Start']);
  await eventually(() => receiver.names().includes('push'), 'the webhooks of the former process arrive');
  expect(receiver.names().filter((name) => name === 'issues.opened' || name === 'push')).toEqual([
    'issues.opened',
    'push',
  ]);
  expect(receiver.received.every(({ signed }) => signed)).toBe(true);
});

test('a push that reached git, but was told to nobody before the kill, is told at the next start, and its pull request follows', async () => {
  const data = join(directory, 'data');
  const first = await start();
  const alice = octokit(first, 'token-alice').rest;
  const { data: main } = await alice.git.getRef({ ...HERE, ref: 'heads/main' });
  const { data: tip } = await alice.git.getCommit({ ...HERE, commit_sha: main.object.sha });
  const make = async (parent: string) =>
    (await alice.git.createCommit({ ...HERE, message: 'Next', tree: tip.tree.sha, parents: [parent] })).data.sha;
  const one = await make(main.object.sha);
  const two = await make(one);
  await alice.git.createRef({ ...HERE, ref: 'refs/heads/topic', sha: one });
  const { data: pull } = await alice.pulls.create({ ...HERE, title: 'Topic', head: 'topic', base: 'main' });
  await stop('SIGKILL');
  const state = openState(data);
  state.refIntents.insert({ repositoryId: 1, actor: 'alice', byJob: false });
  state.close();
  await git(join(data, 'git', 'alice', 'toys.git'), ['update-ref', 'refs/heads/topic', two]);

  const second = await start();
  await eventually(() => receiver.names().includes('pull_request.synchronize'), 'synchronize arrives');
  const told = receiver.received.filter(({ event, payload }) => event === 'push' && payload.after === two);
  expect(told).toMatchObject([{ payload: { before: one, sender: { login: 'alice' } } }]);
  const { data: followed } = await octokit(second, 'token-alice').rest.pulls.get({ ...HERE, pull_number: pull.number });
  expect(followed.head.sha).toBe(two);
});

test('a run that the killed process was performing is completed as cancelled, and that is told', async () => {
  const first = await start();
  const before = octokit(first, 'token-alice').rest.actions;
  await before.createWorkflowDispatch({ ...HERE, workflow_id: 'slow.yml', ref: 'main' });
  await eventually(
    async () => (await before.listWorkflowRunsForRepo(HERE)).data.workflow_runs[0]?.status === 'in_progress',
    'the run is in progress',
  );
  await stop('SIGKILL');
  const second = await start();
  const { data } = await octokit(second, 'token-alice').rest.actions.listWorkflowRunsForRepo(HERE);
  expect(data.workflow_runs).toMatchObject([{ status: 'completed', conclusion: 'cancelled' }]);
  await eventually(() => receiver.names().includes('workflow_run.completed'), 'workflow_run.completed arrives');
});

test('what a job of a killed runner left running is ended when a runner starts there again', async () => {
  const left = () => processesWith(`RUNNER_TRACKING_ID=${trackingIdOf(join(directory, 'runner', 'work', '1-1-slow'))}`);
  const url = await start();
  await startRunner(url);
  const { actions } = octokit(url, 'token-alice').rest;
  await actions.createWorkflowDispatch({ ...HERE, workflow_id: 'slow.yml', ref: 'main' });
  await eventually(() => left().length > 0, 'the job runs');
  await stop('SIGKILL', 'runner');
  expect(left()).not.toEqual([]);
  await startRunner(url);
  expect(left()).toEqual([]);
});

test('a job whose server was killed and started again is ended by its runner, because nobody knows it any more', async () => {
  const left = () => processesWith(`RUNNER_TRACKING_ID=${trackingIdOf(join(directory, 'runner', 'work', '1-1-slow'))}`);
  const port = await freePort();
  const url = await start(receiver.url, port);
  await startRunner(url);
  const { actions } = octokit(url, 'token-alice').rest;
  await actions.createWorkflowDispatch({ ...HERE, workflow_id: 'slow.yml', ref: 'main' });
  await eventually(() => left().length > 0, 'the job runs');
  await stop('SIGKILL');
  expect(left()).not.toEqual([]);
  await start(receiver.url, port);
  await eventually(() => left().length === 0, 'the job is ended');
});

test('SIGTERM ends it cleanly, even while a run is in progress', async () => {
  const url = await start();
  await startRunner(url);
  await octokit(url, 'token-alice').rest.actions.createWorkflowDispatch({
    ...HERE,
    workflow_id: 'slow.yml',
    ref: 'main',
  });
  await eventually(() => receiver.names().includes('check_run.created'), 'the job has begun');
  expect(await stop('SIGTERM')).toBe(0);
});

// https://docs.github.com/webhooks/using-webhooks/handling-failed-webhook-deliveries
test('a webhook that nobody hears has failed, and is not tried again', async () => {
  const nobody = await startReceiver();
  await nobody.close();
  const url = await start(nobody.url);
  await octokit(url, 'token-alice').rest.issues.create({ ...HERE, title: 'Unheard' });
  const app = octokit(url, jwtOf(loadCredentials(join(directory, 'data')))).rest.apps;
  const failed = async () => (await app.listWebhookDeliveries({ status: 'failure' })).data;
  await eventually(async () => (await failed()).length > 0, 'the delivery has failed');
  const later = await startReceiver(Number(new URL(nobody.url).port));
  await sleep(1500);
  expect(later.received).toEqual([]);
  await later.close();
  expect(await failed()).toMatchObject([{ event: 'issues', status: 'failed to connect to host', redelivery: false }]);
  expect((await app.listWebhookDeliveries({ status: 'success' })).data).toEqual([]);
});

// https://docs.github.com/rest/apps/webhooks#redeliver-a-delivery-for-an-app-webhook
test('a delivery that was answered with an error stays failed until it is redelivered with the same id', async () => {
  receiver.status = 500;
  const url = await start();
  await octokit(url, 'token-alice').rest.issues.create({ ...HERE, title: 'Deliver' });
  const app = octokit(url, jwtOf(loadCredentials(join(directory, 'data')))).rest.apps;
  const deliveries = async () => (await app.listWebhookDeliveries()).data;
  await eventually(async () => (await deliveries())[0]?.status_code === 500, 'the delivery has failed');
  const [failed] = await deliveries();
  expect(failed).toMatchObject({ event: 'issues', action: 'opened', redelivery: false });
  receiver.status = 200;
  await app.redeliverWebhookDelivery({ delivery_id: failed?.id ?? 0 });
  await eventually(async () => (await deliveries())[0]?.status === 'OK', 'the redelivery has arrived');
  expect(new Set(receiver.received.map(({ guid }) => guid))).toEqual(new Set([failed?.guid]));
  expect((await deliveries())[0]).toMatchObject({ guid: failed?.guid, redelivery: true });
});
