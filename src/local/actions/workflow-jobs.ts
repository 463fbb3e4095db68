/** The jobs of runs, each with its check run of GitHub Actions. */

import type { Job, Run } from '../check-records.ts';
import { now } from '../clock.ts';
import { ACTIONS_LOGIN, type Host } from '../host.ts';
import { found } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { createCheckRun, updateCheckRun } from '../rest/check-changes.ts';
import { runHtmlUrlOf } from './workflow-payloads.ts';
import type { WorkflowAnnotation, WorkflowJob } from './workflow-types.ts';

/** The job of the run, queued where it is new, with its check run. */
export function openJob(host: Host, run: Run, { id, name }: Pick<WorkflowJob, 'id' | 'name'>): Job {
  const repository = found(host.state.repositories.get(run.repositoryId));
  const key = `${id} ${name}`;
  return host.state.transaction(
    () =>
      host.state.jobs.first({ runId: run.id, attempt: run.attempt, key }) ??
      addJob(host, { repository, run, key, name }),
  );
}

/** Keeps what the executor says about a job; its check run follows. */
export function saveJob(host: Host, run: Run, job: WorkflowJob): Job {
  const repository = found(host.state.repositories.get(run.repositoryId));
  return host.state.transaction(() => {
    const known = openJob(host, run, job);
    const saved = host.state.jobs.update(known.id, {
      status: job.status,
      conclusion: job.conclusion,
      startedAt: translated(host, job.startedAt) ?? known.startedAt,
      completedAt: translated(host, job.completedAt),
      steps: job.steps.map((step) => ({
        ...step,
        startedAt: translated(host, step.startedAt),
        completedAt: translated(host, step.completedAt),
      })),
      log: job.log,
    });
    if (saved.status === known.status) return saved;
    const annotations = job.status === 'completed' ? job.annotations.map(annotationOf) : [];
    showJob(host, { repository, job: saved, annotations });
    return saved;
  });
}

/** The executor goes by this machine's clock, because it measures real processes. */
function translated({ clock }: Host, machineTime: string | undefined): string | undefined {
  return machineTime === undefined ? undefined : clock.translated(machineTime);
}

/** Completes, as cancelled, the jobs that an ended run left open. */
export function closeJobs(host: Host, run: Run): void {
  const repository = found(host.state.repositories.get(run.repositoryId));
  for (const job of host.state.jobs.find({ runId: run.id })) {
    if (job.status === 'completed') continue;
    const closed = host.state.jobs.update(job.id, {
      status: 'completed',
      conclusion: 'cancelled',
      completedAt: now(host),
    });
    showJob(host, { repository, job: closed, annotations: [] });
  }
}

interface NewJob {
  readonly repository: Repository;
  readonly run: Run;
  readonly key: string;
  readonly name: string;
}

function addJob(host: Host, { repository, run, key, name }: NewJob): Job {
  const checkRun = createCheckRun(host, {
    repository,
    sender: ACTIONS_LOGIN,
    headSha: run.headSha,
    app: 'github-actions',
    suiteId: run.suiteId,
    change: { name, status: 'queued', details_url: runHtmlUrlOf(host, repository, run) },
  });
  const job = {
    repositoryId: repository.id,
    runId: run.id,
    attempt: run.attempt,
    key,
    name,
    status: 'queued',
    startedAt: now(host),
    createdAt: now(host),
    log: '',
    checkRunId: checkRun.id,
  } as const;
  // As on GitHub: whoever knows the check run can ask for the log of its job.
  return host.state.jobs.insert({ ...job, steps: [] }, checkRun.id);
}

type Annotation = ReturnType<typeof annotationOf>;

function showJob(
  host: Host,
  {
    repository,
    job,
    annotations,
  }: { readonly repository: Repository; readonly job: Job; readonly annotations: readonly Annotation[] },
): void {
  const run = found(host.state.checkRuns.get(job.checkRunId));
  const { status, conclusion } = job;
  const output = annotations.length > 0 ? { output: { summary: '', annotations: [...annotations] } } : {};
  updateCheckRun(host, {
    repository,
    sender: ACTIONS_LOGIN,
    run,
    change: { status, ...(conclusion ? { conclusion } : {}), ...output },
  });
}

/** GitHub puts an annotation without a place on `.github`. */
function annotationOf({ level, message, path, line }: WorkflowAnnotation) {
  return { path: path ?? '.github', start_line: line ?? 1, end_line: line ?? 1, annotation_level: level, message };
}
