/** Checks of other Apps and of people beside ours: https://docs.github.com/rest/checks/suites */
import { join } from 'node:path';
import type { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, git, HERE, octokit, type Stage, startStage } from './server.ts';

const registered = z.object({ id: z.int(), slug: z.string(), token: z.string(), description: z.string() });

let stage: Stage;
let clone: string;
let dco: z.infer<typeof registered>;
beforeAll(async () => {
  stage = await startStage();
  dco = registered.parse((await stage.local('POST', '/apps', { slug: 'dco', name: 'DCO' })).body);
  await stage.local('POST', '/apps', { slug: 'silent' });
  clone = join(stage.directory, 'clone');
  const url = `${stage.server.url.replace('http://', 'http://alice:token-alice@')}/alice/toys.git`;
  await git(stage.directory, ['clone', '--quiet', url, clone]);
});
afterAll(() => stage.close());

let serial = 0;
async function pushed(): Promise<string> {
  serial += 1;
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', `Change ${serial}`]);
  await git(clone, ['push', '--quiet', 'origin', `HEAD:refs/heads/branch-${serial}`]);
  return (await git(clone, ['rev-parse', 'HEAD'])).stdout;
}

const asDco = (): Octokit => octokit(stage.server.url, dco.token);

async function suites(sha: string) {
  const { data } = await stage.as('alice').rest.checks.listSuitesForRef({ ...HERE, ref: sha });
  return data.check_suites.map(({ app, status, conclusion, latest_check_runs_count: runs }) => [
    app?.slug,
    status,
    conclusion,
    runs,
  ]);
}

const completedSuites = (sha: string) =>
  stage.receiver.received.filter(({ event, payload }) => {
    const suite = z.object({ check_suite: z.object({ head_sha: z.string() }) }).safeParse(payload);
    return event === 'check_suite' && payload.action === 'completed' && suite.data?.check_suite.head_sha === sha;
  });

test('a registered App says that it exists here only, and its name is taken once', async () => {
  expect(dco).toMatchObject({ slug: 'dco', description: expect.stringContaining('this machine') });
  expect((await stage.local('POST', '/apps', { slug: 'loopwright' })).status).toBe(422);
  expect((await stage.local('POST', '/apps', { slug: 'github-actions' })).status).toBe(422);
  expect((await stage.local('POST', '/apps', { slug: 'Not A Slug' })).status).toBe(422);
  const again = registered.parse((await stage.local('POST', '/apps', { slug: 'dco' })).body);
  expect(again.id).toBe(dco.id);
});

test('a push makes a suite for each App, and that of an App that never speaks stays queued without runs', async () => {
  const sha = await pushed();
  expect(await suites(sha)).toEqual([
    ['loopwright', 'queued', null, 0],
    ['dco', 'queued', null, 0],
    ['silent', 'queued', null, 0],
  ]);
  const run = (await asDco().rest.checks.create({ ...HERE, name: 'DCO', head_sha: sha, status: 'in_progress' })).data;
  expect(run).toMatchObject({ app: { slug: 'dco' } });
  expect(await suites(sha)).toContainEqual(['dco', 'in_progress', null, 1]);
  await asDco().rest.checks.update({ ...HERE, check_run_id: run.id, conclusion: 'success' });
  expect(await suites(sha)).toEqual([
    ['loopwright', 'queued', null, 0],
    ['dco', 'completed', 'success', 1],
    ['silent', 'queued', null, 0],
  ]);
  await eventually(() => completedSuites(sha).length > 0, 'check_suite.completed arrives');
  expect(completedSuites(sha)).toHaveLength(1);
});

test('a suite is completed with the last of its runs, and shows when it changed', async () => {
  const sha = await pushed();
  const start = async (name: string) =>
    (await asDco().rest.checks.create({ ...HERE, name, head_sha: sha, status: 'in_progress' })).data.id;
  const first = await start('first');
  const second = await start('second');
  await asDco().rest.checks.update({ ...HERE, check_run_id: first, conclusion: 'failure' });
  expect(await suites(sha)).toContainEqual(['dco', 'in_progress', null, 2]);
  await stage.local('POST', '/clock', { advanceMs: 3_600_000 });
  await asDco().rest.checks.update({ ...HERE, check_run_id: second, conclusion: 'success' });
  expect(await suites(sha)).toContainEqual(['dco', 'completed', 'failure', 2]);
  const { data } = await stage.as('alice').rest.checks.listSuitesForRef({ ...HERE, ref: sha, app_id: dco.id });
  await stage.local('POST', '/clock', { offsetMs: 0 });
  expect(data.total_count).toBe(1);
  expect(Date.parse(data.check_suites[0]?.updated_at ?? '') - Date.now()).toBeGreaterThan(3_000_000);
});

test('an App changes its own check runs only, and may do nothing but check and report statuses', async () => {
  const sha = await pushed();
  const own = await stage.asApp();
  const { data: ours } = await own.rest.checks.create({ ...HERE, name: 'ours', head_sha: sha });
  const { data: theirs } = await asDco().rest.checks.create({ ...HERE, name: 'DCO', head_sha: sha });
  const change = { ...HERE, conclusion: 'success' } as const;
  await expect(asDco().rest.checks.update({ ...change, check_run_id: ours.id })).rejects.toMatchObject({ status: 403 });
  await expect(own.rest.checks.update({ ...change, check_run_id: theirs.id })).rejects.toMatchObject({ status: 403 });
  await expect(asDco().rest.issues.create({ ...HERE, title: 'x' })).rejects.toMatchObject({ status: 403 });
  const { data } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha, app_id: dco.id });
  expect(data.check_runs.map(({ name }) => name)).toEqual(['DCO']);
  await asDco().rest.repos.createCommitStatus({ ...HERE, sha, state: 'success', context: 'dco' });
});

test('a status is told with its commit and the branches that it heads', async () => {
  const sha = await pushed();
  await stage.as('bob').rest.repos.createCommitStatus({ ...HERE, sha, state: 'pending', context: 'ci' });
  const told = () => stage.receiver.received.findLast(({ event }) => event === 'status');
  await eventually(() => told()?.payload.sha === sha, 'the status is told');
  expect(told()?.payload).toMatchObject({
    sha,
    state: 'pending',
    context: 'ci',
    branches: [{ name: `branch-${serial}`, commit: { sha } }],
    sender: { login: 'bob' },
  });
});
