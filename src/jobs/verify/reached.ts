/** What of the product a run of tests comes to. */
import { join } from 'node:path';
import { RUNNERS } from '../../runners/runners.ts';
import type { Fault } from '../../syntax/faults.ts';
import { languageOf } from '../../syntax/parsers.ts';
import { type CodedTexts, markedAtEnd, type Placed, reachedFaults, withCodeAt } from '../../syntax/reach.ts';
import { reworded } from '../../syntax/reworded.ts';
import { both } from '../../test-runs/in-parallel.ts';
import { holdingInParts } from '../../test-runs/in-parts.ts';
import { isGreenRun, marksIn, marksName } from '../../test-runs/marks.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import { type KeptTests, NONE_KEPT } from './regressions.ts';
import { askKept, onChanged, runKept, type Texts, type Work, workers } from './trial.ts';

/** The files that a run of the tests loads to their end; all where the marks may have broken one of them. */
export async function loadedOf(work: Work, texts: Texts, tests: readonly FrozenTest[]): Promise<Texts> {
  const { marks, isGreen } = await marksOf(work, frozen(work, tests), (told) => {
    const marked = [...texts].map(([path, text], index) => {
      const language = languageOf(path);
      return [path, language === undefined ? text : markedAtEnd(language, text, told, String(index))] as const;
    });
    return new Map(marked);
  });
  return new Map([...texts].filter((_, index) => !isGreen || marks.has(String(index))));
}

/**
 * The faults whose statement a run of the tests comes to, as marks in a copy tell. The code under test could make others, or none: marks
 * choose where faults are tried, and prove nothing.
 */
export function reachedOf(work: Work, placed: Placed, tests: readonly FrozenTest[]): Promise<ReadonlySet<Fault>> {
  return reachedIn(work, placed, frozen(work, tests));
}

/** Those of them that the tests come to without the others of their files, and not by loading alone; all where the runner cannot choose tests. */
export async function reachedAlone(
  work: Work,
  placed: Placed,
  tests: readonly FrozenTest[],
): Promise<ReadonlySet<Fault>> {
  const { bench, tests: all } = work;
  if (RUNNERS[bench.brief.commands.runner].choosesTests === 'never') return new Set(placed.faults);
  const files = [...new Set(tests.map(({ file }) => file))];
  const running = (only: readonly FrozenTest[]) =>
    reachedIn(work, placed, {
      in: (copy) => runFrozen(bench, copy, all, { only, files, alone: true }),
      ids: only.map(idOf),
    });
  const [reached, loaded] = await both(
    () => running(tests),
    () => running([]),
    workers(work),
  );
  return reached.difference(loaded);
}

/** The same of the existing tests. */
async function reachedByKept(work: Work, placed: Placed): Promise<ReadonlySet<Fault>> {
  const ids = idsIn(work.kept);
  return ids.length === 0 ? new Set() : reachedIn(work, placed, { in: (copy) => askKept(work, copy), ids });
}

async function reachedIn(work: Work, placed: Placed, run: Run): Promise<ReadonlySet<Fault>> {
  const parsers = await work.bench.environment.parsers();
  let keys: CodedTexts['keys'] = new Map();
  const marked = await marksOf(work, run, (told) => {
    const coded = withCodeAt(parsers, placed, (language, key) => language.marking(told, key));
    keys = coded.keys;
    return coded.texts;
  });
  return reachedFaults(placed.faults, keys, marked);
}

/** Ids of the tests that look at the text of the source, and the faults to whose statement none of the others comes. */
export async function lookedAt(
  work: Work,
  placed: Placed,
  tests: readonly FrozenTest[],
): Promise<{ readonly readers: ReadonlySet<string>; readonly unreached: ReadonlySet<Fault> }> {
  // Mostly none of them looks at the text, and what they come to is what was asked for meanwhile.
  const [readers, reachedByAll] = await both(
    () => readersOf(work, placed, tests),
    () => reachedOf(work, placed, tests),
    workers(work),
  );
  const others = tests.filter((test) => !readers.has(idOf(test)));
  const reached = readers.size === 0 ? reachedByAll : await reachedOf(work, placed, others);
  return { readers, unreached: await unreachedOf(work, { placed, reached }, others) };
}

