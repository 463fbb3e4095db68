/** Performs one job of a run in a fresh workspace, reports as it goes, and leaves no process and no folder behind. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluatedConcurrency } from '../actions/workflow-concurrency.ts';
import { interpolate, interpolateMap, minutesOf, type Scope } from '../actions/workflow-expression.ts';
import type { WorkflowJobDefinition } from '../actions/workflow-file.ts';
import { createJobReport, type JobReport } from '../actions/workflow-job-report.ts';
import type { JobOutcome, JobRequest } from '../actions/workflow-job-request.ts';
import { createWorkflowLog, type WorkflowLog } from '../actions/workflow-log.ts';
import type { Admission } from '../actions/workflow-types.ts';
import { unobeyedByJob } from '../actions/workflow-unobeyed.ts';
import { basicCredentials } from './checkout.ts';
import { eventPathOf, type Frame, type JobState, scopeOf, temporaryDirectoryOf } from './frame.ts';
import { endTracked, trackingIdOf } from './process.ts';
import { performSteps, stepNameOf } from './step.ts';

/** Where and how a job is performed on this machine. */
export interface Workplace extends Partial<Pick<JobState, 'enclose' | 'machine'>> {
  /** Is made for it, and gone afterwards. */
  readonly directory: string;
}

/** Performs a job on this machine. */
export type ExecuteJob = (request: JobRequest, place: Workplace) => Promise<JobOutcome>;

/** As it is. Whatever goes wrong in its steps or expressions is its conclusion, never a rejection. */
export async function executeJob(request: JobRequest, place: Workplace): Promise<JobOutcome> {
  const { directory } = place;
  const { token, onJob } = request.run.request;
  const log = createWorkflowLog([token, basicCredentials(token)]);
  const name = request.definition.name ?? request.id;
  const report = createJobReport({ id: request.id, name, log, onJob });
  const refreshing = setInterval(report.refresh, REFRESH_MS);
  const { conclusion, outputs } = await perform(request, { ...place, log, report });
  clearInterval(refreshing);
  await cleanUp({ directory, log });
  return { conclusion, outputs, job: report.end(conclusion) };
}

/** People look at the log while a step runs. */
const REFRESH_MS = 2_000;

interface JobPlace extends Workplace {
  readonly log: WorkflowLog;
}

async function perform(
  request: JobRequest,
  place: JobPlace & { readonly report: JobReport },
): Promise<Omit<JobOutcome, 'job'>> {
  const { log, report } = place;
  const clock = new AbortController();
  try {
    const signal = AbortSignal.any([request.run.request.signal, clock.signal]);
    const frame = await prepare(request, { ...place, signal });
    const stepNames = request.definition.steps.map((step) => stepNameOf(step, frame));
    const name = jobNameOf(request, scopeOf(frame));
    report.named(name);
    for (const message of [...request.notes, ...unobeyedByJob(request.definition)])
      log.annotate({ level: 'warning', message, path: undefined, line: undefined });
    const admission = await admissionOf(request, frame, { name, clock });
    if (!admission.admitted) return refused(admission, log);
    for (const secret of admission.secrets) log.mask(secret);
    Object.assign(frame.job.variables, admission.variables);
    report.start(stepNames);
    const timer = startClock(request, frame, clock);
    await performSteps(request.definition.steps, frame, report).finally(() => clearTimeout(timer));
    const conclusion = frame.status;
    return { conclusion, outputs: outputsOf(request.definition, frame) };
  } catch (error) {
    // An expression in the job's own keys, or a folder that cannot be made: this job fails, the run goes on.
    const message = error instanceof Error ? error.message : String(error);
    log.annotate({ level: 'failure', message, path: undefined, line: undefined });
    return { conclusion: 'failure', outputs: {} };
  }
}

