/** Reads what the test runners reported, file by file, and whether any of it can be believed. */
import { z } from 'zod';
import { type Outcome, outcome } from '../loop/brief.ts';
import type { CommandResult } from '../sandbox/command-run.ts';
import { unseal } from './seal.ts';

export interface TestResult {
  readonly outcome: Outcome;
  readonly message: string;
  /** The test was begun, and ended by an exception that is no assertion. */
  readonly isRaised?: true;
  /** What it took, where its runner says that. */
  readonly durationMs?: number;
}

export interface TestRun {
  /** By `file::name`; every expected id is there, and every other test that ran. */
  readonly results: ReadonlyMap<string, TestResult>;
  /** Files that could not be loaded or ended before their tests, and why. */
  readonly broken: ReadonlyMap<string, string>;
  /** Those of them whose time was over, and what they had taken. */
  readonly stoppedMs: ReadonlyMap<string, number>;
  /** False when the run proves nothing; then every expected test is not-run. */
  readonly trusted: boolean;
  /** That is because its time was over. */
  readonly isLate: boolean;
  readonly problem: string | undefined;
  readonly raw: string;
  readonly durationMs: number;
}

/** What a run was asked for: files from the root, test ids `file::name`, and the time for all of it. */
export interface Expected {
  /** Where it was run. Some tests have it in their name, and every run has another. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly expected: readonly string[];
  readonly timeoutMs: number;
}

/** One file's process; its lines are sealed with the key, which only its runner was told. */
export interface FileRun {
  readonly file: string;
  readonly key: string;
  readonly result: CommandResult;
  /** Whether it was stopped because the time for the whole run was over, and not that for one file. */
  readonly isLate: boolean;
}

/** Judges what the files' runners reported; without trust every expected test is not-run. */
export function judgeRun(request: Expected, runs: readonly FileRun[]): TestRun {
  const durationMs = runs.reduce((sum, { result }) => sum + result.durationMs, 0);
  const raw = runs.map(rawOf).join('\n');
  const files = runs.map((run) => readFileRun(run, request.directory));
  const late = lateness(request, runs);
  const problem = late ?? files.find((file) => file.problem !== undefined)?.problem;
  if (problem !== undefined) {
    const unknown = { outcome: 'not-run', message: problem } as const;
    const results = new Map(request.expected.map((id) => [id, unknown]));
    const isLate = late !== undefined;
    const nothing = { broken: new Map(), stoppedMs: new Map() };
    return { results, ...nothing, trusted: false, isLate, problem, raw, durationMs };
  }
  const told = { results: resultsOf(request, files), broken: brokenOf(files), stoppedMs: stoppedMsOf(runs) };
  return { ...told, trusted: true, isLate: false, problem: undefined, raw, durationMs };
}

function stoppedMsOf(runs: readonly FileRun[]): ReadonlyMap<string, number> {
  const stopped = runs.filter(({ result }) => result.timedOut);
  return new Map(stopped.map(({ file, result }) => [file, Math.round(result.durationMs)]));
}

function brokenOf(files: readonly ReadFile[]): ReadonlyMap<string, string> {
  const found = files.map(({ file, early, loadError }): readonly [string, string | undefined] => [
    file,
    early ?? loadError,
  ]);
  return new Map(found.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

function rawOf({ file, result }: FileRun): string {
  const { exitCode, signal, timedOut, results, stdout, stderr } = result;
  const head = JSON.stringify({ file, exitCode: exitCode ?? null, signal: signal ?? null, timedOut });
  return `${head}\n${results}--- stdout\n${stdout}\n--- stderr\n${stderr}`;
}

function lateness({ files, timeoutMs }: Expected, runs: readonly FileRun[]): string | undefined {
  const isLate = runs.length < files.length || runs.some((run) => run.isLate);
  return isLate ? `the test run was stopped after ${timeoutMs} ms` : undefined;
}

const line = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('begin') }),
  z.strictObject({
    kind: z.literal('test'),
    name: z.string(),
    bare: z.string(),
    outcome: z.enum([...outcome.options, 'error']),
    message: z.string(),
    ms: z.number().nonnegative().optional(),
  }),
  z.strictObject({ kind: z.literal('load'), message: z.string() }),
  z.strictObject({ kind: z.literal('end'), outcome, message: z.string() }),
]);
type Line = z.infer<typeof line>;

interface TestLine extends TestResult {
  readonly name: string;
  readonly bare: string;
}

interface ReadFile {
  readonly file: string;
  readonly tests: readonly TestLine[];
  readonly loadError: string | undefined;
  /** A file without its last line ended early, for example by `process.exit`; nothing that it said counts. */
  readonly early: string | undefined;
  /** Why nothing of the whole run can be believed. */
  readonly problem: string | undefined;
}

