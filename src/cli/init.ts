/** `loopwright init`: writes configuration and workflows into a checkout; people review and push them. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { packageFile } from '../package-root.ts';
import { type Command, optionsOf } from './command.ts';

const OPTIONS = {
  force: { type: 'boolean', description: 'overwrite files that differ, the configuration too' },
} as const;
const WORKFLOWS = ['loopwright-build.yml', 'loopwright-verify.yml'] as const;

export const init: Command = {
  summary: 'write .github/loopwright.yml and the two workflows into a checkout',
  usage: '[DIRECTORY] [--force]',
  options: OPTIONS,
  async run(argv, { out, fail }) {
    const { values, positionals } = optionsOf({ command: 'init', argv, options: OPTIONS, words: 1 });
    const directory = resolve(positionals[0] ?? '.');
    if (!existsSync(join(directory, '.git')))
      return fail(
        `${directory} is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.`,
      );
    const files = await writeSetup(directory, { force: values.force === true });
    const width = Math.max(...files.map(({ path }) => path.length));
    out(`In ${directory}:`);
    for (const { path, state } of files) out(`  ${path.padEnd(width)}  ${STATES[state]}`);
    out(closingOf(files));
    return 0;
  },
};

const STATES = {
  written: 'written',
  overwritten: 'overwritten',
  same: 'is as it should be',
  differs: 'differs, left as it is; --force overwrites it',
} as const;

export interface SetupFile {
  readonly path: string;
  readonly state: keyof typeof STATES;
}

function closingOf(files: readonly SetupFile[]): string {
  if (files.every(({ state }) => state === 'same')) return 'Everything is there already.';
  if (files.every(({ state }) => state === 'same' || state === 'differs')) return 'Nothing was written.';
  return 'Look the commands in .github/loopwright.yml over, then commit and push these files to the default branch.';
}

/** Writes what is missing; what is there and differs only when it is forced. */
export async function writeSetup(
  directory: string,
  { force }: { readonly force: boolean },
): Promise<readonly SetupFile[]> {
  const files = [
    ...WORKFLOWS.map((name) => ({
      path: `.github/workflows/${name}`,
      text: () => readFile(packageFile('config', 'workflows', name), 'utf8'),
    })),
    { path: '.github/loopwright.yml', text: () => guessedConfig(directory) },
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
  readonly lines: readonly string[];
}

const OFFLINE =
  '# Runs without network: what it needs comes from .github/actions/loopwright-setup, see the README of Loopwright.';

/** What the files of a repository tell about its commands; people correct the guess. */
const STACKS: readonly Stack[] = [
  { sign: 'package-lock.json', lines: [OFFLINE, 'install: npm ci', 'test: npm test', 'runner: node-test'] },
  { sign: 'package.json', lines: ['test: npm test', 'runner: node-test'] },
  { sign: 'pyproject.toml', lines: ['test: python3 -m unittest', 'runner: unittest'] },
  { sign: 'setup.py', lines: ['test: python3 -m unittest', 'runner: unittest'] },
];
const UNKNOWN: Stack = { sign: '', lines: ['test: python3 -m unittest discover', 'runner: unittest'] };

async function guessedConfig(directory: string): Promise<string> {
  const stack = STACKS.find(({ sign }) => existsSync(join(directory, sign))) ?? UNKNOWN;
  return ['version: 1', 'commands:', ...stack.lines.map((line) => `  ${line}`), ''].join('\n');
}
