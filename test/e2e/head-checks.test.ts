import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createGitHub } from '../../src/github/github.ts';
import type { HeadCheck, RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import { eventually, git, HERE, octokit, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

/** Two jobs, one after the other, each as long as its branch lets it be. */
const CI = `name: CI
on: { push: { branches: ['ci/**'] } }
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: 'test "$GITHUB_REF_NAME" != ci/slow || sleep 60; echo "1 of 3 failed"; echo "::error file=src/a.js,line=7::unused"; test "$GITHUB_REF_NAME" != ci/red' }]
  deploy:
    needs: build
    runs-on: ubuntu-latest
    steps: [{ run: 'true' }]
`;
const BROKEN = `name: Broken
run-name: \${{ fromJSON('{') }}
on: { push: { branches: [ci/broken] } }
jobs: { x: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] } }
`;
const OWN = `run-name: loopwright-build
on: { push: { branches: ['own/**'] } }
jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: exit 1 }] } }
`;

let stage: Stage;
let repository: RepositoryRef;
let clone: string;
let dcoToken: string;
beforeAll(async () => {
  const files = {
    'README.md': '# Toys\n',
    '.github/workflows/ci.yml': CI,
    '.github/workflows/broken.yml': BROKEN,
    '.github/workflows/loopwright-build.yml': OWN,
  };
  stage = await startStage({ files, executeWorkflow: executeHere });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
  for (const slug of ['silent', 'dco'])
    dcoToken = z
      .object({ token: z.string() })
      .parse((await stage.local('POST', '/apps', { slug, name: slug })).body).token;
  clone = join(stage.directory, 'clone');
  const url = `${stage.server.url.replace('http://', 'http://alice:token-alice@')}/alice/toys.git`;
  await git(stage.directory, ['clone', '--quiet', url, clone]);
});
beforeEach(() => advance(-offsetMs));
afterAll(() => stage.close());

/** The clock of GitHub and of the App. */
let offsetMs = 0;
async function advance(byMs: number): Promise<void> {
  offsetMs += byMs;
  await stage.local('POST', '/clock', { offsetMs });
}

let serial = 0;
async function pushed(branch = `quiet/${serial}`): Promise<string> {
  serial += 1;
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', `Change ${serial}`]);
  await git(clone, ['push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`]);
  return (await git(clone, ['rev-parse', 'HEAD'])).stdout;
}

function github() {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  const now = () => new Date(Date.now() + offsetMs);
  return createGitHub({ appId, privateKey, apiUrl, fetch, pauseMs: 1, now, log: pino({ level: 'silent' }) });
}

const rows = z.array(z.object({ id: z.int(), actor: z.string(), path: z.string() }));

/** What the head's checks are, and how many requests it cost to know. */
async function headChecks(sha: string) {
  const own = github();
  // The first request of a client is for its token and its name.
  await own.repository(repository);
  const all = async () => {
    const found: z.infer<typeof rows> = [];
    for (;;) {
      const more = rows.parse((await stage.local('GET', `/requests?after=${found.at(-1)?.id ?? 0}`)).body);
      if (more.length === 0) return found.filter(({ actor }) => actor === 'app');
      found.push(...more);
    }
  };
  const before = (await all()).length;
  const result = await own.headChecks(repository, sha);
  return { ...result, requests: (await all()).length - before };
}

const asDco = () => octokit(stage.server.url, dcoToken).rest.checks;
const status = (sha: string, context: string, state: 'pending' | 'success' | 'error', description?: string) =>
  stage
    .as('alice')
    .rest.repos.createCommitStatus({ ...HERE, sha, state, context, ...(description ? { description } : {}) });
const check = (
  sha: string,
  name: string,
  conclusion?: 'success' | 'failure' | 'cancelled' | 'timed_out' | 'action_required',
) =>
  asDco().create({
    ...HERE,
    name,
    head_sha: sha,
    ...(conclusion === undefined ? { status: 'in_progress' } : { conclusion }),
  });

const byName = (checks: readonly HeadCheck[]) =>
  checks
    .map(({ name, outcome, detail }) => ({ name, outcome, detail }))
    .toSorted((left, right) => left.name.localeCompare(right.name));

async function runsEnded(sha: string): Promise<void> {
  await eventually(
    async () => {
      const { data } = await stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, head_sha: sha });
      return data.total_count > 0 && data.workflow_runs.every((run) => run.status === 'completed');
    },
    'the runs have ended',
    60_000,
  );
}

test('a head that nobody checks is complete, though the suite of an App that never speaks stays queued', async () => {
  const sha = await pushed();
  expect(await headChecks(sha)).toEqual({
    state: 'complete',
    changedAt: undefined,
    waitsFor: [],
    checks: [],
    requests: 3,
  });
});

test('our own check runs are not the checks of the repository', async () => {
  const sha = await pushed();
  const own = { name: 'loopwright / plan', headSha: sha, externalId: '1/1/1/1', conclusion: undefined, text: '' };
  const shown = { title: 'Plan', summary: 's', actions: [], annotations: [] };
  await github().checks(repository, [{ ...own, ...shown, status: 'in_progress' }]);
  expect(await headChecks(sha)).toMatchObject({ state: 'complete', changedAt: undefined, checks: [] });
});

test('a workflow run that has not ended is waited for by one request, also before its later jobs have begun', async () => {
  const sha = await pushed('ci/slow');
  await check(sha, 'DCO', 'success');
  expect(await headChecks(sha)).toMatchObject({ state: 'pending', waitsFor: ['CI'], requests: 1 });
  const { data } = await stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, head_sha: sha });
  const [run] = data.workflow_runs;
  await stage.as('alice').rest.actions.cancelWorkflowRun({ ...HERE, run_id: run?.id ?? 0 });
  await runsEnded(sha);
  const after = await headChecks(sha);
  expect(after.state).toBe('complete');
  expect(byName(after.checks)).toContainEqual({ name: 'build', outcome: 'cancelled', detail: 'cancelled' });
});

