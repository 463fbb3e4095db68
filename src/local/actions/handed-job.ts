/** A job that is handed out to whichever runner asks: what that is told, and what comes of what it says. */
import { randomBytes } from 'node:crypto';
import { HttpError } from '../http-error.ts';
import { type ClaimMessage, type JobMessage, jobOf, type StateMessage } from './job-message.ts';
import type { JobOutcome, JobRequest } from './workflow-job-request.ts';
import type { Admission, WorkflowJob } from './workflow-types.ts';

/** A job that a runner has, as its requests reach it. */
export interface HeldJob {
  readonly files: JobRequest['run']['files'];
  /** Resolves when it is the job's turn; the same for each who asks. */
  readonly admit: (claim: ClaimMessage) => Promise<Admission>;
  /** @throws {HttpError} 409 where a part of the log is missing. */
  readonly tell: (state: StateMessage) => void;
  readonly end: (conclusion: JobOutcome['conclusion'], outputs: JobOutcome['outputs']) => void;
  /** Resolves to the reason when the job is to end early. */
  readonly cancelled: Promise<string>;
}

export interface HandedJob {
  readonly message: JobMessage;
  readonly held: HeldJob;
  /** Tells the runner to end it: with its run where there is no reason. */
  readonly cancel: (reason: string) => void;
  /** Ends it without its runner, with the sentence in its log; nothing where it has ended. */
  readonly giveUp: (conclusion: 'failure' | 'cancelled', message: string) => void;
  readonly ended: Promise<JobOutcome>;
  /** When its runner was last heard, by this process's clock. */
  heardMs: number;
  /** Whether the runner that took it has asked anything. */
  hasBegun: boolean;
}

export function handOut(request: JobRequest): HandedJob {
  const { run, id, matrix, needs, inputs, notes, key } = request;
  const { admit, onJob } = run.request;
  const cancellation = Promise.withResolvers<string>();
  const ending = Promise.withResolvers<JobOutcome>();
  let job = notBegun(request);
  let hasEnded = false;
  let admission: Promise<Admission> | undefined;
  const end = (outcome: JobOutcome): void => {
    hasEnded = true;
    ending.resolve(outcome);
  };
  return {
    message: {
      token: randomBytes(32).toString('base64url'),
      ...{ id, matrix: { ...matrix }, needs: { ...needs }, inputs: { ...inputs }, notes: [...notes], key },
      run: runMessage(run.request),
    },
    held: {
      files: run.files,
      cancelled: cancellation.promise,
      admit({ id: own, name, permissions, environment, concurrency }) {
        admission ??= admit({ id: own, name, permissions, environment, concurrency, cancel: cancellation.resolve });
        return admission;
      },
      tell(state) {
        const known = job.log.length;
        if (state.log.from > known)
          throw new HttpError(409, `The log is known up to ${known}, and was continued at ${state.log.from}.`);
        job = jobOf(state, job.log);
        onJob(job);
      },
      end: (conclusion, outputs) => end({ conclusion, outputs, job }),
    },
    cancel: cancellation.resolve,
    giveUp(conclusion, message) {
      if (hasEnded) return;
      job = endedWithout(job, conclusion, message);
      onJob(job);
      end({ conclusion, outputs: {}, job });
    },
    ended: ending.promise,
    heardMs: 0,
    hasBegun: false,
  };
}

function runMessage(run: JobRequest['run']['request']): JobMessage['run'] {
  const { path, text, event, payload, inputs, repository, repositoryId, defaultBranch, actor } = run;
  const { sha, ref, runId, runNumber, attempt, serverUrl, artifacts, cloneUrl, token } = run;
  return {
    ...{ path, text, event, payload: { ...payload }, inputs: { ...inputs }, repository, repositoryId, defaultBranch },
    ...{ actor, sha, ref, runId, runNumber, attempt, serverUrl, artifacts, cloneUrl, token },
  };
}

function notBegun({ id, definition }: JobRequest): WorkflowJob {
  const never = { conclusion: undefined, startedAt: undefined, completedAt: undefined };
  return { id, name: definition.name ?? id, status: 'queued', ...never, steps: [], annotations: [], log: '' };
}

/** Of a job whose runner says no more. */
function endedWithout(job: WorkflowJob, conclusion: 'failure' | 'cancelled', message: string): WorkflowJob {
  const completedAt = new Date().toISOString();
  const annotation = { level: 'failure', message, path: undefined, line: undefined } as const;
  const line = `${completedAt.replace('Z', '0000Z')} ##[error]${message}`;
  return {
    ...job,
    ...{ status: 'completed', conclusion, completedAt, startedAt: job.startedAt ?? completedAt },
    steps: job.steps.map((step) =>
      step.status === 'completed' ? step : { ...step, status: 'completed', conclusion: 'cancelled', completedAt },
    ),
    annotations: message === '' ? job.annotations : [...job.annotations, annotation],
    log: message === '' ? job.log : [job.log, line].filter(Boolean).join('\n'),
  };
}
