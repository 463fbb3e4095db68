/** Dispatching a workflow: https://docs.github.com/rest/actions/workflows#create-a-workflow-dispatch-event */
import { z } from 'zod';
import type { Workflow } from '../check-records.ts';
import { HttpError } from '../http-error.ts';
import { commitOf } from '../rest/commits.ts';
import { actingLogin, type Call, noContent, ok, parseBody, repositoryOf } from '../rest/endpoint.ts';
import { gitOfCall } from '../rest/git-data.ts';
import { accountPayload, repositoryPayload } from '../rest/payloads.ts';
import { validateInputs } from './workflow-inputs.ts';
import { runHtmlUrlOf, runUrlOf } from './workflow-payloads.ts';
import { readWorkflow, workflowFileAt } from './workflow-registry.ts';
import { startRun } from './workflow-runs.ts';

const MOST_INPUTS = 25;
const LONGEST_INPUTS = 65_535;

const dispatchBody = z.object({
  ref: z.string(),
  inputs: z.record(z.string(), z.unknown()).default({}),
  return_run_details: z.boolean().optional(),
});

/** Queues a run of the file as it is on `ref`; 200 with the run's addresses when asked for, else 204. */
export async function dispatch(call: Call, { path }: Workflow) {
  const { host } = call;
  const repository = repositoryOf(call);
  const body = parseBody(call, dispatchBody);
  if (!host.profile.tellsRunOfDispatch && body.return_run_details !== undefined)
    throw new HttpError(400, 'Invalid request.\n\n"return_run_details" is not a permitted key.');
  const { ref, sha } = await refNamed(call, body.ref);
  const file = await workflowFileAt(host, repository, { sha, path });
  if (!file) throw new HttpError(422, `Workflow file ${path} was not found on ${body.ref}`);
  const read = readWorkflow(file);
  if (!read.workflow) throw new HttpError(422, `failed to parse workflow: ${read.problem}`);
  judgeSize(body.inputs);
  const checked = validateInputs(read.workflow, body.inputs);
  if (!checked.valid) throw new HttpError(422, checked.message);
  const actor = actingLogin(call);
  const run = await startRun(host, {
    repository,
    file,
    event: 'workflow_dispatch',
    ref,
    headBranch: ref.replace(/^refs\/(heads|tags)\//, ''),
    headSha: sha,
    sha,
    actor,
    title: undefined,
    inputs: checked.inputs,
    payload: {
      inputs: checked.inputs,
      ref,
      repository: repositoryPayload(host, repository),
      sender: accountPayload(host, actor),
      workflow: path,
    },
  });
  if (body.return_run_details !== true) return noContent;
  return ok({
    workflow_run_id: run.id,
    run_url: runUrlOf(host, repository, run),
    html_url: runHtmlUrlOf(host, repository, run),
  });
}

function judgeSize(inputs: Readonly<Record<string, unknown>>): void {
  const count = Object.keys(inputs).length;
  if (count > MOST_INPUTS)
    throw new HttpError(
      422,
      `you may only define up to ${MOST_INPUTS} inputs for a workflow_dispatch event, not ${count}`,
    );
  if (JSON.stringify(inputs).length > LONGEST_INPUTS)
    throw new HttpError(422, `inputs are too large: more than ${LONGEST_INPUTS} characters`);
}

/** A branch, else a tag; full names are taken as they are. */
async function refNamed(call: Call, name: string): Promise<{ readonly ref: string; readonly sha: string }> {
  const names = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  for (const ref of names) {
    const commit = await commitOf(gitOfCall(call), ref);
    if (commit) return { ref, sha: commit.sha };
  }
  throw new HttpError(422, `No ref found for: ${name}`);
}
