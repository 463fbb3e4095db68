/** Runners apart from the server: jobs, their logs, artifacts and ends go over HTTP, with a token for each job. */
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { ENCLOSED_HEADER, RUNNER_PATH } from '../../src/local/actions/job-message.ts';
import { createJobQueue, type JobQueue, type Patience } from '../../src/local/actions/job-queue.ts';
import { executeWorkflow } from '../../src/local/actions/workflow-execution.ts';
import { type ExecuteJob, executeJob } from '../../src/local/runner/job.ts';
import { type Runner, startRunner } from '../../src/local/runner/runner.ts';
import { eventually, HERE, type Stage, startStage } from './server.ts';
import { removeTemporaryDirectories, temporaryDirectory } from './workflow-kit.ts';

const SECRET = 'what runners know';
const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/two.yml': `on: workflow_dispatch
jobs:
  first:
    runs-on: ubuntu-latest
    outputs: { kind: '\${{ steps.it.outputs.kind }}' }
    steps:
      - { id: it, run: 'echo "kind=tea" >> "$GITHUB_OUTPUT"; echo "# Sum" >> "$GITHUB_STEP_SUMMARY"; echo a > a.txt' }
      - { uses: actions/upload-artifact@v4, with: { name: letters, path: a.txt } }
  second:
    needs: first
    runs-on: ubuntu-latest
    steps:
      - { uses: actions/checkout@v4 }
      - { uses: actions/download-artifact@v4, with: { name: letters, path: got } }
      - { run: 'echo "::warning file=a.txt,line=2::careful"; echo "had \${{ needs.first.outputs.kind }} $(cat got/a.txt) $(head -1 README.md)"' }
`,
  '.github/workflows/slow.yml': `on: workflow_dispatch
jobs:
  slow: { runs-on: ubuntu-latest, steps: [{ run: 'echo begun; sleep 600' }] }
`,
  '.github/workflows/alone.yml': `on: { workflow_dispatch: { inputs: { seconds: { type: string, required: true } } } }
jobs:
  alone:
    runs-on: ubuntu-latest
    concurrency: { group: one }
    steps: [{ run: 'sleep \${{ inputs.seconds }}' }]
`,
  '.github/workflows/token.yml': `on: workflow_dispatch
jobs:
  asks: { runs-on: ubuntu-latest, steps: [{ run: 'env; cat "$GITHUB_EVENT_PATH"' }] }
`,
};

let stage: Stage;
let queue: JobQueue;
const runners: Runner[] = [];

async function serve(patience?: Patience): Promise<void> {
  queue = createJobQueue(patience);
  stage = await startStage({
    files: FILES,
    executeWorkflow: (execution) => executeWorkflow(execution, queue.perform),
    runners: { queue, secret: SECRET },
  });
}

async function run(
  secret = SECRET,
  execute: ExecuteJob = executeJob,
): Promise<{ readonly said: readonly string[]; readonly works: string }> {
  const works = join(await temporaryDirectory(), 'work');
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  runners.push(await startRunner({ url: stage.server.url, secret, works, executing: () => execute, lanes: 2, say }));
  return { said, works };
}

afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.close()));
  queue.close();
  await stage.close();
});
afterAll(removeTemporaryDirectories);

const actions = () => stage.as('alice').rest.actions;
const dispatch = (workflow_id: string, inputs = {}) =>
  actions().createWorkflowDispatch({ ...HERE, workflow_id, ref: 'main', inputs });
const runsNow = async () => (await actions().listWorkflowRunsForRepo(HERE)).data.workflow_runs;
const jobsOf = async (run_id = 1) => (await actions().listJobsForWorkflowRun({ ...HERE, run_id })).data.jobs;
const logOf = async (job_id: number) =>
  String((await actions().downloadJobLogsForWorkflowRun({ ...HERE, job_id })).data);
const ended = (count = 1) =>
  eventually(async () => {
    const runs = await runsNow();
    return runs.length === count && runs.every(({ status }) => status === 'completed');
  }, 'the runs have ended');
/** As a runner does, or somebody who passes for one. */
const asks = (path: string, token: string, init: RequestInit = {}) =>
  fetch(`${stage.server.url}${RUNNER_PATH}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
