/** Runs the frozen tests, as they were frozen. */
import type { FrozenTests } from '../../loop/brief.ts';
import { runTests, type TestRun } from '../../test-runs/test-run.ts';
import type { Bench } from '../workspace/environment.ts';
import { layTests } from '../workspace/trees.ts';

export type FrozenTest = FrozenTests['tests'][number];

/**
 * Runs frozen tests in a tree, as they were frozen. With `only`, these; a file is run whole, unless they are to run `alone` and the runner can
 * choose. With `mostMs`, it may take no longer than that, and one test no longer than `testMs`.
 */
export async function runFrozen(
  { brief, environment }: Bench,
  directory: string,
  tests: FrozenTests,
  {
    only = tests.tests,
    files = [...new Set(only.map(({ file }) => file))],
    alone = false,
    mostMs,
    testMs,
  }: {
    readonly only?: readonly FrozenTest[];
    readonly files?: readonly string[];
    readonly alone?: boolean;
    readonly mostMs?: number;
    readonly testMs?: number | undefined;
  } = {},
): Promise<TestRun> {
  const { suiteTimeoutMs, outputBytes } = brief.limits;
  const timeoutMs = Math.min(suiteTimeoutMs, mostMs ?? suiteTimeoutMs);
  await layTests(directory, tests);
  return runTests({
    sandbox: environment.sandbox,
    directory,
    commands: brief.commands,
    files,
    expected: only.map(idOf),
    onlyExpected: alone,
    timeoutMs,
    testMs,
    outputBytes,
  });
}

/** The id of a test in results and evidence. */
export function idOf({ file, name }: Pick<FrozenTest, 'file' | 'name'>): string {
  return `${file}::${name}`;
}
