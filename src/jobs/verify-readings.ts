/** What VERIFY measures about the tests: whether they are intact, whether the old ones still pass, and whether they are stable. */
import type { AddedLine } from '../guard/added-lines.ts';
import { integrityDefects } from '../guard/test-integrity.ts';
import { isTestPath } from '../guard/test-paths.ts';
import type { FrozenTests } from '../loop/brief.ts';
import type { Defect } from '../loop/measurement.ts';
import { type Bench, measured } from './environment.ts';
import { idOf, runFrozen } from './evidence.ts';
import { said } from './said.ts';
import type { Reading } from './security.ts';
import { runTests, suiteCommand, type TestRun } from './test-run.ts';
import { onTreeCopy, revertPaths, type Trees } from './trees.ts';
import { blocker } from './verify-defect.ts';

const FLAKINESS_RUNS = 5;

/** `test_integrity_violations`: existing, frozen and left-out tests, and the runner's set-up, compared with the base. */
export async function integrityReading(bench: Bench, trees: Trees, added: readonly AddedLine[]): Promise<Reading> {
  const { brief, environment } = bench;
  const frozen = brief.tests ?? undefined;
  const isRead = (path: string) =>
    path.endsWith('package.json') || (frozen?.files.some((file) => file.path === path) ?? false);
  const [baseTexts, headTexts] = await Promise.all([
    textsOf(bench, brief.base, [...trees.baseFiles.keys()].filter(isRead)),
    textsOf(bench, brief.candidate, [...trees.headFiles.keys()].filter(isRead)),
  ]);
  const defects = integrityDefects({
    runner: brief.commands.runner,
    base: trees.baseFiles,
    head: trees.headFiles,
    baseText: (path) => baseTexts.get(path),
    headText: (path) => headTexts.get(path),
    frozen,
    added,
  });
  const measurement = await measured(environment, {
    name: 'test_integrity_violations',
    value: defects.length,
    unit: 'count',
    source: 'test files and runner set-up of base and head compared',
    output: JSON.stringify(
      { base: brief.base, candidate: brief.candidate, frozen: frozen?.digest ?? null, defects },
      null,
      1,
    ),
  });
  return { measurement, defects };
}

/** `regressions`: the repository's own test command on the head, with exactly the base's test files. */
export async function regressionReading(bench: Bench, trees: Trees): Promise<Reading> {
  const { brief, environment } = bench;
  const { runner, test: command } = brief.commands;
  const { commandTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  const { sandbox } = environment;
  const paths = new Set([...trees.baseFiles.keys(), ...trees.headFiles.keys(), ...frozenPaths(brief.tests)]);
  const tests = [...paths].filter((path) => isTestPath(path, runner));
  return onTreeCopy(bench, trees.head, async (directory) => {
    await revertPaths(bench, directory, tests);
    const result = await suiteCommand({ sandbox, directory, command, timeoutMs, outputBytes });
    const output = said(result, outputBytes);
    if (result.timedOut)
      return { measurement: undefined, defects: [regression('timeout', `${command} did not end: ${output}`)] };
    const isGreen = result.exitCode === 0;
    const failing = isGreen
      ? []
      : await failingTests(
          bench,
          directory,
          tests.filter((path) => trees.baseFiles.has(path)),
        );
    const measurement = await measured(environment, {
      name: 'regressions',
      value: isGreen ? 0 : Math.max(1, failing.length),
      unit: 'count',
      source: `exit code of ${command} on the head with the base's test files`,
      output,
    });
    const whole =
      isGreen || failing.length > 0 ? [] : [regression('suite', `${command} is red on the head: ${output}`)];
    return { measurement, defects: [...whole, ...failing] };
  });
}

export interface Stability extends Reading {
  /** Share of the frozen tests that passed in the first run; undefined when it is not known. */
  readonly passRate: number | undefined;
  readonly firstRun: TestRun | undefined;
}

/** `flakiness`: the frozen tests run several times on the head; the share whose outcome was not always the same. */
export async function flakinessReading(bench: Bench, trees: Trees, tests: FrozenTests | undefined): Promise<Stability> {
  const ids = tests?.tests.map(idOf) ?? [];
  if (tests === undefined || ids.length === 0)
    return unstable('Flakiness cannot be measured: there are no frozen tests.');
  const runs: TestRun[] = [];
  for (let index = 0; index < FLAKINESS_RUNS; index += 1) {
    const run = await onTreeCopy(bench, trees.head, (copy) => runFrozen(bench, copy, tests));
    runs.push(run);
    if (!run.trusted) {
      const message = `Flakiness cannot be measured: ${run.problem ?? 'a run is not trusted'}.`;
      return { ...unstable(message), firstRun: runs[0] };
    }
  }
  const outcomesOf = (id: string) => runs.map(({ results }) => results.get(id)?.outcome ?? 'not-run');
  const flaky = ids.filter((id) => new Set(outcomesOf(id)).size > 1);
  const measurement = await measured(bench.environment, {
    name: 'flakiness',
    value: flaky.length / ids.length,
    unit: 'ratio',
    source: `${FLAKINESS_RUNS} runs of ${ids.length} frozen tests on the head`,
    output: JSON.stringify(
      ids.map((id) => ({ id, outcomes: outcomesOf(id) })),
      null,
      1,
    ),
  });
  const defects = flaky.map((id) =>
    blocker({
      rule: 'flakiness',
      about: id,
      file: id.split('::')[0],
      message: `${id} is not stable: ${outcomesOf(id).join(', ')}.`,
    }),
  );
  return {
    measurement,
    defects,
    firstRun: runs[0],
    passRate: ids.filter((id) => outcomesOf(id)[0] === 'pass').length / ids.length,
  };
}

function unstable(message: string): Stability {
  return {
    measurement: undefined,
    passRate: undefined,
    firstRun: undefined,
    defects: [blocker({ rule: 'flakiness', about: 'unmeasured', message })],
  };
}

/** Which of the base's tests are red on the head, where the runner can tell. */
async function failingTests(bench: Bench, directory: string, files: readonly string[]): Promise<readonly Defect[]> {
  const { commandTimeoutMs: timeoutMs, outputBytes } = bench.brief.limits;
  const { runner } = bench.brief.commands;
  const { sandbox } = bench.environment;
  const run = await runTests({ sandbox, directory, runner, files, expected: [], timeoutMs, outputBytes });
  return [...run.results]
    .filter(([, { outcome }]) => outcome === 'fail' || outcome === 'load-error')
    .map(([id, { message }]) => ({
      ...regression(id, `${id} passes no longer: ${message}`),
      file: id.split('::')[0] ?? null,
    }));
}

function regression(about: string, message: string): Defect {
  const suggestion = 'Keep what the existing tests describe; they are run as they are on the base.';
  return blocker({ rule: 'regression', about, message, suggestion });
}

function frozenPaths(tests: FrozenTests | null): readonly string[] {
  return tests?.files.map(({ path }) => path) ?? [];
}

async function textsOf(bench: Bench, commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths)
    texts.set(path, (await bench.repository.git(['show', `${commit}:${path}`])).toString('utf8'));
  return texts;
}
