/** Executes one workflow file for one event: its jobs in the order of `needs`, one at a time. */

import { runContexts } from './workflow-contexts.ts';
import { conditionHolds, flagHolds, type Scope, type Status } from './workflow-expression.ts';
import { parseWorkflow, type Workflow, type WorkflowJobDefinition } from './workflow-file.ts';
import { typedInputs } from './workflow-inputs.ts';
import { createJobReport } from './workflow-job-report.ts';
import type { Combination, JobOutcome, JobRequest, PerformJob, RunState } from './workflow-job-request.ts';
import { createWorkflowLog } from './workflow-log.ts';
import { type KeptRunFiles, keepRunFiles } from './workflow-run-files.ts';
import { runNameOf } from './workflow-title.ts';
import type { Conclusion, WorkflowExecution, WorkflowJob, WorkflowResult } from './workflow-types.ts';
import { unobeyedByRun } from './workflow-unobeyed.ts';

/**
 * Executes the workflow; an aborted run resolves with `cancelled`.
 * @throws WorkflowFileError when the file cannot be executed, before any job starts; Error for a bad `run-name`.
 */
export async function executeWorkflow(request: WorkflowExecution, performJob: PerformJob): Promise<WorkflowResult> {
  const workflow = parseWorkflow(request.text, request.path);
  const files = keepRunFiles(request.directory, request.onArtifact);
  const execution: Execution = {
    run: { request, workflow, files },
    performJob,
    inputs: typedInputs(workflow, request.inputs),
    done: new Map(),
  };
  const title = runNameOf(workflow, request) ?? workflow.name;
  const jobs: WorkflowJob[] = [];
  for (const id of orderOf(workflow)) jobs.push(...(await perform(id, execution)));
  return { title, conclusion: conclusionOf(execution), jobs };
}

interface Execution {
  readonly run: RunState & { readonly request: WorkflowExecution; readonly files: KeptRunFiles };
  readonly performJob: PerformJob;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly done: Map<string, JobResult>;
}

/** What `needs.<id>` shows; `tolerated` failures (job-level continue-on-error) count as success. */
interface JobResult {
  readonly result: Exclude<Conclusion, 'timed_out'>;
  readonly outputs: Readonly<Record<string, string>>;
}

function orderOf({ jobs }: Workflow): string[] {
  const order = new Set<string>();
  const visit = (id: string): void => {
    for (const needed of jobs[id]?.needs ?? []) visit(needed);
    order.add(id);
  };
  for (const id of Object.keys(jobs)) visit(id);
  return [...order];
}

async function perform(id: string, execution: Execution): Promise<WorkflowJob[]> {
  const { inputs, done } = execution;
  const definition = execution.run.workflow.jobs[id];
  if (definition === undefined) return [];
  const run = withOwnToken(execution, definition);
  const needs = Object.fromEntries(definition.needs.map((needed) => [needed, done.get(needed)]));
  const scope: Scope = { status: statusFor(id, execution), contexts: { ...runContexts(run, inputs), needs } };
  const verdict = verdictOf(definition, scope, run);
  if (!verdict.starts) {
    done.set(id, { result: verdict.conclusion, outputs: {} });
    return [notStarted({ id, name: definition.name ?? id, run }, verdict)];
  }
  const { outcomes, left } = await performAll({ run, id, definition, needs, inputs }, { execution, scope, verdict });
  done.set(id, resultOf(outcomes, verdict.tolerant));
  return [...outcomes.map(({ job }) => job), ...left];
}

/** A job's own permissions stand in place of the workflow's: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idpermissions */
function withOwnToken({ run }: Execution, { permissions }: WorkflowJobDefinition): RunState {
  const { request } = run;
  return permissions === undefined ? run : { ...run, request: { ...request, token: request.tokenFor(permissions) } };
}

interface Performing {
  readonly execution: Execution;
  readonly scope: Scope;
  readonly verdict: Extract<Verdict, { readonly starts: true }>;
}

