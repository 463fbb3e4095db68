/** Runs test files and tells each test's outcome, from our own runners, whose lines are sealed and end with a sentinel that must fail. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { programText } from '../inside/program-text.ts';
import type { Commands } from '../loop/brief.ts';
import type { Runner, RunnerCommands } from '../runners/runner.ts';
import { RUNNERS, type RunnerName } from '../runners/runners.ts';
import type { CommandResult, Sandbox } from '../sandbox/sandbox.ts';
import { keepTests } from './kept-tests.ts';
import { runInTestFolder } from './test-folder.ts';
import { type FileRun, judgeRun, type TestRun } from './test-verdict.ts';

export type { TestResult, TestRun } from './test-verdict.ts';

export interface TestRequest {
  readonly sandbox: Sandbox;
  /** Root of the repository's working copy. */
  readonly directory: string;
  readonly commands: RunnerCommands;
  /** Paths from the root. */
  readonly files: readonly string[];
  /** Ids `file::name` that must be reported. */
  readonly expected: readonly string[];
  /** Nothing else is run of the files, where the runner can choose; of the others nothing is told then. */
  readonly onlyExpected?: boolean | undefined;
  /** With `onlyExpected`, and where all run together: the first that does not pass is the last that is run; those after it are told as not run. */
  readonly untilRed?: boolean | undefined;
  /** For all files together. */
  readonly timeoutMs: number;
  /** For one test, where the runner can end it alone; without it a share of the whole time. */
  readonly testMs?: number | undefined;
  /** Whether files that ran together and did not come to their end run again one by one, to tell which of them it is (default). */
  readonly tellsApart?: boolean;
  readonly outputBytes: number;
}

/**
 * Runs the files' tests in one sandbox session, and those that this tells nothing of once more, each in a session of its own. A run that is flooded, late as a whole, holds
 * a line that is not the runner's, or has a wrong sentinel is not trusted.
 */
export async function runTests(request: TestRequest): Promise<TestRun> {
  return judgeRun(request, await runFiles(request, await programIn(request.sandbox, request.commands.runner)));
}

const written = new WeakMap<Sandbox, Map<RunnerName, Promise<string>>>();

/** The runner's program, with those that it needs beside it; written once, where no command can write. */
function programIn(sandbox: Sandbox, runner: RunnerName): Promise<string> {
  const known = written.get(sandbox) ?? new Map<RunnerName, Promise<string>>();
  written.set(sandbox, known);
  const program = known.get(runner) ?? laidIn(sandbox.scratch, RUNNERS[runner].programs);
  known.set(runner, program);
  return program;
}

async function laidIn(scratch: string, programs: Runner['programs']): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'runner-'));
  for (const name of programs) await writeFile(join(folder, name), programText(name));
  return join(folder, programs[0]);
}

