/** Reads what a test runner reported: which tests stand between which sentinels, and whether any of it can be believed. */
import { z } from 'zod';
import { type Outcome, outcome } from '../loop/brief.ts';
import type { CommandResult } from './command-run.ts';

export interface TestResult {
  readonly outcome: Outcome;
  readonly message: string;
}

export interface TestRun {
  /** By `file::name`; every expected id is there, and every other test that ran. */
  readonly results: ReadonlyMap<string, TestResult>;
  /** False when the run proves nothing; then every expected test is not-run. */
  readonly trusted: boolean;
  readonly problem: string | undefined;
  readonly raw: string;
  readonly durationMs: number;
}

/** What a run was asked for: files from the root, and test ids `file::name`. */
export interface Expected {
  readonly files: readonly string[];
  readonly expected: readonly string[];
}

export interface Finished {
  readonly nonce: string;
  readonly result: CommandResult;
  readonly exitCode: number;
}

/** Judges what a finished runner reported; without trust every expected test is not-run. */
export function judgeRun(request: Expected, finished: Finished): TestRun {
  const { result, nonce } = finished;
  const { durationMs } = result;
  const raw = `${JSON.stringify({ files: request.files, exitCode: result.exitCode ?? null, timedOut: result.timedOut })}\n${result.results}\n--- stdout\n${result.stdout}\n--- stderr\n${result.stderr}`;
  const lines = parseLines(result.results);
  const groups = groupsOf(lines ?? [], nonce);
  const problem = problemOf(finished, lines) ?? sentinelProblem(groups);
  if (problem !== undefined) {
    const unknown = { outcome: 'not-run', message: problem } as const;
    return { results: new Map(request.expected.map((id) => [id, unknown])), trusted: false, problem, raw, durationMs };
  }
  return { results: resultsOf(request, groups), trusted: true, problem: undefined, raw, durationMs };
}

/** The sentinels' names carry which file they surround: `run` is the process that loads no file at all. */
export function indexOf(position: number): string {
  return position === 0 ? 'run' : String(position - 1);
}

const line = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('test'), name: z.string(), bare: z.string(), outcome, message: z.string() }),
  z.strictObject({ kind: z.literal('end') }),
]);
type Line = z.infer<typeof line>;
type TestLine = Extract<Line, { kind: 'test' }>;

interface FileGroup {
  readonly tests: TestLine[];
  begin: Outcome | undefined;
  end: TestLine | undefined;
  loadError: string | undefined;
}

function problemOf(finished: Finished, lines: readonly Line[] | undefined): string | undefined {
  const { result, exitCode } = finished;
  if (result.timedOut) return `the test run was stopped after ${Math.round(result.durationMs)} ms`;
  if (lines === undefined) return 'the test results cannot be read';
  if (lines.at(-1)?.kind !== 'end') return `the test results are incomplete: ${tail(result.stderr || result.stdout)}`;
  if (result.exitCode !== exitCode) {
    return `the test runner ended with ${result.exitCode ?? result.signal}, expected ${exitCode}`;
  }
  return undefined;
}

function parseLines(text: string): readonly Line[] | undefined {
  try {
    return text
      .split('\n')
      .filter((entry) => entry !== '')
      .map((entry) => line.parse(JSON.parse(entry)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/** What stands between a file's sentinels belongs to the file: runners report one file after the other. */
function groupsOf(lines: readonly Line[], nonce: string): ReadonlyMap<string, FileGroup> {
  const groups = new Map<string, FileGroup>();
  let current: FileGroup | undefined;
  for (const test of lines) {
    if (test.kind === 'end') continue;
    const begun = test.name.startsWith('begin ') ? markOf(test.name, nonce)?.index : undefined;
    if (begun !== undefined) {
      current = { tests: [], begin: test.outcome, end: undefined, loadError: undefined };
      groups.set(begun, current);
    } else if (current !== undefined) {
      addTo(current, test, nonce);
    }
  }
  return groups;
}

function addTo(group: FileGroup, test: TestLine, nonce: string): void {
  const mark = markOf(test.name, nonce);
  if (mark?.kind === 'end') group.end = test;
  else if (mark?.kind === 'load') group.loadError = test.message;
  // The runner also reports our own files, whose names hold the nonce; they are no tests.
  else if (!test.name.includes(nonce)) group.tests.push(test);
}

function markOf(name: string, nonce: string): { readonly kind: string; readonly index: string } | undefined {
  const [kind, index, ours] = name.split(' ');
  return kind !== undefined && index !== undefined && ours === nonce ? { kind, index } : undefined;
}

function sentinelProblem(groups: ReadonlyMap<string, FileGroup>): string | undefined {
  if (groups.get('run')?.end === undefined) return 'the sentinel tests did not run';
  for (const { begin, end } of groups.values()) {
    if (begin !== 'pass') return `the sentinel that must pass is ${begin}`;
    if (end !== undefined && end.outcome !== 'fail') {
      return `the sentinel that must fail is ${end.outcome}: ${end.message}`;
    }
  }
  return undefined;
}

function resultsOf(request: Expected, groups: ReadonlyMap<string, FileGroup>): ReadonlyMap<string, TestResult> {
  const results = new Map<string, TestResult>();
  for (const [at, file] of request.files.entries()) {
    for (const test of groups.get(indexOf(at + 1))?.tests ?? []) {
      const id = `${file}::${test.name}`;
      results.set(id, worst([results.get(id), test]));
    }
  }
  for (const id of request.expected) {
    if (!results.has(id) || isDead(groupOf(request, groups, id))) results.set(id, missing(request, groups, id));
  }
  return results;
}

function groupOf(request: Expected, groups: ReadonlyMap<string, FileGroup>, id: string): FileGroup | undefined {
  return groups.get(indexOf(request.files.indexOf(fileOf(id)) + 1));
}

/** A file whose last sentinel is missing ended early, for example by `process.exit`; nothing that it said counts. */
function isDead(group: FileGroup | undefined): boolean {
  return group?.end === undefined;
}

/** An expected test without a result of exactly its name: perhaps reported with its parents, perhaps never reached. */
function missing(request: Expected, groups: ReadonlyMap<string, FileGroup>, id: string): TestResult {
  if (!request.files.includes(fileOf(id))) return { outcome: 'not-run', message: `${fileOf(id)} was not run` };
  const group = groupOf(request, groups, id);
  if (group === undefined || isDead(group)) {
    return { outcome: 'load-error', message: `${fileOf(id)} ended before its tests were finished` };
  }
  const named = group.tests.filter(({ bare }) => bare === id.slice(fileOf(id).length + 2));
  if (named.length > 0) return worst(named);
  if (group.loadError !== undefined) return { outcome: 'load-error', message: group.loadError };
  if (group.tests.length === 0) return { outcome: 'load-error', message: `no tests were found in ${fileOf(id)}` };
  const names = group.tests.map(({ name }) => name).join(', ');
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
  const { outcome: verdict, message } = sorted[0] ?? { outcome: 'not-run' as const, message: 'no result' };
  return { outcome: verdict, message };
}

function tail(text: string): string {
  return text.trim().slice(-600) || 'no output';
}
