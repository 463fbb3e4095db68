/** Where in the changed lines the tests come to. */
import { join } from 'node:path';
import type { Fault } from '../syntax/faults.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { type CodedTexts, type Placed, reachedFaults, withCodeAt } from '../syntax/reach.ts';
import { holdingInParts } from '../test-runs/in-parts.ts';
import { isGreenRun, marksIn, marksName } from '../test-runs/marks.ts';
import { ask, type Guards, idsOf, onChanged, type TrialRequest } from './trial.ts';

interface ReachRequest extends TrialRequest {
  readonly parsers: Parsers;
}

/**
 * The faults whose statement a run of the tests comes to, as marks in a copy tell; all where there can be none. The code under test could make
 * others, or none: marks choose what is asked, and prove nothing.
 */
export async function reachedBy(request: ReachRequest, placed: Placed, guards: Guards): Promise<ReadonlySet<Fault>> {
  const name = marksName();
  let keys: CodedTexts['keys'] = new Map();
  const run = await onChanged(
    request,
    (copy) => {
      const coded = withCodeAt(request.parsers, placed, (language, key) => language.marking(join(copy, name), key));
      keys = coded.keys;
      return coded.texts;
    },
    async (copy) => {
      const isGreen = isGreenRun(await ask(request, copy, guards, 'patiently'), idsOf(guards));
      return { isGreen, marks: await marksIn(copy, name) };
    },
  );
  return typeof run === 'string' ? new Set(placed.faults) : reachedFaults(placed.faults, keys, run);
}

/** The faults to whose statement none of the tests comes: all of them stay green where the process ends there. What cannot be confirmed counts as reached. */
export async function unreachedOf(
  request: ReachRequest,
  placed: Placed,
  all: readonly (() => Promise<Guards>)[],
): Promise<ReadonlySet<Fault>> {
  let missed = placed.faults;
  for (const found of all) {
    const guards = await found();
    if (!isAny(guards)) continue;
    const reached = await reachedBy(request, { ...placed, faults: missed }, guards);
    missed = missed.filter((fault) => !reached.has(fault));
    if (missed.length === 0) return new Set();
  }
  return holdingInParts(missed, (faults) => isUnreached(request, { ...placed, faults }, all));
}

async function isUnreached(
  request: ReachRequest,
  placed: Placed,
  all: readonly (() => Promise<Guards>)[],
): Promise<boolean> {
  const { texts, keys } = withCodeAt(request.parsers, placed, ({ ending }) => ending);
  if (placed.faults.some((fault) => !keys.has(fault))) return false;
  const isGreen = await onChanged(
    request,
    () => texts,
    async (copy) => {
      for (const found of all) {
        const guards = await found();
        if (!isAny(guards)) continue;
        if (!isGreenRun(await ask(request, copy, guards), idsOf(guards))) return false;
      }
      return true;
    },
  );
  return isGreen === true;
}

function isAny({ tests }: Guards): boolean {
  return tests.size > 0;
}
