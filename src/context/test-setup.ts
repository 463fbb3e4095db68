/** What runs the tests of a checkout, and the command for its whole suite, as its files show them; people correct the guess. */
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suiteScript } from '../runners/package-scripts.ts';
import { detectRunner, RUNNER_NAMES, type RunnerName } from '../runners/runners.ts';
import { repositoryFacts } from './repository-facts.ts';

export interface TestSetup {
  readonly runner: RunnerName;
  /** The command for the whole suite. */
  readonly test: string;
}

/** Folders whose files are others'. */
const ELSEWHERE = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)$/;

/** Undefined where nothing shows a runner. */
export async function testSetupIn(directory: string): Promise<TestSetup | undefined> {
  const files = await Array.fromAsync(glob('**/*.*', { cwd: directory, exclude: (name) => ELSEWHERE.test(name) }));
  const facts = await repositoryFacts(files, (path) => readFile(join(directory, path), 'utf8'));
  const runner = detectRunner(facts, RUNNER_NAMES)?.name;
  if (runner === undefined) return undefined;
  return { runner, test: SUITES[runner]({ files, manifest: facts.manifests.get('package.json') ?? '{}' }) };
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
  // Never detected: people name it, with its command.
  junit: () => 'npm test',
};

/** Where a product lies in `src`, only what is installed from there would be found. */
function pytestCommand({ files }: Shown): string {
  const isBelow = files.some((path) => /^src\/\w+\/__init__\.py$/.test(path)) && !files.includes('src/__init__.py');
  return `${isBelow ? 'PYTHONPATH=src ' : ''}python3 -m pytest`;
}
