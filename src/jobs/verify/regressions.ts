/** `regressions`: what is green on the base and no longer on the head, by the repository's own command and test by test. */
import { isTestFile, isTestPath } from '../../guard/test-paths.ts';
import { scopeOf } from '../../guard/test-scope.ts';
import type { Commands } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import type { RunnerName } from '../../runners/runners.ts';
import type { CommandResult } from '../../sandbox/sandbox.ts';
import { both, lanesOf } from '../../test-runs/in-parallel.ts';
import { runTests, type TestRun } from '../../test-runs/test-run.ts';
import { said } from '../report/said.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, measured, runSuite } from '../workspace/environment.ts';
import { layTests, onTreeCopy, revertPaths, type Trees } from '../workspace/trees.ts';

/** Existing tests that pass on the base and on the head. */
export interface KeptTests {
  /** Ids by file. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
  /** What a run of them takes on the head. */
  readonly durationMs: number;
}

export const NONE_KEPT: KeptTests = { tests: new Map(), durationMs: 0 };

export interface Regressions extends Reading {
  readonly kept: KeptTests;
}

/** The exit code alone proves little: the product could end each test process early, and with 0. */
export async function regressionReading(bench: Bench, trees: Trees): Promise<Regressions> {
  const { runner } = bench.brief.commands;
  const frozen = bench.brief.tests?.files.map(({ path }) => path) ?? [];
  const paths = new Set([...trees.baseFiles.keys(), ...trees.headFiles.keys(), ...frozen]);
  const tests = [...paths].filter((path) => isTestPath(path, runner));
  const onHead = <Result>(judge: (directory: string) => Promise<Result>) =>
    onTreeCopy(bench, trees.head, async (directory) => {
      await layBaseTests(bench, directory, tests);
      return judge(directory);
    });
  const [kept, suite] = await both(
    async () => {
      const { passing, unknown } = await onBase(bench, trees, tests);
      const isAsked = unknown.size === 0 && passing.length > 0;
      return { passing, unknown, run: isAsked ? await onHead((copy) => runAgain(bench, copy, passing)) : undefined };
    },
    () => onHead((copy) => runSuite(bench, copy)),
    lanesOf(bench.environment.sandbox),
  );
  if (kept.unknown.size > 0) return { measurement: undefined, defects: [unknownOnBase(kept.unknown)], kept: NONE_KEPT };
  const { left } = scopeOf(existingTests(trees, runner), bench.brief.commands);
  return readingOf(bench, { ...kept, suite, left });
}

interface Ran {
  /** Ids of the tests that pass on the base, and their run on the head. */
  readonly passing: readonly string[];
  readonly run: TestRun | undefined;
  /** The repository's own command on the head. */
  readonly suite: CommandResult;
  /** Test files that the repository leaves out. */
  readonly left: readonly string[];
}

async function readingOf({ brief, environment }: Bench, { passing, run, suite, left }: Ran): Promise<Regressions> {
  const { test: command } = brief.commands;
  const lost = run === undefined ? [] : lostOf(run, passing);
  const output = said(suite, brief.limits.outputBytes);
  if (suite.timedOut)
    return {
      ...{ measurement: undefined, kept: NONE_KEPT },
      defects: [regression('timeout', `${command} did not end: ${output}`), ...lost],
    };
  const isRed = suite.exitCode !== 0;
  const measurement = await measured(environment, {
    name: 'regressions',
    value: Math.max(Number(isRed), lost.length),
    unit: 'count',
    source: `exit code of ${command}, and ${passing.length} tests that pass on the base one by one, on the head with the base's test files${without(brief.supersededTests.length)}${unasked(left, brief.commands)}`,
    output: `${run?.raw ?? ''}\n--- ${command}\n${output}`,
  });
  const whole = isRed && lost.length === 0 ? [regression('suite', `${command} is red on the head: ${output}`)] : [];
  return { measurement, defects: [...whole, ...lost], kept: keptIn(run, passing) };
}

function keptIn(run: TestRun | undefined, passing: readonly string[]): KeptTests {
  const ids = passing.filter((id) => run?.results.get(id)?.outcome === 'pass');
  return { tests: Map.groupBy(ids, fileOf), durationMs: run?.durationMs ?? 0 };
}

function without(superseded: number): string {
  return superseded === 0 ? '' : `, without ${superseded} superseded ones`;
}

/** What a repository leaves out is not measured, and whoever reads the number must see that. */
function unasked(left: readonly string[], { tests: globs = [], directory }: Commands): string {
  if (left.length === 0) return '';
  const keys = [
    ...(globs.length === 0 ? [] : [`commands.tests (${globs.join(', ')})`]),
    ...(directory ? [`commands.directory (${directory})`] : []),
  ];
  return `; NOT MEASURED: ${left.length} test files outside of ${keys.join(' and ')}`;
}

function existingTests({ baseFiles }: Trees, runner: RunnerName): readonly string[] {
  return [...baseFiles.keys()].filter((path) => isTestFile(path, runner));
}

/** Half of the time of the suite, so that the head has time enough for what the base could do. */
const BASE_SHARE = 0.5;

