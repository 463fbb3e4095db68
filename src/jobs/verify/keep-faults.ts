/** Faults in the code that the tests of a `keep` requirement execute, until one of them notices. */

import { PROCESSORS } from '../../sandbox/turns.ts';
import { possibleFaults, readable } from '../../syntax/changed-code.ts';
import { type Fault, spread } from '../../syntax/faults.ts';
import { inParallel } from '../../test-runs/in-parallel.ts';
import { MOST_FAULTS } from './change-faults.ts';
import type { FrozenTest } from './frozen-run.ts';
import { loadsWith } from './loads.ts';
import { codeFiles, taskFiles, textsOf } from './product-code.ts';
import { loadedOf, reachedAlone, reachedOf } from './reached.ts';
import { byWaiting, fails, type Texts, textOf, tryFault, type Work, workers } from './trial.ts';

/** What the tests did with the faults. */
export interface Guarded {
  /** Whether a fault could be tried at all. */
  readonly isTried: boolean;
  /** One that made a test fail by assertion. */
  readonly fault: string | undefined;
  /** Of the faults, for people. */
  readonly detail: string;
}

/**
 * Faults in the requirement's own files come first, then those in changed lines, then the others; and of each those that a test of the
 * requirement comes to itself, because in a long file most belong to other tests.
 */
export async function tryKept(work: Work, requirement: string, tests: readonly FrozenTest[]): Promise<Guarded> {
  const parsers = await work.bench.environment.parsers();
  const texts = await loadedOf(work, await textsOf(work, codeFiles(work)), tests);
  const possible = [...texts].flatMap(([file, text]) => possibleFaults(parsers, { file, text }));
  const reached = await reachedOf(work, { texts, faults: possible }, tests);
  const alone = await reachedAlone(work, { texts, faults: [...reached] }, tests);
  const ordered = inOrder([...reached], { work, alone, own: new Set(taskFiles(work, requirement)) });
  const faults = readable(parsers, { texts, faults: ordered }, MOST_FAULTS);
  let unmeasured = 0;
  // Some at the same time, and the first in order counts: which one it is does not depend on the machine.
  for (const window of windowsOf(faults, Math.min(workers(work), WINDOW))) {
    const trials = await inParallel(window, (fault) => tryOn(work, { fault, texts, tests }), window.length);
    const shown = trials.find(({ isShown }) => isShown);
    if (shown !== undefined)
      return { isTried: true, fault: textOf(shown.fault), detail: `noticed: ${textOf(shown.fault)}` };
    unmeasured += trials.filter(({ answer }) => answer === 'unmeasured').length;
  }
  return { isTried: faults.length > 0, fault: undefined, detail: detailOf(faults.length, unmeasured, texts.size) };
}

/** Behind the first that is noticed all are tried in vain: */
const WINDOW = 2 * PROCESSORS;

/** mostly it is the very first, and tests that notice nothing are soon asked for many at a time. */
function windowsOf(faults: readonly Fault[], most: number): readonly (readonly Fault[])[] {
  const windows: (readonly Fault[])[] = [];
  for (let from = 0, size = 1; from < faults.length; from += size, size = Math.min(2 * size, most))
    windows.push(faults.slice(from, from + size));
  return windows;
}

interface Asked {
  readonly fault: Fault;
  readonly texts: Texts;
  readonly tests: readonly FrozenTest[];
}

async function tryOn(work: Work, { fault, texts, tests }: Asked) {
  const text = texts.get(fault.file) ?? '';
  const trial = await tryFault(work, { fault, text, tests });
  return { fault, answer: trial.answer, isShown: fails(trial, tests) && (await loadsWith(work, fault, text)) };
}

function detailOf(made: number, unmeasured: number, loaded: number): string {
  if (made === 0)
    return loaded === 0 ? 'it runs no code in which a fault can be made' : 'it reaches no place for a fault';
  const unknown = unmeasured === 0 ? '' : `, ${unmeasured} of them could not be measured`;
  return `none of ${made} faults in the code that it runs makes it fail${unknown}`;
}

interface Nearness {
  readonly work: Work;
  /** What the tests come to without others. */
  readonly alone: ReadonlySet<Fault>;
  /** Files of the requirement. */
  readonly own: ReadonlySet<string>;
}

function inOrder(faults: readonly Fault[], { work: { changedLines }, alone, own }: Nearness): readonly Fault[] {
  const isOwn = ({ file }: Fault) => own.has(file);
  const isChanged = ({ file, line }: Fault) => changedLines.get(file)?.has(line) === true;
  const distance = (fault: Fault) => 2 * (isOwn(fault) ? 0 : isChanged(fault) ? 1 : 2) + (alone.has(fault) ? 0 : 1);
  const groups = [...Map.groupBy(faults, distance)].toSorted(([one], [other]) => one - other);
  // One that is noticed is enough.
  return groups.flatMap(([, near]) => byWaiting(spread(near, near.length), 'shortest first'));
}