/** One job after another; where one of a matrix fails, those that are left are cancelled unless the file says otherwise. */
async function performAll(
  common: Omit<JobRequest, 'matrix' | 'key' | 'notes'>,
  { execution, scope, verdict }: Performing,
): Promise<{ readonly outcomes: readonly JobOutcome[]; readonly left: readonly WorkflowJob[] }> {
  const { id, definition, run } = common;
  const failsFast = flagHolds(definition.strategy?.['fail-fast'] ?? true, scope) && !verdict.tolerant;
  const notes = execution.done.size === 0 ? unobeyedByRun(run.workflow) : [];
  const combinations = combinationsOf(definition).map((matrix, index) =>
    index === 0 ? { matrix, key: id, notes } : { matrix, key: `${id}-${index + 1}`, notes: [] },
  );
  const outcomes: JobOutcome[] = [];
  for (const one of combinations) {
    if (failsFast && outcomes.some(isFailed)) break;
    const outcome = await execution.performJob({ ...common, ...one });
    await execution.run.files.addLog(one.key, outcome.job.log);
    outcomes.push(outcome);
  }
  return { outcomes, left: combinations.slice(outcomes.length).map(({ matrix }) => notBegun(common, matrix)) };
}

const isFailed = ({ conclusion }: JobOutcome): boolean => conclusion === 'failure';

function notBegun(
  { id, definition, run }: Pick<JobRequest, 'id' | 'definition' | 'run'>,
  matrix: Combination,
): WorkflowJob {
  const name = `${definition.name ?? id} (${Object.values(matrix).join(', ')})`;
  return notStarted({ id, name, run }, { starts: false, conclusion: 'cancelled' });
}

interface NotRun {
  readonly starts: false;
  readonly conclusion: 'skipped' | 'cancelled' | 'failure';
  readonly message?: string;
}

type Verdict = NotRun | { readonly starts: true; readonly tolerant: boolean };

function verdictOf(definition: WorkflowJobDefinition, scope: Scope, run: RunState): Verdict {
  if (run.request.signal.aborted) return { starts: false, conclusion: 'cancelled' };
  try {
    if (!conditionHolds(definition.if, scope)) return { starts: false, conclusion: 'skipped' };
    return { starts: true, tolerant: flagHolds(definition['continue-on-error'], scope) };
  } catch (error) {
    // The expressions are the workflow author's: they fail this job with the reason, not the host.
    const message = error instanceof Error ? error.message : String(error);
    return { starts: false, conclusion: 'failure', message };
  }
}

function notStarted(job: { id: string; name: string; run: RunState }, verdict: NotRun): WorkflowJob {
  const { request } = job.run;
  const log = createWorkflowLog([request.token]);
  if (verdict.message !== undefined) {
    log.annotate({ level: 'failure', message: verdict.message, path: undefined, line: undefined });
  }
  const report = createJobReport({ id: job.id, name: job.name, log, onJob: request.onJob });
  return report.end(verdict.conclusion);
}

/** The status functions of a job look at everything that it waits for, directly or not. */
function statusFor(id: string, { run, done }: Execution): Status {
  if (run.request.signal.aborted) return 'cancelled';
  const ancestors = new Set<string>();
  const visit = (job: string): void => {
    for (const needed of run.workflow.jobs[job]?.needs ?? []) {
      ancestors.add(needed);
      visit(needed);
    }
  };
  visit(id);
  const results = [...ancestors].map((ancestor) => done.get(ancestor)?.result);
  if (results.includes('cancelled')) return 'cancelled';
  if (results.includes('failure')) return 'failure';
  return results.includes('skipped') ? 'skipped' : 'success';
}

/** All combinations of the matrix, the last key changing fastest; one empty combination without a matrix. */
function combinationsOf({ strategy }: WorkflowJobDefinition): Combination[] {
  let combinations: Combination[] = [{}];
  for (const [key, values] of Object.entries(strategy?.matrix ?? {})) {
    combinations = combinations.flatMap((rest) => values.map((value) => ({ ...rest, [key]: value })));
  }
  return combinations;
}

function resultOf(outcomes: readonly JobOutcome[], tolerant: boolean): JobResult {
  const conclusions = outcomes.map(({ conclusion }) => conclusion);
  const outputs = Object.assign({}, ...outcomes.map((outcome) => outcome.outputs));
  if (conclusions.includes('cancelled')) return { result: 'cancelled', outputs };
  const failed = conclusions.includes('failure') && !tolerant;
  return { result: failed ? 'failure' : 'success', outputs };
}

function conclusionOf({ run, done }: Execution): WorkflowResult['conclusion'] {
  const results = [...done.values()].map(({ result }) => result);
  if (run.request.signal.aborted && results.includes('cancelled')) return 'cancelled';
  if (results.includes('failure')) return 'failure';
  return results.includes('cancelled') ? 'cancelled' : 'success';
}
