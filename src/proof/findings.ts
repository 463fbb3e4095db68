/** What a change does to the way in which it is judged: tests left out, the runner's set-up changed, whole test files gone. */
import { holdsSettings, integrityDefects } from '../guard/test-integrity.ts';
import type { Defect } from '../loop/measurement.ts';
import type { RunnerName } from '../runners/runners.ts';
import type { Repository } from '../trees/repository.ts';
import type { Change } from './change.ts';

/** People may change and move tests in a pull request: rows say what those show, and which are gone is asked of the runner; the rest is as in a loop. */
const OF_LOOPS: ReadonlySet<string> = new Set(['test-changed', 'test-deleted']);

export async function findingsOf({
  change,
  repository,
  runner,
}: {
  readonly change: Change;
  readonly repository: Repository;
  readonly runner: RunnerName;
}): Promise<readonly Defect[]> {
  const { baseFiles, headFiles, added } = change;
  const settings = [...new Set([...baseFiles.keys(), ...headFiles.keys()])].filter(holdsSettings);
  const textsOf = async (commit: string, files: ReadonlyMap<string, string>) => {
    const texts = new Map<string, string>();
    for (const path of settings)
      if (files.has(path)) texts.set(path, (await repository.git(['show', `${commit}:${path}`])).toString('utf8'));
    return texts;
  };
  const [base, head] = [await textsOf(change.base, baseFiles), await textsOf(change.head, headFiles)];
  const found = integrityDefects({
    runner,
    base: baseFiles,
    head: headFiles,
    baseText: (path) => base.get(path),
    headText: (path) => head.get(path),
    frozen: undefined,
    supersededTests: [],
    added,
  });
  return found.filter(({ rule }) => !OF_LOOPS.has(rule));
}
