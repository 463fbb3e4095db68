/** Performs the steps of a job or of a composite action, one after the other. */

import { conditionHolds, flagHolds, interpolate, interpolateMap, minutesOf } from '../actions/workflow-expression.ts';
import type { WorkflowStepDefinition } from '../actions/workflow-file.ts';
import { performAction } from './built-in-actions.ts';
import { type Frame, type StepRecord, type StepResult, scopeOf } from './frame.ts';
import { performScript } from './script.ts';

export interface StepObserver {
  readonly started: (index: number) => void;
  readonly completed: (index: number, record: StepRecord) => void;
}

/** Performs the steps in order; afterwards `frame.status` is their verdict and `frame.steps` holds those with an id. */
export async function performSteps(
  steps: readonly WorkflowStepDefinition[],
  frame: Frame,
  observer?: StepObserver,
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    observer?.started(index);
    const record = await performStep(step, frame);
    if (step.id !== undefined) frame.steps[step.id] = record;
    if (record.conclusion === 'cancelled') frame.status = 'cancelled';
    else if (record.conclusion === 'failure' && frame.status === 'success') frame.status = 'failure';
    observer?.completed(index, record);
  }
}

/** The name that a step shows: its own, or what it does. */
export function stepNameOf(step: WorkflowStepDefinition, frame: Frame): string {
  const fallback = `Run ${(step.run ?? step.uses ?? '').split('\n')[0] ?? ''}`;
  try {
    return interpolate(step.name ?? fallback, scopeOf(frame));
  } catch {
    // A name may speak of steps that have not run yet; the template then says more than nothing.
    return step.name ?? fallback;
  }
}

const skipped: StepRecord = { outputs: {}, outcome: 'skipped', conclusion: 'skipped' };
const cancelled: StepRecord = { outputs: {}, outcome: 'cancelled', conclusion: 'cancelled' };

async function performStep(step: WorkflowStepDefinition, frame: Frame): Promise<StepRecord> {
  if (frame.run.request.signal.aborted) return cancelled;
  if (frame.job.signal.aborted) return performAfterTimeout(step, frame);
  const { outputs, failure, isSkipped } = await attempt(step, frame);
  if (isSkipped === true) return skipped;
  if (failure === undefined) return { outputs, outcome: 'success', conclusion: 'success' };
  if (frame.job.signal.aborted) return cancelled;
  frame.job.log.annotate({ level: 'failure', message: failure, path: undefined, line: undefined });
  const tolerated = flagHolds(step['continue-on-error'], scopeOf(frame));
  return { outputs, outcome: 'failure', conclusion: tolerated ? 'success' : 'failure' };
}

/** What a step that always runs has left when the job's own time is over. */
const GRACE_MS = 5 * 60_000;

/** Of the steps that are left only those run that ask for it, by `always()` or `cancelled()`. */
async function performAfterTimeout(step: WorkflowStepDefinition, frame: Frame): Promise<StepRecord> {
  const signal = AbortSignal.any([frame.run.request.signal, AbortSignal.timeout(GRACE_MS)]);
  const grace: Frame = { ...frame, status: 'cancelled', signal, job: { ...frame.job, signal } };
  const { outputs, failure, isSkipped } = await attempt(step, grace);
  if (isSkipped === true) return cancelled;
  if (failure === undefined) return { outputs, outcome: 'success', conclusion: 'success' };
  frame.job.log.annotate({ level: 'failure', message: failure, path: undefined, line: undefined });
  return { outputs, outcome: 'failure', conclusion: 'failure' };
}

async function attempt(
  step: WorkflowStepDefinition,
  frame: Frame,
): Promise<StepResult & { readonly isSkipped?: boolean }> {
  try {
    const environment = interpolateMap(step.env, scopeOf(frame));
    if (!conditionHolds(step.if, scopeOf(frame, environment))) return { outputs: {}, isSkipped: true };
    return await performInTime(step, environment, frame);
  } catch (error) {
    // Whatever breaks in a step is this step's failure and must not take the run down with it.
    return { outputs: {}, failure: error instanceof Error ? error.message : String(error) };
  }
}

async function performInTime(
  step: WorkflowStepDefinition,
  environment: Readonly<Record<string, string>>,
  frame: Frame,
): Promise<StepResult> {
  const perform = step.run === undefined ? performAction : performScript;
  const minutes = minutesOf(step['timeout-minutes'], scopeOf(frame, environment));
  if (minutes === undefined) return perform(step, environment, frame);
  const timeout = AbortSignal.timeout(minutes * 60_000);
  const result = await perform(step, environment, { ...frame, signal: AbortSignal.any([frame.signal, timeout]) });
  if (!timeout.aborted || result.failure === undefined) return result;
  return { ...result, failure: `The action '${stepNameOf(step, frame)}' has timed out after ${minutes} minutes.` };
}
