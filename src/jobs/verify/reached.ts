/** What of the product a run of tests comes to. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { RUNNERS } from '../../runners/runners.ts';
import { placeOf, readRegular } from '../../sandbox/inside.ts';
import type { Fault } from '../../syntax/faults.ts';
import { languageOf } from '../../syntax/parsers.ts';
import { type CodedTexts, markedAtEnd, type Placed, withCodeAt } from '../../syntax/reach.ts';
import { reworded } from '../../syntax/reworded.ts';
import { holdingInParts } from '../../test-runs/in-parts.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import { type KeptTests, NONE_KEPT } from './regressions.ts';
import { askKept, onChanged, runKept, type Texts, type Work } from './trial.ts';

/** The files that a run of the tests loads to their end. */
export async function loadedOf(work: Work, texts: Texts, tests: readonly FrozenTest[]): Promise<Texts> {
  const marks = await marksOf(work, frozen(work, tests), (told) => {
    const marked = [...texts].map(([path, text], index) => {
      const language = languageOf(path);
      return [path, language === undefined ? text : markedAtEnd(language, text, told, String(index))] as const;
    });
    return new Map(marked);
  });
  return new Map([...texts].filter((_, index) => marks.has(String(index))));
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
    reachedIn(work, placed, (copy) => runFrozen(bench, copy, all, { only, files, alone: true }));
  return (await running(tests)).difference(await running([]));
}

/** The same of the existing tests. */
export async function reachedByKept(work: Work, placed: Placed): Promise<ReadonlySet<Fault>> {
  return work.kept.tests.size === 0 ? new Set() : reachedIn(work, placed, (copy) => askKept(work, copy));
}

async function reachedIn(work: Work, placed: Placed, run: Run): Promise<ReadonlySet<Fault>> {
  const parsers = await work.bench.environment.parsers();
  let keys: CodedTexts['keys'] = new Map();
  const marks = await marksOf(work, run, (told) => {
    const coded = withCodeAt(parsers, placed, (language, key) => language.marking(told, key));
    keys = coded.keys;
    return coded.texts;
  });
  return new Set(placed.faults.filter((fault) => marks.has(keys.get(fault) ?? '') || !keys.has(fault)));
}

/** The faults to whose statement none of the tests comes: all of them stay green where the process ends there. What cannot be confirmed counts as reached. */
export async function unreachedOf(
  work: Work,
  placed: Placed,
  tests: readonly FrozenTest[],
): Promise<ReadonlySet<Fault>> {
  const reached = await reachedOf(work, placed, tests);
  const missed = placed.faults.filter((fault) => !reached.has(fault));
  return holdingInParts(missed, (faults) => isUnreached(work, { ...placed, faults }, tests));
}

async function isUnreached(work: Work, placed: Placed, tests: readonly FrozenTest[]): Promise<boolean> {
  const parsers = await work.bench.environment.parsers();
  const { texts, keys } = withCodeAt(parsers, placed, ({ ending }) => ending);
  if (placed.faults.some((fault) => !keys.has(fault))) return false;
  const isGreen = await onChanged(work, texts, async (copy) => {
    const { trusted, results } = await runFrozen(work.bench, copy, work.tests, { only: tests });
    return trusted && tests.every((test) => results.get(idOf(test))?.outcome === 'pass');
  });
  return isGreen === true;
}

/** Ids of the tests that are red where nothing but spaces came into the product: what they look at is its text. */
export async function readersOf(
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

/** The existing tests that look at what the product does; none where they take too long. */
export async function keptLooking(work: Work, { texts, faults }: Placed): Promise<KeptTests> {
  const { kept } = work;
  if (kept.tests.size === 0 || kept.durationMs > LONGEST_MS) return NONE_KEPT;
  const run = await runKept(work, reworded(await work.bench.environment.parsers(), texts, faults));
  const passes = (id: string) => run?.trusted === true && run.results.get(id)?.outcome === 'pass';
  const tests = [...kept.tests].map(([file, ids]) => [file, ids.filter(passes)] as const);
  return { ...kept, tests: new Map(tests.filter(([, ids]) => ids.length > 0)) };
}

/** More marks than any product has; the code under test can write there too. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Runs tests in a copy. */
type Run = (copy: string) => Promise<unknown>;

function frozen(work: Work, tests: readonly FrozenTest[]): Run {
  return (copy) => runFrozen(work.bench, copy, work.tests, { only: tests });
}

/** The marks that a run of tests leaves in a copy with these texts. */
async function marksOf(work: Work, run: Run, textsFor: (told: string) => Texts): Promise<ReadonlySet<string>> {
  const name = `.reached-${randomBytes(8).toString('hex')}`;
  const marks = await onChanged(
    work,
    (copy) => textsFor(join(copy, name)),
    async (copy) => {
      await run(copy);
      const place = await placeOf(copy, name);
      if (place.refusal !== undefined || place.stats?.isFile() !== true || place.stats.size > MOST_BYTES) return [];
      return (await readRegular(place.absolute)).toString('utf8').split('\n');
    },
  );
  return new Set(marks);
}
