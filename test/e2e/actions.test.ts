/** Workflows, runs, jobs, logs and artifacts behave as https://docs.github.com/rest/actions says; the executor is the real one. */

import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, git, HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

const BUILD = `name: Build
run-name: Build \${{ inputs.toy }}
on:
  workflow_dispatch:
    inputs:
      toy: { type: string, required: true }
      size: { type: choice, options: [small, large], default: small }
permissions:
  contents: read
jobs:
  build:
    name: Build it
    runs-on: ubuntu-latest
    steps:
      - run: |
          mkdir out
          echo "built $TOY" > out/toy.txt
          echo "building $TOY"
          echo "::warning file=README.md,line=1::small print"
        env: { TOY: '\${{ inputs.toy }}' }
      - uses: actions/upload-artifact@0123456789012345678901234567890123456789
        with: { name: toy, path: out }
`;
const TOKEN = `name: Token
on: workflow_dispatch
permissions:
  contents: read
jobs:
  token:
    runs-on: ubuntu-latest
    steps:
      - env: { TOKEN: '\${{ github.token }}' }
        run: |
          curl -sf -H "authorization: Bearer $TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY" > /dev/null && echo "read works"
          curl -s -o /dev/null -w 'issue %{http_code}\\n' -X POST -d '{"title":"x"}' -H "authorization: Bearer $TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues"
`;
const OWN = `name: Own
on: workflow_dispatch
permissions:
  contents: write
  issues: write
jobs:
  narrow:
    runs-on: ubuntu-latest
    permissions: { contents: read }
    steps: &tries
      - uses: actions/checkout@0123456789012345678901234567890123456789
      - env: { TOKEN: '\${{ github.token }}' }
        run: |
          git -c user.name=x -c user.email=x@example.com commit --quiet --allow-empty -m x
          git push --quiet origin "HEAD:refs/heads/$GITHUB_JOB" 2>&1 && echo "pushed"
          curl -s -w '%{http_code}\\n' -X PUT -d '{"message":"x","content":"eA==","branch":"main"}' -H "authorization: Bearer $TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/contents/$GITHUB_JOB" | tail -c 500
          curl -s -o /dev/null -w 'issue %{http_code}\\n' -X POST -d '{"title":"x"}' -H "authorization: Bearer $TOKEN" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues"
  wide:
    runs-on: ubuntu-latest
    steps: *tries
`;
const SLOW =
  'name: Slow\non: workflow_dispatch\njobs:\n  slow:\n    runs-on: ubuntu-latest\n    steps: [{ run: sleep 60 }]\n';
const CI =
  'name: CI\non:\n  push:\n    branches: ["feature/**"]\n  pull_request:\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: echo ok }]\n';
const MISNAMED = `name: Misnamed
run-name: "It is \${{ nothing( }}"
on: workflow_dispatch
jobs:
  test:
    runs-on: ubuntu-latest
    steps: [{ run: echo ok }]
`;
const BROKEN = 'name: Broken\non: workflow_dispatch\njobs: {}\nwhat: is this\n';

const toldRun = z.object({
  action: z.string(),
  workflow_run: z.object({ id: z.number(), display_title: z.string() }),
});

let stage: Stage;
beforeAll(async () => {
  const workflows = { build: BUILD, token: TOKEN, own: OWN, slow: SLOW, ci: CI, broken: BROKEN, misnamed: MISNAMED };
  const files = Object.fromEntries(
    Object.entries(workflows).map(([name, text]) => [`.github/workflows/${name}.yml`, text]),
  );
  stage = await startStage({ files: { 'README.md': '# Toys\n', ...files }, executeWorkflow: executeHere });
});
afterAll(() => stage.close());

async function dispatch(workflow: string, inputs: Record<string, string> = {}): Promise<number> {
  const app = (await stage.asApp()).rest.actions;
  const { data } = await app.createWorkflowDispatch({
    ...HERE,
    workflow_id: workflow,
    ref: 'main',
    inputs,
    return_run_details: true,
  });
  return z.object({ workflow_run_id: z.number() }).parse(data).workflow_run_id;
}

async function runOf(id: number) {
  return (await stage.as('bob').rest.actions.getWorkflowRun({ ...HERE, run_id: id })).data;
}

async function completed(id: number) {
  await eventually(async () => (await runOf(id)).status === 'completed', `run ${id} is completed`, 30_000);
  return runOf(id);
}