test('a check run of another App that is at work is waited for by two requests', async () => {
  const sha = await pushed();
  await check(sha, 'lint', 'success');
  const { id } = (await check(sha, 'DCO')).data;
  expect(await headChecks(sha)).toMatchObject({ state: 'pending', waitsFor: ['dco'], requests: 2 });
  await asDco().update({ ...HERE, check_run_id: id, conclusion: 'success' });
  const after = await headChecks(sha);
  expect(after).toMatchObject({ state: 'complete', waitsFor: [], requests: 4 });
  expect(byName(after.checks)).toEqual([
    { name: 'DCO', outcome: 'passed', detail: 'success' },
    { name: 'lint', outcome: 'passed', detail: 'success' },
  ]);
});

test('a pending status is waited for by three requests, and only the newest of a context counts', async () => {
  const sha = await pushed();
  await status(sha, 'ci/unit', 'pending');
  await status(sha, 'ci/lint', 'success');
  expect(await headChecks(sha)).toMatchObject({ state: 'pending', waitsFor: ['ci/unit'], requests: 3 });
  await status(sha, 'ci/unit', 'error', 'two errors');
  const after = await headChecks(sha);
  expect(after).toMatchObject({ state: 'complete', requests: 3 });
  expect(byName(after.checks)).toEqual([
    { name: 'ci/lint', outcome: 'passed', detail: 'success' },
    { name: 'ci/unit', outcome: 'failed', detail: 'error: two errors' },
  ]);
});

test('what was cancelled, timed out or waits for an action is told apart from what failed', async () => {
  const sha = await pushed();
  for (const conclusion of ['failure', 'cancelled', 'timed_out', 'action_required'] as const)
    await check(sha, `is ${conclusion}`, conclusion);
  const { checks } = await headChecks(sha);
  expect(byName(checks)).toEqual([
    { name: 'is action_required', outcome: 'cancelled', detail: 'action_required' },
    { name: 'is cancelled', outcome: 'cancelled', detail: 'cancelled' },
    { name: 'is failure', outcome: 'failed', detail: 'failure' },
    { name: 'is timed_out', outcome: 'cancelled', detail: 'timed_out' },
  ]);
});

