/** Workflow runs: started on the default branch, found again by their title, and what they delivered. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';
import { ArtifactError, UnansweredError } from '../errors.ts';
import type { HeldArtifact } from './fixed.ts';
import { type Call, enterpriseVersionIn } from './github-client.ts';
import { hasStatus, textOf, unansweredOf } from './github-errors.ts';
import { type Operation, repository } from './github-talk.ts';
import { runTitle } from './run-title.ts';

const dispatched = z.object({ workflow_run_id: z.int() });

/** From this attempt on the queue's pauses have added up to more than a minute, and a list that does not show a run then will not show it. */
const SENDS_AGAIN_FROM = 7;

/**
 * Looks for the run first, unless it is for sure new: its title names loop, entry and phase, and only a run that the App started counts. An attempt that got no answer may have
 * started one that no list shows yet, so those after it only look, until it is late enough to send again.
 */
export const dispatch: Operation<'dispatch'> = async (call, workflow, inputs, attempt) => {
  const wanted = { workflow, title: runTitle(workflow, inputs) };
  const isNew = attempt === 'new' && call.isFirst;
  const known = isNew ? undefined : await earlierRun(call, wanted, attempt === 'new' ? 1 : attempt);
  if (known !== undefined) return known;
  const started = await onDefaultBranch(call, async (ref) => {
    const id = await start(call, { workflow_id: workflow, ref, inputs: { ...inputs } });
    return id ?? (await appearing(call, wanted));
  });
  if (attempt === 'new' || attempt === 1) return started;
  return keepOnly(call, await ownRuns(call, wanted, attempt), started);
};

async function earlierRun(call: Call, wanted: Wanted, attempt: number): Promise<number | undefined> {
  const known = await onlyRun(call, wanted, attempt);
  if (known !== undefined || attempt === 1 || attempt >= SENDS_AGAIN_FROM) return known;
  throw new UnansweredError(
    `Attempt ${attempt}: no run called "${wanted.title}" is listed yet, and an earlier dispatch may have started one.`,
  );
}

/** Where that fails the branch may have another name by now: the next attempt asks. */
async function onDefaultBranch(call: Call, act: (ref: string) => Promise<number>): Promise<number> {
  const { fixed, repositoryId } = call;
  const place = String(repositoryId);
  const ref = fixed.defaultBranches.get(place) ?? (await repository(call)).defaultBranch;
  try {
    return await act(ref);
  } catch (error) {
    fixed.defaultBranches.delete(place);
    throw error;
  }
}

interface Wanted {
  readonly workflow: string;
  readonly title: string;
}

interface Start {
  readonly workflow_id: string;
  readonly ref: string;
  readonly inputs: Record<string, string>;
}

const START = 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches';

/** The id of the run, where GitHub says it; GitHub Enterprise Server before 3.21 refuses the question. */
async function start(call: Call, request: Start): Promise<number | undefined> {
  try {
    return dispatched.safeParse(await startOnce(call, { ...request, return_run_details: true })).data?.workflow_run_id;
  } catch (error) {
    if (!hasStatus(error, 400, 422) || !textOf(error).includes('return_run_details')) throw error;
    await startOnce(call, request);
    return undefined;
  }
}

/** Never tried again by itself: without an answer nobody knows whether it has started a run. */
async function startOnce(
  { octokit, here }: Call,
  request: Start & { readonly return_run_details?: boolean },
): Promise<unknown> {
  try {
    return (await octokit.request(START, { ...here, ...request })).data;
  } catch (error) {
    throw unansweredOf(error) ?? error;
  }
}

const LOOKS = 15;
const LOOK_PAUSE_MS = 1000;

async function appearing(call: Call, wanted: Wanted): Promise<number> {
  for (let look = 0; look < LOOKS; look += 1) {
    await pause(LOOK_PAUSE_MS);
    const found = await onlyRun(call, wanted, 1);
    if (found !== undefined) return found;
  }
  throw new UnansweredError(
    `GitHub took the dispatch of ${wanted.workflow}, but no run called "${wanted.title}" appeared in ${LOOKS} s.`,
  );
}

type Listed = RestEndpointMethodTypes['actions']['listWorkflowRuns']['response']['data']['workflow_runs'][number];

/** The earliest run that was not cancelled; a further one would be nobody's, so it is. */
async function onlyRun(call: Call, wanted: Wanted, attempt: number): Promise<number | undefined> {
  const runs = await ownRuns(call, wanted, attempt);
  const byAge = runs.toSorted((left, right) => left.id - right.id);
  const kept = byAge.find(({ conclusion }) => conclusion !== 'cancelled') ?? byAge[0];
  return kept && (await keepOnly(call, runs, kept.id));
}

