/** Existing tests that are red although the new tests are green: where the change is asked for, only another plan can settle it. */
import { isTestFile } from '../../guard/test-paths.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import { CONTRADICTION, defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { runTests } from '../../test-runs/test-run.ts';
import { treeOf } from '../../trees/repository.ts';
import { cut } from '../report/said.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, runShell } from '../workspace/environment.ts';
import { onCopy } from './settle.ts';

/** One for each that fails by assertion; none unless the suite alone is red. The base's whole suite was green before anything was built. */
export async function contradictedTests(
  bench: Bench,
  tests: FrozenTests,
  readings: readonly Reading[],
): Promise<readonly Defect[]> {
  const red = readings.filter(({ measurement }) => measurement?.value !== 0);
  if (red.length !== 1 || red[0]?.measurement?.name !== 'suite_failures') return [];
  const { brief, environment, repository } = bench;
  const { build, runner } = brief.commands;
  const frozen = new Set(tests.tests.map(({ file }) => file));
  const files = (await treeOf(repository, brief.candidate))
    .map(({ path }) => path)
    .filter((path) => isTestFile(path, runner) && !frozen.has(path));
  const run = await onCopy(bench, async (directory) => {
    if (build !== null) await runShell(bench, build, directory);
    return runTests({
      sandbox: environment.sandbox,
      directory,
      commands: brief.commands,
      files,
      expected: [],
      timeoutMs: brief.limits.suiteTimeoutMs,
      outputBytes: brief.limits.outputBytes,
    });
  });
  if (!run.trusted) return [];
  return [...run.results].flatMap(([id, { outcome, message }]) =>
    outcome === 'fail' ? contradiction(id, message) : [],
  );
}

function contradiction(id: string, said: string): Defect {
  return defect({
    rule: CONTRADICTION,
    about: id,
    file: id.split('::')[0],
    message: `The existing test ${id} is red, and all new tests are green: ${cut(said, 1500)}`,
    suggestion:
      'Keep what it asserts. Where a requirement asks for the opposite, no code can settle it: the plan must name it in `supersededTests`, for people to approve.',
  });
}
