/** `regressions`: what is green on the base and no longer on the head, by the repository's own command and test by test. */
import { performance } from 'node:perf_hooks';
import { isTestPath } from '../../guard/test-paths.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { runTests, suiteCommand, type TestRun } from '../../test-runs/test-run.ts';
import { said } from '../report/said.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, measured } from '../workspace/environment.ts';
import { layTests, onTreeCopy, revertPaths, type Trees } from '../workspace/trees.ts';

/** The exit code alone proves little: the product could end each test process early, and with 0. */
export async function regressionReading(bench: Bench, trees: Trees): Promise<Reading> {
  const { brief, environment } = bench;
  const { runner, test: command } = brief.commands;
  const { suiteTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  const frozen = brief.tests?.files.map(({ path }) => path) ?? [];
  const paths = new Set([...trees.baseFiles.keys(), ...trees.headFiles.keys(), ...frozen]);
  const tests = [...paths].filter((path) => isTestPath(path, runner));
  const passing = await passingOnBase(bench, trees, tests);
  return onTreeCopy(bench, trees.head, async (directory) => {
    await layBaseTests(bench, directory, tests);
    // Before the command, whose processes write in the same copy.
    const run = await runAgain(bench, directory, passing);
    const lost = run === undefined ? [] : lostOf(run, passing);
    const { sandbox } = environment;
    const suite = await suiteCommand({ sandbox, directory, command, timeoutMs, outputBytes });
    const output = said(suite, outputBytes);
    if (suite.timedOut)
      return { measurement: undefined, defects: [regression('timeout', `${command} did not end: ${output}`), ...lost] };
    const isRed = suite.exitCode !== 0;
    const measurement = await measured(environment, {
      name: 'regressions',
      value: Math.max(Number(isRed), lost.length),
      unit: 'count',
      source: `exit code of ${command}, and ${passing.length} tests that pass on the base one by one, on the head with the base's test files${without(brief.supersededTests.length)}`,
      output: `${run?.raw ?? ''}\n--- ${command}\n${output}`,
    });
    const whole = isRed && lost.length === 0 ? [regression('suite', `${command} is red on the head: ${output}`)] : [];
    return { measurement, defects: [...whole, ...lost] };
  });
}

function without(superseded: number): string {
  return superseded === 0 ? '' : `, without ${superseded} superseded ones`;
}

/** Half of the time of the suite, so that the head has time enough for what the base could do. */
const BASE_SHARE = 0.5;

/** Ids of the tests that pass on the base. A file that cannot be believed there, or for which no time is left, can show nothing on the head either. */
async function passingOnBase(bench: Bench, trees: Trees, tests: readonly string[]): Promise<readonly string[]> {
  const untilMs = performance.now() + bench.brief.limits.suiteTimeoutMs * BASE_SHARE;
  return onTreeCopy(bench, trees.base, async (directory) => {
    await layBaseTests(bench, directory, tests);
    const passing: string[] = [];
    for (const file of tests.filter((path) => trees.baseFiles.has(path))) {
      const timeoutMs = Math.floor(untilMs - performance.now());
      if (timeoutMs <= 0) break;
      const { trusted, results } = await run(bench, directory, { files: [file], expected: [], timeoutMs });
      if (trusted) passing.push(...[...results].filter(([, { outcome }]) => outcome === 'pass').map(([id]) => id));
    }
    return passing;
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
  const { outputBytes } = brief.limits;
  return runTests({ sandbox: environment.sandbox, directory, runner: brief.commands.runner, outputBytes, ...asked });
}

function fileOf(id: string): string {
  return id.split('::')[0] ?? '';
}

function regression(about: string, message: string, file?: string): Defect {
  const suggestion =
    'Keep what the existing tests describe; they are run as they are on the base. Where a requirement asks for the opposite, only a plan that names the test in `supersededTests` can settle it.';
  return defect({ rule: 'regression', about, file, message, suggestion });
}