const taken = async () => (await asks('/take', SECRET, { method: 'POST' })).json();

test('a job gets what another left, its log and annotations come to the server, and its folder is gone', async () => {
  await serve();
  const { works } = await run();
  await dispatch('two.yml');
  await ended();
  const [first, second] = await jobsOf();
  const log = await logOf(second?.id ?? 0);
  expect([first?.conclusion, second?.conclusion], log).toEqual(['success', 'success']);
  expect(log).toMatch(/had tea a # Toys$/m);
  expect(second?.steps?.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'success']);
  const { data } = await stage.as('alice').rest.checks.listAnnotations({ ...HERE, check_run_id: second?.id ?? 0 });
  expect(data).toMatchObject([{ path: 'a.txt', start_line: 2, message: 'careful' }]);
  expect((await actions().listWorkflowRunArtifacts({ ...HERE, run_id: 1 })).data.artifacts).toMatchObject([
    { name: 'letters', digest: expect.stringMatching(/^sha256:/) },
  ]);
  expect(await Array.fromAsync(glob('*', { cwd: works }))).toEqual([]);
});

test('the log can be read while a step runs, and cancelling the run ends it', async () => {
  await serve();
  await run();
  await dispatch('slow.yml');
  await eventually(async () => {
    const [job] = await jobsOf();
    return job !== undefined && (await logOf(job.id)).includes('begun');
  }, 'the log says that it has begun');
  await actions().cancelWorkflowRun({ ...HERE, run_id: 1 });
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'cancelled' }]);
  expect((await jobsOf())[0]?.steps?.map(({ conclusion }) => conclusion)).toEqual(['cancelled']);
});

test('a run that is cancelled before any runner came ends at once', async () => {
  await serve();
  await dispatch('slow.yml');
  await eventually(async () => (await runsNow())[0]?.status === 'in_progress', 'it waits for a runner');
  await actions().cancelWorkflowRun({ ...HERE, run_id: 1 });
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'cancelled' }]);
});

test('a job waits for its turn in its group, whichever runner has it', async () => {
  await serve();
  await run();
  await dispatch('alone.yml', { seconds: '0.5' });
  await eventually(async () => (await jobsOf())[0]?.status === 'in_progress', 'the first runs');
  await dispatch('alone.yml', { seconds: '0' });
  await ended(2);
  const [one] = await jobsOf(1);
  const [other] = await jobsOf(2);
  expect([one?.conclusion, other?.conclusion]).toEqual(['success', 'success']);
  expect(Date.parse(other?.started_at ?? '')).toBeGreaterThanOrEqual(Date.parse(one?.completed_at ?? ''));
});

test('a runner that ends takes its job with it: cancelled, and nothing of it goes on', async () => {
  await serve();
  const { works } = await run();
  await dispatch('slow.yml');
  await eventually(async () => (await jobsOf())[0]?.status === 'in_progress', 'the job runs');
  await runners.pop()?.close();
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'cancelled' }]);
  expect(await Array.fromAsync(glob('*', { cwd: works }))).toEqual([]);
});

test('without the secret nobody gets a job, and the runner says why', async () => {
  await serve();
  await dispatch('two.yml');
  const { said } = await run('guessed');
  await eventually(() => said.length > 0, 'the runner complains');
  expect(said[0]).toMatch(/no job could be asked for: .* answered 401 .*runners that know the secret/);
  expect((await asks('/take', 'guessed', { method: 'POST' })).status).toBe(401);
  await actions().cancelWorkflowRun({ ...HERE, run_id: 1 });
  await ended();
});

