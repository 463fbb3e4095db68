/** Files of 400 lines and more of other people's libraries, and their own tests of them: what a plan may ask to keep. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { RunnerName } from '../../src/runners/runners.ts';
import type { Files } from './task.ts';

export interface Library {
  /** Of the corpus, for its base. */
  readonly folder: string;
  readonly runner: RunnerName;
  /** Test files of long product files. */
  readonly tests: readonly string[];
  /** With which names tasks begin that are in its language and of its runner. */
  readonly tasks: RegExp;
}

const named = (names: string, path: (name: string) => string): readonly string[] => names.split(' ').map(path);

export const LIBRARIES: readonly Library[] = [
  {
    folder: 'boltons-17374731',
    runner: 'pytest',
    tests: named(
      'iterutils urlutils strutils dictutils funcutils setutils cacheutils statsutils socketutils fileutils ioutils tableutils timeutils',
      (name) => `tests/test_${name}.py`,
    ),
    tasks: /^pt-/,
  },
  {
    folder: 'toolz-1b23ada4',
    runner: 'pytest',
    tests: named('functoolz itertoolz', (name) => `toolz/tests/test_${name}.py`),
    tasks: /^pt-/,
  },
  {
    folder: 'packaging-07265129',
    runner: 'pytest',
    tests: named('metadata markers', (name) => `tests/test_${name}.py`),
    tasks: /^pt-/,
  },
  {
    folder: 'more-itertools-146113bb',
    runner: 'unittest',
    tests: named('more recipes', (name) => `tests/test_${name}.py`),
    tasks: /^py-/,
  },
  { folder: 'cachetools-18e5930c', runner: 'unittest', tests: ['tests/test_lru.py'], tasks: /^py-/ },
  {
    folder: 'commander.js-45f5ab15',
    runner: 'node-test',
    tests: named(
      'parse hook positionalOptions exitOverride copySettings action addHelpText help parseOptions configureOutput',
      (name) => `tests/command.${name}.test.js`,
    ),
    tasks: /^(?!p[ty]-)/,
  },
];

/** The library's files as text, laid out in the empty folder on the way. Files that are no text are left out. */
export async function filesOf(from: string, { folder }: Library, empty: string): Promise<Files> {
  await execa('tar', ['xzf', join(from, folder, 'base.tar.gz'), '-C', empty]);
  const entries = await readdir(empty, { recursive: true, withFileTypes: true });
  const read = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = await readFile(path);
      return bytes.includes(0) ? [] : [[path.slice(empty.length + 1), bytes.toString('utf8')] as const];
    });
  const files = Object.fromEntries((await Promise.all(read)).flat());
  const { 'package.json': manifest } = files;
  // The tasks' modules stand beside the library's, whatever kind those are.
  return manifest === undefined ? files : { ...files, 'package.json': manifest.replace('"type": "commonjs",', '') };
}
