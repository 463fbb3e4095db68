/** Which tasks are worked on, and in which order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task } from '../../src/documents/documents.ts';
import { affectedTasks, inOrder } from '../../src/jobs/build/task-work.ts';
import type { Defect } from '../../src/loop/measurement.ts';

const task = (number: number, changes: Partial<Task> = {}): Task => ({
  id: `T-${number}`,
  title: 't',
  requirements: [`R-${number}`],
  files: [`src/${number}.js`],
  dependsOn: [],
  detail: 'does something',
  ...changes,
});
const defect = (changes: Partial<Defect>): Defect => ({
  id: 'd',
  requirement: null,
  file: null,
  line: null,
  rule: 'test',
  severity: 'blocker',
  message: 'm',
  suggestion: null,
  ...changes,
});
const TASKS = [task(1), task(2), task(3)];
const ids = (tasks: readonly Task[]) => tasks.map(({ id }) => id).join(' ');

test.each([
  ['a requirement', [defect({ requirement: 'R-2' })], 'T-2'],
  ['a file', [defect({ file: 'src/3.js' })], 'T-3'],
  ['two requirements', [defect({ requirement: 'R-3' }), defect({ requirement: 'R-1' })], 'T-1 T-3'],
  ['nothing', [defect({}), defect({ requirement: 'R-1' })], 'T-1 T-2 T-3'],
  ['a file of no task', [defect({ file: 'other.js' })], 'T-1 T-2 T-3'],
  [
    'a requirement, besides a minor one about nothing',
    [defect({ requirement: 'R-1' }), defect({ severity: 'minor' })],
    'T-1',
  ],
])('defects that name %s call for the right tasks', (_, defects, expected) => {
  expect(ids(affectedTasks(TASKS, defects))).toBe(expected);
});

test('without defects every task is worked on', () => {
  expect(affectedTasks(TASKS, [])).toEqual(TASKS);
});

test('every task comes after all that it depends on, and none is lost', () => {
  const graph = fc.array(fc.array(fc.nat(19), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(graph, fc.infiniteStream(fc.nat()), (edges, random) => {
      const tasks = edges.map((needs, index) =>
        task(index + 1, {
          dependsOn: [...new Set(needs.filter((other) => other < index).map((other) => `T-${other + 1}`))],
        }),
      );
      const weights = new Map(tasks.map(({ id }) => [id, random.next().value ?? 0]));
      const ordered = inOrder(
        tasks.toSorted((left, right) => (weights.get(left.id) ?? 0) - (weights.get(right.id) ?? 0)),
      );
      expect(ordered.map(({ id }) => id).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
      ordered.forEach(({ dependsOn }, index) => {
        const before = new Set(ordered.slice(0, index).map(({ id }) => id));
        expect(dependsOn.every((id) => before.has(id))).toBe(true);
      });
    }),
  );
});

test('tasks that wait for each other are a failure that names them', () => {
  const circle = [task(1, { dependsOn: ['T-2'] }), task(2, { dependsOn: ['T-1'] }), task(3)];
  expect(() => inOrder(circle)).toThrow('The tasks T-1, T-2 wait for each other');
});
