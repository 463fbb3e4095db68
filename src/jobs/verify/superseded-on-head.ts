/** How the tests that were taken out do on the head where they are put back: what is told of them to people. */
import type { VerifyReport } from '../../loop/brief.ts';
import { runTests } from '../../test-runs/test-run.ts';
import type { Bench } from '../workspace/environment.ts';
import { onTreeCopy, revertPaths, type Trees } from '../workspace/trees.ts';
import { idOf } from './frozen-run.ts';

export type SupersededOnHead = NonNullable<VerifyReport['supersededTests']>[number];

/** One that passes there contradicts nothing; it decides no gate, because people approved it by name. */
export async function supersededOnHead(bench: Bench, trees: Trees): Promise<readonly SupersededOnHead[]> {
  const { supersededTests, commands, limits } = bench.brief;
  if (supersededTests.length === 0) return [];
  const files = [...new Set(supersededTests.map(({ file }) => file))];
  return onTreeCopy(bench, trees.head, async (directory) => {
    await revertPaths(bench, directory, files);
    const { results } = await runTests({
      sandbox: bench.environment.sandbox,
      directory,
      commands,
      files,
      expected: supersededTests.map(idOf),
      timeoutMs: limits.suiteTimeoutMs,
      outputBytes: limits.outputBytes,
    });
    return supersededTests.map((test) => ({ ...test, head: results.get(idOf(test))?.outcome ?? 'not-run' }));
  });
}
