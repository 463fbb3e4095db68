/** The changed tests on every tree: as they are on the head, without the change, and as they were on the base. */

import { matchesGlob } from '../guard/glob.ts';
import { isTestFile } from '../guard/test-paths.ts';
import { scopeOf } from '../guard/test-scope.ts';
import { both, inParallel } from '../test-runs/in-parallel.ts';
import type { TestRun } from '../test-runs/test-run.ts';
import type { Change } from './change.ts';
import { type Judging, run, scoped } from './judging.ts';
import type { ProofRow } from './proof.ts';
import { firstLine, proofRows, type Results, withRedBefore } from './rows.ts';
import { fileOf } from './test-ids.ts';
import { unbuilt } from './verdict.ts';

/** How often the head's tests are run, to see whether they are stable. */
const HEAD_RUNS = 3;

export interface ChangedTests {
  readonly rows: readonly ProofRow[];
  /** The first run on the head. */
  readonly first: TestRun;
  /** The base's tests of the changed files, on the base and with the change. */
  readonly base: Results;
  readonly asBefore: Results;
}

/** A sentence where they cannot be judged. */
export async function changedTests(work: Judging): Promise<ChangedTests | string> {
  const unnamed = nothingNamed(work);
  if (unnamed !== undefined) return unnamed;
  const now = await testsNow(work);
  if (typeof now === 'string') return now;
  const before = await testsBefore(work);
  if (typeof before === 'string') return before;
  const { rows, first } = now;
  const unloaded = [...first.broken].find(([file]) => rows.length === 0 && before.broken.has(file));
  if (unloaded !== undefined)
    return `${unloaded[0]} can be run neither on the head nor, as it was, on the base: ${firstLine(unloaded[1])}${unbuilt(unloaded[1])}`;
  const { base, asBefore } = before;
  return { rows: withRedBefore(rows, base), first, base, asBefore };
}

/** A sentence where what a person names leaves out all test files, or the changed ones: whatever was meant, nothing would be asked. */
function nothingNamed(work: Judging): string | undefined {
  const { change, commands, scope } = work;
  const named = [
    ...scope.map((glob) => `${glob} (--tests)`),
    ...(commands.directory ? [`${commands.directory} (--directory)`] : []),
  ].join(' or ');
  const files = new Set([...change.headFiles.keys(), ...change.baseFiles.keys()]);
  const tests = [...files].filter((path) => isTestFile(path, commands.runner));
  const isLeft = (paths: readonly string[]) => paths.length > 0 && scopeOf(paths, scoped(work)).asked.length === 0;
  if (isLeft(tests))
    return `No test file of ${commands.runner} is at ${named}; the repository has ${tests.length}, such as ${tests[0]}.`;
  for (const glob of scope)
    if (!tests.some((path) => matchesGlob(glob, path)))
      work.log(`no test file is at ${glob} (--tests): write \`*\` within a name and \`**\` for folders, nothing else`);
  const changed = tests.filter((path) => change.tests.includes(path) || work.related.has(path));
  return isLeft(changed) ? `None of the changed test files is at ${named}: ${changed.join(', ')}.` : undefined;
}

/** The changed tests on the head, as often as it takes to see whether they are stable, and without the change. A sentence where they cannot be judged. */
async function testsNow(work: Judging): Promise<Pick<ChangedTests, 'rows' | 'first'> | string> {
  const { change, related, trees, log } = work;
  const files = scopeOf(testFiles(work, change.headFiles), scoped(work)).asked;
  const changed = files.filter((path) => !related.has(path)).length;
  log(`changed files: ${changed} with tests, ${change.product.length} without`);
  if (changed < files.length)
    log(`test files that name a changed one, and are asked as it is: ${files.length - changed}`);
  const first = await run(work, trees.head, { files });
  if (!first.trusted) return `The changed tests cannot be judged on the head: ${first.problem}`;
  const expected = [...first.results.keys()];
  const repeats = expected.length === 0 ? 0 : HEAD_RUNS - 1;
  const later = [trees.without, ...Array.from({ length: repeats }, () => trees.head)];
  const runs = await inParallel(later, (tree) => run(work, tree, { files, expected }));
  const untrusted = runs.find(({ trusted }) => !trusted);
  if (untrusted !== undefined) return `The changed tests cannot be judged: ${untrusted.problem}`;
  const [without, ...again] = runs;
  if (without === undefined) throw new Error('of the run without the change came no result');
  const cut = cutShort(without, first);
  if (cut !== undefined) return cut;
  const onHead = [first, ...again].map(({ results }) => results);
  return { rows: proofRows(onHead, without.results), first };
}

