/** What speaks against a change beside its tests, or is worth a look: how it changes the way in which it is judged, secrets, risky code, tampering. */
import { holdsSettings, integrityDefects } from '../guard/test-integrity.ts';
import { isTestPath } from '../guard/test-paths.ts';
import type { Defect } from '../loop/measurement.ts';
import { scanChange } from '../rules/scan-change.ts';
import { isConftest } from '../rules/set-up-change.ts';
import { readTests } from '../rules/test-change.ts';
import type { RunnerName } from '../runners/runners.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { type Repository, textsIn } from '../trees/repository.ts';
import type { Change } from './change.ts';
import { harmlessSetUps } from './harmless-set-ups.ts';
import type { ProofRow } from './proof.ts';
import { fileOf } from './test-ids.ts';

/** People may change and move tests in a pull request: rows say what those show, and which are gone is asked of the runner; the rest is as in a loop. */
const OF_LOOPS: ReadonlySet<string> = new Set(['test-changed', 'test-deleted']);
/** Of loops' rules about tests those that count here too: rows rely on what they find. The others people break for good reasons. */
const COUNTED: ReadonlySet<string> = new Set(['test-left-out', 'test-runner']);
/** What no reason is good enough for in a product, and in tests. */
const AGAINST = /^(?:secret-|judge-tampering$)/;
const ANYWHERE = 'assertion-replaced';

export async function findingsOf({
  change,
  repository,
  runner,
  parsers,
  rows,
}: {
  readonly change: Change;
  readonly repository: Repository;
  readonly runner: RunnerName;
  readonly parsers: Parsers;
  readonly rows: readonly ProofRow[];
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
  const isTest = (file: string) => isTestPath(file, runner);
  const leaves = leavingOut(rows);
  const product = [...texts].flatMap(([path, text]) => (isTest(path) ? [] : [text])).join('\n');
  const harmless = await harmlessSetUps({ change, repository, parsers, product });
  const speaks = ({ rule, file }: Defect) =>
    !OF_LOOPS.has(rule) && !(rule === 'test-runner' && harmless.has(file ?? ''));
  return [
    ...found
      .filter(speaks)
      .map(withWhatWouldDo)
      .map((one) => weighed(one, COUNTED.has(one.rule) && (one.rule !== 'test-left-out' || leaves(one.file ?? '')))),
    ...scanChange(parsers, added, texts).defects.map((one) =>
      weighed(one, one.rule === ANYWHERE || (AGAINST.test(one.rule) && !isTest(one.file ?? ''))),
    ),
  ];
}

/** Says which changes of the file decide nothing, where there are such. */
function withWhatWouldDo(defect: Defect): Defect {
  if (defect.rule !== 'test-runner' || !isConftest(defect.file ?? '')) return defect;
  return { ...defect, message: `${defect.message} ${WOULD_DO}` };
}

const WOULD_DO =
  'It may gain fixtures, helpers, imports and constants by names that are new, or make a fixture anew; this change does something else too.';

/** Files of which some test was not run here; a condition under which one would be left out elsewhere leaves out nothing. A file without a row is believed nothing. */
function leavingOut(rows: readonly ProofRow[]): (file: string) => boolean {
  const files = Map.groupBy(rows, ({ test }) => fileOf(test));
  return (file) => files.get(file)?.some(({ role }) => role === 'left out') ?? true;
}

/** What does not speak against the change is told all the same. */
function weighed(defect: Defect, counts: boolean): Defect {
  return counts ? defect : { ...defect, severity: 'minor' };
}