// https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event
test('a dispatched run is named at once, runs on the head of the default branch, and its jobs, log and artifact can be read', async () => {
  const app = (await stage.asApp()).rest;
  const id = await dispatch('build.yml', { toy: 'robot' });
  const run = await completed(id);
  const { data: main } = await app.git.getRef({ ...HERE, ref: 'heads/main' });
  expect(run).toMatchObject({
    conclusion: 'success',
    event: 'workflow_dispatch',
    head_sha: main.object.sha,
    display_title: 'Build robot',
    actor: { login: 'loopwright[bot]' },
  });
  const { data: jobs } = await app.actions.listJobsForWorkflowRun({ ...HERE, run_id: id });
  expect(jobs).toMatchObject({ total_count: 1, jobs: [{ name: 'Build it', conclusion: 'success' }] });
  const { data: log } = await app.actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id: jobs.jobs[0]?.id ?? 0 });
  expect(String(log)).toContain('building robot');
  const { data: list } = await app.actions.listWorkflowRunArtifacts({ ...HERE, run_id: id });
  const artifact = list.artifacts[0];
  expect(artifact).toMatchObject({ name: 'toy', workflow_run: { id } });
  const { data: zip } = await app.actions.downloadArtifact({
    ...HERE,
    artifact_id: artifact?.id ?? 0,
    archive_format: 'zip',
  });
  const bytes = zip instanceof ArrayBuffer ? new Uint8Array(zip) : new Uint8Array();
  expect(artifact?.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  expect(strFromU8(unzipSync(bytes)['toy.txt'] ?? new Uint8Array())).toBe('built robot\n');
});

test('the run, its job and its suite are told in their real order, and the job is a check run of GitHub Actions with its annotations', async () => {
  const id = await dispatch('build.yml', { toy: 'order' });
  const { head_sha } = await completed(id);
  const arrived = () =>
    stage.receiver.received.findIndex(
      ({ event, payload }) =>
        event === 'workflow_run' && payload.action === 'completed' && JSON.stringify(payload).includes('Build order'),
    );
  await eventually(() => arrived() >= 0, 'workflow_run.completed arrives');
  const names = stage.receiver.names();
  const start = names.lastIndexOf('workflow_run.requested');
  expect(names.slice(start, arrived() + 1)).toEqual([
    'workflow_run.requested',
    'workflow_run.in_progress',
    'check_run.created',
    'check_run.completed',
    'check_suite.completed',
    'workflow_run.completed',
  ]);
  const { data } = await stage.as('bob').rest.checks.listForRef({ ...HERE, ref: head_sha, check_name: 'Build it' });
  expect(data.check_runs[0]).toMatchObject({
    app: { slug: 'github-actions' },
    conclusion: 'success',
    output: { annotations_count: 1 },
  });
});

// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#run-name
test('a run bears its evaluated run-name from the moment that it is queued, so whoever lost its id finds it', async () => {
  const id = await dispatch('build.yml', { toy: 'lantern' });
  expect(await runOf(id)).toMatchObject({ display_title: 'Build lantern', name: 'Build' });
  await completed(id);
  const titles = () =>
    stage.receiver.received.flatMap(({ event, payload }) => {
      const told = event === 'workflow_run' ? toldRun.parse(payload) : undefined;
      return told?.workflow_run.id === id ? [`${told.action} ${told.workflow_run.display_title}`] : [];
    });
  await eventually(() => titles().length === 3, 'the three webhooks of the run arrive');
  expect(titles()).toEqual(['requested', 'in_progress', 'completed'].map((action) => `${action} Build lantern`));
});

test('a run-name that cannot be evaluated is a startup failure under the name of the workflow', async () => {
  const id = await dispatch('misnamed.yml');
  expect(await completed(id)).toMatchObject({ conclusion: 'startup_failure', display_title: 'Misnamed' });
});

test('inputs are judged with the words of GitHub', async () => {
  await expect(dispatch('build.yml', {})).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("Required input 'toy' not provided"),
  });
  await expect(dispatch('build.yml', { toy: 'x', colour: 'red' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Unexpected inputs provided'),
  });
  await expect(dispatch('build.yml', { toy: 'x', size: 'huge' })).rejects.toMatchObject({ status: 422 });
  await expect(dispatch('ci.yml')).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("Workflow does not have 'workflow_dispatch' trigger"),
  });
  await expect(dispatch('missing.yml')).rejects.toMatchObject({ status: 404 });
  await expect(dispatch('broken.yml')).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('broken.yml'),
  });
});

test('without return_run_details a dispatch answers 204, and somebody with triage cannot dispatch', async () => {
  const wanted = { ...HERE, workflow_id: 'build.yml', ref: 'main', inputs: { toy: 'plain' } };
  const answer = await stage.as('bob').rest.actions.createWorkflowDispatch(wanted);
  expect(answer.status).toBe(204);
  await expect(stage.as('tina').rest.actions.createWorkflowDispatch(wanted)).rejects.toMatchObject({ status: 403 });
});

// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#permissions
test("a job's token reads contents and cannot write what the workflow does not grant", async () => {
  const id = await dispatch('token.yml');
  expect(await completed(id)).toMatchObject({ conclusion: 'success' });
  const { data: jobs } = await stage.as('bob').rest.actions.listJobsForWorkflowRun({ ...HERE, run_id: id });
  const { data: log } = await stage
    .as('bob')
    .rest.actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id: jobs.jobs[0]?.id ?? 0 });
  expect(String(log)).toContain('read works');
  expect(String(log)).toContain('issue 403');
});

// https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idpermissions
test("a job's own permissions stand in place of the workflow's: by git and by REST", async () => {
  const id = await dispatch('own.yml');
  await completed(id);
  const bob = stage.as('bob').rest.actions;
  const { data: list } = await bob.listJobsForWorkflowRun({ ...HERE, run_id: id });
  const logs = await Promise.all(
    list.jobs.map(async ({ id: job_id }) =>
      String((await bob.downloadJobLogsForWorkflowRun({ ...HERE, job_id })).data),
    ),
  );
  const [narrow, wide] = logs;
  expect(narrow).toContain('remote: Permission to alice/toys.git denied to github-actions[bot].');
  expect(narrow).not.toMatch(/ pushed$/m);
  expect(narrow).toContain('Resource not accessible by integration');
  expect(narrow).toContain('issue 403');
  expect(wide).toMatch(/ pushed$/m);
  expect(wide).toContain('201');
  expect(wide).toContain('issue 201');
  expect(list.jobs.map(({ conclusion }) => conclusion)).toEqual(['success', 'success']);
});

// https://docs.github.com/rest/actions/workflow-runs#cancel-a-workflow-run
test('a running run is cancelled, and a completed one cannot be; it can be run again', async () => {
  const bob = stage.as('bob').rest.actions;
  const id = await dispatch('slow.yml');
  await eventually(
    async () => (await bob.listJobsForWorkflowRun({ ...HERE, run_id: id })).data.jobs[0]?.status === 'in_progress',
    'the job runs',
  );
  const { status } = await bob.cancelWorkflowRun({ ...HERE, run_id: id });
  expect(status).toBe(202);
  expect(await completed(id)).toMatchObject({ conclusion: 'cancelled' });
  await expect(bob.cancelWorkflowRun({ ...HERE, run_id: id })).rejects.toMatchObject({ status: 409 });
  await bob.reRunWorkflow({ ...HERE, run_id: id });
  expect(await runOf(id)).toMatchObject({ run_attempt: 2, conclusion: null });
  await bob.cancelWorkflowRun({ ...HERE, run_id: id });
  await completed(id);
});

// https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows
test('a push and the pull request of it start the workflows of the pushed tree; other branches and custom refs start none', async () => {
  const app = (await stage.asApp()).rest;
  const runs = async (headSha: string) =>
    (await app.actions.listWorkflowRunsForRepo({ ...HERE, head_sha: headSha })).data.workflow_runs;
  const commit = async (content: string) => {
    const { data: main } = await app.git.getRef({ ...HERE, ref: 'heads/main' });
    const { data: tree } = await app.git.createTree({
      ...HERE,
      base_tree: main.object.sha,
      tree: [{ path: 'new', mode: '100644', content }],
    });
    return (
      await app.git.createCommit({ ...HERE, message: `Write ${content}`, tree: tree.sha, parents: [main.object.sha] })
    ).data.sha;
  };
  const [feature, other, custom] = [await commit('feature'), await commit('other'), await commit('custom')];
  await app.git.createRef({ ...HERE, ref: 'refs/heads/feature/a/b', sha: feature });
  await app.git.createRef({ ...HERE, ref: 'refs/heads/other', sha: other });
  await app.git.createRef({ ...HERE, ref: 'refs/loopwright/1/1/1', sha: custom });
  await app.pulls.create({ ...HERE, title: 'Feature', head: 'feature/a/b', base: 'main' });
  expect((await runs(feature)).map(({ event }) => event).toSorted()).toEqual(['pull_request', 'push']);
  expect([...(await runs(other)), ...(await runs(custom))]).toEqual([]);
  for (const { id } of await runs(feature)) expect(await completed(id)).toMatchObject({ conclusion: 'success' });
  const { data: checks } = await app.checks.listForRef({ ...HERE, ref: feature });
  expect(checks.check_runs.map(({ name, conclusion }) => `${name} ${conclusion}`)).toEqual([
    'test success',
    'test success',
  ]);
  const merge = await git(stage.directory, ['ls-remote', `${stage.server.url}/alice/toys.git`, 'refs/pull/*/merge']);
  expect(merge.stdout).toContain('/merge');
});

test('nothing that was answered or delivered differs from the description', async () => {
  expect(JSON.stringify(await stage.problems(), undefined, 1)).toBe('[]');
});
