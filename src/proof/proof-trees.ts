/** The folders that a proof is made in: the head, the base, and the base with the head's tests. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { LoopError } from '../errors.ts';
import { overwriteInside, removeInside } from '../sandbox/inside.ts';
import { treesDirectory } from '../sandbox/sandbox.ts';
import { type Dependencies, linkDependencies } from '../trees/packages.ts';
import { layTree, type Repository, treeOf } from '../trees/repository.ts';
import type { Change } from './change.ts';

export interface ProofTrees {
  readonly head: string;
  readonly base: string;
  /** The base with the changed tests as they are on the head. */
  readonly without: string;
}

/** Lays the three out, each with links to the dependencies. @throws {LoopError} where a path stands in the way. */
export async function layProofTrees(
  repository: Repository,
  change: Change,
  dependencies: Dependencies,
): Promise<ProofTrees> {
  const lay = async (name: string, commit: string) => {
    const directory = await mkdtemp(join(treesDirectory(repository.scratch), `${name}-`));
    await layTree(repository, commit, directory);
    await linkDependencies(directory, dependencies);
    return directory;
  };
  const trees = {
    head: await lay('head', change.head),
    base: await lay('base', change.base),
    without: await lay('without', change.base),
  };
  await layTestsOf(repository, change, trees.without);
  return trees;
}

async function layTestsOf(repository: Repository, { head, tests }: Change, directory: string): Promise<void> {
  const entries = new Map((await treeOf(repository, head)).map((entry) => [entry.path, entry]));
  for (const path of tests) {
    const entry = entries.get(path);
    const refusal =
      entry === undefined
        ? await removeInside(directory, path)
        : await overwriteInside(
            directory,
            path,
            await repository.git(['cat-file', 'blob', entry.id]),
            entry.mode === '100755',
          );
    if (refusal !== undefined)
      throw new LoopError(`The test ${JSON.stringify(path)} cannot be laid over the base: ${refusal}`);
  }
}
