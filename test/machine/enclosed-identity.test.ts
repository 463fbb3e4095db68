/** A step in bubblewrap learns who its job is, and does not come to the issuer's keys. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobQueue } from '../../src/local/actions/job-queue.ts';
import { executeWorkflow } from '../../src/local/actions/workflow-execution.ts';
import type { WorkflowExecution } from '../../src/local/actions/workflow-types.ts';
import { confining } from '../../src/local/runner/enclosure.ts';
import { type Runner, startRunner } from '../../src/local/runner/runner.ts';
import { eventually, HERE, type Stage, startStage } from '../local/server.ts';
import { removeTemporaryDirectories, temporaryDirectory } from '../local/workflow-kit.ts';

const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/tells.yml': `on: workflow_dispatch
permissions: { id-token: write }
jobs:
  only:
    runs-on: local
    steps:
      - run: |
          node -e '
            const { GITHUB_SERVER_URL: server, ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = process.env;
            fetch(url + "&audience=here", { headers: { authorization: "Bearer " + token } })
              .then((answer) => answer.json())
              .then(({ value }) => console.log("aud " + JSON.parse(Buffer.from(value.split(".")[1], "base64url")).aud));
            fetch(server + "/_services/token/.well-known/jwks").then(({ status }) => console.log("keys " + status));
            fetch(server + "/_local/identity/rotate", { method: "POST" }).then(({ status }) => console.log("rotates " + status));'
`,
};

let stage: Stage;
let runner: Runner;
beforeAll(async () => {
  const queue = createJobQueue();
  const perform = (execution: WorkflowExecution) => executeWorkflow(execution, queue.perform);
  stage = await startStage({ files: FILES, executeWorkflow: perform, runners: { queue, secret: 'shared' } });
  const [folder, works] = [join(await temporaryDirectory(), 'confinement'), join(await temporaryDirectory(), 'work')];
  runner = await startRunner({
    ...{ url: stage.server.url, secret: 'shared', works, lanes: 1, say: () => undefined },
    executing: (outlet) => confining({ own: [], known: [], folder, outlet }),
  });
});
afterAll(async () => {
  await runner.close();
  await stage.close();
  await removeTemporaryDirectories();
});

test('an enclosed step is told who its job is, reads the published keys, and cannot change them', async () => {
  const { actions } = stage.as('alice').rest;
  await actions.createWorkflowDispatch({ ...HERE, workflow_id: 'tells.yml', ref: 'main' });
  const latest = async () => (await actions.listWorkflowRunsForRepo(HERE)).data.workflow_runs[0];
  await eventually(async () => (await latest())?.status === 'completed', 'the run ended', 120_000);
  const { data } = await actions.listJobsForWorkflowRun({ ...HERE, run_id: (await latest())?.id ?? 0 });
  const { data: log } = await actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id: data.jobs[0]?.id ?? 0 });
  for (const line of ['aud here', 'keys 200', 'rotates 404']) expect(log).toContain(line);
});
