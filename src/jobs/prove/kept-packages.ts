/** Whether the packages of the base's set-up are what is installed on a head, whatever its files and its own code have made of them. */
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { JobError } from '../workspace/environment.ts';
import { NPM_LOCK } from '../workspace/npm-lock.ts';

export interface Kept {
  /** What the set-up action has installed on the base. */
  readonly prepared: string;
  /** Where the head is installed. */
  readonly directory: string;
  /** Folders of packages in the one and in the other, by path from the root. */
  readonly folders: { readonly prepared: readonly string[]; readonly directory: readonly string[] };
  /** Files of the base. */
  readonly paths: readonly string[];
  readonly log: (line: string) => void;
}

/**
 * An install command runs scripts of the head too, which can write over a package and leave its version. @throws {JobError} where one that the set-up has is gone or another, or
 * packages lie where the base has none, so that they hide others.
 */
export async function assertKept({ prepared, directory, folders, paths, log }: Kept): Promise<void> {
  const hasOwn = (name: string) => (folder: string) => paths.includes(posix.join(posix.dirname(folder), name));
  const known = folders.prepared.filter(isOfNpm).filter(hasOwn('package.json'));
  const added = folders.directory.filter((folder) => isOfNpm(folder) && !folders.prepared.includes(folder));
  const strange = known.length === 0 ? undefined : added.find((folder) => !hasOwn(NPM_LOCK)(folder));
  if (strange !== undefined) refuse(`\`${strange}\` is not there on the base`);
  for (const folder of new Set([...known, ...folders.directory.filter(isOfNpm)])) {
    const packages = await packagesIn(prepared, folder);
    if (packages.length > 0) log(`${packages.length} packages of the base's set-up in ${folder}`);
    for (const path of packages)
      if (!(await isSame(join(prepared, path), join(directory, path))))
        refuse(`\`${path}\`, as the base's set-up has it, is not what is installed on the head`);
  }
}

function isOfNpm(folder: string): boolean {
  return posix.basename(folder) === PACKAGES;
}

const PACKAGES = 'node_modules';
/** Folders whose entries are of packages of their own; what else begins with a dot is of tools, which write it anew. */
const SHARED = /^(?:@.+|\.bin|\.pnpm)$/;

async function packagesIn(root: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await namesIn(join(root, folder))) {
    const path = posix.join(folder, name);
    if (SHARED.test(name)) found.push(...(await namesIn(join(root, path))).map((inner) => posix.join(path, inner)));
    else if (!name.startsWith('.')) found.push(path);
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const stats = await statsAt(folder);
  return stats?.isDirectory() === true ? (await readdir(folder)).toSorted() : [];
}

/** By kind, by where a link leads, by content, and by all that a folder holds. No link is followed. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [left, right] = [await statsAt(one), await statsAt(other)];
  if (left === undefined || right === undefined || kindOf(left) !== kindOf(right)) return false;
  if (left.isSymbolicLink()) return (await readlink(one)) === (await readlink(other));
  if (!left.isDirectory()) return left.size === right.size && (await readFile(one)).equals(await readFile(other));
  const [names, others] = [await namesIn(one), await namesIn(other)];
  if (names.join('/') !== others.join('/')) return false;
  for (const name of names) if (!(await isSame(join(one, name), join(other, name)))) return false;
  return true;
}

const KIND = 0o170000;

function kindOf({ mode }: Stats): number {
  return mode & KIND;
}

async function statsAt(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** @throws {JobError} always. */
function refuse(what: string): never {
  throw new JobError(
    `${what}, and what that does to the tests cannot be told from the change; bring it in a pull request of its own.`,
  );
}
