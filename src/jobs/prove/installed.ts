/** What the product needs, installed once in a tree of its own, to be linked into each tree of a proof. */
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProofBrief } from '../../proof/pull-proof.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { isDependencyFolder } from '../../trees/checkout.ts';
import { layTree, treeOf } from '../../trees/repository.ts';
import type { Opened } from '../in-sandbox.ts';
import { JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { assertKept } from './kept-packages.ts';
import { assertOnlyAdds } from './only-adds.ts';

export interface Installing extends Opened {
  readonly brief: ProofBrief;
  readonly log: (line: string) => void;
}

/**
 * Folders such as `node_modules` by path from the root, and where they are; none where nothing is to be installed. What the head's lock files add is fetched, as for a candidate
 * of a loop. @throws {JobError} when installing fails, or what there was before would be another: all trees of a proof have the same packages.
 */
export async function installed(installing: Installing): Promise<ReadonlyMap<string, string>> {
  const { brief, sandbox, repository, prepared, log } = installing;
  const { scratch } = repository;
  const directory = await mkdtemp(join(treesDirectory(scratch), 'installed-'));
  await assertOnlyAdds(repository, brief);
  await layTree(repository, brief.head, directory);
  log('installing on the head');
  const environment = { sandbox, scratch, prepared, log };
  const bench = { brief, repository, environment, packages: new Map() };
  // What a repository keeps in its history lies in each tree already.
  if (!(await install(bench, directory, { where: ' on the head' }))) return new Map();
  const found = await dependencyFolders(directory);
  await assertFree(installing, found);
  if (prepared !== undefined) {
    const paths = (await treeOf(repository, brief.base)).map(({ path }) => path);
    const folders = { prepared: await dependencyFolders(prepared), directory: found };
    await assertKept({ prepared, directory, folders, paths, log });
  }
  return new Map(found.map((path) => [path, join(directory, path)]));
}

async function assertFree({ brief, repository }: Installing, folders: readonly string[]): Promise<void> {
  for (const commit of [brief.base, brief.head]) {
    const paths = (await treeOf(repository, commit)).map(({ path }) => path);
    const taken = folders.find((folder) => paths.some((path) => path.startsWith(`${folder}/`)));
    if (taken !== undefined)
      throw new JobError(
        `The history has files below \`${taken}\`, where packages are installed; take them out of it, or prove without an install command.`,
      );
  }
}

/** Not looked for in each other, nor below a link: the code that installed may have laid one anywhere. */
async function dependencyFolders(root: string, folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const inside = entries
    .filter((entry) => entry.isDirectory() && entry.name !== '.git')
    .map(async ({ name }) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      return isDependencyFolder(name) ? [path] : dependencyFolders(root, path);
    });
  return (await Promise.all(inside)).flat();
}