function readFileRun({ file, key, result }: FileRun, directory: string): ReadFile {
  const lines = linesOf(key, result.results, directory);
  const last = lines?.at(-1);
  const loadError = lines?.find((entry) => entry.kind === 'load')?.message;
  return {
    file,
    tests: (lines ?? []).flatMap((entry) => (entry.kind === 'test' ? [testOf(entry)] : [])),
    loadError,
    early: last?.kind === 'end' ? undefined : (loadError ?? earlyEnd(file, result)),
    problem: problemOf(file, result, lines),
  };
}

function testOf({ name, bare, outcome: told, message, ms }: Extract<Line, { kind: 'test' }>): TestLine {
  const took = ms === undefined ? {} : { durationMs: ms };
  return told === 'error'
    ? { name, bare, outcome: 'load-error', message, isRaised: true, ...took }
    : { name, bare, outcome: told, message, ...took };
}

function earlyEnd(file: string, { timedOut, durationMs }: CommandResult): string {
  if (timedOut) return `${file} was stopped after ${Math.round(durationMs)} ms`;
  return `${file} ended before its tests were finished`;
}

function problemOf(file: string, result: CommandResult, lines: readonly Line[] | undefined): string | undefined {
  if (lines === undefined) return `the results of ${file} hold something that the test runner did not write`;
  const [first] = lines;
  const last = lines.at(-1);
  // Locking and starting is ours; a file that is stopped later was at least begun.
  if (first?.kind !== 'begin') {
    const why = result.timedOut ? `it was stopped after ${Math.round(result.durationMs)} ms` : tail(result.stderr);
    return `the test runner did not start ${file}: ${why}`;
  }
  if (last?.kind === 'end' && last.outcome !== 'fail') {
    return `the sentinel that must fail is ${last.outcome} after ${file}: ${last.message}`;
  }
  return undefined;
}

/** What stands for the directory in names and messages. */
const ROOT = '<root>';

/** Undefined when a line is not the runner's own. The last one may be cut off by the end of its process. */
function linesOf(key: string, written: string, directory: string): readonly Line[] | undefined {
  const texts = unseal(key, written.slice(0, written.lastIndexOf('\n') + 1));
  try {
    return texts?.map((text) => line.parse(JSON.parse(text.replaceAll(directory, ROOT))));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function resultsOf(request: Expected, files: readonly ReadFile[]): ReadonlyMap<string, TestResult> {
  const results = new Map<string, TestResult>();
  for (const { file, tests } of files) {
    for (const test of tests) {
      const id = `${file}::${test.name}`;
      results.set(id, worst([results.get(id), test]));
    }
  }
  for (const id of request.expected) {
    const own = files.find(({ file }) => file === fileOf(id));
    if (!results.has(id) || own?.early !== undefined) results.set(id, missing(own, id));
  }
  return results;
}

/** An expected test without a result of exactly its name: perhaps reported with its parents, perhaps never reached. */
function missing(own: ReadFile | undefined, id: string): TestResult {
  const file = fileOf(id);
  if (own === undefined) return { outcome: 'not-run', message: `${file} was not run` };
  const named = own.tests.filter(({ bare }) => bare === id.slice(file.length + 2));
  if (own.early !== undefined) return { outcome: 'load-error', message: own.early };
  if (named.length > 0) return worst(named);
  if (own.loadError !== undefined) return { outcome: 'load-error', message: own.loadError };
  if (own.tests.length === 0) return { outcome: 'load-error', message: `no tests were found in ${file}` };
  const names = own.tests.map(({ name }) => name).join(', ');
  return { outcome: 'not-run', message: `no such test was reported; there are: ${names.slice(0, 1000)}` };
}

function fileOf(id: string): string {
  return id.split('::')[0] ?? id;
}

/** Of several tests with one name the worst counts. */
const SEVERITY: readonly Outcome[] = ['pass', 'fail', 'not-run', 'load-error'];

function worst(results: readonly (TestResult | undefined)[]): TestResult {
  const found = results.filter((result) => result !== undefined);
  const sorted = found.toSorted((one, other) => SEVERITY.indexOf(other.outcome) - SEVERITY.indexOf(one.outcome));
  const [first] = sorted;
  if (first === undefined) return { outcome: 'not-run', message: 'no result' };
  const took = found.flatMap(({ durationMs }) => durationMs ?? []);
  return {
    ...{ outcome: first.outcome, message: first.message, ...(first.isRaised && { isRaised: true }) },
    ...(took.length === 0 ? {} : { durationMs: Math.max(...took) }),
  };
}

function tail(text: string): string {
  return text.trim().slice(-600) || 'no output';
}
