/** The tests of a working copy as they are when a run begins, so that no file of the run can change those that come after it. */
import { lstat, readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isTestFile, isTestPath } from '../guard/test-paths.ts';
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
  const paths = await testsIn(directory, runner);
  const kept = await keptOf(directory, paths);
  const before = await stampsOf(directory, paths, runner);
  return {
    async areUntouched() {
      return before === (await stampsOf(directory, await testsIn(directory, runner), runner));
    },
    async restore() {
      const found = await testsIn(directory, runner);
      await putBack(directory, kept, found);
    },
  };
}

async function putBack(directory: string, kept: Kept, found: readonly string[]): Promise<void> {
  for (const path of found)
    if (!(await isAsKept(directory, path, kept))) refuse(path, await removeInside(directory, path));
  for (const [path, bytes] of kept.files) refuse(path, await overwriteInside(directory, path, bytes));
  for (const [path, target] of kept.links)
    if ((await linkAt(directory, path)) === undefined) await symlink(target, join(directory, path));
}

interface Kept {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Where each leads. */
  readonly links: ReadonlyMap<string, string>;
}

async function keptOf(directory: string, paths: readonly string[]): Promise<Kept> {
  const files = new Map<string, Buffer>();
  const links = new Map<string, string>();
  for (const path of paths) {
    const target = await linkAt(directory, path);
    if (target !== undefined) links.set(path, target);
    const place = await placeOf(directory, path);
    if (place.refusal === undefined && place.stats?.isFile() === true)
      files.set(path, await readRegular(place.absolute));
  }
  return { files, links };
}

/** Whether it was there; what a file holds is written anew in any case. */
async function isAsKept(directory: string, path: string, { files, links }: Kept): Promise<boolean> {
  return files.has(path) || (links.has(path) && (await linkAt(directory, path)) === links.get(path));
}

/** Where the link leads; undefined where there is none. */
function linkAt(directory: string, path: string): Promise<string | undefined> {
  return readlink(join(directory, path)).catch(() => undefined);
}

/** What may be run, and what is expected; other data tests write beside themselves. */
const CODE = /\.(?:[cm]?[jt]sx?|py|sh|snap|ambr)$/;

/**
 * Of the files that hold tests or code, and of the folders of tests; not of the root, where tools write, and of no folder that the sentinel of a
 * told runner comes into.
 */
async function stampsOf(directory: string, paths: readonly string[], runner: RunnerName): Promise<string> {
  const tests = paths.filter((path) => isTestFile(path, runner));
  const folders = RUNNERS[runner].trust === 'told' ? [] : tests.flatMap(foldersAbove);
  const code = paths.filter((path) => CODE.test(path));
  const stamps = [...new Set([...tests, ...code, ...folders])].sort().map(async (path) => {
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
