/** The tests of a working copy as they are when a run begins, so that no file of the run can change those that come after it. */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isTestPath } from '../guard/test-paths.ts';
import type { Runner } from '../runners/runner.ts';
import { RUNNERS, type RunnerName } from '../runners/runners.ts';
import { overwriteInside, placeOf, readRegular, removeInside } from '../sandbox/inside.ts';

export interface KeptTests {
  /** Whether nothing wrote, moved or exchanged a test, not even to put it back: nobody can set the time of a change. */
  areUntouched(): Promise<boolean>;
  /** Puts every test back as it was, and removes those that are new. @throws {Error} when something stands in the way. */
  restore(): Promise<void>;
}

/** Remembers the tests of the directory. Dependencies are not looked at. */
export async function keepTests(directory: string, runner: RunnerName): Promise<KeptTests> {
  const kept = new Map<string, Buffer>();
  for (const path of await testsIn(directory, runner)) {
    const place = await placeOf(directory, path);
    if (place.refusal === undefined && place.stats?.isFile() === true)
      kept.set(path, await readRegular(place.absolute));
  }
  const { trust } = RUNNERS[runner];
  const before = await stampsOf(directory, [...kept.keys()], trust);
  return {
    async areUntouched() {
      return before === (await stampsOf(directory, await testsIn(directory, runner), trust));
    },
    async restore() {
      for (const path of await testsIn(directory, runner)) {
        if (!kept.has(path)) refuse(path, await removeInside(directory, path));
      }
      for (const [path, bytes] of kept) refuse(path, await overwriteInside(directory, path, bytes));
    },
  };
}

/** Of the files, and of their folders; not of the root, where tools write, and of no folder that the sentinel of a told runner comes into. */
async function stampsOf(directory: string, paths: readonly string[], trust: Runner['trust']): Promise<string> {
  const folders = trust === 'told' ? [] : paths.flatMap(foldersAbove);
  const stamps = [...new Set([...paths, ...folders])].sort().map(async (path) => {
    const stats = await lstat(join(directory, path), { bigint: true });
    return `${path} ${stats.ino} ${stats.ctimeNs}`;
  });
  return (await Promise.all(stamps)).join('\n');
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

const NOT_OURS: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Never follows a link: whatever a run left may point anywhere. */
async function testsIn(directory: string, runner: RunnerName, folder = ''): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !NOT_OURS.has(entry.name)) paths.push(...(await testsIn(directory, runner, path)));
    else if (isTestPath(path, runner)) paths.push(path);
  }
  return paths;
}

function refuse(path: string, refusal: string | undefined): void {
  if (refusal !== undefined) throw new Error(`cannot put the test ${JSON.stringify(path)} back: ${refusal}`);
}