async function admissionOf(
  { run, id, definition }: JobRequest,
  frame: Frame,
  { name, clock }: { readonly name: string; readonly clock: AbortController },
): Promise<Admission> {
  const scope = scopeOf(frame);
  const { environment, concurrency } = definition;
  const place = typeof environment === 'object' ? environment.name : environment;
  return run.request.admit({
    id,
    name,
    permissions: definition.permissions ?? run.workflow.permissions,
    environment: (place && interpolate(place, scope)) || undefined,
    concurrency: concurrency && evaluatedConcurrency(concurrency, scope),
    cancel: (message) => {
      frame.job.log.annotate({ level: 'failure', message, path: undefined, line: undefined });
      clock.abort();
    },
  });
}

function refused({ conclusion, reason }: Refusal, log: WorkflowLog): Omit<JobOutcome, 'job'> {
  if (reason !== '') log.annotate({ level: 'failure', message: reason, path: undefined, line: undefined });
  return { conclusion, outputs: {} };
}

type Refusal = Extract<Admission, { readonly admitted: false }>;

const defaultMinutes = 360;

function startClock(request: JobRequest, frame: Frame, clock: AbortController): NodeJS.Timeout {
  const minutes = minutesOf(request.definition['timeout-minutes'], scopeOf(frame)) ?? defaultMinutes;
  return setTimeout(() => {
    const message = `The job has exceeded the maximum execution time of ${minutes} minutes.`;
    frame.job.log.annotate({ level: 'failure', message, path: undefined, line: undefined });
    clock.abort();
  }, minutes * 60_000);
}

async function prepare(request: JobRequest, place: JobPlace & { readonly signal: AbortSignal }): Promise<Frame> {
  const { run, definition } = request;
  const repositoryName = run.request.repository.split('/')[1] ?? 'repository';
  const job: JobState = {
    directory: place.directory,
    log: place.log,
    signal: place.signal,
    id: request.id,
    workspace: join(place.directory, 'workspace', repositoryName),
    matrix: request.matrix,
    needs: request.needs,
    environment: {},
    variables: {},
    path: [],
    enclose: place.enclose,
    machine: place.machine ?? {},
    runDefaults: { ...run.workflow.defaults?.run, ...definition.defaults?.run },
  };
  const frame: Frame = {
    run,
    job,
    inputs: request.inputs,
    steps: {},
    environment: {},
    actionPath: undefined,
    depth: 0,
    signal: place.signal,
    status: 'success',
    performSteps,
  };
  for (const folder of [
    job.workspace,
    temporaryDirectoryOf(job),
    join(place.directory, 'home'),
    join(place.directory, 'tools'),
  ]) {
    await mkdir(folder, { recursive: true });
  }
  await writeFile(eventPathOf(job), JSON.stringify(run.request.payload));
  Object.assign(job.environment, interpolateMap(run.workflow.env, scopeOf(frame)));
  Object.assign(job.environment, interpolateMap(definition.env, scopeOf(frame)));
  return frame;
}

function jobNameOf({ id, definition, matrix }: JobRequest, scope: Scope): string {
  if (definition.name !== undefined) return interpolate(definition.name, scope);
  const values = Object.values(matrix);
  return values.length === 0 ? id : `${id} (${values.join(', ')})`;
}

/** As on GitHub, an output that shows a secret does not leave the job. */
function outputsOf(definition: WorkflowJobDefinition, frame: Frame): Record<string, string> {
  const { log } = frame.job;
  const outputs = Object.entries(interpolateMap(definition.outputs, scopeOf(frame)));
  const safe = outputs.filter(([name, value]) => {
    const shows = log.redact(value) !== value;
    const message = `Skip output '${name}' since it may contain secret.`;
    if (shows) log.annotate({ level: 'warning', message, path: undefined, line: undefined });
    return !shows;
  });
  return Object.fromEntries(safe);
}

/** Ends what the job left running, and removes its folder. */
async function cleanUp({ directory, log }: JobPlace): Promise<void> {
  const orphans = await endTracked(trackingIdOf(directory));
  if (orphans > 0) log.write(`Cleaning up orphan processes: ${orphans} ended`);
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch((error: Error) => {
    // The job's verdict stands; a folder that a step made unremovable is said, not hidden.
    const message = `The job's folder could not be removed: ${error.message}`;
    log.annotate({ level: 'warning', message, path: undefined, line: undefined });
  });
}
