/** The folders that a proof is made in: the head, the base, and each with the other's tests. */
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
  /** The head with the changed tests as they were on the base. */
  readonly asBefore: string;
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
    asBefore: await lay('as-before', change.head),
  };
  await layTestsOf(repository, change, { commit: change.head, directory: trees.without });
  await layTestsOf(repository, change, { commit: change.base, directory: trees.asBefore });
  return trees;
}

/** The changed tests as they are in a commit, over another one's tree. */
async function layTestsOf(
  repository: Repository,
  { tests }: Change,
  { commit, directory }: { readonly commit: string; readonly directory: string },
): Promise<void> {
  const entries = new Map((await treeOf(repository, commit)).map((entry) => [entry.path, entry]));
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
      throw new LoopError(`The test ${JSON.stringify(path)} cannot be laid over another commit's files: ${refusal}`);
  }
}
