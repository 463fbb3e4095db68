/** What a test must notice before it proves anything: the change taken back, and faults in the product. */
import { isTestPath } from '../../guard/test-paths.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import type { TestRun } from '../../test-runs/test-run.ts';
import { type Bench, runShell } from '../workspace/environment.ts';
import { onTreeCopy, revertPaths, type Trees } from '../workspace/trees.ts';
import { type FrozenTest, idOf, runFrozen } from './frozen-run.ts';
import { loadsIn, type MutationFound, type MutationRequest, mutationTurnsRed } from './mutation-run.ts';

export interface Work {
  readonly bench: Bench;
  readonly trees: Trees;
  readonly tests: FrozenTests;
  readonly headRun: TestRun;
  /** Lines of the head that the candidate added, by file. */
  readonly changedLines: ReadonlyMap<string, ReadonlySet<number>>;
  /** Becomes the raw output. */
  readonly notes: string[];
}

type Requirement = Bench['brief']['requirements'][number];
type Where = Pick<MutationRequest, 'groups' | 'isFirstNeeded'>;

const LEAST_MUTATION_MS = 3000;

/** The requirement's tests on the head with these files of its tasks as they are on the base; undefined where there are none. */
export async function revertedRun(
  work: Work,
  { own, files }: { readonly own: readonly FrozenTest[]; readonly files: readonly string[] },
): Promise<TestRun | undefined> {
  if (files.length === 0) return undefined;
  const run = await onTreeCopy(work.bench, work.trees.head, async (copy) => {
    await revertPaths(work.bench, copy, files);
    return runFrozen(work.bench, copy, work.tests, { only: own });
  });
  work.notes.push(`--- reverted for ${own.map(idOf).join(', ')}: ${files.join(', ')}`, run.raw);
  return run;
}

/** What the requirement's own tasks changed comes first; the rest of the change is tried too, because a list of files may lack one. */
export function placesOfChange(work: Work, requirement: Requirement): Where {
  const files = new Set(taskFiles(work, requirement.id));
  const own = new Map([...work.changedLines].filter(([path]) => files.has(path)));
  return { groups: [own, work.changedLines], isFirstNeeded: true };
}

export function productOf({ bench, trees }: Work): readonly string[] {
  const { runner } = bench.brief.commands;
  return [...trees.headFiles.keys()].filter((path) => !isTestPath(path, runner) && !path.startsWith('.loopwright/'));
}

/** Makes faults in the head until one turns the test red. */
export async function mutate(work: Work, test: FrozenTest, where: Where): Promise<MutationFound> {
  const { bench, trees, tests, headRun } = work;
  // A run that takes far longer than the head's hangs; that proves nothing, and the next fault is tried.
  const mostMs = Math.max(LEAST_MUTATION_MS, headRun.durationMs * 5);
  const found = await onTreeCopy(bench, trees.head, (copy) =>
    mutationTurnsRed({
      ...where,
      tree: copy,
      product: new Set(productOf(work)),
      now: bench.environment.now,
      loads: (path) => loadsIn(bench, copy, path),
      outcome: async () => {
        if (!(await builds(bench, copy))) return 'load-error';
        const run = await runFrozen(bench, copy, tests, { only: [test], mostMs });
        return run.results.get(idOf(test))?.outcome ?? 'not-run';
      },
    }),
  );
  work.notes.push(`--- mutations for ${idOf(test)}: ${found.detail}`);
  return found;
}

/** Tests may look at what is built only. */
async function builds(bench: Bench, tree: string): Promise<boolean> {
  const { build } = bench.brief.commands;
  return build === null || (await runShell(bench, build, tree)).exitCode === 0;
}

/** Files of the product that the requirement's tasks name. */
export function taskFiles({ bench }: Work, requirement: string): readonly string[] {
  const { tasks, commands } = bench.brief;
  const files = tasks.filter(({ requirements }) => requirements.includes(requirement)).flatMap((task) => task.files);
  return [...new Set(files)].filter((path) => !isTestPath(path, commands.runner));
}
