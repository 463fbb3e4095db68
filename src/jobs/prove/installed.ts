/** What the product needs, installed once in a tree of its own, to be linked into each tree of a proof. */
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProofBrief } from '../../proof/pull-proof.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { isDependencyFolder } from '../../trees/checkout.ts';
import { layTree, type Repository, treeOf } from '../../trees/repository.ts';
import type { Opened } from '../in-sandbox.ts';
import { JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { alteredPackages, isInstalled } from '../workspace/npm-lock.ts';

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
  await assertOnlyAdds(installing);
  await layTree(repository, brief.head, directory);
  log('installing on the head');
  const environment = { sandbox, scratch, prepared, log };
  const bench = { brief, repository, environment, packages: new Map() };
  // What a repository keeps in its history lies in each tree already.
  if (!(await install(bench, directory, { where: ' on the head' }))) return new Map();
  const found = await dependencyFolders(directory);
  await assertFree(installing, found);
  return new Map(found.map((path) => [path, join(directory, path)]));
}

const MOST_SHOWN = 5;

/** A test would fail or pass by another package, and nobody could tell it from the change. */
async function assertOnlyAdds({ brief: { base, head }, repository }: Installing): Promise<void> {
  const text = async (commit: string, path: string) => String(await repository.git(['show', `${commit}:${path}`]));
  const before = await locksOf(repository, base);
  for (const path of (await locksOf(repository, head)).filter((one) => before.includes(one))) {
    const altered = alteredPackages(await text(base, path), await text(head, path));
    if (altered.length > 0)
      throw new JobError(
        `\`${path}\` changes packages that the base has (${altered.slice(0, MOST_SHOWN).join('; ')}${altered.length > MOST_SHOWN ? `, and ${altered.length - MOST_SHOWN} more` : ''}), and what that does to the tests cannot be told from the change; bring it in a pull request of its own.`,
      );
  }
}

async function locksOf(repository: Repository, commit: string): Promise<readonly string[]> {
  const files = (await treeOf(repository, commit)).filter(({ mode }) => mode.startsWith('100'));
  return files.map(({ path }) => path).filter(isInstalled);
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
