/** What a change does to the way in which it is judged: tests left out or weakened, tools kept quiet, the runner's set-up changed. */
import { holdsSettings, integrityDefects } from '../guard/test-integrity.ts';
import { isTestPath } from '../guard/test-paths.ts';
import type { Defect } from '../loop/measurement.ts';
import { readTests } from '../rules/test-change.ts';
import type { RunnerName } from '../runners/runners.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { type Repository, textsIn } from '../trees/repository.ts';
import type { Change } from './change.ts';

/** People may change and move tests in a pull request: rows say what those show, and which are gone is asked of the runner; the rest is as in a loop. */
const OF_LOOPS: ReadonlySet<string> = new Set(['test-changed', 'test-deleted']);
/** People do this for good reasons, and no row relies on it: told, and nothing more. */
const TOLD: ReadonlySet<string> = new Set([
  ...['test-tautology', 'test-empty', 'test-swallowed', 'check-silenced', 'coverage-settings'],
]);

export async function findingsOf({
  change,
  repository,
  runner,
  parsers,
}: {
  readonly change: Change;
  readonly repository: Repository;
  readonly runner: RunnerName;
  readonly parsers: Parsers;
}): Promise<readonly Defect[]> {
  const { baseFiles, headFiles, added } = change;
  const settings = [...baseFiles.keys(), ...headFiles.keys()].filter(holdsSettings);
  const base = await textsIn(repository, baseFiles, settings);
  const head = await textsIn(repository, headFiles, settings);
  const code = added.map(({ file }) => file).filter((file) => languageOf(file) !== undefined);
  const texts = await textsIn(repository, headFiles, code);
  const found = integrityDefects({
    runner,
    base: baseFiles,
    head: headFiles,
    baseText: (path) => base.get(path),
    headText: (path) => head.get(path),
    frozen: undefined,
    supersededTests: [],
    added,
    trees: readTests(parsers, { added, texts, isTest: (file) => isTestPath(file, runner) }).trees,
  });
  return found
    .filter(({ rule }) => !OF_LOOPS.has(rule))
    .map((defect) => (TOLD.has(defect.rule) ? { ...defect, severity: 'minor' } : defect));
}
