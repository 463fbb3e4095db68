/** What the test runner of a repository is told by: its files, its manifests, and some of its tests where only they show which it is. */
import { pythonTestPaths } from '../runners/python-test-paths.ts';
import type { RepositoryFacts } from '../runners/runner.ts';
import { isManifest } from './manifests.ts';

/** So many tests tell enough, those nearest to the root first. */
const READ_TESTS = 20;
const READ_MANIFESTS = 40;

/** `read` gives the text of one of the files. */
export async function repositoryFacts(
  files: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<RepositoryFacts> {
  return {
    files,
    manifests: await textsOf(nearest(files.filter(isManifest)).slice(0, READ_MANIFESTS), read),
    tests: await textsOf(pythonTests(files).slice(0, READ_TESTS), read),
  };
}

/** In a package `__init__.py` lies where tests do. */
function pythonTests(files: readonly string[]): readonly string[] {
  const tests = files.filter((path) => pythonTestPaths.some((pattern) => pattern.test(path)));
  const named = tests.filter((path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/.test(path));
  return nearest(named);
}

function nearest(paths: readonly string[]): readonly string[] {
  return paths.toSorted((one, other) => one.split('/').length - other.split('/').length);
}

async function textsOf(
  paths: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths) texts.set(path, await read(path));
  return texts;
}
