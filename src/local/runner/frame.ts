/** What a step sees while it runs: the run, its job, the frame (job or composite action), contexts and environment. */
import { dirname, join } from 'node:path';
import { githubContext, runContexts } from '../actions/workflow-contexts.ts';
import type { Scope, Status } from '../actions/workflow-expression.ts';
import type { WorkflowStepDefinition } from '../actions/workflow-file.ts';
import type { Combination, RunState } from '../actions/workflow-job-request.ts';
import type { WorkflowLog } from '../actions/workflow-log.ts';
import type { Conclusion } from '../actions/workflow-types.ts';
import { type ProcessRequest, trackingIdOf } from './process.ts';
import type { EnclosedStart, ProcessStart } from './process-start.ts';

/** One job; the environment and the path grow by GITHUB_ENV and GITHUB_PATH. */
export interface JobState {
  readonly id: string;
  readonly directory: string;
  readonly workspace: string;
  readonly matrix: Combination;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly log: WorkflowLog;
  readonly environment: Record<string, string>;
  /** What the server gave the job; no step changes them. */
  readonly variables: Record<string, string>;
  readonly path: string[];
  readonly runDefaults: { readonly shell?: string | undefined; readonly 'working-directory'?: string | undefined };
  /** Aborted when the run is cancelled or the job's time is over. */
  readonly signal: AbortSignal;
  /** How its processes are started; as they are where it is absent. */
  readonly enclose: ((start: ProcessStart) => Promise<EnclosedStart>) | undefined;
  /** What steps have of this machine's own environment. */
  readonly machine: Readonly<Record<string, string>>;
}

/** How a step's work ended; `failure` is the sentence for the log. */
export interface StepResult {
  readonly outputs: Readonly<Record<string, string>>;
  readonly failure?: string | undefined;
}

export interface StepRecord {
  readonly outputs: Readonly<Record<string, string>>;
  readonly outcome: Conclusion;
  readonly conclusion: Conclusion;
}

/** The steps of a job, or of a composite action within it: each has its own `steps`, `inputs` and status. */
export interface Frame {
  readonly run: RunState;
  readonly job: JobState;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly steps: Record<string, StepRecord>;
  readonly environment: Readonly<Record<string, string>>;
  readonly actionPath: string | undefined;
  /** 0 in the job itself, more in nested composite actions. */
  readonly depth: number;
  readonly signal: AbortSignal;
  status: Status;
  /** Performs nested steps; here, so that composite actions need not import their caller. */
  readonly performSteps: (steps: readonly WorkflowStepDefinition[], frame: Frame) => Promise<void>;
}

/** The scope in which a frame's expressions are evaluated. */
export function scopeOf(frame: Frame, stepEnvironment: Readonly<Record<string, string>> = {}): Scope {
  const { run, job } = frame;
  return {
    status: frame.status,
    contexts: {
      ...runContexts(run, frame.inputs),
      github: { ...githubContext(run, job), action_path: frame.actionPath ?? '' },
      env: { ...job.environment, ...frame.environment, ...stepEnvironment },
      needs: job.needs,
      matrix: job.matrix,
      strategy: {},
      steps: frame.steps,
      job: { status: frame.status },
      runner: runnerContext(job),
    },
  };
}

/** The whole environment of a step's process: of the host's own comes in what the run may have of it. */
export function environmentOf(
  frame: Frame,
  stepEnvironment: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { run, job } = frame;
  const { PATH: programs, ...machine } = job.machine;
  const path = [...job.path, nodeDirectory, ...(programs === undefined ? [] : [programs]), ...systemPath].join(':');
  return {
    ...machine,
    PATH: path,
    HOME: join(job.directory, 'home'),
    LANG: 'C.UTF-8',
    CI: 'true',
    ...job.environment,
    ...frame.environment,
    ...stepEnvironment,
    ...githubVariables(run, job),
    ...(frame.actionPath === undefined ? {} : { GITHUB_ACTION_PATH: frame.actionPath }),
    ...runnerVariables(job),
    ...job.variables,
    RUNNER_TRACKING_ID: trackingIdOf(job.directory),
  };
}

/** How processes of the frame's job are started; to be spread into their request. */
export function enclosureOf({ job: { enclose } }: Frame): Pick<ProcessRequest, 'enclose'> {
  return enclose === undefined ? {} : { enclose };
}

/** The folder of the Node that runs this program; first on the path of every step. */
export const nodeDirectory = dirname(process.execPath);

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The context's texts as variables; `event` is a file, and the token is never in the environment by itself. */
function githubVariables(run: RunState, job: JobState): Record<string, string> {
  const { event: _event, token: _token, ...texts } = githubContext(run, job);
  const variables = Object.entries(texts).map(([name, value]) => [`GITHUB_${name.toUpperCase()}`, String(value)]);
  return { ...Object.fromEntries(variables), GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: eventPathOf(job) };
}

/** Where the job finds the webhook payload. */
export const eventPathOf = (job: JobState): string => join(job.directory, 'event.json');

/** The folder that RUNNER_TEMP names. */
export const temporaryDirectoryOf = (job: JobState): string => join(job.directory, 'temp');

function runnerContext(job: JobState): Record<string, string> {
  return {
    name: 'local',
    os: 'Linux',
    arch: process.arch === 'arm64' ? 'ARM64' : 'X64',
    temp: temporaryDirectoryOf(job),
    tool_cache: join(job.directory, 'tools'),
    environment: 'self-hosted',
  };
}

function runnerVariables(job: JobState): Record<string, string> {
  const variables = Object.entries(runnerContext(job)).map(([name, value]) => [`RUNNER_${name.toUpperCase()}`, value]);
  return Object.fromEntries(variables);
}
