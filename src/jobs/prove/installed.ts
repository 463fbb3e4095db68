/** What the product needs, installed once in a tree of its own, to be linked into each tree of a proof. */
import { mkdtemp, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { z } from 'zod';
import type { ProofBrief } from '../../proof/pull-proof.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { isDependencyFolder } from '../../trees/checkout.ts';
import { layTree, treeOf } from '../../trees/repository.ts';
import type { Opened } from '../in-sandbox.ts';
import { parseJson } from '../report/json.ts';
import { JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { BELOW, entriesIn } from '../workspace/npm-lock.ts';
import { textsAt } from '../workspace/texts.ts';
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
  await assertKept(installing, directory, found);
  return new Map(found.map((path) => [path, join(directory, path)]));
}

/** In which npm tells what it has installed in a folder. */
const TOLD = 'node_modules/.package-lock.json';

/** Whatever the files of a commit say: each package that the set-up action has installed by npm on the base is still there, in the same version. @throws {JobError} */
async function assertKept({ prepared, log }: Installing, directory: string, found: readonly string[]): Promise<void> {
  if (prepared === undefined) return;
  for (const folder of found.filter((path) => posix.basename(path) === 'node_modules')) {
    const told = posix.join(posix.dirname(folder), TOLD);
    const lock = (await textsAt(prepared, [told])).get(told);
    if (lock === undefined) continue;
    const places = Object.keys(entriesIn(lock) ?? {}).filter((place) => `/${place}`.includes(BELOW));
    const manifests = places.map((place) => posix.join(posix.dirname(folder), place, 'package.json'));
    const [before, after] = [await textsAt(prepared, manifests), await textsAt(directory, manifests)];
    log(`${before.size} packages of the base's set-up in ${folder}`);
    for (const [path, text] of before)
      if (versionIn(after.get(path)) !== versionIn(text))
        throw new JobError(
          `\`${posix.dirname(path)}\`, as the base's set-up has it, is not what is installed on the head, and what that does to the tests cannot be told from the change; bring it in a pull request of its own.`,
        );
  }
}

const versioned = z.object({ name: z.string().optional(), version: z.string().optional() });

function versionIn(manifest: string | undefined): string | undefined {
  const { name, version } = versioned.safeParse(parseJson(manifest ?? '')).data ?? {};
  return manifest === undefined ? undefined : `${name} ${version}`;
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
