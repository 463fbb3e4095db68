/** A runner: asks the server for jobs, performs each in a folder of its own, and says how it goes. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JobMessage, jobMessage, RUNNER_PATH } from '../actions/job-message.ts';
import { parseWorkflow } from '../actions/workflow-file.ts';
import type { JobRequest } from '../actions/workflow-job-request.ts';
import type { ExecuteJob } from './job.ts';
import { type JobChannel, openJobChannel } from './job-channel.ts';
import { createOutlet } from './outlet.ts';
import { endLeftovers } from './process.ts';
import { relayTo } from './relay.ts';

export interface RunnerOptions {
  /** Base address of the server. */
  readonly url: string;
  /** Shared with the server. */
  readonly secret: string;
  /** Where jobs work; what a former runner left in it is ended and removed. */
  readonly works: string;
  /** Given where enclosed steps find the server. */
  readonly executing: (outlet: () => Promise<string>) => ExecuteJob;
  /** How many jobs at a time. */
  readonly lanes: number;
  readonly say: (line: string) => void;
}

export interface Runner {
  /** Ends the jobs that run, as cancelled, and waits until their processes are gone. */
  readonly close: () => Promise<void>;
}

/** Begins to ask for jobs. */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  await endLeftovers(options.works);
  const stopping = new AbortController();
  const outlet = createOutlet(relayTo(options.url));
  const lanes = Array.from({ length: options.lanes }, () =>
    askForJobs({ ...options, executeJob: options.executing(outlet.path) }, stopping.signal),
  );
  return {
    close: async () => {
      stopping.abort();
      await Promise.all(lanes);
      await outlet.close();
    },
  };
}

type Working = RunnerOptions & { readonly executeJob: ExecuteJob };

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** The server answers sooner, also where it has no job. */
const LONGEST_QUESTION_MS = 60_000;

/** One job after another, until it is stopped; a server that is away is asked again, ever more rarely. */
async function askForJobs(working: Working, signal: AbortSignal): Promise<void> {
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!signal.aborted) {
    const message = await takeFrom(working, signal);
    if (typeof message === 'string') {
      if (signal.aborted) return;
      working.say(`no job could be asked for: ${message}`);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      continue;
    }
    pauseMs = SHORTEST_PAUSE_MS;
    if (message !== undefined) await perform(working, message, signal);
  }
}

/** Undefined where there is none for now; why it could not be asked for, otherwise. */
async function takeFrom({ url, secret }: Working, signal: AbortSignal): Promise<JobMessage | string | undefined> {
  try {
    const headers = { authorization: `Bearer ${secret}` };
    const waiting = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_QUESTION_MS)]);
    const answer = await fetch(`${url}${RUNNER_PATH}/take`, { method: 'POST', headers, signal: waiting });
    if (answer.status === 204) return undefined;
    if (!answer.ok) return `${url} answered ${answer.status} ${await answer.text()}`;
    return jobMessage.parse(await answer.json());
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function perform(working: Working, message: JobMessage, stopping: AbortSignal): Promise<void> {
  const { key, run } = message;
  const channel = openJobChannel({ url: working.url, token: message.token, stopping });
  const directory = join(working.works, `${run.runId}-${run.attempt}-${key}`);
  const outcome = await (async () => working.executeJob(requestOf(message, channel, stopping), { directory }))().catch(
    (error: Error) => {
      working.say(`job ${key} of run ${run.runId} cannot be performed: ${error.message}`);
      return FAILED;
    },
  );
  await channel
    .end(outcome)
    .catch((error: Error) =>
      working.say(`how job ${key} of run ${run.runId} ended could not be told: ${error.message}`),
    );
}

/** Whatever goes wrong in a job is its own conclusion; this is for a message that cannot be read as one. */
const FAILED = { conclusion: 'failure', outputs: {} } as const;

function requestOf(message: JobMessage, channel: JobChannel, stopping: AbortSignal): JobRequest {
  const { id, matrix, needs, inputs, notes, key, run } = message;
  const workflow = parseWorkflow(run.text, run.path);
  const definition = workflow.jobs[id];
  if (definition === undefined) throw new Error(`${run.path} has no job ${id}`);
  const ending = new AbortController();
  let cancel = (_reason: string): void => ending.abort();
  void channel.cancelled.then((reason) => (reason === '' ? ending.abort() : cancel(reason)));
  return {
    ...{ id, matrix, needs, inputs, notes, key, definition },
    run: {
      workflow,
      files: channel.files,
      request: {
        ...run,
        signal: AbortSignal.any([ending.signal, stopping]),
        onJob: channel.tell,
        admit: (claim) => {
          cancel = claim.cancel;
          return channel.admit(claim);
        },
      },
    },
  };
}
