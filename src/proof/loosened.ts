/** Tests that a change loosens: as they were on the base they are red with it, and what became of them is green with and without it. Pure. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import { assertingLines, assertingLinesIn, assertionCount, assertsAsMuch, calledBy } from '../rules/assertions.ts';
import type { TestResult } from '../test-runs/test-run.ts';
import type { ProofRow } from './proof.ts';
import { firstLine, howOf, type Results } from './rows.ts';
import { fileOf, nameOf } from './test-ids.ts';

export interface Loosened {
  /** The base's tests of the changed files, on the base. */
  readonly base: Results;
  /** The same tests with the change. */
  readonly asBefore: Results;
  readonly rows: readonly ProofRow[];
  /** Whether a test asserts, in so many words, all that it did: ids on the base, and on the head. */
  readonly assertsAsBefore: (before: string, now: string) => boolean;
  /** How often a test asserted, and asserts; of ids on the base and on the head. */
  readonly assertions: (before: string, now: string) => { readonly before: number; readonly now: number };
  /** Whether a test asks what another did, as far as what both call tells; of ids on the base and on the head. */
  readonly isAbout: (before: string, now: string) => boolean;
}

/**
 * Whoever means another behaviour writes a test that needs the change; one that is content with both hides what the change breaks. A test that is gone must
 * have one in its place that needs the change. Told only: an exception, which may come from what the test does with the product's insides; a test that asserts
 * all that it did, whose set-up people adapt where a default becomes another; and one that needs the change, which says what is meant now.
 */
export function loosened(told: Loosened): readonly Defect[] {
  const { base, asBefore, rows, assertsAsBefore, isAbout } = told;
  const guarding = [...asBefore].filter(([id]) => base.get(id)?.outcome === 'pass');
  const red = guarding.filter(([, result]) => isTelling(result));
  const now = rowsByOld(base, rows);
  const content = red.filter(([id]) => now(id)?.role === 'keeps');
  const otherwise = red.filter(([id]) => now(id)?.role === 'proves');
  const gone = red.filter(([id]) => now(id) === undefined);
  const fresh = rows.filter(({ test, role }) => role === 'proves' && !base.has(test)).map(({ test }) => test);
  const unreplaced = gone.filter(([id]) => {
    // Each stands for one.
    const place = fresh.findIndex((test) => groupOf(test) === groupOf(id) && isAbout(id, test));
    return place < 0 || fresh.splice(place, 1).length === 0;
  });
  return [
    ...content.map(([id, result]) =>
      assertsAsBefore(id, now(id)?.test ?? id)
        ? findingFor(id, result, { instead: ADAPTED, isTold: true })
        : findingFor(id, result, { instead: CONTENT }),
    ),
    ...unreplaced.map(([id, result]) => findingFor(id, result, { instead: UNREPLACED })),
    // What it asked is gone from it, or is another by intent: only people know.
    ...otherwise.map(([id, result]) => findingFor(id, result, { instead: OTHERWISE, isTold: true })),
    ...guarding.filter(([, result]) => isMissing(result)).flatMap(([id]) => fewerFor(id, now(id)?.test, told)),
  ];
}

/** A test that cannot be asked as it was, because what it used has another name now: what it no longer asserts nobody can ask. */
function fewerFor(id: string, now: string | undefined, { assertions }: Loosened): readonly Defect[] {
  if (now === undefined) return [];
  const count = assertions(id, now);
  if (count.now >= count.before) return [];
  return [
    loosenedTest(id, {
      isTold: true,
      message: `${id} cannot be asked as it was on the base, because what it used is not there, and it asserts ${count.now === 1 ? 'once' : `${count.now} times`} instead of ${count.before}.`,
      suggestion: 'Look whether what it no longer asserts still holds, or is asked elsewhere.',
    }),
  ];
}

const CONTENT = 'as it is now it passes with and without the change';
const ADAPTED =
  'with another set-up, or more arguments, and the same expectations it passes with and without the change';
const OTHERWISE = 'as it is now it passes with the change only';
const UNREPLACED = 'no new test of the file that calls what it called and needs the change stands in its place';

/** What is not there any more says nothing about what a test asked. */
function isTelling(result: TestResult): boolean {
  return (result.outcome === 'fail' || result.isRaised === true) && !isMissing(result);
}

function isMissing(result: TestResult): boolean {
  return result.outcome !== 'pass' && howOf(result) === 'missing';
}

/** A test of the same name in a file that the base does not have was moved there. */
function rowsByOld(base: Results, rows: readonly ProofRow[]): (id: string) => ProofRow | undefined {
  const files = new Set([...base.keys()].map(fileOf));
  const moved = rows.filter(({ test }) => !files.has(fileOf(test)));
  return (id) => rows.find(({ test }) => test === id) ?? moved.find(({ test }) => nameOf(test) === nameOf(id));
}

/** The function of a test with parameters, the file of another. */
function groupOf(id: string): string {
  const [, named] = /^(.*::.*?)\[.*\]$/s.exec(id) ?? [];
  return named ?? fileOf(id);
}

interface Saying {
  /** What stands there now. */
  readonly instead: string;
  readonly isTold?: boolean;
}

function findingFor(id: string, result: TestResult, { instead, isTold = result.isRaised === true }: Saying): Defect {
  return loosenedTest(id, {
    isTold,
    message: `${id} as it was on the base is red with the change (${firstLine(result.message)}), and ${instead}.`,
    suggestion: 'Mend what the change breaks, or write a test of what is meant now that fails without the change.',
  });
}

function loosenedTest(
  id: string,
  { isTold, ...texts }: { readonly isTold: boolean; readonly message: string; readonly suggestion: string },
): Defect {
  return findingDefect({
    ...{ rule: 'test-loosened', about: nameOf(id), file: fileOf(id), bound: [id], ...texts },
    ...(isTold ? { severity: 'minor' as const } : {}),
  });
}

/** By the texts of the changed tests on both sides; a test that calls nothing of its own may be about anything. */
export function aboutIn(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Loosened['isAbout'] {
  const called = (texts: ReadonlyMap<string, string>, id: string) => calledBy(texts.get(fileOf(id)) ?? '', nameOf(id));
  return (idBefore, idNow) => {
    const asked = called(before, idBefore);
    return asked.size === 0 || !asked.isDisjointFrom(called(now, idNow));
  };
}

/** By the texts of the changed tests on both sides, and of the files without tests of their own, whose helpers may assert. */
export function assertionsIn(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  withTests: ReadonlySet<string>,
): Loosened['assertsAsBefore'] {
  const helpers = [...before].every(
    ([path, text]) =>
      withTests.has(path) || assertsAsMuch(assertingLinesIn(now.get(path) ?? ''), assertingLinesIn(text)),
  );
  return (idBefore, idNow) => {
    const asked = linesOf(before, idBefore);
    return helpers && asked.length > 0 && assertsAsMuch(linesOf(now, idNow), asked);
  };
}

/** By the texts of the changed tests on both sides. */
export function countsIn(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Loosened['assertions'] {
  const countOf = (texts: ReadonlyMap<string, string>, id: string) =>
    assertionCount(texts.get(fileOf(id)) ?? '', nameOf(id));
  return (idBefore, idNow) => ({ before: countOf(before, idBefore), now: countOf(now, idNow) });
}

const linesOf = (texts: ReadonlyMap<string, string>, id: string): readonly string[] =>
  assertingLines(texts.get(fileOf(id)) ?? '', nameOf(id));
