/** Workflows, runs, jobs, logs and artifacts: https://docs.github.com/rest/actions */
import { type Need, PUBLIC } from '../access.ts';
import type { Run } from '../check-records.ts';
import { found, HttpError } from '../http-error.ts';
import {
  type Call,
  created,
  type Endpoints,
  list,
  numberParameter,
  ok,
  repositoryOf,
  textParameter,
} from '../rest/endpoint.ts';
import { ordered } from '../rest/ordered.ts';
import { dispatch } from './dispatch.ts';
import { redirectTo } from './downloads.ts';
import { artifactPayload, jobPayload, runPayload, workflowPayload } from './workflow-payloads.ts';
import { defaultBranchWorkflows } from './workflow-registry.ts';
import { cancelRun, repeatRun } from './workflow-runs.ts';

const WRITE: Need = { permission: 'actions', level: 'write', people: 'write' };
/** Even in public repositories downloads ask who it is. */
const DOWNLOAD: Need = { permission: 'actions', level: 'read', people: 'signed in' };
const ACTIONS = '/repos/{owner}/{repo}/actions';
const RUN = `${ACTIONS}/runs/{run_id}`;

export const actionEndpoints: Endpoints = {
  [`GET ${ACTIONS}/workflows`]: { need: PUBLIC, answer: listWorkflows },
  [`GET ${ACTIONS}/workflows/{workflow_id}`]: {
    need: PUBLIC,
    answer: async (call) => ok(workflowPayload(call.host, repositoryOf(call), await workflowOf(call))),
  },
  [`POST ${ACTIONS}/workflows/{workflow_id}/dispatches`]: {
    need: WRITE,
    answer: async (call) => dispatch(call, await workflowOf(call)),
  },
  [`GET ${ACTIONS}/workflows/{workflow_id}/runs`]: {
    need: PUBLIC,
    answer: async (call) => listRuns(call, (await workflowOf(call)).id),
  },
  [`GET ${ACTIONS}/runs`]: { need: PUBLIC, answer: (call) => listRuns(call) },
  [`GET ${RUN}`]: { need: PUBLIC, answer: (call) => ok(payloadOf(call, runOf(call))) },
  [`GET ${RUN}/jobs`]: { need: PUBLIC, answer: listJobs },
  [`GET ${RUN}/logs`]: { need: DOWNLOAD, answer: (call) => redirectTo(call.host, 'run-logs', runOf(call).id) },
  [`POST ${RUN}/cancel`]: { need: WRITE, answer: cancel },
  [`POST ${RUN}/rerun`]: { need: WRITE, answer: rerun },
  [`GET ${RUN}/artifacts`]: { need: PUBLIC, answer: listArtifacts },
  [`GET ${ACTIONS}/artifacts/{artifact_id}`]: {
    need: PUBLIC,
    answer: (call) => ok(artifactPayload(call.host, repositoryOf(call), artifactOf(call))),
  },
  [`GET ${ACTIONS}/artifacts/{artifact_id}/{archive_format}`]: { need: DOWNLOAD, answer: downloadArtifact },
  [`GET ${ACTIONS}/jobs/{job_id}`]: {
    need: PUBLIC,
    answer: (call) => ok(jobPayload(call.host, repositoryOf(call), jobOf(call))),
  },
  [`GET ${ACTIONS}/jobs/{job_id}/logs`]: {
    need: DOWNLOAD,
    answer: (call) => redirectTo(call.host, 'job-log', jobOf(call).job.id),
  },
};

async function listWorkflows(call: Call) {
  const repository = repositoryOf(call);
  const workflows = await defaultBranchWorkflows(call.host, repository);
  const payloads = workflows.map((workflow) => workflowPayload(call.host, repository, workflow));
  return list(payloads, (page, total) => ({ total_count: total, workflows: page }));
}

/** By id or by file name, on the default branch. */
async function workflowOf(call: Call) {
  const name = textParameter(call, 'workflow_id');
  const workflows = await defaultBranchWorkflows(call.host, repositoryOf(call));
  return found(workflows.find(({ id, path }) => String(id) === name || path.split('/').at(-1) === name));
}

function runOf(call: Call): Run {
  return found(
    call.host.state.runs.first({ id: numberParameter(call, 'run_id'), repositoryId: repositoryOf(call).id }),
  );
}