/** What takes so many times longer without the change hangs there, which the change may have mended; what was stopped sooner may have been slow. */
const HANGS = 5;

/** A sentence where a file was stopped without the change, and may as well have come to its end on a machine that does nothing else. */
function cutShort({ stoppedMs }: TestRun, { durationMs, stoppedMs: onHead }: TestRun): string | undefined {
  // One that is stopped on the head, too, is named for that.
  const cut = [...stoppedMs].find(([file, afterMs]) => !onHead.has(file) && afterMs < HANGS * durationMs);
  if (cut === undefined) return undefined;
  const [file, afterMs] = cut;
  return `The changed tests cannot be judged without the change: ${file} was stopped after ${seconds(afterMs)} s, and all of them took ${seconds(durationMs)} s on the head, so that nobody can tell whether it hangs; give them more time (\`--minutes N\`, or \`limits.suiteSeconds\` of the repository).`;
}

function seconds(ms: number): number {
  return Math.max(1, Math.round(ms / 1000));
}

interface TestsBefore extends Pick<ChangedTests, 'base' | 'asBefore'> {
  /** Files that could not be loaded on the base, and why. */
  readonly broken: TestRun['broken'];
}

/** A sentence where they cannot be judged. */
async function testsBefore(work: Judging): Promise<TestsBefore | string> {
  const { change, trees } = work;
  const files = scopeOf(testFiles(work, change.baseFiles), scoped(work)).asked;
  if (files.length === 0) return { base: new Map(), asBefore: new Map(), broken: new Map() };
  const [base, asBefore] = await both(
    () => run(work, trees.base, { files }),
    () => run(work, trees.asBefore, { files }),
  );
  if (!base.trusted) return `The changed tests cannot be judged on the base: ${base.problem}`;
  if (!asBefore.trusted) return `${AS_BEFORE}: ${asBefore.problem}`;
  const red = [...asBefore.results].flatMap(([id, { outcome }]) => (outcome === 'pass' ? [] : [id]));
  const { broken } = base;
  const unloaded = unloadedIn(base, asBefore);
  if (red.length === 0) return { base: base.results, asBefore: new Map([...asBefore.results, ...unloaded]), broken };
  // What is now red and now green is no fault of the change.
  const again = await run(work, trees.asBefore, { files, expected: red });
  if (!again.trusted) return `${AS_BEFORE}: ${again.problem}`;
  const steady = [...again.results].filter(([id]) => asBefore.results.get(id)?.outcome !== 'pass');
  return { base: base.results, asBefore: new Map([...steady, ...unloaded]), broken };
}

/** Tests of the base whose file cannot be loaded with the change, mostly because what it names has another name; a runner tells none of them. */
function unloadedIn(base: TestRun, { results, broken }: TestRun): Results {
  const lost = [...base.results.keys()].filter((id) => !results.has(id) && broken.has(fileOf(id)));
  return new Map(lost.map((id) => [id, { outcome: 'load-error', message: broken.get(fileOf(id)) ?? '' }]));
}

const AS_BEFORE = 'The changed tests as they were on the base cannot be judged with the change';

/** The changed files with tests that are there on one side, and those that change with a file beside them. */
function testFiles({ change, commands, related }: Judging, side: Change['headFiles']): readonly string[] {
  return [...change.tests.filter((path) => side.has(path) && isTestFile(path, commands.runner)), ...related];
}
