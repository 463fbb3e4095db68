/** The files for a repository, written into a checkout: the three that it needs (configuration and workflows) and the set-up action. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Commands } from '../loop/brief.ts';
import { CONFIG_PATH, WORKFLOWS } from './config.ts';
import { packageFile } from './package-root.ts';

const NAMES = [...new Set(Object.values(WORKFLOWS))];

/** Where those are without which no loop starts. */
export const SETUP_PATHS: readonly string[] = [CONFIG_PATH, ...NAMES.map(workflowPath)];

function workflowPath(name: string): string {
  return `.github/workflows/${name}`;
}

/** Downloads what the repository's lock files name; a repository that needs nothing, or prepares its runners, does without it. */
const SETUP_ACTION = '.github/actions/loopwright-setup/action.yml';

/** Everything that is written into a checkout. */
export const SETUP_FILES: readonly string[] = [...SETUP_PATHS, SETUP_ACTION];

export interface SetupFile {
  readonly path: string;
  readonly state: 'written' | 'overwritten' | 'same' | 'differs';
}

/** What the repository's files show of how its tests are run. */
export interface ShownTests {
  readonly runner: Commands['runner'];
  readonly test: string;
}

/** Writes what is missing; what is there and differs only when it is forced. */
export async function writeSetup(
  directory: string,
  { force, tests }: { readonly force: boolean; readonly tests?: ShownTests | undefined },
): Promise<readonly SetupFile[]> {
  const files = [
    ...NAMES.map((name) => ({
      path: workflowPath(name),
      text: () => readFile(packageFile('config', 'workflows', name), 'utf8'),
    })),
    {
      path: SETUP_ACTION,
      text: () => readFile(packageFile('config', 'actions', 'loopwright-setup', 'action.yml'), 'utf8'),
    },
    { path: CONFIG_PATH, text: () => guessedConfig(directory, tests) },
  ];
  return Promise.all(
    files.map(async ({ path, text }) => ({ path, state: await written(join(directory, path), await text(), force) })),
  );
}

async function written(file: string, text: string, force: boolean): Promise<SetupFile['state']> {
  const before = existsSync(file) ? await readFile(file, 'utf8') : undefined;
  if (before === text) return 'same';
  if (before !== undefined && !force) return 'differs';
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return before === undefined ? 'written' : 'overwritten';
}

interface Stack {
  readonly sign: string;
  readonly install: readonly string[];
  readonly test: string;
  readonly runner: Commands['runner'];
}

const FROM_SETUP = [
  '# Runs without network: takes what .github/actions/loopwright-setup has downloaded.',
  `install: cp -R "\${LOOPWRIGHT_SETUP:?}/." .`,
];
const NPM = { test: 'npm test', runner: 'node-test' } as const;

/** What the files of a repository tell about its commands; people correct the guess. */
const STACKS: readonly Stack[] = [
  { sign: 'package-lock.json', install: FROM_SETUP, ...NPM },
  { sign: 'pnpm-lock.yaml', install: FROM_SETUP, ...NPM },
  { sign: 'yarn.lock', install: FROM_SETUP, ...NPM },
  { sign: 'package.json', install: [], ...NPM },
];
const UNKNOWN: Stack = { sign: '', install: [], test: 'python3 -m unittest discover', runner: 'unittest' };

async function guessedConfig(directory: string, tests: ShownTests | undefined): Promise<string> {
  const stack = STACKS.find(({ sign }) => existsSync(join(directory, sign))) ?? UNKNOWN;
  const { test, runner } = tests ?? stack;
  const lines = [...stack.install, `test: ${test}`, `runner: ${runner}`];
  return ['version: 1', 'commands:', ...lines.map((line) => `  ${line}`), ''].join('\n');
}