function payloadOf(call: Call, run: Run) {
  const written = runPayload(call.host, repositoryOf(call), run);
  return call.query.get('exclude_pull_requests') === 'true' ? { ...written, pull_requests: [] } : written;
}

const RUN_FILTERS: Readonly<Record<string, (run: Run) => string>> = {
  event: ({ event }) => event,
  branch: ({ headBranch }) => headBranch,
  head_sha: ({ headSha }) => headSha,
  check_suite_id: ({ suiteId }) => String(suiteId),
  actor: ({ actor }) => actor,
};

/** Newest first; `status` means status or conclusion, as on GitHub. */
function listRuns(call: Call, workflowId?: number) {
  const { host, query } = call;
  const repository = repositoryOf(call);
  const status = query.get('status');
  const runs = host.state.runs
    .find(workflowId === undefined ? { repositoryId: repository.id } : { repositoryId: repository.id, workflowId })
    .filter((run) => !status || run.status === status || run.conclusion === status)
    .filter((run) => Object.entries(RUN_FILTERS).every(([name, of]) => !query.has(name) || query.get(name) === of(run)))
    .filter(({ createdAt }) => isWithin(query.get('created'), createdAt));
  const payloads = runs.toReversed().map((run) => payloadOf(call, run));
  return list(payloads, (page, total) => ({ total_count: total, workflow_runs: page }));
}

/** `>=2026-01-01`, `<…`, `2026-01-01..2026-02-01`: https://docs.github.com/search-github/getting-started-with-searching-on-github/understanding-the-search-syntax#query-for-dates */
function isWithin(wanted: string | null, moment: string): boolean {
  if (wanted === null) return true;
  const [, from, to] = /^(\S+)\.\.(\S+)$/.exec(wanted) ?? [];
  if (from !== undefined) return isWithin(`>=${from}`, moment) && isWithin(`<=${to}`, moment);
  const [, sign = '', date = ''] = /^([<>]=?|)(.+)$/.exec(wanted) ?? [];
  return COMPARISONS[sign]?.(Date.parse(moment), Date.parse(date)) ?? moment.startsWith(date);
}

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
};

function listJobs(call: Call) {
  const run = runOf(call);
  const all = call.host.state.jobs.find({ runId: run.id });
  const jobs = call.query.get('filter') === 'all' ? all : all.filter(({ attempt }) => attempt === run.attempt);
  const payloads = jobs.map((job) => jobPayload(call.host, repositoryOf(call), { job, run }));
  return list(payloads, (page, total) => ({ total_count: total, jobs: page }));
}

function jobOf(call: Call) {
  const job = found(
    call.host.state.jobs.first({ id: numberParameter(call, 'job_id'), repositoryId: repositoryOf(call).id }),
  );
  return { job, run: found(call.host.state.runs.get(job.runId)) };
}

function cancel(call: Call) {
  const run = runOf(call);
  if (run.status === 'completed') throw new HttpError(409, 'Cannot cancel a workflow run that is completed.');
  cancelRun(call.host, run);
  return { status: 202, body: {} };
}

function rerun(call: Call) {
  const run = runOf(call);
  if (run.status !== 'completed') throw new HttpError(403, 'This workflow is already running');
  repeatRun(call.host, run);
  return created({});
}

function listArtifacts(call: Call) {
  const run = runOf(call);
  const name = call.query.get('name');
  const isThere = call.host.profile.artifacts === 'newest' || run.status === 'completed';
  const artifacts = call.host.state.artifacts
    .find({ runId: run.id })
    .filter((artifact) => isThere && (!name || artifact.name === name));
  const shown = ordered(call.query, artifacts, { keys: { created: ({ id }) => id }, direction: 'desc' });
  const payloads = shown.map((artifact) => artifactPayload(call.host, repositoryOf(call), { artifact, run }));
  return list(payloads, (page, total) => ({ total_count: total, artifacts: page }));
}

function artifactOf(call: Call) {
  const id = numberParameter(call, 'artifact_id');
  const artifact = found(call.host.state.artifacts.first({ id, repositoryId: repositoryOf(call).id }));
  return { artifact, run: found(call.host.state.runs.get(artifact.runId)) };
}

function downloadArtifact(call: Call) {
  if (textParameter(call, 'archive_format') !== 'zip') throw new HttpError(404, 'Not Found');
  return redirectTo(call.host, 'artifact', artifactOf(call).artifact.id);
}
