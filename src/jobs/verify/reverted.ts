/** The change taken back: a test that proves it is red again. */
import type { TestRun } from '../../test-runs/test-run.ts';
import { onTreeCopy, revertPaths } from '../workspace/trees.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import type { Work } from './trial.ts';

/** The requirement's tests on the head with these files of its tasks as they are on the base; undefined where there are none. */
export async function revertedRun(
  work: Work,
  { own, files }: { readonly own: readonly FrozenTest[]; readonly files: readonly string[] },
): Promise<TestRun | undefined> {
  if (files.length === 0) return undefined;
  const run = await onTreeCopy(work.bench, work.trees.head, async (copy) => {
    await revertPaths(work.bench, copy, files);
    return runFrozen(work.bench, copy, work.tests, { only: own });
  });
  work.notes.push(`--- reverted for ${own.map(idOf).join(', ')}: ${files.join(', ')}`, run.raw);
  return run;
}
