/** What VERIFY measures about the tests: whether they are intact, and whether they are stable. */
import { holdsSettings, integrityDefects } from '../../guard/test-integrity.ts';
import { isTestPath } from '../../guard/test-paths.ts';
import { judgeFindings, liftedNote } from '../../guard/waivers.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import { type ChangeWithTests, readTests } from '../../rules/test-change.ts';
import { PROCESSORS } from '../../sandbox/turns.ts';
import { inParallel, lanesOf } from '../../test-runs/in-parallel.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import { byLinesNote, type Reading } from '../report/security.ts';
import { type Bench, measured } from '../workspace/environment.ts';
import { onTreeCopy, type Trees } from '../workspace/trees.ts';
import { idOf, runFrozen } from './frozen-run.ts';

/** `test_integrity_violations`: existing, frozen and left-out tests, and the runner's set-up, compared with the base. */
export async function integrityReading(
  bench: Bench,
  trees: Trees,
  change: Pick<ChangeWithTests, 'added' | 'texts'>,
): Promise<Reading> {
  const { brief, environment } = bench;
  const { runner } = brief.commands;
  const parsers = await environment.parsers();
  const read = readTests(parsers, { ...change, isTest: (file) => isTestPath(file, runner) });
  const frozen = brief.tests ?? undefined;
  const isRead = (path: string) =>
    holdsSettings(path) ||
    (frozen?.files.some((file) => file.path === path) ?? false) ||
    brief.supersededTests.some(({ file }) => file === path);
  const [baseTexts, headTexts] = await Promise.all([
    textsOf(bench, brief.base, [...trees.baseFiles.keys()].filter(isRead)),
    textsOf(bench, brief.candidate, [...trees.headFiles.keys()].filter(isRead)),
  ]);
  const found = integrityDefects({
    runner,
    base: trees.baseFiles,
    head: trees.headFiles,
    baseText: (path) => baseTexts.get(path),
    headText: (path) => headTexts.get(path),
    frozen,
    supersededTests: brief.supersededTests,
    added: change.added,
    trees: read.trees,
  });
  const { standing: defects, lifted } = judgeFindings(found, brief.waivers);
  const measurement = await measured(environment, {
    name: 'test_integrity_violations',
    value: defects.length,
    unit: 'count',
    source: `test files and runner set-up of base and head compared${byLinesNote(read.byLines)}${liftedNote(lifted)}`,
    output: JSON.stringify(
      {
        base: brief.base,
        candidate: brief.candidate,
        frozen: frozen?.digest ?? null,
        findings: defects,
        waived: lifted,
        readByLines: read.byLines,
      },
      null,
      1,
    ),
  });
  return { measurement, defects };
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
  const { flakinessRuns, sandbox } = bench.environment;
  const runs = await inParallel(
    Array.from({ length: flakinessRuns }),
    () => onTreeCopy(bench, trees.head, (copy) => runFrozen(bench, copy, tests)),
    Math.min(lanesOf(sandbox), PROCESSORS),
  );
  const untrusted = runs.find(({ trusted }) => !trusted);
  if (untrusted !== undefined) {
    const message = `Flakiness cannot be measured: ${untrusted.problem ?? 'a run is not trusted'}.`;
    return { ...unstable(message), firstRun: runs[0] };
  }
  const outcomesOf = (id: string) => runs.map(({ results }) => results.get(id)?.outcome ?? 'not-run');
  const flaky = ids.filter((id) => new Set(outcomesOf(id)).size > 1);
  const measurement = await measured(bench.environment, {
    name: 'flakiness',
    value: flaky.length / ids.length,
    unit: 'ratio',
    source: `${flakinessRuns} runs of ${ids.length} frozen tests on the head`,
    output: JSON.stringify(
      ids.map((id) => ({ id, outcomes: outcomesOf(id) })),
      null,
      1,
    ),
  });
  const defects = flaky.map((id) =>
    defect({
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
    defects: [defect({ rule: 'flakiness', about: 'unmeasured', message })],
  };
}

async function textsOf(bench: Bench, commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const path of paths)
    texts.set(path, (await bench.repository.git(['show', `${commit}:${path}`])).toString('utf8'));
  return texts;
}
