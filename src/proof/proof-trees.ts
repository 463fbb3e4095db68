/** The folders that a proof is made in: the head, the base, and the base with the head's tests. */
import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LoopError } from '../errors.ts';
import { overwriteInside, removeInside } from '../sandbox/inside.ts';
import { treesDirectory } from '../sandbox/sandbox.ts';
import { linkPackages } from '../trees/packages.ts';
import { layTree, type Repository, treeOf } from '../trees/repository.ts';
import type { Change } from './change.ts';

export interface ProofTrees {
  readonly head: string;
  readonly base: string;
  /** The base with the changed tests as they are on the head. */
  readonly without: string;
}

/** What the trees need that no commit has: folders such as `node_modules`, by path from the root, and where they really are. */
export type Dependencies = ReadonlyMap<string, string>;

/** Lays the three out, each with links to the dependencies. @throws {LoopError} where a path stands in the way. */
export async function layProofTrees(
  repository: Repository,
  change: Change,
  dependencies: Dependencies,
): Promise<ProofTrees> {
  const lay = async (name: string, commit: string) => {
    const directory = await mkdtemp(join(treesDirectory(repository.scratch), `${name}-`));
    await layTree(repository, commit, directory);
    await link(directory, dependencies);
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

async function link(directory: string, dependencies: Dependencies): Promise<void> {
  for (const [path, place] of dependencies) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    if (basename(path) === 'node_modules') await linkPackages(place, join(directory, path));
    else await symlink(place, join(directory, path));
  }
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
