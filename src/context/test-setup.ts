/** What runs the tests of a checkout, and the command for its whole suite, as its files show them; people correct the guess. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suiteScript } from '../runners/package-scripts.ts';
import type { RepositoryFacts } from '../runners/runner.ts';
import { detectRunner, RUNNER_NAMES, RUNNERS, type RunnerName } from '../runners/runners.ts';
import { repositoryFacts } from './repository-facts.ts';

export interface TestSetup {
  readonly runner: RunnerName;
  /** The command for the whole suite. */
  readonly test: string;
}

export interface TestSetups {
  /** Of the runners that something shows, the surest first. */
  readonly shown: readonly TestSetup[];
  /** Of each runner that can be guessed. */
  readonly all: readonly TestSetup[];
}

/** Folders whose files are others'. */
const ELSEWHERE = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)$/;

export async function testSetupsIn(directory: string): Promise<TestSetups> {
  const files = await Array.fromAsync(glob('**/*.*', { cwd: directory, exclude: (name) => ELSEWHERE.test(name) }));
  return testSetups(files, (path) => readFile(join(directory, path), 'utf8'));
}

/** Of a repository with these files; `read` gives the text of one of them. */
export async function testSetups(
  files: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<TestSetups> {
  const facts = await repositoryFacts(files, read);
  const manifest = facts.manifests.get('package.json') ?? '{}';
  const all = GUESSED.map((runner) => ({ runner, test: SUITES[runner]({ files, manifest }) }));
  const names = signsOf(facts);
  return { shown: names.flatMap((name) => all.filter(({ runner }) => runner === name)), all };
}

/** Undefined where nothing shows a runner. */
export async function testSetupIn(directory: string): Promise<TestSetup | undefined> {
  return (await testSetupsIn(directory)).shown[0];
}

/** Of `junit` only people know the command. */
const GUESSED = RUNNER_NAMES.filter((name) => name !== 'junit');

function signsOf(facts: RepositoryFacts): readonly RunnerName[] {
  const surest = detectRunner(facts, GUESSED)?.name;
  const others = GUESSED.filter((name) => name !== surest && RUNNERS[name].detect(facts) !== undefined);
  return surest === undefined ? others : [surest, ...others];
}

interface Shown {
  readonly files: readonly string[];
  readonly manifest: string;
}

const SUITES: Readonly<Record<RunnerName, (shown: Shown) => string>> = {
  'node-test': () => 'npm test',
  vitest: ({ manifest }) => suiteScript(manifest, 'vitest') ?? 'npm test',
  jest: ({ manifest }) => suiteScript(manifest, 'jest') ?? 'npm test',
  pytest: pytestCommand,
  unittest: () => 'python3 -m unittest discover',
  // Never guessed: people name it, with its command.
  junit: () => 'npm test',
};

/** Where a product lies in `src`, only what is installed from there would be found. */
function pytestCommand({ files }: Shown): string {
  const isBelow = files.some((path) => /^src\/\w+\/__init__\.py$/.test(path)) && !files.includes('src/__init__.py');
  return `${isBelow ? 'PYTHONPATH=src ' : ''}python3 -m pytest`;
}