test('a run that could not start has no check run, and is told by its own name', async () => {
  const sha = await pushed('ci/broken');
  await runsEnded(sha);
  const { state, checks } = await headChecks(sha);
  expect(state).toBe('complete');
  expect(checks).toContainEqual({ name: 'Broken', outcome: 'cancelled', detail: 'startup_failure' });
});

test('jobs of the repository are told by their names, a failed one as failed and the skipped one as passed', async () => {
  const sha = await pushed('ci/red');
  await runsEnded(sha);
  const { state, checks } = await headChecks(sha);
  expect(state).toBe('complete');
  expect(checks.map(({ name, outcome }) => [name, outcome])).toContainEqual(['build', 'failed']);
  expect(checks.filter(({ name }) => name === 'CI')).toEqual([]);
});

test('a failed job is told with its annotations and the end of its log, without times', async () => {
  const sha = await pushed('ci/red');
  await runsEnded(sha);
  const { checks } = await headChecks(sha);
  const build = checks.find(({ outcome }) => outcome === 'failed');
  const { annotations, logEnd } = await github().checkDetails(repository, build?.checkRun ?? 0);
  expect(annotations).toContain('src/a.js:7: unused');
  expect(logEnd).toContain('1 of 3 failed');
  expect(logEnd.length).toBeLessThanOrEqual(50);
  expect(logEnd.filter((line) => /^\d{4}-/.test(line))).toEqual([]);
});

test('a check of another App has no log, which is no fault', async () => {
  const sha = await pushed();
  const { id } = (await check(sha, 'DCO', 'failure')).data;
  expect(await github().checkDetails(repository, id)).toEqual({ annotations: [], logEnd: [] });
});

test('runs of our own workflows are nobody to wait for, and their jobs are no checks', async () => {
  const sha = await pushed('own/build');
  await runsEnded(sha);
  expect(await headChecks(sha)).toMatchObject({ state: 'complete', checks: [] });
});

test('a later run of the same workflow and event replaces an earlier one that was cancelled for it', async () => {
  const sha = await pushed('ci/slow');
  const runs = () => stage.as('alice').rest.actions.listWorkflowRunsForRepo({ ...HERE, head_sha: sha });
  await stage.as('alice').rest.actions.cancelWorkflowRun({
    ...HERE,
    run_id: (await runs()).data.workflow_runs[0]?.id ?? 0,
  });
  await runsEnded(sha);
  await git(clone, ['push', '--quiet', '--force', 'origin', `${sha}:refs/heads/ci/green`]);
  await eventually(async () => (await runs()).data.total_count === 2, 'the second run is there');
  await runsEnded(sha);
  const { checks } = await headChecks(sha);
  expect(checks.map(({ name, outcome }) => [name, outcome]).toSorted()).toEqual([
    ['build', 'passed'],
    ['deploy', 'passed'],
  ]);
});

test('the moment of the last change is that of the newest of all', async () => {
  const sha = await pushed();
  await check(sha, 'DCO', 'success');
  const first = Date.parse((await headChecks(sha)).changedAt ?? '');
  await advance(600_000);
  await status(sha, 'ci/unit', 'success');
  const second = Date.parse((await headChecks(sha)).changedAt ?? '');
  expect(second - first).toBeGreaterThanOrEqual(599_000);
  await advance(600_000);
  await check(sha, 'late', 'success');
  expect(Date.parse((await headChecks(sha)).changedAt ?? '') - second).toBeGreaterThanOrEqual(599_000);
});

test('all pages are read: one that is at work among a hundred is found', async () => {
  const sha = await pushed();
  for (let number = 0; number < 101; number += 1) await status(sha, `ci/${number}`, 'success');
  await status(sha, 'ci/last', 'pending');
  expect(await headChecks(sha)).toMatchObject({ state: 'pending', waitsFor: ['ci/last'], requests: 4 });
});
