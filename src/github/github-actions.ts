/** Workflow runs: started on the default branch, found again by their title, and what they delivered. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ArtifactError, LoopError } from '../errors.ts';
import type { Call } from './github-client.ts';
import { hasStatus, textOf } from './github-errors.ts';
import { type Operation, repository } from './github-talk.ts';
import { runTitle } from './run-title.ts';

const dispatched = z.object({ workflow_run_id: z.int() });

/** Looks for the run first: its title names loop, entry and phase, and only a run that the App started counts. */
export const dispatch: Operation<'dispatch'> = async (call, workflow, inputs) => {
  const known = await ownRun(call, workflow, inputs);
  if (known !== undefined) return known;
  const { defaultBranch } = await repository(call);
  const started = await start(call, { workflow_id: workflow, ref: defaultBranch, inputs: { ...inputs } });
  return started ?? (await appearing(call, workflow, inputs));
};

interface Start {
  readonly workflow_id: string;
  readonly ref: string;
  readonly inputs: Record<string, string>;
}

const START = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

/** The id of the run, where GitHub says it; GitHub Enterprise Server before 3.21 refuses the question. */
async function start({ octokit, here }: Call, request: Start): Promise<number | undefined> {
  try {
    const { data } = await octokit.request(START, { ...here, ...request, return_run_details: true });
    return dispatched.safeParse(data).data?.workflow_run_id;
  } catch (error) {
    if (!hasStatus(error, 400, 422) || !textOf(error).includes('return_run_details')) throw error;
    await octokit.request(START, { ...here, ...request });
    return undefined;
  }
}

const LOOKS = 15;
const LOOK_PAUSE_MS = 1000;

async function appearing(call: Call, workflow: string, inputs: Readonly<Record<string, string>>): Promise<number> {
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(LOOK_PAUSE_MS);
    const found = await ownRun(call, workflow, inputs);
    if (found !== undefined) return found;
  }
  throw new LoopError(
    `GitHub started ${workflow}, but no run called "${runTitle(workflow, inputs)}" appeared in ${LOOKS} s.`,
  );
}

async function ownRun(
  { octokit, here, self }: Call,
  workflow: string,
  inputs: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const { data } = await octokit.rest.actions.listWorkflowRuns({
    ...here,
    workflow_id: workflow,
    event: 'workflow_dispatch',
    per_page: 100,
  });
  const title = runTitle(workflow, inputs);
  return data.workflow_runs.find((run) => run.display_title === title && run.triggering_actor?.login === self.login)
    ?.id;
}

export const run: Operation<'run'> = async ({ octokit, here }, runId) => {
  const { data } = await octokit.rest.actions.getWorkflowRun({ ...here, run_id: runId });
  return {
    id: data.id,
    status: data.status ?? 'unknown',
    conclusion: data.conclusion ?? undefined,
    // GitHub may add the ref: `.github/workflows/x.yml@main`.
    path: data.path.split('@', 1)[0] ?? '',
    event: data.event,
    headSha: data.head_sha,
    attempt: data.run_attempt ?? 1,
  };
};

/** A run that has ended already needs no cancelling. */
export const cancelRun: Operation<'cancelRun'> = async ({ octokit, here }, runId) => {
  try {
    await octokit.rest.actions.cancelWorkflowRun({ ...here, run_id: runId });
  } catch (error) {
    if (!hasStatus(error, 404, 409)) throw error;
  }
};

export const artifact: Operation<'artifact'> = async (call, runId, name, maxBytes) => {
  const { octokit, here } = call;
  const { data } = await octokit.rest.actions.listWorkflowRunArtifacts({ ...here, run_id: runId, name, per_page: 100 });
  const found = data.artifacts
    .filter((one) => one.name === name && !one.expired)
    .toSorted((left, right) => right.id - left.id)[0];
  if (found === undefined) return undefined;
  const subject = `artifact "${name}" of run ${runId}`;
  if (found.size_in_bytes > maxBytes) {
    throw new ArtifactError(
      `The ${subject} has ${found.size_in_bytes} bytes; at most ${maxBytes} are read. Nothing of it was taken over.`,
    );
  }
  const content = await download(call, found.id, { subject, maxBytes });
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  if (found.digest !== digest) {
    throw new ArtifactError(
      `The ${subject} has the digest ${digest}, but GitHub says ${found.digest ?? 'none'}. Nothing of it was taken over.`,
    );
  }
  return content;
};

async function download(
  { octokit, here }: Call,
  id: number,
  { subject, maxBytes }: { readonly subject: string; readonly maxBytes: number },
): Promise<Uint8Array> {
  const { data } = await octokit.request('GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}', {
    ...here,
    artifact_id: id,
    archive_format: 'zip',
    request: { parseSuccessResponseBody: false },
  });
  const stream: unknown = data;
  if (!(stream instanceof ReadableStream)) throw new ArtifactError(`The ${subject} came without content.`);
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of stream) {
    const bytes = z.instanceof(Uint8Array).parse(part);
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes)
      throw new ArtifactError(
        `The ${subject} is larger than it says; at most ${maxBytes} bytes are read. Nothing of it was taken over.`,
      );
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