/** Of the faults that are not `reached`, as marks tell, those to whose statement none of the tests comes: all of them stay green where the process ends there. What cannot be confirmed counts as reached. */
async function unreachedOf(
  work: Work,
  { placed, reached }: { readonly placed: Placed; readonly reached: ReadonlySet<Fault> },
  tests: readonly FrozenTest[],
): Promise<ReadonlySet<Fault>> {
  const missed = placed.faults.filter((fault) => !reached.has(fault));
  return holdingInParts(missed, (faults) => isUnreached(work, { ...placed, faults }, tests));
}

async function isUnreached(work: Work, placed: Placed, tests: readonly FrozenTest[]): Promise<boolean> {
  const parsers = await work.bench.environment.parsers();
  const { texts, keys } = withCodeAt(parsers, placed, ({ ending }) => ending);
  if (placed.faults.some((fault) => !keys.has(fault))) return false;
  const isGreen = await onChanged(work, texts, async (copy) => {
    return isGreenRun(await runFrozen(work.bench, copy, work.tests, { only: tests }), tests.map(idOf));
  });
  return isGreen === true;
}

/** Ids of the tests that are red where nothing but spaces came into the product: what they look at is its text. */
async function readersOf(
  work: Work,
  { texts, faults }: Placed,
  tests: readonly FrozenTest[],
): Promise<ReadonlySet<string>> {
  const changed = reworded(await work.bench.environment.parsers(), texts, faults);
  const red = await onChanged(work, changed, async (copy) => {
    const { trusted, results } = await runFrozen(work.bench, copy, work.tests, { only: tests });
    return trusted ? tests.map(idOf).filter((id) => results.get(id)?.outcome !== 'pass') : [];
  });
  return new Set(red);
}

/** A suite that takes longer would keep the verdict waiting, for what only makes it kinder: without it a fault counts as one that nobody noticed. */
const LONGEST_MS = 30_000;

export interface ReachOfKept {
  /** The existing tests that look at what the product does; none where they take too long. */
  readonly kept: KeptTests;
  /** The faults where they come to. */
  readonly faults: ReadonlySet<Fault>;
}

export async function reachOfKept(work: Work, placed: Placed): Promise<ReachOfKept> {
  const { kept } = work;
  if (kept.tests.size === 0 || kept.durationMs > LONGEST_MS) return { kept: NONE_KEPT, faults: new Set() };
  // Mostly none of them looks at the text, and what they come to is what was asked for meanwhile.
  const [looking, reachedByAll] = await both(
    () => keptLooking(work, placed),
    () => reachedByKept(work, placed),
    workers(work),
  );
  const isAll = idsIn(looking).length === idsIn(kept).length;
  return { kept: looking, faults: isAll ? reachedByAll : await reachedByKept({ ...work, kept: looking }, placed) };
}

const idsIn = ({ tests }: KeptTests): readonly string[] => [...tests.values()].flat();

async function keptLooking(work: Work, { texts, faults }: Placed): Promise<KeptTests> {
  const { kept } = work;
  const run = await runKept(work, reworded(await work.bench.environment.parsers(), texts, faults));
  const passes = (id: string) => run?.trusted === true && run.results.get(id)?.outcome === 'pass';
  const tests = [...kept.tests].map(([file, ids]) => [file, ids.filter(passes)] as const);
  return { ...kept, tests: new Map(tests.filter(([, ids]) => ids.length > 0)) };
}

/** Runs tests in a copy; their ids. */
interface Run {
  readonly in: (copy: string) => Promise<TestRun>;
  readonly ids: readonly string[];
}

function frozen(work: Work, tests: readonly FrozenTest[]): Run {
  return { in: (copy) => runFrozen(work.bench, copy, work.tests, { only: tests }), ids: tests.map(idOf) };
}

interface Marked {
  readonly marks: ReadonlySet<string>;
  /** Whether all tests of the run pass with the marks. */
  readonly isGreen: boolean;
}

/** The marks that a run of tests leaves in a copy with these texts. */
async function marksOf(work: Work, run: Run, textsFor: (told: string) => Texts): Promise<Marked> {
  const name = marksName();
  const marked = await onChanged(
    work,
    (copy) => textsFor(join(copy, name)),
    async (copy) => {
      const isGreen = isGreenRun(await run.in(copy), run.ids);
      return { isGreen, marks: await marksIn(copy, name) };
    },
  );
  return marked ?? { isGreen: false, marks: new Set() };
}
