/** The tests of a working copy as they are when a run begins, so that no file of the run can change those that come after it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isTestPath } from '../guard/test-paths.ts';
import type { RunnerName } from '../runners/runners.ts';
import { overwriteInside, placeOf, readRegular, removeInside } from '../sandbox/inside.ts';

export interface KeptTests {
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
  return {
    async restore() {
      for (const path of await testsIn(directory, runner)) {
        if (!kept.has(path)) refuse(path, await removeInside(directory, path));
      }
      for (const [path, bytes] of kept) refuse(path, await overwriteInside(directory, path, bytes));
    },
  };
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