test('a job that cannot even be begun fails, and its runner goes on with the next', async () => {
  await serve();
  let begun = 0;
  const { said } = await run(SECRET, async (request, place) => {
    begun += 1;
    if (begun === 1) throw new Error('no place to work in');
    return executeJob(request, place);
  });
  await dispatch('token.yml');
  await ended();
  await dispatch('token.yml');
  await ended(2);
  expect((await runsNow()).map(({ conclusion }) => conclusion)).toEqual(['success', 'failure']);
  expect(said).toEqual(['job asks of run 1 cannot be performed: no place to work in']);
});

test("a job's token is good for that job alone, until it has ended", async () => {
  await serve();
  await dispatch('token.yml');
  const { token } = await taken();
  expect((await asks('/job/artifacts', token)).status).toBe(200);
  expect((await asks('/take', token, { method: 'POST' })).status).toBe(401);
  expect((await asks('/job/artifacts', SECRET)).status).toBe(401);
  const end = { method: 'POST', body: JSON.stringify({ conclusion: 'success', outputs: {} }) };
  expect((await asks('/job/end', token, end)).status).toBe(204);
  await ended();
  const late = await asks('/job/artifacts', token);
  expect([late.status, await late.json()]).toEqual([401, { message: 'The token is of no job that runs.' }]);
});

test("a step sees neither the runner's secret nor the token of its job", async () => {
  await serve();
  await run();
  await dispatch('token.yml');
  await ended();
  const [job] = await jobsOf();
  const log = await logOf(job?.id ?? 0);
  expect(log).toContain('GITHUB_REPOSITORY=alice/toys');
  expect(log).not.toContain(SECRET);
});

test.each([
  ['a name that is none', '/job/artifacts/..%2Fx', 422],
  ['no state', '/job/state', 422],
])('%s is refused with a sentence', async (_, path, status) => {
  await serve();
  await dispatch('token.yml');
  const { token } = await taken();
  const answer = await asks(path, token, { method: 'PUT', body: '{}' });
  expect([answer.status, await answer.json()]).toEqual([status, { message: expect.any(String) }]);
  await actions().cancelWorkflowRun({ ...HERE, run_id: 1 });
  await asks('/job/end', token, { method: 'POST', body: JSON.stringify({ conclusion: 'cancelled', outputs: {} }) });
  await ended();
});

const SHORT: Patience = { lostMs: 400, beginMs: 100, graceMs: 200, lookMs: 50 };

test('a job whose answer was lost on its way to the runner is offered again', async () => {
  await serve({ ...SHORT, lostMs: 60_000 });
  await dispatch('two.yml');
  await taken();
  await run();
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'success' }]);
});

test('a runner that is silent is lost, and its job fails with what GitHub says then', async () => {
  await serve(SHORT);
  await dispatch('slow.yml');
  const { token } = await taken();
  await asks('/job/artifacts', token);
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'failure' }]);
  const [job] = await jobsOf();
  expect(await logOf(job?.id ?? 0)).toContain('The self-hosted runner lost communication with the server.');
});

test('a runner that does not end a cancelled job is not waited for', async () => {
  await serve({ ...SHORT, lostMs: 60_000 });
  await dispatch('slow.yml');
  const { token } = await taken();
  await asks('/job/artifacts', token);
  await actions().cancelWorkflowRun({ ...HERE, run_id: 1 });
  await ended();
  expect(await runsNow()).toMatchObject([{ conclusion: 'cancelled' }]);
});

test('whoever comes from an enclosed step sees what GitHub has, and nothing that is local only', async () => {
  await serve();
  const headers = { [ENCLOSED_HEADER]: '1', authorization: 'Bearer token-alice' };
  const status = async (path: string, init = {}) =>
    (await fetch(`${stage.server.url}${path}`, { headers, ...init })).status;
  expect(await status('/api/v3/repos/alice/toys')).toBe(200);
  expect(await status('/_services/token/.well-known/jwks')).toBe(200);
  expect(await status('/_local/requests')).toBe(404);
  expect(await status(`${RUNNER_PATH}/take`, { method: 'POST' })).toBe(404);
});
