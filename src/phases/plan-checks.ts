/** Deterministic checks of a plan. A task or acceptance row that breaks a rule covers nothing. Pure. */
import type { AcceptanceRow, Plan, Specification, Step, Surface, Task } from '../loop/answers.ts';
import type { Defect } from '../loop/measurement.ts';
import { defectOf } from './drafting.ts';
import { tasksInCycles } from './task-order.ts';

type Requirement = Specification['requirements'][number];

export interface CheckedPlan {
  /** Requirements without a valid task or without a valid acceptance row. */
  readonly uncovered: readonly string[];
  readonly defects: readonly Defect[];
}

interface Input {
  readonly plan: Plan;
  readonly requirements: readonly Requirement[];
  readonly surface: Surface;
}

/** Which step types reach the product through each surface; a row needs at least one of them. */
const SURFACE_STEPS: Readonly<Record<Surface, readonly Step['type'][]>> = {
  library: ['call', 'cli'],
  cli: ['cli'],
  http: ['http', 'page'],
  web: ['page', 'http'],
};

export function checkPlan(input: Input): CheckedPlan {
  const { plan, requirements } = input;
  const cyclic = tasksInCycles(plan.tasks);
  const tasks = plan.tasks.map((task) => ({ task, defects: taskDefects(task, input, cyclic) }));
  const rows = plan.acceptance.map((row) => ({ row, defects: rowDefects(row, input) }));
  const worked = new Set(tasks.flatMap(({ task, defects }) => (defects.length === 0 ? task.requirements : [])));
  const proved = new Set(rows.flatMap(({ row, defects }) => (defects.length === 0 ? [row.requirement] : [])));
  const ids = requirements.map(({ id }) => id);
  const lacking = [
    ...ids.filter((id) => !worked.has(id)).map((id) => uncoveredDefect(id, 'task')),
    ...ids.filter((id) => !proved.has(id)).map((id) => uncoveredDefect(id, 'acceptance row')),
  ];
  return {
    uncovered: ids.filter((id) => !worked.has(id) || !proved.has(id)),
    defects: [...tasks.flatMap(({ defects }) => defects), ...rows.flatMap(({ defects }) => defects), ...lacking],
  };
}

function uncoveredDefect(id: string, what: 'task' | 'acceptance row'): Defect {
  return defectOf({
    id: `uncovered-${id}-${what.replace(' ', '-')}`,
    rule: 'plan/uncovered',
    requirement: id,
    severity: 'blocker',
    message: `${id} has no ${what} that keeps every rule.`,
  });
}

function taskDefects(task: Task, { plan, requirements }: Input, cyclic: ReadonlySet<string>): Defect[] {
  const known = new Set(requirements.map(({ id }) => id));
  const same = plan.tasks.filter(({ id }) => id === task.id).length;
  const messages = [
    ...(same > 1 ? [`The id ${task.id} is used ${same} times.`] : []),
    ...(cyclic.has(task.id) ? [`${task.id} waits for itself through ${task.dependsOn.join(', ')}.`] : []),
    ...task.dependsOn
      .filter((id) => plan.tasks.every((other) => other.id !== id))
      .map((id) => `${task.id} depends on ${id}, which does not exist.`),
    ...task.requirements
      .filter((id) => !known.has(id))
      .map((id) => `${task.id} names ${id}, which spec.md does not have.`),
    ...task.files
      .filter((path) => !isNormalPath(path))
      .map((path) => `${task.id} names "${path}", which is no path that a loop may change.`),
  ];
  return messages.map((message, index) => defectOf({ id: `${task.id}-${index + 1}`, rule: 'plan/task', message }));
}

/** Relative, forward slashes, no empty or dot segments, and not the loop's, git's or GitHub's own files. */
function isNormalPath(path: string): boolean {
  const parts = path.split('/');
  const closed = ['.git', '.github', '.loopwright'];
  return (
    !path.includes('\\') &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    !closed.includes((parts[0] ?? '').toLowerCase())
  );
}

function rowDefects(row: AcceptanceRow, { plan, requirements, surface }: Input): Defect[] {
  const requirement = requirements.find(({ id }) => id === row.requirement);
  const messages = [
    ...(plan.acceptance.filter(({ id }) => id === row.id).length > 1
      ? [`The id ${row.id} is used more than once.`]
      : []),
    ...(requirement === undefined
      ? [`${row.id} names ${row.requirement}, which spec.md does not have.`]
      : kindProblems(row, requirement.kind)),
    ...stepProblems(row, surface),
    ...row.steps.flatMap((step) => jsonProblems(step).map((problem) => `${row.id}: ${problem}`)),
  ];
  return messages.map((message, index) =>
    defectOf({ id: `${row.id}-${index + 1}`, rule: 'plan/acceptance', requirement: row.requirement, message }),
  );
}

function kindProblems(row: AcceptanceRow, kind: Requirement['kind']): readonly string[] {
  return row.kind === kind ? [] : [`${row.id} is of kind ${row.kind}, but ${row.requirement} is of kind ${kind}.`];
}

function stepProblems({ id, kind, steps }: AcceptanceRow, surface: Surface): readonly string[] {
  if (kind === 'metric') return [];
  const fitting = SURFACE_STEPS[surface];
  if (steps.some(({ type }) => fitting.includes(type))) return [];
  return [`${id} needs at least one step of type ${fitting.join(' or ')}, because the surface is ${surface}.`];
}

/** Values that VERIFY reads as JSON must be JSON. */
function jsonProblems(step: Step): readonly string[] {
  switch (step.type) {
    case 'http':
      return step.expected.json
        .filter(({ equals }) => !isJson(equals))
        .map(({ equals }) => `expected value ${equals} is not JSON.`);
    case 'call':
      return [
        ...(isJson(step.arguments) && Array.isArray(JSON.parse(step.arguments))
          ? []
          : [`arguments ${step.arguments} are not a JSON array.`]),
        ...(isJson(step.expected.equals) ? [] : [`expected value ${step.expected.equals} is not JSON.`]),
      ];
    case 'page':
    case 'cli':
      return [];
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
