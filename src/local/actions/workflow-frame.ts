/** What a step sees while it runs: the run, its job, the frame (job or composite action), contexts and environment. */
import { dirname, join } from 'node:path';
import { fieldsOf } from '../../referee/json.ts';
import type { Scope, Status } from './workflow-expression.ts';
import type { Workflow, WorkflowStepDefinition } from './workflow-file.ts';
import type { WorkflowLog } from './workflow-log.ts';
import { trackingIdOf } from './workflow-process.ts';
import type { RunFiles } from './workflow-run-files.ts';
import type { Conclusion, EnclosedStart, PerformedRun, ProcessStart, WorkflowRequest } from './workflow-types.ts';

/** One run, of which a job is performed. */
export interface RunState {
  readonly request: PerformedRun;
  readonly workflow: Workflow;
  readonly files: RunFiles;
}

/** One job; the environment and the path grow by GITHUB_ENV and GITHUB_PATH. */
export interface JobState {
  readonly id: string;
  readonly directory: string;
  readonly workspace: string;
  readonly matrix: Readonly<Record<string, string | number | boolean>>;
  readonly needs: Readonly<Record<string, unknown>>;
  readonly log: WorkflowLog;
  readonly environment: Record<string, string>;
  /** What the server gave the job; no step changes them. */
  readonly variables: Record<string, string>;
  readonly path: string[];
  readonly runDefaults: { readonly shell?: string | undefined; readonly 'working-directory'?: string | undefined };
  /** Aborted when the run is cancelled or the job's time is over. */
  readonly signal: AbortSignal;
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

/** The contexts that exist before a job does: for a job's `if`. */
export function runContexts(run: RunState, inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { token } = run.request;
  return { ...titleContexts(run, inputs), github: githubContext(run), secrets: { GITHUB_TOKEN: token } };
}

/** The contexts of `run-name`, which is evaluated before the run has a token. */
export function titleContexts(
  { request, workflow }: { readonly request: WorkflowRequest; readonly workflow: Workflow },
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { github: eventContext(request, workflow), inputs, vars: {} };
}

/** The whole environment of a step's process: of the host's own comes in what the run may have of it. */
export function environmentOf(
  frame: Frame,
  stepEnvironment: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { run, job } = frame;
  const { PATH: programs, ...machine } = run.request.machine ?? {};
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
export function enclosureOf({ run, job }: Frame): {
  readonly enclose?: (start: ProcessStart) => Promise<EnclosedStart>;
} {
  const { enclose } = run.request;
  return enclose === undefined ? {} : { enclose: (start) => enclose(start, job.directory) };
}

/** The folder of the Node that runs this program; first on the path of every step. */
export const nodeDirectory = dirname(process.execPath);

const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

function githubContext({ request, workflow }: RunState, job?: JobState): Record<string, unknown> {
  return {
    ...eventContext(request, workflow),
    job: job?.id ?? '',
    token: request.token,
    workspace: job?.workspace ?? '',
  };
}

/** Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts#github-context */
function eventContext(request: WorkflowRequest, workflow: Workflow): Record<string, unknown> {
  return {
    actor: request.actor,
    triggering_actor: request.actor,
    api_url: `${request.serverUrl}/api/v3`,
    graphql_url: `${request.serverUrl}/graphql`,
    server_url: request.serverUrl,
    event: request.payload,
    event_name: request.event,
    ref: request.ref,
    ref_name: request.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: request.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    head_ref: branchOf(request, 'head'),
    base_ref: branchOf(request, 'base'),
    repository: request.repository,
    repository_id: String(request.repositoryId),
    repository_owner: request.repository.split('/')[0] ?? '',
    run_attempt: String(request.attempt),
    run_id: String(request.runId),
    run_number: String(request.runNumber),
    sha: request.sha,
    workflow: workflow.name,
    workflow_ref: `${request.repository}/${request.path}@${request.ref}`,
    workflow_sha: request.sha,
  };
}

/** Of a pull request; empty for every other event. */
function branchOf({ payload }: WorkflowRequest, end: 'head' | 'base'): string {
  const { ref } = fieldsOf(fieldsOf(fieldsOf(payload).pull_request)[end]);
  return typeof ref === 'string' ? ref : '';
}

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
