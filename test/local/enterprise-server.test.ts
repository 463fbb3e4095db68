/** What the embedded GitHub does not have where it is like a GitHub Enterprise Server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { HERE, type Stage, startStage } from './server.ts';
import { executeHere } from './workflow-kit.ts';

const workflow = (uses: string) => `name: Build
on: workflow_dispatch
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: mkdir out; echo made > out/file
      - { uses: ${uses}, with: { name: made, path: out } }
      - run: sleep 1
`;
const OLDER = 'actions/upload-artifact@c24449f33cd45d4826c6702db7e49f7cdb9b551d';
const NEWEST = 'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a';

let stage: Stage;
beforeAll(async () => {
  const files = { older: workflow(OLDER), newest: workflow(NEWEST), tag: workflow('actions/upload-artifact@v3') };
  stage = await startStage({
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`.github/workflows/${name}.yml`, text])),
    executeWorkflow: executeHere,
    profile: 'enterprise-server',
  });
});
afterAll(() => stage.close());

const bob = () => stage.as('bob').rest.actions;

/** Gives the run, when it has ended. */
async function ran(workflow_id: string, whileAtWork?: (run_id: number) => Promise<void>) {
  const asked = { ...HERE, workflow_id, ref: 'main' };
  const before = (await bob().listWorkflowRuns({ ...HERE, workflow_id })).data.total_count;
  await bob().createWorkflowDispatch(asked);
  const newest = async () => {
    const { data } = await bob().listWorkflowRuns({ ...HERE, workflow_id });
    return data.total_count > before ? data.workflow_runs[0] : undefined;
  };
  if (whileAtWork !== undefined) await whileAtWork((await newest())?.id ?? 0);
  await eventually(async () => (await newest())?.status === 'completed', `${workflow_id} is completed`, 30_000);
  const run = await newest();
  if (run === undefined) throw new Error(`no run of ${workflow_id}`);
  return run;
}

test('each answer tells the version of the server', async () => {
  const { headers } = await bob().listWorkflowRunsForRepo(HERE);
  expect(headers).toMatchObject({ 'x-github-enterprise-version': '3.17.0' });
  await expect(bob().getWorkflowRun({ ...HERE, run_id: 404 })).rejects.toMatchObject({
    response: { headers: { 'x-github-enterprise-version': '3.17.0' } },
  });
});

test('a dispatch that asks for its run is refused', async () => {
  const asked = { ...HERE, workflow_id: 'older.yml', ref: 'main', return_run_details: true };
  await expect(bob().createWorkflowDispatch(asked)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('"return_run_details" is not a permitted key'),
  });
});

test('the third version of the artifact actions runs, and what it leaves is there without a digest when the run has ended', async () => {
  const run = await ran('older.yml', async (run_id) => {
    await eventually(async () => {
      const { data } = await bob().listJobsForWorkflowRun({ ...HERE, run_id });
      return data.jobs[0]?.steps?.[1]?.status === 'completed';
    }, 'the artifact is uploaded');
    expect((await bob().listWorkflowRunArtifacts({ ...HERE, run_id })).data.artifacts).toEqual([]);
  });
  expect(run.conclusion).toBe('success');
  const { data } = await bob().listWorkflowRunArtifacts({ ...HERE, run_id: run.id });
  expect(data.artifacts.map(({ name, digest }) => [name, digest])).toEqual([['made', null]]);
  expect((await ran('tag.yml')).conclusion).toBe('success');
});

test('later versions of the artifact actions end as they do there', async () => {
  const run = await ran('newest.yml');
  expect(run.conclusion).toBe('failure');
  const { data } = await bob().listJobsForWorkflowRun({ ...HERE, run_id: run.id });
  const { data: log } = await bob().downloadJobLogsForWorkflowRun({ ...HERE, job_id: data.jobs[0]?.id ?? 0 });
  expect(String(log)).toContain('upload-artifact@v4+ and download-artifact@v4+ are not currently supported on GHES.');
});
