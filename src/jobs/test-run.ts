/** Runs test files and tells each test's outcome, from our own reporter and between sentinels that show whether it can be believed. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Commands } from '../loop/brief.ts';
import { NODE_REPORTER, nodeWrapper, UNITTEST_RUNNER } from './runner-scripts.ts';
import type { CommandResult, Sandbox } from './sandbox.ts';
import { indexOf, judgeRun, type TestRun } from './test-verdict.ts';

export type { TestResult, TestRun } from './test-verdict.ts';

export interface TestRequest {
  readonly sandbox: Sandbox;
  /** Root of the repository's working copy. */
  readonly directory: string;
  readonly runner: Commands['runner'];
  /** Paths from the root. */
  readonly files: readonly string[];
  /** Ids `file::name` that must be reported. */
  readonly expected: readonly string[];
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

/** Runs the files' tests in the sandbox. A run that is incomplete, flooded, late or has a wrong sentinel is not trusted. */
export async function runTests(request: TestRequest): Promise<TestRun> {
  const nonce = randomBytes(8).toString('hex');
  const scripts = join(request.sandbox.scratch, `run-${nonce}`);
  const hangMs = Math.floor(request.timeoutMs * HANG_SHARE);
  const plan = ADAPTERS[request.runner]({ nonce, scripts, directory: request.directory, files: request.files, hangMs });
  await mkdir(scripts, { recursive: true });
  await Promise.all(Object.entries(plan.scripts).map(([name, text]) => writeFile(join(scripts, name), text)));
  try {
    const { directory, timeoutMs, outputBytes } = request;
    const { argv, env } = plan;
    const result = await request.sandbox.run({ argv, env, directory, timeoutMs, outputBytes, results: true });
    return judgeRun(request, { nonce, result, exitCode: plan.exitCode });
  } finally {
    await rm(scripts, { recursive: true, force: true });
  }
}

/** Runs the repository's own test command; exit code 0 is green. */
export function suiteCommand(request: {
  readonly sandbox: Sandbox;
  readonly directory: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}): Promise<CommandResult> {
  const { sandbox, directory, command, timeoutMs, outputBytes } = request;
  const env = { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' };
  return sandbox.run({ argv: ['bash', '-c', command], directory, env, timeoutMs, outputBytes });
}

/** A test that hangs is stopped before the whole run is, so that the others still count. */
const HANG_SHARE = 0.5;

interface RunnerPlan {
  readonly scripts: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** With one sentinel that fails, there is only one exit code that a complete run can have. */
  readonly exitCode: number;
}
interface RunnerInput {
  readonly nonce: string;
  readonly scripts: string;
  readonly directory: string;
  readonly files: readonly string[];
  /** When a test counts as hanging. */
  readonly hangMs: number;
}

const ADAPTERS: Readonly<Record<Commands['runner'], (input: RunnerInput) => RunnerPlan>> = {
  'node-test': ({ nonce, scripts, directory, files, hangMs }) => {
    const urls = [undefined, ...files.map((file) => pathToFileURL(join(directory, file)).href)];
    const wrappers = urls.map((url, at) => ({ name: `${at}-${nonce}.test.mjs`, url, index: indexOf(at) }));
    return {
      scripts: {
        'reporter.mjs': NODE_REPORTER,
        ...Object.fromEntries(wrappers.map(({ name, url, index }) => [name, nodeWrapper({ url, index, nonce })])),
      },
      argv: [
        ...['node', '--test', '--test-reporter=spec', '--test-reporter-destination=stdout', `--test-timeout=${hangMs}`],
        ...[`--test-reporter=${join(scripts, 'reporter.mjs')}`, '--test-reporter-destination=stderr'],
        ...wrappers.map(({ name }) => join(scripts, name)),
      ],
      env: { CI: 'true', NO_COLOR: '1' },
      exitCode: 1,
    };
  },
  unittest: ({ nonce, scripts, files, hangMs }) => ({
    scripts: { 'runner.py': UNITTEST_RUNNER },
    argv: ['python3', join(scripts, 'runner.py'), 'all', String(hangMs / 1000), nonce, ...files],
    // Byte code is found by the second of the source's time; a mutation changes a file more often than that.
    env: { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' },
    exitCode: 0,
  }),
};
