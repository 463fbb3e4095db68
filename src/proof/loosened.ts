/** Tests that a change loosens: as they were on the base they are red with it, and what became of them is green with and without it. Pure. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import type { TestResult } from '../test-runs/test-run.ts';
import type { ProofRow } from './proof.ts';
import { firstLine, howOf, type Results } from './rows.ts';

export interface Loosened {
  /** The base's tests of the changed files, on the base. */
  readonly base: Results;
  /** The same tests with the change. */
  readonly asBefore: Results;
  readonly rows: readonly ProofRow[];
}

/**
 * Whoever means another behaviour writes a test that needs the change; one that is content with both hides what the change breaks. A test that is gone must
 * have one in its place that needs the change. An exception may come from what the test does with the product's insides, and is only told.
 */
export function loosened({ base, asBefore, rows }: Loosened): readonly Defect[] {
  const red = [...asBefore].filter(([id, result]) => base.get(id)?.outcome === 'pass' && isTelling(result));
  const now = rowsByOld(base, rows);
  const content = red.filter(([id]) => now(id)?.role === 'keeps');
  const gone = red.filter(([id]) => now(id) === undefined);
  const unreplaced = [...Map.groupBy(gone, ([id]) => groupOf(id))].flatMap(([group, ids]) =>
    ids.slice(replacementsIn(group, base, rows)),
  );
  return [
    ...content.map(([id, result]) => findingFor(id, result, 'as it is now it passes with and without the change')),
    ...unreplaced.map(([id, result]) =>
      findingFor(id, result, 'no other test that needs the change stands in its place'),
    ),
  ];
}

/** What is not there any more says nothing about what a test asked. */
function isTelling(result: TestResult): boolean {
  return (result.outcome === 'fail' || result.isRaised === true) && howOf(result) !== 'missing';
}

/** A test of the same name in a file that the base does not have was moved there. */
function rowsByOld(base: Results, rows: readonly ProofRow[]): (id: string) => ProofRow | undefined {
  const files = new Set([...base.keys()].map(fileOf));
  const moved = rows.filter(({ test }) => !files.has(fileOf(test)));
  return (id) => rows.find(({ test }) => test === id) ?? moved.find(({ test }) => nameOf(test) === nameOf(id));
}

function replacementsIn(group: string, base: Results, rows: readonly ProofRow[]): number {
  return rows.filter(({ test, role }) => role === 'proves' && !base.has(test) && groupOf(test) === group).length;
}

/** The function of a test with parameters, the file of another. */
function groupOf(id: string): string {
  const [, named] = /^(.*::.*?)\[.*\]$/s.exec(id) ?? [];
  return named ?? fileOf(id);
}

function findingFor(id: string, result: TestResult, instead: string): Defect {
  const file = fileOf(id);
  return findingDefect({
    rule: 'test-loosened',
    about: nameOf(id),
    file,
    ...(result.isRaised === true ? { severity: 'minor' as const } : {}),
    message: `${id} as it was on the base is red with the change (${firstLine(result.message)}), and ${instead}.`,
    suggestion: 'Mend what the change breaks, or write a test of what is meant now that fails without the change.',
    bound: [id],
  });
}

function nameOf(id: string): string {
  return id.slice(fileOf(id).length + 2);
}

function fileOf(id: string): string {
  return id.split('::')[0] ?? '';
}
