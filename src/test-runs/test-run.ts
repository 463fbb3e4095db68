/** Runs test files and tells each test's outcome, from our own runners, whose lines are sealed and end with a sentinel that must fail. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { programText } from '../inside/program-text.ts';
import type { RunnerName } from '../runners/runners.ts';
import { RUNNERS } from '../runners/runners.ts';
import type { CommandResult, Sandbox } from '../sandbox/sandbox.ts';
import { keepTests } from './kept-tests.ts';
import { type FileRun, judgeRun, type TestRun } from './test-verdict.ts';

export type { TestResult, TestRun } from './test-verdict.ts';

export interface TestRequest {
  readonly sandbox: Sandbox;
  /** Root of the repository's working copy. */
  readonly directory: string;
  readonly runner: RunnerName;
  /** Paths from the root. */
  readonly files: readonly string[];
  /** Ids `file::name` that must be reported. */
  readonly expected: readonly string[];
  /** For all files together. */
  readonly timeoutMs: number;
  /** Whether files that ran together and did not come to their end run again one by one, to tell which of them it is (default). */
  readonly tellsApart?: boolean;
  readonly outputBytes: number;
}

/**
 * Runs the files' tests: together where the runner takes many, else one after the other, each in a sandbox session of its own. A run that is flooded, late as a whole, holds
 * a line that is not the runner's, or has a wrong sentinel is not trusted.
 */
export async function runTests(request: TestRequest): Promise<TestRun> {
  const scripts = join(request.sandbox.scratch, `run-${randomBytes(8).toString('hex')}`);
  const { programs } = RUNNERS[request.runner];
  await mkdir(scripts, { recursive: true });
  for (const name of programs) await writeFile(join(scripts, name), programText(name));
  try {
    return judgeRun(request, await runFiles(request, join(scripts, programs[0])));
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

/** A test that hangs is stopped before its file is, and its file before the whole run, so that the others still count. */
const TEST_SHARE = 0.4;
const FILE_SHARE = 0.5;

async function runFiles(request: TestRequest, script: string): Promise<readonly FileRun[]> {
  const { directory, timeoutMs, runner, files, tellsApart = true } = request;
  const startedMs = performance.now();
  const tests = await keepTests(directory, runner);
  const many = files.length > 1 ? await runTogether(request, script) : undefined;
  if (many !== undefined && !tellsApart) return many;
  const runs = (many ?? []).filter(isWhole(RUNNERS[runner].takesMany));
  for (const file of files.filter((path) => runs.every((run) => run.file !== path))) {
    // The tested code can write in the same tree.
    if (runs.length > 0 || many !== undefined) await tests.restore();
    const leftMs = timeoutMs - (performance.now() - startedMs);
    if (leftMs <= 0) break;
    runs.push(...(await runOnce(request, script, [file], leftMs)));
  }
  return runs;
}

/** Undefined where the runner takes files one by one. */
function runTogether(request: TestRequest, script: string): Promise<readonly FileRun[]> | undefined {
  const { runner, files, timeoutMs } = request;
  return RUNNERS[runner].takesMany === false ? undefined : runOnce(request, script, files, timeoutMs);
}

/** Whether what a file told beside others holds. One that did not load, or was not ended, in a process of many may do better alone. */
function isWhole(takesMany: 'apart' | 'together' | false): (run: FileRun) => boolean {
  const holds = ({ result: { results } }: FileRun) =>
    results.includes('{"kind":"end"') && !results.includes('{"kind":"load"');
  return takesMany === 'together' ? holds : ({ result }) => !result.timedOut;
}

/** One process of the runner. */
async function runOnce(
  { sandbox, directory, runner, outputBytes, timeoutMs }: TestRequest,
  script: string,
  files: readonly string[],
  leftMs: number,
): Promise<readonly FileRun[]> {
  const { argv, target, takesMany, trust } = RUNNERS[runner];
  const fileMs = timeoutMs * FILE_SHARE;
  // Keys and the values of the sentinel are made when the candidate is there already, and each key for one file only.
  const keyed = files.map((path) => ({ path, key: randomBytes(32).toString('hex') }));
  const told = target({ file: files[0] ?? '', directory, node: process.execPath });
  const asked = takesMany === false ? { key: keyed[0]?.key } : { files: keyed };
  const result = await sandbox.run({
    argv: argv({ node: sandbox.node, script, testMs: Math.ceil(timeoutMs * TEST_SHARE) }),
    env: { CI: 'true', NO_COLOR: '1', PYTHONDONTWRITEBYTECODE: '1' },
    stdin: JSON.stringify({ token: randomBytes(8).toString('hex'), ...asked, ...told }),
    timeoutMs: Math.ceil(Math.min(leftMs, fileMs)),
    // Tools of others want to know of their processes what only /proc tells.
    ...{ directory, outputBytes, results: true, judged: trust === 'sealed' },
  });
  const isLate = result.timedOut && leftMs <= fileMs;
  return keyed.map(({ path, key }, index) => ({
    ...{ file: path, key, isLate },
    result: takesMany === false ? result : partOf(result, index, files.length),
  }));
}

/** What one of many files was told of; what the process printed is the first one's. */
function partOf(result: CommandResult, index: number, count: number): CommandResult {
  const prefix = `${index} `;
  const own = result.results
    .split('\n')
    .flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
  const printed = index === 0 ? {} : { stdout: '', stderr: '' };
  return {
    ...result,
    ...printed,
    results: own.map((line) => `${line}\n`).join(''),
    durationMs: result.durationMs / count,
  };
}
