/** Performs one run: its file, its token and its directory go to the executor, what comes back is kept. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from '../check-records.ts';
import { now } from '../clock.ts';
import { type Host, repositoryHtmlUrlOf } from '../host.ts';
import { found } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { mintToken } from '../tokens.ts';
import { admitJob } from './workflow-admission.ts';
import { concurrencyOf } from './workflow-concurrency.ts';
import { saveJob } from './workflow-jobs.ts';
import { permissionsOf } from './workflow-permissions.ts';
import { readWorkflow, type WorkflowFile, workflowFileAt } from './workflow-registry.ts';
import type { Completion } from './workflow-runs.ts';
import { runNameOf } from './workflow-title.ts';
import type { GrantedPermissions, WorkflowRequest } from './workflow-types.ts';

const TOKEN_LIFETIME_MS = 6 * 3_600_000;

/** What became of the run; a file that cannot be executed is a `startup_failure` with its reason. */
export async function performRun(host: Host, run: Run, signal: AbortSignal): Promise<Completion> {
  try {
    return await perform(host, run, signal).finally(() => leaveGroups(host, run));
  } catch (error) {
    const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (signal.aborted) return { conclusion: 'cancelled', problem };
    return { conclusion: 'startup_failure', problem };
  }
}

/** Also where the executor ended without ending its jobs. */
function leaveGroups({ state, jobGroups }: Host, run: Run): void {
  for (const { id } of state.jobs.find({ runId: run.id })) jobGroups.leave(id);
}

async function perform(host: Host, run: Run, signal: AbortSignal): Promise<Completion> {
  const repository = found(host.state.repositories.get(run.repositoryId));
  const file = await workflowFileAt(host, repository, { sha: run.sha, path: run.path });
  if (!file) throw new Error(`${run.path} is not in the commit ${run.sha}`);
  const read = readWorkflow(file);
  if (!read.workflow) throw new Error(read.problem);
  const { workflow } = read;
  // Throws what is wrong with it.
  concurrencyOf(workflow, requestOf(host, repository, run));
  const { conclusion } = await host.executeWorkflow({
    ...requestOf(host, repository, run),
    text: file.text,
    cloneUrl: `${repositoryHtmlUrlOf(host, repository)}.git`,
    token: tokenOf(host, run, workflow.permissions),
    tokenFor: (permissions) => tokenOf(host, run, permissions),
    directory: await emptyDirectory(host, run),
    signal,
    admit: (claim) => admitJob(host, run, { ...claim, signal }),
    onJob: (job) => {
      if (host.stopping.signal.aborted) return;
      const { id, status } = saveJob(host, run, job);
      if (status === 'completed') host.jobGroups.leave(id);
    },
    onArtifact: ({ name, file: zip, sizeBytes, digest }) => {
      const owner = { repositoryId: repository.id, runId: run.id };
      host.state.artifacts.insert({ ...owner, name, file: zip, sizeBytes, digest, createdAt: now(host) });
    },
  });
  return { conclusion };
}

/**
 * What the run is called: its `run-name`, else what the event calls it, else the workflow's name.
 * A `run-name` that cannot be evaluated names nothing here; performing the run says what is wrong with it.
 */
export function titleOf(
  host: Host,
  repository: Repository,
  { run, file, title }: { readonly run: Run; readonly file: WorkflowFile; readonly title: string | undefined },
): string {
  const { workflow } = readWorkflow(file);
  try {
    const runName = workflow && runNameOf(workflow, requestOf(host, repository, run));
    return runName ?? title ?? run.name;
  } catch {
    return title ?? run.name;
  }
}

/** What group the run is in. One that cannot be evaluated is none here; performing the run says what is wrong with it. */
export function groupOf(
  host: Host,
  repository: Repository,
  { run, file }: { readonly run: Run; readonly file: WorkflowFile },
): Run['concurrency'] {
  const { workflow } = readWorkflow(file);
  try {
    return workflow && concurrencyOf(workflow, requestOf(host, repository, run));
  } catch {
    return undefined;
  }
}

function requestOf(host: Host, repository: Repository, run: Run): WorkflowRequest {
  const { path, event, payload, inputs, actor, sha, ref, runNumber, attempt } = run;
  return {
    ...{ path, event, payload, inputs, actor, sha, ref, runNumber, attempt },
    repository: `${repository.owner}/${repository.name}`,
    repositoryId: repository.id,
    defaultBranch: repository.defaultBranch,
    runId: run.id,
    serverUrl: host.url(),
    artifacts: host.profile.artifacts,
  };
}

/** Where the run's jobs work; the same after a restart. */
export function runDirectoryOf(host: Host, run: Run): string {
  return join(host.dataDirectory, 'runs', `${run.id}-${run.attempt}`);
}

async function emptyDirectory(host: Host, run: Run): Promise<string> {
  const directory = runDirectoryOf(host, run);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  return directory;
}

function tokenOf(host: Host, run: Run, granted: GrantedPermissions | undefined): string {
  const permissions = permissionsOf(granted);
  const repositoryIds = [run.repositoryId];
  return mintToken(host, { kind: 'job', permissions, repositoryIds, runId: run.id, lifetimeMs: TOKEN_LIFETIME_MS })
    .token;
}
