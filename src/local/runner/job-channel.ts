/** A runner's side of one job: what the server is asked and told of it, over HTTP. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import {
  admissionMessage,
  admissionOf,
  artifactNames,
  cancellationMessage,
  claimMessageOf,
  RUNNER_PATH,
  type StateMessage,
} from '../actions/job-message.ts';
import type { JobOutcome } from '../actions/workflow-job-request.ts';
import type { RunFiles } from '../actions/workflow-run-files.ts';
import type { Admission, JobClaim, WorkflowJob } from '../actions/workflow-types.ts';

export interface JobChannel {
  readonly files: RunFiles;
  readonly admit: (claim: JobClaim) => Promise<Admission>;
  /** Later states follow earlier ones; what did not arrive is sent with the next. */
  readonly tell: (job: WorkflowJob) => void;
  /** Resolves to the reason when the job is to end early; also when the server no longer knows it. */
  readonly cancelled: Promise<string>;
  /** After all that was told. */
  readonly end: (outcome: Pick<JobOutcome, 'conclusion' | 'outputs'>) => Promise<void>;
}

export interface ChannelOptions {
  /** Base address of the server. */
  readonly url: string;
  /** The job's own. */
  readonly token: string;
  /** Aborted when the runner ends: then a server that is away is not waited for. */
  readonly stopping: AbortSignal;
}

/** How long a server may be away while a job goes on, and how long one request may take. */
const AWAY_MS = 60_000;
const PAUSE_MS = 500;

/** Opens it; nothing is asked but whether the job is cancelled. */
export function openJobChannel({ url, token, stopping }: ChannelOptions): JobChannel {
  const closing = new AbortController();
  const authorization = `Bearer ${token}`;
  const ask: Ask = (path, init = {}) =>
    asked(
      `${url}${RUNNER_PATH}/job${path}`,
      { ...init, headers: { ...init.headers, authorization } },
      { closing: closing.signal, stopping },
    );
  let sentChars = 0;
  let latest: WorkflowJob | undefined;
  let sending = Promise.resolve();
  const send = async (): Promise<void> => {
    const job = latest;
    if (job === undefined) return;
    latest = undefined;
    await ask('/state', asJson('PUT', stateOf(job, sentChars)));
    sentChars = job.log.length;
  };
  return {
    files: filesBy(ask),
    admit: async (claim) => {
      for (;;) {
        const answer = await read(admissionMessage, await ask('/admission', asJson('POST', claimMessageOf(claim))));
        if (answer.type !== 'waiting') return admissionOf(answer);
      }
    },
    tell: (job) => {
      latest = job;
      // A state that is lost is in the next one, and the last one is awaited by the end.
      sending = sending.then(send).catch(() => {
        latest ??= job;
        sentChars = 0;
      });
    },
    cancelled: cancellation(ask),
    end: async ({ conclusion, outputs }) => {
      try {
        await sending;
        await send();
        await ask('/end', asJson('POST', { conclusion, outputs }));
      } finally {
        closing.abort();
      }
    },
  };
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

/** What the server did not take is an error with its sentence. */
export class RefusedError extends Error {
  override name = 'RefusedError';
}

interface Ends {
  readonly closing: AbortSignal;
  readonly stopping: AbortSignal;
}

/** Asks until the server answers, as long as it may be away. @throws {RefusedError} for what it refuses; {Error} where it stays away. */
async function asked(url: string, init: RequestInit, { closing, stopping }: Ends): Promise<Response> {
  const untilMs = performance.now() + AWAY_MS;
  for (;;) {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(AWAY_MS)]);
    const answer = await fetch(url, { ...init, signal }).then(answered, (error: Error) => error);
    if (!(answer instanceof Error)) return answer;
    const isOver = closing.aborted || stopping.aborted || performance.now() > untilMs;
    if (isOver || answer instanceof RefusedError) throw answer;
    await sleep(PAUSE_MS);
  }
}

async function answered(answer: Response): Promise<Response | Error> {
  if (answer.ok) return answer;
  const sentence = await sentenceOf(answer);
  return answer.status < 500 ? new RefusedError(sentence) : new Error(sentence);
}

async function sentenceOf(answer: Response): Promise<string> {
  const { message } = await answer.json().catch(() => ({ message: undefined }));
  return typeof message === 'string' ? message : `The server answered ${answer.status}.`;
}

async function read<Answer>(schema: z.ZodType<Answer>, answer: Response): Promise<Answer> {
  return schema.parse(await answer.json());
}

function asJson(method: 'POST' | 'PUT', value: object): RequestInit {
  return { method, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

function stateOf({ log, ...job }: WorkflowJob, sentChars: number): StateMessage {
  return {
    job: { ...job, steps: [...job.steps], annotations: [...job.annotations] },
    log: { from: sentChars, text: log.slice(sentChars) },
  };
}

async function cancellation(ask: Ask): Promise<string> {
  for (;;) {
    const answer = await ask('/cancellation').then(
      (response) => read(cancellationMessage, response),
      () => GONE,
    );
    if (answer.isCancelled) return answer.reason;
  }
}

/** The server knows the job no longer, or is away for good: nobody waits for it. */
const GONE = { isCancelled: true, reason: '' };

function filesBy(ask: Ask): RunFiles {
  return {
    artifactNames: async () => (await read(artifactNames, await ask('/artifacts'))).names,
    artifact: async (name) => {
      const { names } = await read(artifactNames, await ask('/artifacts'));
      if (!names.includes(name)) return undefined;
      return new Uint8Array(await (await ask(`/artifacts/${encodeURIComponent(name)}`)).arrayBuffer());
    },
    addArtifact: async (name, zip) => {
      await ask(`/artifacts/${encodeURIComponent(name)}`, { method: 'PUT', body: new Uint8Array(zip) });
    },
    addSummary: async (job, text) => {
      await ask('/summary', asJson('POST', { job, text }));
    },
  };
}