interface OnBase {
  /** Ids of the tests that pass. */
  readonly passing: readonly string[];
  /** Files of which that is not known, and why. */
  readonly unknown: ReadonlyMap<string, string>;
}

/** What passes on the base; file by file where not all can be believed together, so that one takes nothing from the others. */
async function onBase(bench: Bench, trees: Trees, tests: readonly string[]): Promise<OnBase> {
  const { commands } = bench.brief;
  const files = scopeOf(existingTests(trees, commands.runner), commands).asked;
  if (files.length === 0) return { passing: [], unknown: new Map() };
  return onTreeCopy(bench, trees.base, async (directory) => {
    await layBaseTests(bench, directory, tests);
    const time: Time = { wholeMs: bench.brief.limits.suiteTimeoutMs * BASE_SHARE, spentMs: 0 };
    const all = await ask(bench, { directory, files, time });
    if (all.unknown.size === 0 || files.length === 1) return all;
    const told: OnBase[] = [];
    for (const file of files) told.push(await ask(bench, { directory, files: [file], time }));
    return {
      passing: told.flatMap(({ passing }) => passing),
      unknown: new Map(told.flatMap(({ unknown }) => [...unknown])),
    };
  });
}

/** Of the runs, and not of what they wait for. */
interface Time {
  readonly wholeMs: number;
  spentMs: number;
}

/** What is too short for a runner to start in is no time left. */
const SHORTEST_MS = 1000;

interface AskedOnBase {
  readonly directory: string;
  readonly files: readonly string[];
  readonly time: Time;
}

async function ask(bench: Bench, { directory, files, time }: AskedOnBase): Promise<OnBase> {
  const nothing = (why: string): OnBase => ({ passing: [], unknown: new Map(files.map((file) => [file, why])) });
  const timeoutMs = Math.floor(time.wholeMs - time.spentMs);
  if (timeoutMs < SHORTEST_MS) return nothing(`the base's tests take longer than ${Math.ceil(time.wholeMs / 1000)} s`);
  const { trusted, problem, results, durationMs } = await run(bench, directory, { files, expected: [], timeoutMs });
  time.spentMs += durationMs;
  if (!trusted) return nothing(problem ?? 'it gave no result');
  return { passing: [...results].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [id] : [])), unknown: new Map() };
}

const MOST_NAMED = 5;

/** A test that nobody could ask might be the one that passes no longer. */
function unknownOnBase(unknown: ReadonlyMap<string, string>): Defect {
  const named = [...unknown].slice(0, MOST_NAMED).map(([file, why]) => `${file} (${why})`);
  const more = unknown.size > MOST_NAMED ? `, and ${unknown.size - MOST_NAMED} more` : '';
  return defect({
    rule: 'regression',
    about: 'unknown',
    message: `Whether these tests pass on the base is not known, so nothing shows that the change keeps what they assert: ${named.join(', ')}${more}.`,
    suggestion:
      'No change of the product helps: give the suite more time by `limits.suiteSeconds`, or have a person mend the tests.',
  });
}

/** The base's own tests, but without what people approved to be taken out of them. */
async function layBaseTests(bench: Bench, directory: string, tests: readonly string[]): Promise<void> {
  const { supersededTests, tests: frozen } = bench.brief;
  const cut = new Set(supersededTests.map(({ file }) => file));
  // Before the paths are set back, because a build that belongs to it reads these too.
  await layTests(directory, { files: frozen?.files.filter(({ path }) => cut.has(path)) ?? [] });
  await revertPaths(
    bench,
    directory,
    tests.filter((path) => !cut.has(path)),
  );
}

async function runAgain(bench: Bench, directory: string, passing: readonly string[]): Promise<TestRun | undefined> {
  if (passing.length === 0) return undefined;
  const files = [...new Set(passing.map(fileOf))];
  return run(bench, directory, { files, expected: passing, timeoutMs: bench.brief.limits.commandTimeoutMs });
}

function lostOf({ trusted, problem, results }: TestRun, passing: readonly string[]): readonly Defect[] {
  if (!trusted) return [regression('untrusted', `The base's tests cannot be believed on the head: ${problem}`)];
  return passing.flatMap((id) => {
    const result = results.get(id);
    if (result?.outcome === 'pass') return [];
    return regression(id, `${id} passes no longer: ${result?.message ?? 'it did not run'}`, fileOf(id));
  });
}

function run(
  { brief, environment }: Bench,
  directory: string,
  asked: { readonly files: readonly string[]; readonly expected: readonly string[]; readonly timeoutMs: number },
): Promise<TestRun> {
  const { commands, limits } = brief;
  const { outputBytes } = limits;
  return runTests({ sandbox: environment.sandbox, directory, commands, outputBytes, ...asked });
}

function fileOf(id: string): string {
  return id.split('::')[0] ?? '';
}

function regression(about: string, message: string, file?: string): Defect {
  const suggestion =
    'Keep what the existing tests describe; they are run as they are on the base. Where a requirement asks for the opposite, only a plan that names the test in `supersededTests` can settle it.';
  return defect({ rule: 'regression', about, file, message, suggestion });
}
