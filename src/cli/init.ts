/** `loopwright init`: writes configuration and workflows into a checkout; people review and push them. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { packageFile } from '../package-root.ts';
import { type Command, optionsOf } from './command.ts';

const OPTIONS = {} as const;
const WORKFLOWS = ['loopwright-build.yml', 'loopwright-verify.yml'] as const;

export const init: Command = {
  summary: 'write .github/loopwright.yml and the two workflows into a checkout',
  usage: '[DIRECTORY]',
  options: OPTIONS,
  async run(argv, { out, fail }) {
    const { positionals } = optionsOf({ command: 'init', argv, options: OPTIONS, words: 1 });
    const directory = resolve(positionals[0] ?? '.');
    if (!existsSync(join(directory, '.git')))
      return fail(`${directory} is no git checkout (no .git); run it in the repository that Loopwright shall work on.`);
    const written = await writeSetup(directory);
    for (const path of written) out(`wrote ${path}`);
    out(
      written.length === 0
        ? 'Everything is there already.'
        : 'Look the commands in .github/loopwright.yml over, then commit and push these files to the default branch.',
    );
    return 0;
  },
};

/** Writes what is missing and returns the paths; what is there is left as it is. */
export async function writeSetup(directory: string): Promise<readonly string[]> {
  const files = [
    ...WORKFLOWS.map((name) => ({
      path: `.github/workflows/${name}`,
      text: () => readFile(packageFile('config', 'workflows', name), 'utf8'),
    })),
    { path: '.github/loopwright.yml', text: () => guessedConfig(directory) },
  ];
  const missing = files.filter(({ path }) => !existsSync(join(directory, path)));
  for (const { path, text } of missing) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), await text());
  }
  return missing.map(({ path }) => path);
}

interface Stack {
  readonly sign: string;
  readonly lines: readonly string[];
}

/** What the files of a repository tell about its commands; people correct the guess. */
const STACKS: readonly Stack[] = [
  { sign: 'package-lock.json', lines: ['install: npm ci', 'test: npm test', 'runner: node-test'] },
  { sign: 'package.json', lines: ['test: npm test', 'runner: node-test'] },
  { sign: 'pyproject.toml', lines: ['test: python3 -m unittest', 'runner: unittest'] },
  { sign: 'setup.py', lines: ['test: python3 -m unittest', 'runner: unittest'] },
];
const UNKNOWN: Stack = { sign: '', lines: ['test: python3 -m unittest discover', 'runner: unittest'] };

async function guessedConfig(directory: string): Promise<string> {
  const stack = STACKS.find(({ sign }) => existsSync(join(directory, sign))) ?? UNKNOWN;
  return ['version: 1', 'commands:', ...stack.lines.map((line) => `  ${line}`), ''].join('\n');
}
