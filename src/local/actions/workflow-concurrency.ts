/** Concurrency of runs: one of a group at a time, and one that waits; a newer one takes its place. https://docs.github.com/actions/concepts/workflows-and-actions/concurrency */
import type { Run } from '../check-records.ts';
import type { Host } from '../host.ts';
import type { State } from '../state.ts';
import type { Group } from './job-groups.ts';
import { titleContexts } from './workflow-contexts.ts';
import { flagHolds, interpolate, type Scope } from './workflow-expression.ts';
import type { Workflow } from './workflow-file.ts';
import { typedInputs } from './workflow-inputs.ts';
import type { Concurrency, WorkflowRequest } from './workflow-types.ts';

/** The group of a run, evaluated when it is queued; undefined when its workflow names none. @throws Error for one that cannot be evaluated. */
export function concurrencyOf(workflow: Workflow, request: WorkflowRequest): Run['concurrency'] {
  const { concurrency } = workflow;
  if (concurrency === undefined) return undefined;
  const contexts = titleContexts({ request, workflow }, typedInputs(workflow, request.inputs));
  const scope: Scope = { status: 'success', contexts };
  return evaluatedConcurrency(concurrency, scope);
}

/** The `concurrency` of a workflow or a job, evaluated; groups are compared without case. @throws Error for one that cannot be evaluated. */
export function evaluatedConcurrency(concurrency: NonNullable<Workflow['concurrency']>, scope: Scope): Concurrency {
  const cancels = 'cancel-in-progress' in concurrency ? concurrency['cancel-in-progress'] : undefined;
  return { group: interpolate(concurrency.group, scope).toLowerCase(), cancelsRunning: flagHolds(cancels, scope) };
}

/** The runs of the group that are performed. */
export function holdersOf({ runs }: Pick<State, 'runs'>, { repositoryId, group }: Group): readonly Run[] {
  return runs.find({ repositoryId, status: 'in_progress' }).filter(({ concurrency }) => concurrency?.group === group);
}

/** The runs that a new one of their group ends: the one that waits, and the one that runs where the new one says so. */
export function replacedBy(state: Pick<State, 'runs'>, run: Run): readonly Run[] {
  const [holder, ...waiting] = openOf(state, run).filter(({ id }) => id !== run.id);
  if (holder === undefined) return [];
  return run.concurrency?.cancelsRunning === true ? [holder, ...waiting] : waiting;
}

/** Whether no older run of its group has still to end, and no job of another run that is in the same group. */
export function mayStart({ state, jobGroups }: Pick<Host, 'state' | 'jobGroups'>, run: Run): boolean {
  const { repositoryId, concurrency } = run;
  if (concurrency === undefined) return true;
  return openOf(state, run)[0]?.id === run.id && !jobGroups.isHeld({ repositoryId, group: concurrency.group });
}

/** Oldest first. */
function openOf({ runs }: Pick<State, 'runs'>, { repositoryId, concurrency }: Run): readonly Run[] {
  return [...runs.find({ repositoryId, status: 'in_progress' }), ...runs.find({ repositoryId, status: 'queued' })]
    .filter((run) => concurrency !== undefined && run.concurrency?.group === concurrency.group)
    .toSorted((left, right) => left.id - right.id);
}
