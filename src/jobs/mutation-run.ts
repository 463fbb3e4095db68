/** Tries faults in the product, one at a time, until a test turns red. */
import type { Outcome } from '../loop/brief.ts';
import { placeOf, readRegular } from './inside.ts';
import { inTurns, isMutable, type Mutant, mutantsOf } from './mutation.ts';
import { overwrite } from './trees.ts';

export interface MutationRequest {
  /** A copy that may be changed; it is as before afterwards. */
  readonly tree: string;
  /** Files in which a fault is tried first. */
  readonly first: readonly string[];
  /** Then these lines of files. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Then these files. */
  readonly others: readonly string[];
  /** Runs the test in the tree. */
  readonly outcome: () => Promise<Outcome>;
  readonly now: () => number;
}

export interface MutationFound {
  /** `fail` when a mutation was noticed, `pass` when none was, `not-run` when there was nothing to mutate. */
  readonly outcome: Outcome;
  readonly detail: string;
}

const MOST_MUTANTS = 40;
const LONGEST_MS = 60_000;

/** Stops at the first fault that makes the test fail by assertion; a fault that merely breaks the product does not count. */
export async function mutationTurnsRed(request: MutationRequest): Promise<MutationFound> {
  const mutants = await chosenMutants(request);
  if (mutants.length === 0) return { outcome: 'not-run', detail: 'there is no product code to mutate' };
  const end = request.now() + LONGEST_MS;
  let tried = 0;
  for (const mutant of mutants) {
    if (request.now() > end) break;
    tried += 1;
    if ((await outcomeWith(request, mutant)) === 'fail')
      return { outcome: 'fail', detail: `noticed: ${textOf(mutant)}` };
  }
  return {
    outcome: 'pass',
    detail: `${tried} of ${mutants.length} mutations tried, the last: ${textOf(mutants[tried - 1])}`,
  };
}

async function outcomeWith({ tree, outcome }: MutationRequest, mutant: Mutant): Promise<Outcome> {
  const place = await placeOf(tree, mutant.path);
  if (place.refusal !== undefined) return 'not-run';
  const original = await readRegular(place.absolute);
  try {
    await overwrite(tree, mutant.path, mutant.text);
    return await outcome();
  } finally {
    await overwrite(tree, mutant.path, original);
  }
}

/** The three groups one after the other, each mutant once. Within a group the files take turns, so that one long file is not all. */
async function chosenMutants(request: MutationRequest): Promise<readonly Mutant[]> {
  const groups = [
    inTurns(await Promise.all(request.first.map((path) => mutantsIn(request.tree, path)))),
    inTurns(await Promise.all([...request.changedLines].map(([path, lines]) => mutantsIn(request.tree, path, lines)))),
    inTurns(await Promise.all(request.others.map((path) => mutantsIn(request.tree, path)))),
  ];
  const product = new Set(request.others);
  const unique = new Map(groups.flat().map((mutant) => [`${mutant.path}:${mutant.line}:${mutant.after}`, mutant]));
  return [...unique.values()].filter(({ path }) => product.has(path)).slice(0, MOST_MUTANTS);
}

async function mutantsIn(tree: string, path: string, lines?: ReadonlySet<number>): Promise<readonly Mutant[]> {
  if (!isMutable(path)) return [];
  const place = await placeOf(tree, path);
  if (place.refusal !== undefined || place.stats?.isFile() !== true) return [];
  return mutantsOf(path, (await readRegular(place.absolute)).toString('utf8'), lines);
}

function textOf(mutant: Mutant | undefined): string {
  if (mutant === undefined) return 'none';
  const { path, line, operator, before, after } = mutant;
  return `${path}:${line} ${operator}: ${before.trim().slice(0, 120)} → ${after.trim().slice(0, 120)}`;
}