/** Runs a command of the repository, as its own suite; exit code 0 is green. */
export function suiteCommand(request: {
  readonly sandbox: Sandbox;
  readonly directory: string;
  /** The folder that it runs in, by its path from there; absent, it runs there. */
  readonly folder?: Commands['directory'];
  readonly command: string;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}): Promise<CommandResult> {
  const { sandbox, directory: root, folder: directory, command, timeoutMs, outputBytes } = request;
  const env = { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' };
  return runInTestFolder({ sandbox, root, directory }, { argv: ['bash', '-c', command], env, timeoutMs, outputBytes });
}

/** With a fault a test may wait for what never comes. One that took so long is ended when it takes that much longer, on a machine that does much else, too. */
const TEST_PATIENCE = 20;
const SHORTEST_TEST_MS = 1000;

/** What one of the tests may take with a fault, as they took on the head; undefined where their runner does not say. */
export function testLimitOf({ results }: Pick<TestRun, 'results'>, ids: readonly string[]): number | undefined {
  const took = ids.flatMap((id) => results.get(id)?.durationMs ?? []);
  return took.length === 0 ? undefined : Math.max(SHORTEST_TEST_MS, TEST_PATIENCE * Math.max(...took));
}

/** A test that hangs is stopped before its file is, and its file before the whole run, so that the others still count. */
const TEST_SHARE = 0.4;
const FILE_SHARE = 0.5;
/** Where half of the time is gone already. */
const LATER_SHARE = 0.2;

async function runFiles(request: TestRequest, script: string): Promise<readonly FileRun[]> {
  const { directory, timeoutMs, files, tellsApart = true } = request;
  const { runner } = request.commands;
  const tests = await keepTests(directory, runner);
  const first = await runOnce(request, script, { files, leftMs: timeoutMs, share: FILE_SHARE });
  if (files.length < 2 || !tellsApart) return first;
  // Of the runs, and not of the turns that they wait for.
  let spentMs = durationOf(first);
  // The tested code can write in the same tree: what another file made of a test says nothing about it.
  const runs = (await tests.areUntouched()) ? first.filter(isWhole(RUNNERS[runner].takesMany)) : [];
  const share = first.some(({ result }) => result.timedOut) ? LATER_SHARE : FILE_SHARE;
  for (const file of files.filter((path) => runs.every((run) => run.file !== path))) {
    await tests.restore();
    if (spentMs >= timeoutMs) break;
    const alone = await runOnce(request, script, { files: [file], leftMs: timeoutMs - spentMs, share });
    spentMs += durationOf(alone);
    runs.push(...alone);
  }
  return runs;
}

function durationOf(runs: readonly FileRun[]): number {
  return runs.reduce((sum, { result }) => sum + result.durationMs, 0);
}

/** Whether what a file told beside others holds. One that was not ended, or did not load in a process of many, may do better alone. */
function isWhole(takesMany: Runner['takesMany']): (run: FileRun) => boolean {
  return ({ result: { results } }) =>
    results.includes('{"kind":"end"') && (takesMany === 'apart' || !results.includes('{"kind":"load"'));
}

interface Start {
  readonly files: readonly string[];
  /** Of the time for the whole run. */
  readonly leftMs: number;
  /** Of the time for the whole run, what this start may take. */
  readonly share: number;
}

/** One start of the runner's program. */
async function runOnce(
  {
    sandbox,
    directory: root,
    commands,
    outputBytes,
    timeoutMs,
    expected,
    onlyExpected = false,
    untilRed = false,
    testMs = timeoutMs * TEST_SHARE,
  }: TestRequest,
  script: string,
  { files, leftMs, share }: Start,
): Promise<readonly FileRun[]> {
  const { argv, told, trust, choosesTests } = RUNNERS[commands.runner];
  const shareMs = timeoutMs * share;
  // Keys and the values of the sentinel are made when the candidate is there already, and each key for one file only.
  const keyed = files.map((path) => ({ path, key: randomBytes(32).toString('hex') }));
  const { directory } = commands;
  const asked = keyed.map(({ path, key }) => ({
    ...{ path: relative(directory ?? '', path), key },
    ...(onlyExpected && choosesTests !== 'never' ? { only: namesIn(path, expected) } : {}),
  }));
  const request = {
    ...{ token: randomBytes(8).toString('hex'), files: asked, ...told(process.execPath, commands) },
    ...(untilRed ? { untilRed } : {}),
  };
  const command = {
    argv: argv({ node: sandbox.node, script, testMs: Math.ceil(Math.min(testMs, timeoutMs * TEST_SHARE)) }),
    env: { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' },
    stdin: JSON.stringify(request),
    timeoutMs: Math.ceil(Math.min(leftMs, shareMs)),
    // Tools of others want to know of their processes what only /proc tells.
    ...{ outputBytes, results: true, judged: trust === 'sealed' },
  };
  const result = await runInTestFolder({ sandbox, root, directory }, command);
  const isLate = result.timedOut && leftMs <= shareMs;
  return keyed.map(({ path, key }, index) => ({
    ...{ file: path, key, isLate },
    result: partOf(result, index, files.length),
  }));
}

function namesIn(file: string, ids: readonly string[]): readonly string[] {
  return ids.flatMap((id) => (id.startsWith(`${file}::`) ? [id.slice(file.length + 2)] : []));
}

/** What one of the files was told of; what the process printed is the first one's, and so is a line that belongs to no file, which makes the run unbelievable. */
function partOf(result: CommandResult, index: number, count: number): CommandResult {
  // The last line may be cut off by the end of its process.
  const whole = result.results.slice(0, result.results.lastIndexOf('\n') + 1);
  const own = whole.split('\n').flatMap((line) => {
    const [, place, text] = /^(\d+) (.*)$/s.exec(line) ?? [];
    const isKnown = place !== undefined && Number(place) < count;
    if (isKnown) return Number(place) === index ? [text] : [];
    return line === '' || index > 0 ? [] : [line];
  });
  const printed = index === 0 ? {} : { stdout: '', stderr: '' };
  return {
    ...result,
    ...printed,
    results: own.map((line) => `${line}\n`).join(''),
    durationMs: result.durationMs / count,
  };
}
