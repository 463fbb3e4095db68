/** The jobs that wait for a runner, and those that runners have: GitHub's side of it. */
import { performance } from 'node:perf_hooks';
import { HttpError } from '../http-error.ts';
import { type HandedJob, type HeldJob, handOut } from './handed-job.ts';
import type { JobMessage } from './job-message.ts';
import type { JobOutcome, JobRequest } from './workflow-job-request.ts';

export interface JobQueue {
  /** Has the job performed by the first runner that asks. Never rejects. */
  readonly perform: (request: JobRequest) => Promise<JobOutcome>;
  /** The next job, for a runner; undefined where none came before the signal. */
  readonly take: (signal: AbortSignal) => Promise<JobMessage | undefined>;
  /** The job whose token it is. @throws {HttpError} 401 where there is none, or it has ended. */
  readonly held: (token: string | undefined) => HeldJob;
  /** From now on no runner is waited for where a job is cancelled: it cannot be heard any more. */
  readonly close: () => void;
}

export interface Patience {
  /** A runner that is silent for so long is lost; while it has a job it asks more often whether that goes on. */
  readonly lostMs: number;
  /** In which it begins with a job that it took: the answer with it may have been lost. */
  readonly beginMs: number;
  /** In which it ends a job that is cancelled. */
  readonly graceMs: number;
  /** Between two looks at all that. */
  readonly lookMs: number;
}

const PATIENCE: Patience = { lostMs: 60_000, beginMs: 10_000, graceMs: 30_000, lookMs: 5_000 };

/** Where jobs are between the server and its runners. */
interface Places {
  waiting: readonly HandedJob[];
  /** By token. */
  readonly held: Map<string, HandedJob>;
  /** Runners that ask. */
  readonly takers: Set<() => void>;
  isClosed: boolean;
}

/** Without jobs and without runners. */
export function createJobQueue(patience: Patience = PATIENCE): JobQueue {
  const places: Places = { waiting: [], held: new Map(), takers: new Set(), isClosed: false };
  const look = (): void => {
    for (const job of [...places.held.values()]) lookAt(places, job, patience);
  };
  const timer = setInterval(look, patience.lookMs).unref();
  return {
    perform: (request) => perform(places, request, patience),
    take: (signal) => take(places, signal),
    held: (token) => {
      const job = token === undefined ? undefined : places.held.get(token);
      if (job === undefined) throw new HttpError(401, 'The token is of no job that runs.');
      job.heardMs = performance.now();
      job.hasBegun = true;
      return job.held;
    },
    close: () => {
      clearInterval(timer);
      places.isClosed = true;
    },
  };
}

async function perform(places: Places, request: JobRequest, { graceMs }: Patience): Promise<JobOutcome> {
  const job = handOut(request);
  const { token } = job.message;
  const { signal } = request.run.request;
  const abort = (): void => {
    if (places.isClosed || !places.held.has(token)) job.giveUp('cancelled', '');
    else {
      job.cancel('');
      setTimeout(() => job.giveUp('cancelled', ''), graceMs).unref();
    }
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  else offer(places, job);
  return job.ended.finally(() => {
    signal.removeEventListener('abort', abort);
    places.waiting = places.waiting.filter((other) => other !== job);
    places.held.delete(token);
  });
}

function offer(places: Places, job: HandedJob): void {
  places.waiting = [...places.waiting, job];
  for (const wake of places.takers) wake();
}

async function take(places: Places, signal: AbortSignal): Promise<JobMessage | undefined> {
  while (places.waiting.length === 0 && !signal.aborted) await nextOf(places, signal);
  const [job] = places.waiting;
  if (job === undefined || signal.aborted) return undefined;
  places.waiting = places.waiting.slice(1);
  job.heardMs = performance.now();
  places.held.set(job.message.token, job);
  return job.message;
}

function lookAt(places: Places, job: HandedJob, { lostMs, beginMs }: Patience): void {
  const silentMs = performance.now() - job.heardMs;
  if (silentMs > lostMs) job.giveUp('failure', LOST);
  else if (!job.hasBegun && silentMs > beginMs) {
    places.held.delete(job.message.token);
    offer(places, job);
  }
}

/** As GitHub says it of a machine of one's own. */
const LOST =
  'The self-hosted runner lost communication with the server. Verify the machine is running and has a healthy network connection.';

/** Resolves when a job was offered, or at the signal. */
function nextOf({ takers }: Places, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      takers.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    takers.add(wake);
    signal.addEventListener('abort', wake);
  });
}