async function keepOnly(call: Call, runs: readonly Listed[], kept: number): Promise<number> {
  for (const { id, status } of runs) if (id !== kept && status !== 'completed') await cancelRun(call, id);
  return kept;
}

/** A dispatch that is repeated after days is another one. */
const WINDOW_MS = 3 * 24 * 3_600_000;

/** At first the workflow's own list; when that may have been late, the repository's too, because GitHub fills them apart. */
async function ownRuns(call: Call, { workflow, title }: Wanted, attempt: number): Promise<readonly Listed[]> {
  const { octokit, here, self, now } = call;
  const { listWorkflowRuns, listWorkflowRunsForRepo } = octokit.rest.actions;
  const since = new Date(now().getTime() - WINDOW_MS).toISOString().slice(0, 19);
  const asked = { ...here, event: 'workflow_dispatch', created: `>=${since}Z`, per_page: 100 };
  const found = [
    ...(await octokit.paginate(listWorkflowRuns, { ...asked, workflow_id: workflow })),
    ...(attempt === 1 ? [] : await octokit.paginate(listWorkflowRunsForRepo, { ...asked, actor: self.login })),
  ].filter((run) => run.display_title === title && run.triggering_actor?.login === self.login);
  return [...new Map(found.map((run) => [run.id, run])).values()];
}

const keyOf = ({ repositoryId }: Call, runId: number): string => `${repositoryId}/${runId}`;

export const run: Operation<'run'> = async (call, runId) => {
  const { octokit, here, fixed } = call;
  const known = fixed.runs.get(keyOf(call, runId));
  if (known !== undefined) return known;
  const { data } = await octokit.rest.actions.getWorkflowRun({ ...here, run_id: runId });
  const asked = {
    id: data.id,
    status: data.status ?? 'unknown',
    conclusion: data.conclusion ?? undefined,
    // GitHub may add the ref: `.github/workflows/x.yml@main`.
    path: data.path.split('@', 1)[0] ?? '',
    event: data.event,
    headSha: data.head_sha,
    attempt: data.run_attempt ?? 1,
  };
  if (asked.status === 'completed') fixed.runs.set(keyOf(call, runId), asked);
  return asked;
};

/** A run that has ended already needs no cancelling. */
export const cancelRun: Operation<'cancelRun'> = async ({ octokit, here }, runId) => {
  try {
    await octokit.rest.actions.cancelWorkflowRun({ ...here, run_id: runId });
  } catch (error) {
    if (!hasStatus(error, 409)) throw error;
  }
};

export const artifact: Operation<'artifact'> = async (call, runId, name, maxBytes) => {
  const found = (await artifactsOf(call, runId, name)).find((one) => one.name === name);
  if (found === undefined) return undefined;
  const subject = `artifact "${name}" of run ${runId}`;
  if (found.bytes > maxBytes) {
    throw new ArtifactError(
      `The ${subject} has ${found.bytes} bytes; at most ${maxBytes} are read. Nothing of it was taken over.`,
    );
  }
  const content = await download(call, found.id, { subject, maxBytes });
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  if (found.digest !== UNTOLD && found.digest !== digest) {
    throw new ArtifactError(
      `The ${subject} has the digest ${digest}, but GitHub says ${found.digest ?? 'none'}. Nothing of it was taken over.`,
    );
  }
  return content;
};

/** A GitHub Enterprise Server has only older artifacts, of which it tells no digest; what it sends by TLS is what it has. */
const UNTOLD = 'untold';

/** The newest first. A run that has ended leaves no more; before that, and where it left more than one page, the one that is looked for is asked for. */
async function artifactsOf(call: Call, runId: number, name: string): Promise<readonly HeldArtifact[]> {
  const { octokit, here, fixed } = call;
  const key = keyOf(call, runId);
  const held = fixed.artifacts.get(key);
  // A list may be late: one that lacks what is looked for is asked for again.
  if (held?.some((one) => one.name === name)) return held;
  const hasEnded = fixed.runs.has(key);
  const asked = { ...here, run_id: runId, per_page: 100, ...(hasEnded ? {} : { name }) };
  const { data, headers } = await octokit.rest.actions.listWorkflowRunArtifacts(asked);
  const none = enterpriseVersionIn(headers) === undefined ? undefined : UNTOLD;
  if (hasEnded && data.total_count > data.artifacts.length) {
    fixed.runs.delete(key);
    return artifactsOf(call, runId, name);
  }
  const found = data.artifacts
    .filter(({ expired }) => !expired)
    .toSorted((left, right) => right.id - left.id)
    .map(({ id, name: called, size_in_bytes: bytes, digest }) => ({
      id,
      name: called,
      bytes,
      digest: digest ?? none,
    }));
  if (hasEnded) fixed.artifacts.set(key, found);
  return found;
}

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
