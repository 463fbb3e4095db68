/** Tries faults in the product, one at a time, until a test turns red. */
import type { Outcome } from '../../loop/brief.ts';
import { placeOf, readRegular } from '../../sandbox/inside.ts';
import { inTurns } from '../../syntax/faults.ts';
import type { Bench } from '../workspace/environment.ts';
import { overwrite } from '../workspace/trees.ts';
import { isMutable, type Mutant, mutantsOf } from './mutation.ts';

/** Files, and the lines of each where it is not all of them. */
export type Places = ReadonlyMap<string, ReadonlySet<number> | undefined>;

export interface MutationRequest {
  /** A copy that may be changed; it is as before afterwards. */
  readonly tree: string;
  /** Where a fault is tried, one group after the other. */
  readonly groups: readonly Places[];
  /** Without a possible fault in the first group none is tried in the others. */
  readonly isFirstNeeded?: boolean;
  /** Faults are made in these files only. */
  readonly product: ReadonlySet<string>;
  /** Runs the test in the tree. */
  readonly outcome: () => Promise<Outcome>;
  /** Whether the file can be loaded as it is in the tree. */
  readonly loads: (path: string) => Promise<boolean>;
  readonly now: () => number;
}

export interface MutationFound {
  /** `fail` when a mutation was noticed, `pass` when none was, `not-run` when there was nothing to mutate. */
  readonly outcome: Outcome;
  readonly detail: string;
  /** The mutation that was noticed. */
  readonly fault?: string;
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
      return { outcome: 'fail', detail: `noticed: ${textOf(mutant)}`, fault: textOf(mutant) };
  }
  return {
    outcome: 'pass',
    detail: `${tried} of ${mutants.length} mutations tried, the last: ${textOf(mutants[tried - 1])}`,
  };
}

async function outcomeWith({ tree, outcome, loads }: MutationRequest, { path, text }: Mutant): Promise<Outcome> {
  const place = await placeOf(tree, path);
  if (place.refusal !== undefined) return 'not-run';
  const original = await readRegular(place.absolute);
  let seen: Outcome;
  let isLoaded = true;
  try {
    await overwrite(tree, path, text);
    seen = await outcome();
    isLoaded = seen !== 'fail' || (await loads(path));
  } finally {
    await overwrite(tree, path, original);
  }
  // A test that asserts whether a file loads would notice it; what never loads by itself cannot be judged so.
  return isLoaded || !(await loads(path)) ? seen : 'load-error';
}

/** The groups one after the other, each mutant once. Within a group the files take turns, so that one long file is not all. */
async function chosenMutants({
  tree,
  groups,
  isFirstNeeded = false,
  product,
}: MutationRequest): Promise<readonly Mutant[]> {
  const found = await Promise.all(
    groups.map(async (group) => {
      const places = [...group].filter(([path]) => product.has(path));
      return inTurns(await Promise.all(places.map(([path, lines]) => mutantsIn(tree, path, lines))));
    }),
  );
  if (isFirstNeeded && found[0]?.length === 0) return [];
  const unique = new Map(found.flat().map((mutant) => [`${mutant.path}:${mutant.line}:${mutant.after}`, mutant]));
  return [...unique.values()].slice(0, MOST_MUTANTS);
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

/** Whole files. */
export function placesOf(paths: readonly string[]): Places {
  return new Map(paths.map((path) => [path, undefined]));
}

const LONGEST_LOAD_MS = 5000;

/** Loads one file of the product by itself. One that takes long has begun its work, so it counts as loaded. */
export async function loadsIn({ brief, environment }: Bench, tree: string, path: string): Promise<boolean> {
  const { sandbox } = environment;
  const { exitCode, timedOut } = await sandbox.run({
    argv: path.endsWith('.py') ? importInPython(path) : importInNode(sandbox.node, path),
    directory: tree,
    env: { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' },
    timeoutMs: LONGEST_LOAD_MS,
    outputBytes: brief.limits.outputBytes,
  });
  return timedOut || exitCode === 0;
}

function importInPython(path: string): readonly string[] {
  const text = 'import importlib, sys; sys.path.insert(0, "."); importlib.import_module(sys.argv[1])';
  return ['python3', '-c', text, path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.')];
}

function importInNode(node: string, path: string): readonly string[] {
  const text = `import(${JSON.stringify(`./${path}`)}).then(() => process.exit(0), () => process.exit(1));`;
  return [node, '--input-type=module', '-e', text];
}
