/** Tries a runner on a few of the repository's test files, until one of them has a test that passes and can be believed. */
import { isTestFile } from '../guard/test-paths.ts';
import type { RunnerCommands } from '../runners/runner.ts';
import { RUNNERS, type RunnerName } from '../runners/runners.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { runTests, type TestRun } from './test-run.ts';

export interface Trial {
  readonly sandbox: Sandbox;
  /** A copy of the repository. */
  readonly directory: string;
  readonly commands: RunnerCommands;
  /** Paths, as `filesToTry` orders them. */
  readonly files: readonly string[];
  /** For all of them together; two minutes where nobody says it. */
  readonly timeoutMs?: number;
  readonly outputBytes: number;
  readonly log: (line: string) => void;
}

/** `seen` is what a file's tests came to; else `reason` says why the runner was not seen to work. */
export type Tried =
  | { readonly type: 'seen'; readonly file: string; readonly counts: Counts }
  | { readonly type: 'unseen'; readonly files: readonly string[]; readonly reason: string };

export interface Counts {
  readonly tests: number;
  readonly passing: number;
}

const MOST_FILES = 5;
const ALL_FILES_MS = 120_000;
/** What a file is said to be that holds none. */
export const NO_TEST = 'no test was found';

export async function tryRunner(trial: Trial): Promise<Tried> {
  const { sandbox, directory, commands, outputBytes } = trial;
  const files = trial.files.slice(0, MOST_FILES);
  const untilMs = performance.now() + (trial.timeoutMs ?? ALL_FILES_MS);
  const reasons: string[] = [];
  for (const file of files) {
    const timeoutMs = Math.floor(untilMs - performance.now());
    if (timeoutMs <= 0) break;
    trial.log(`trying ${commands.runner} on ${file}`);
    const asked = { files: [file], expected: [], timeoutMs, outputBytes };
    const seen = seenIn(file, await runTests({ sandbox, directory, commands, ...asked }));
    if (typeof seen !== 'string') return { type: 'seen', file, counts: seen };
    reasons.push(seen);
  }
  const reason = reasons.find((text) => text !== NO_TEST) ?? NO_TEST;
  return { type: 'unseen', files: files.slice(0, reasons.length), reason };
}

const NAMED_AS_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*[._-](?:test|spec))\.\w+$/;
const BESIDE = /(?:^|\/)(?:__)?(?:fixtures?|mocks|snapshots|examples?)(?:__)?\//;

interface Sized {
  readonly path: string;
  readonly bytes: number;
}

/** The runner's test files: what is named as a test before what only lies there, what is an example last, and of these the smallest first. */
export function filesToTry(files: readonly Sized[], runner: RunnerName): readonly string[] {
  const rank = (path: string): number => (BESIDE.test(path) ? 2 : NAMED_AS_TEST.test(path) ? 0 : 1);
  return files
    .filter(({ path, bytes }) => bytes > 0 && isTestFile(path, runner))
    .toSorted((one, other) => rank(one.path) - rank(other.path) || one.bytes - other.bytes)
    .map(({ path }) => path);
}

/** What the file's tests came to, where one of them passes; else why that was not seen. */
export function seenIn(file: string, { trusted, problem = '', broken, results }: TestRun): Counts | string {
  if (!trusted) return oneLine(problem.replace(/^the test runner did not start .+?: /, ''));
  const outcomes = [...results.values()];
  const passing = outcomes.filter(({ outcome }) => outcome === 'pass').length;
  if (passing > 0) return { tests: outcomes.length, passing };
  const whole = broken.get(file);
  if (whole !== undefined) return oneLine(whole.replace(/^Error: /, ''));
  const [first] = outcomes;
  if (first === undefined) return NO_TEST;
  return oneLine(`${countOf(outcomes.length)}, and none passes: ${first.message}`);
}

/** What a runner was seen to do, or why it was not. */
export function triedSentence(runner: RunnerName, tried: Tried): string {
  if (tried.type === 'seen') {
    const { tests, passing } = tried.counts;
    return `${runner} on ${tried.file}: ${countOf(tests)}, ${passing} pass (${RUNNERS[runner].trust})`;
  }
  const [first, ...more] = tried.files;
  const beside = more.length === 0 ? '' : ` and ${more.length} more`;
  return `${runner} on ${first}${beside}: ${tried.reason}`;
}

export function countOf(tests: number): string {
  return tests === 1 ? '1 test' : `${tests} tests`;
}

const LONGEST = 160;

function oneLine(text: string): string {
  const line =
    text
      .split('\n')
      .map((part) => part.trim())
      .find((part) => part !== '') ?? 'it says nothing';
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}…` : line;
}

const MISSING = /not installed|cannot find (?:package|module)|no module named|could not resolve|not found/i;

/** What a person does about a reason, as the end of a sentence. */
export function remedyFor(reason: string): string {
  if (reason === NO_TEST) return 'add a test';
  return MISSING.test(reason) ? 'install what is missing' : 'make one pass in the sandbox';
}
