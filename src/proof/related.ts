/** Untouched test files that name a changed file of the tests (a helper, data, a snapshot): what they ask changes with it. */
import { posix } from 'node:path';
import { isTestFile } from '../guard/test-paths.ts';
import type { RunnerName } from '../runners/runners.ts';
import { type Repository, textsIn } from '../trees/repository.ts';
import type { Change } from './change.ts';

/** What every second file names says nothing; what a conftest.py gives is asked for by no name of a file. */
const UNNAMED = new Set(['index', '__init__', 'conftest']);

/** Paths that are on both sides, as they were. */
export async function relatedTests(
  repository: Repository,
  { tests, baseFiles, headFiles }: Change,
  runner: RunnerName,
): Promise<ReadonlySet<string>> {
  if (tests.length === 0) return new Set();
  const untouched = [...headFiles].flatMap(([path, id]) =>
    isTestFile(path, runner) && baseFiles.get(path) === id ? [path] : [],
  );
  const owners = new Set(tests.map(ownerOf));
  const names = tests.map(stemOf).filter((name) => !UNNAMED.has(name));
  const isNamed = names.length === 0 ? undefined : namingAny(names);
  const texts = await textsIn(repository, headFiles, isNamed === undefined ? [] : untouched);
  return new Set(untouched.filter((path) => owners.has(path) || isNamed?.test(texts.get(path) ?? '')));
}

/** A path that ends so, a file so called, or an import in Python. */
function namingAny(names: readonly string[]): RegExp {
  const any = `(?:${names.map(RegExp.escape).join('|')})`;
  return new RegExp(`/${any}(?![\\w-])|["'\`]${any}\\.|^\\s*(?:from|import)\\s.*\\b${any}\\b`, 'm');
}

/** `test/__snapshots__/a.test.js.snap` is that of `test/a.test.js`. */
function ownerOf(path: string): string {
  return posix.join(path, '..', '..', posix.basename(path, '.snap'));
}

/** As it is imported, or read: without what stands behind the first dot. */
function stemOf(path: string): string {
  return posix.basename(path).replace(/(?<=.)\..*$/, '');
}
