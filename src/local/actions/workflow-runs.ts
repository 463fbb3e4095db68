/** Hosts workflow runs: a queue of two at a time, each performed by the executor, each change told by webhook. */
import type { Fields } from '../../referee/json.ts';
import type { Run, RunEvent } from '../check-records.ts';
import { now } from '../clock.ts';
import { gitOf, type Host } from '../host.ts';
import { found } from '../http-error.ts';
import { endIdentityRequests } from '../identity/identity-requests.ts';
import type { Repository } from '../records.ts';
import { completeSuite } from '../rest/check-changes.ts';
import { suiteOf } from '../rest/check-suites.ts';
import { commitOf } from '../rest/commits.ts';
import { emit } from '../webhooks/events.ts';
import { mayStart, replacedBy } from './workflow-concurrency.ts';
import { closeJobs } from './workflow-jobs.ts';
import { runPayload, workflowPayload } from './workflow-payloads.ts';
import { groupOf, performRun, titleOf } from './workflow-performance.ts';
import { registerWorkflow, type WorkflowFile } from './workflow-registry.ts';

const RUNS_AT_ONCE = 2;

export interface NewRun {
  readonly repository: Repository;
  readonly file: WorkflowFile;
  readonly event: RunEvent;
  readonly ref: string;
  readonly headBranch: string;
  readonly headSha: string;
  /** The commit that is checked out. */
  readonly sha: string;
  readonly actor: string;
  readonly title: string | undefined;
  readonly inputs: Readonly<Record<string, string>>;
  readonly payload: Fields;
}

/** Queues a run and tells `workflow_run.requested`. */
export async function startRun(host: Host, { repository, file, title, ...wanted }: NewRun): Promise<Run> {
  const { sha, tree, message, author, committer } = found(await commitOf(gitOf(host, repository), wanted.headSha));
  const run = host.state.transaction(() => {
    const workflow = registerWorkflow(host, repository, file);
    const created = host.state.runs.insert({
      ...wanted,
      inputs: { ...wanted.inputs },
      payload: { ...wanted.payload },
      repositoryId: repository.id,
      workflowId: workflow.id,
      path: file.path,
      name: workflow.name,
      title: workflow.name,
      runNumber: host.state.runs.find({ workflowId: workflow.id }).length + 1,
      attempt: 1,
      suiteId: 0,
      status: 'queued',
      headCommit: { id: sha, tree_id: tree, message, timestamp: committer.date, author, committer },
      createdAt: now(host),
      startedAt: now(host),
      updatedAt: now(host),
    });
    const { headSha, headBranch } = wanted;
    const suite = suiteOf(host, { repository, headSha, headBranch, app: 'github-actions', runId: created.id });
    const named = titleOf(host, repository, { run: created, file, title });
    const concurrency = groupOf(host, repository, { run: created, file });
    const queued = host.state.runs.update(created.id, { suiteId: suite.id, title: named, concurrency });
    tellRun(host, queued, 'requested');
    return queued;
  });
  for (const replaced of replacedBy(host.state, run)) cancelRun(host, replaced);
  const { repositoryId, concurrency } = run;
  if (concurrency?.cancelsRunning) host.jobGroups.cancel({ repositoryId, ...concurrency });
  wakeRunner(host);
  return run;
}

/** Queues a completed run again, as its next attempt. */
export function repeatRun(host: Host, run: Run): Run {
  const queued = host.state.transaction(() => {
    const again = host.state.runs.update(run.id, {
      attempt: run.attempt + 1,
      status: 'queued',
      conclusion: undefined,
      problem: undefined,
      startedAt: now(host),
      updatedAt: now(host),
    });
    tellRun(host, again, 'requested');
    return again;
  });
  wakeRunner(host);
  return queued;
}

/** Stops a run: a queued one at once, a running one as soon as its processes are gone. */
export function cancelRun(host: Host, run: Run): void {
  const controller = host.running.get(run.id);
  if (controller) controller.abort();
  else {
    completeRun(host, run.id, { conclusion: 'cancelled' });
    wakeRunner(host);
  }
}

export interface Completion {
  readonly conclusion: NonNullable<Run['conclusion']>;
  readonly problem?: string;
}

/** Ends a run and what it left open, and tells `check_suite.completed` and `workflow_run.completed`. */
export function completeRun(host: Host, runId: number, completion: Completion): void {
  host.state.transaction(() => {
    const run = host.state.runs.update(runId, { ...completion, status: 'completed', updatedAt: now(host) });
    closeJobs(host, run);
    for (const token of host.state.tokens.find({ runId })) host.state.tokens.remove(token.id);
    endIdentityRequests(host, run);
    const repository = found(host.state.repositories.get(run.repositoryId));
    completeSuite(host, { repository, sender: run.actor, suiteId: run.suiteId });
    tellRun(host, run, 'completed');
  });
}

/** What a former process left unfinished; to be asked before the first request of this one. */
export function leftoversOf({ state }: Host): readonly Run[] {
  return [...state.runs.find({ status: 'in_progress' }), ...state.runs.find({ status: 'queued' })];
}

/** Nobody waits for them any more; a runner that has a job of theirs ends it when it hears that nobody knows it. */
export function cancelLeftovers(host: Host, leftovers: readonly Run[]): void {
  for (const run of leftovers) completeRun(host, run.id, { conclusion: 'cancelled' });
}

/** Stops every run and waits until their processes are gone; the next start tells that they were cancelled. */
export async function stopRuns(host: Host): Promise<void> {
  host.stopping.abort();
  for (const controller of host.running.values()) controller.abort();
  await Promise.allSettled(host.performances);
}

/** Begins what may begin: queued runs, and jobs that wait for what a run held. */
export function wakeRunner(host: Host): void {
  host.jobGroups.wake();
  if (host.stopping.signal.aborted || host.running.size >= RUNS_AT_ONCE) return;
  const next = host.state.runs.find({ status: 'queued' }).find((run) => mayStart(host, run));
  if (!next) return;
  const controller = new AbortController();
  host.running.set(next.id, controller);
  const started = host.state.transaction(() => {
    const run = host.state.runs.update(next.id, { status: 'in_progress', startedAt: now(host), updatedAt: now(host) });
    tellRun(host, run, 'in_progress');
    return run;
  });
  const performance = performRun(host, started, controller.signal).then((completion) => {
    host.running.delete(next.id);
    host.performances.delete(performance);
    if (host.stopping.signal.aborted) return;
    completeRun(host, next.id, completion);
    wakeRunner(host);
  });
  host.performances.add(performance);
  wakeRunner(host);
}

/** https://docs.github.com/webhooks/webhook-events-and-payloads#workflow_run */
function tellRun(host: Host, run: Run, action: 'requested' | 'in_progress' | 'completed'): void {
  const repository = found(host.state.repositories.get(run.repositoryId));
  const workflow = found(host.state.workflows.get(run.workflowId));
  const fields = {
    workflow: workflowPayload(host, repository, workflow),
    workflow_run: runPayload(host, repository, run),
  };
  emit(host, { event: 'workflow_run', action, repository, sender: run.actor, fields });
}
