/** Deterministic checks of a plan: tasks, files, order, and acceptance rows that a machine can perform. Pure. */
import type { AcceptanceRow, Plan, Specification, SupersededTest, Surface, Task } from '../documents/documents.ts';
import type { Step } from '../documents/step.ts';
import { CHANGE_LIMITS, pathRefusal, plannedPolicy, refusalsOf } from '../guard/patch-policy.ts';
import { testCasesIn, withoutTests } from '../guard/test-cases.ts';
import { decidesTests } from '../guard/test-integrity.ts';
import { isTestPath } from '../guard/test-paths.ts';
import type { Commands } from '../loop/brief.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';
import { tasksInCycles } from './task-order.ts';

type Requirement = Specification['requirements'][number];

export interface CheckedPlan {
  /** Requirements without a task or an acceptance row, and those with a task or row that breaks a rule; ids that spec.md does not have, too. */
  readonly uncovered: readonly string[];
  readonly defects: readonly Defect[];
}

interface Input {
  readonly plan: Plan;
  readonly requirements: readonly Requirement[];
  readonly surface: Surface;
  /** What BUILD and VERIFY will judge the change by. */
  readonly repository: {
    readonly protectedPaths: readonly string[];
    readonly runner: Commands['runner'];
    /** All files of the base. */
    readonly files: readonly string[];
    /** Texts of the test files in which the plan names superseded tests. */
    readonly testTexts: ReadonlyMap<string, string>;
  };
}

/** Which step types reach the product through each surface; a row needs at least one of them. */
const SURFACE_STEPS: Readonly<Record<Surface, readonly Step['type'][]>> = {
  library: ['call', 'cli'],
  cli: ['cli', 'call'],
  http: ['http', 'page'],
  web: ['page', 'http'],
};

/** Every broken rule leaves a requirement uncovered, so no such plan passes its gate. */
export function checkPlan(input: Input): CheckedPlan {
  const { plan, requirements } = input;
  const cyclic = tasksInCycles(plan.tasks);
  const closed = closedPaths(input);
  const tasks = plan.tasks.map((task) => ({
    ids: task.requirements,
    defects: [...taskDefects(task, input, cyclic), ...closedDefects(task, closed)],
  }));
  const rows = plan.acceptance.map((row) => ({ ids: [row.requirement], defects: rowDefects(row, input) }));
  const superseded = plan.supersededTests.map((test) => ({
    ids: [test.requirement],
    defects: supersededDefects(test, input),
  }));
  const broken = [...tasks, ...rows, ...superseded].filter(({ defects }) => defects.length > 0);
  const ids = requirements.map(({ id }) => id);
  const unplanned = without(ids, tasks);
  const unproved = without(ids, rows);
  return {
    uncovered: [...new Set([...unplanned, ...unproved, ...broken.flatMap((part) => part.ids)])].sort(),
    defects: [
      ...broken.flatMap(({ defects }) => defects),
      ...unplanned.map((id) => uncoveredDefect(id, 'task')),
      ...unproved.map((id) => uncoveredDefect(id, 'acceptance row')),
    ],
  };
}

/** The ids that none of the parts names. */
function without(ids: readonly string[], parts: readonly { readonly ids: readonly string[] }[]): readonly string[] {
  const named = new Set(parts.flatMap((part) => part.ids));
  return ids.filter((id) => !named.has(id));
}

function uncoveredDefect(id: string, what: 'task' | 'acceptance row'): Defect {
  return defect({
    rule: 'plan/uncovered',
    about: `${id}-${what.replace(' ', '-')}`,
    requirement: id,
    message: `${id} has no ${what}.`,
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
  ];
  return messages.map((message, index) =>
    defect({ rule: 'plan/task', about: `${task.id}-${index + 1}`, severity: 'major', message }),
  );
}

interface Closed {
  /** Undefined for what is wrong with the plan's files together. */
  readonly path: string | undefined;
  readonly message: string;
}

/**
 * What BUILD would refuse, or VERIFY count as tampering, however well it were built. The rules are those that will judge the change itself:
 * what they refuse must not stand in a plan that people approve.
 */
function closedPaths({ plan, repository }: Input): readonly Closed[] {
  const { protectedPaths, runner, files } = repository;
  const planned = [...new Set(plan.tasks.flatMap((task) => task.files))];
  const changes = planned.map((path) => ({ path, mode: '100644' as const, content: '' }));
  const refused = refusalsOf(changes, plannedPolicy({ protectedPaths, ...CHANGE_LIMITS }));
  const existing = new Set(files);
  return [
    ...refused.map(({ file, message }) => ({ path: file ?? undefined, message })),
    ...planned
      .filter((path) => existing.has(path) && isTestPath(path, runner))
      .map((path) => ({
        path,
        message: `\`${path}\` is an existing test; a change is judged by tests that it did not touch.`,
      })),
    ...planned
      .filter((path) => decidesTests(path, runner))
      .map((path) => ({ path, message: `\`${path}\` decides how tests are run, which a loop leaves as it is.` })),
  ];
}

function closedDefects({ id, files }: Task, closed: readonly Closed[]): Defect[] {
  return closed
    .filter(({ path }) => path === undefined || files.includes(path))
    .map(({ path, message }) =>
      defect({
        rule: 'plan/closed-path',
        about: `${id}:${path ?? 'all'}`,
        file: path,
        message: `${id}: ${message}`,
        suggestion: 'Plan without it, or say in the approach what a person must change there.',
      }),
    );
}

/** What stands here people approve by name, so each must be there, alone, and contradicted by a change. */
function supersededDefects(test: SupersededTest, { plan, requirements, repository }: Input): Defect[] {
  const { file, name, requirement } = test;
  const id = `${file}::${name}`;
  const same = plan.supersededTests.filter((other) => other.file === file && other.name === name).length;
  const isChange = requirements.some(({ id: known, kind }) => known === requirement && kind === 'change');
  const messages = [
    ...(same > 1 ? [`The superseded test ${id} is listed ${same} times.`] : []),
    ...(isChange ? [] : [`The superseded test ${id} names ${requirement}, which is no change requirement of spec.md.`]),
    ...absenceOf(test, repository),
  ];
  return messages.map((message, index) =>
    defect({
      rule: 'plan/superseded-test',
      about: `${id}-${index + 1}`,
      file,
      severity: 'major',
      message,
      suggestion: 'Name only tests that are there and assert the opposite of a change requirement.',
    }),
  );
}

const NAMES_TOLD = 20;

function absenceOf({ file, name }: SupersededTest, repository: Input['repository']): readonly string[] {
  const { runner, files, protectedPaths, testTexts } = repository;
  if (!files.includes(file) || !isTestPath(file, runner)) return [`\`${file}\` is no existing test of the repository.`];
  const refusal = pathRefusal(file, { protectedPaths, ...CHANGE_LIMITS });
  if (refusal !== undefined) return [`\`${file}\` must not change: ${refusal}.`];
  const text = testTexts.get(file) ?? '';
  if (withoutTests(text, [name], runner) !== undefined) return [];
  const names = testCasesIn(text, runner).map((found) => found.name);
  const told = names.length === 0 ? 'none' : names.slice(0, NAMES_TOLD).join(', ');
  return [
    `\`${file}\` has no test ${JSON.stringify(name)} that could be taken out by itself; those that could are: ${told}.`,
  ];
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
    defect({
      rule: 'plan/acceptance',
      about: `${row.id}-${index + 1}`,
      requirement: row.requirement,
      severity: 'major',
      message,
    }),
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
