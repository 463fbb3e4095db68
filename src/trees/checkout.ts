/** Somebody's checkout, read without changing anything in it: which commits are meant, and what lies in it that no commit has. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { openMirror, type Repository, runGit, split } from './repository.ts';

export interface Checkout {
  /** Its root, links resolved. */
  readonly root: string;
  /** All its refs, in a repository of our own that borrows its objects. */
  readonly repository: Repository;
}

/** @throws {UsageError} when there is no checkout at the directory or above it. */
export async function openCheckout(directory: string, scratch: string): Promise<Checkout> {
  if ((await stat(directory).catch(() => undefined)) === undefined)
    throw new UsageError(`${directory} does not exist; name the repository whose change is to be proved.`);
  const root = await said(directory, ['rev-parse', '--show-toplevel']).catch(() => {
    throw new UsageError(
      `${directory} is in no git checkout; run this in the repository whose change is to be proved.`,
    );
  });
  return { root: await realpath(root), repository: await openMirror(root, scratch) };
}

/** The host that `origin` is on; undefined where there is none, or it is a folder. */
export async function originHost(directory: string): Promise<string | undefined> {
  const url = await said(directory, ['config', '--get', 'remote.origin.url']).catch(() => '');
  const [, byAddress, byShell] = /^(?:[\w+]+:\/\/(?:[^@/]*@)?([^/:]+)|(?:[^@/]*@)?([^/:]+):)/.exec(url.trim()) ?? [];
  return (byAddress ?? byShell)?.toLowerCase();
}

/** Where a change usually goes, the first that there is. */
const TRUNKS = ['origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'] as const;

/**
 * The commits of `BASE..HEAD`, `BASE` or nothing, as full ids. By default the head is `HEAD`, and the base is where it left the trunk.
 * @throws {UsageError} with the part that names no commit.
 */
export async function rangeOf(
  checkout: Checkout,
  written: string | undefined,
): Promise<{ readonly base: string; readonly head: string }> {
  return rangeIn(checkout, written).catch(async (error: unknown) => {
    if (!(error instanceof UsageError) || (await said(checkout.root, SHALLOW)) !== 'true') throw error;
    throw new UsageError(
      `${error.message} This clone is shallow; \`git fetch --unshallow\` brings the earlier commits.`,
    );
  });
}

const SHALLOW = ['rev-parse', '--is-shallow-repository'];

async function rangeIn(
  { repository }: Checkout,
  written: string | undefined,
): Promise<{ readonly base: string; readonly head: string }> {
  const [from, to = 'HEAD'] = written?.split(/\.{2,3}/) ?? [];
  const head = await commitOf(repository, to === '' ? 'HEAD' : to);
  const base =
    from === undefined || from === ''
      ? await trunkOf(repository, head)
      : await forkOf(repository, await commitOf(repository, from), head);
  if (base === undefined) throw new UsageError(`${from} and ${to} have no commit in common.`);
  if (base === head)
    throw new UsageError(
      `${written ?? 'HEAD'} holds no change: the commit that both have in common is ${head.slice(0, 10)}, the head itself. The range is BASE..HEAD, the older side first.`,
    );
  return { base, head };
}

async function commitOf(repository: Repository, name: string): Promise<string> {
  const found = await revision(repository, name);
  if (found !== undefined) return found;
  throw new UsageError(
    `"${name}" names no commit of this repository; say the range as BASE..HEAD, for example main..HEAD.`,
  );
}

async function trunkOf(repository: Repository, head: string): Promise<string> {
  for (const name of TRUNKS) {
    const trunk = await revision(repository, name);
    if (trunk === undefined || trunk === head) continue;
    const base = await forkOf(repository, trunk, head);
    if (base !== undefined && base !== head) return base;
  }
  throw new UsageError(
    `It cannot be told what HEAD changes: none of ${TRUNKS.join(', ')} is before it. Commit the change on a branch of its own, or say the range, for example HEAD~1..HEAD; what is not committed is no part of it.`,
  );
}

/** Where two commits parted: what the other side did since is no part of the change. */
async function forkOf(repository: Repository, one: string, other: string): Promise<string | undefined> {
  return repository.git(['merge-base', one, other]).then(
    (id) => id.toString().trim(),
    () => undefined,
  );
}

async function revision(repository: Repository, name: string): Promise<string | undefined> {
  if (name.startsWith('-')) return undefined;
  return repository.git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).then(
    (id) => id.toString().trim(),
    () => undefined,
  );
}

/** What people call virtual environments of Python, the usual name first. */
const ENVIRONMENTS = ['.venv', 'venv'] as const;

/** Folders in which installers of packages put what a product needs. */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(['node_modules', ...ENVIRONMENTS]);

/** Whether installers of packages put what a product needs in folders of this name. */
export function isDependencyFolder(name: string): boolean {
  return DEPENDENCY_FOLDERS.has(name);
}

/** The dependencies that are installed in the checkout and in no commit, by path from the root, and where they really are: people link them too. */
export async function installedIn({ root }: Pick<Checkout, 'root'>): Promise<ReadonlyMap<string, string>> {
  const found = split(await runGit(['ls-files', '--others', '--directory', '-z'], root, {}))
    .map((path) => path.replace(/\/$/, ''))
    .filter((path) => isDependencyFolder(basename(path)));
  const places = await Promise.all(found.map(async (path) => [path, await folderAt(join(root, path))] as const));
  return new Map(places.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}

export interface PythonEnvironment {
  /** Its directory of programs. */
  readonly programs: readonly string[];
  /** Where the Python lies that it was made with, outside of the system's directories. */
  readonly readOnly: readonly string[];
}

/** The virtual environment of the checkout, below the folder in which its tests run or at the root, whether somebody has activated it or not. */
export async function pythonOf(dependencies: ReadonlyMap<string, string>, directory = ''): Promise<PythonEnvironment> {
  const paths = [directory, ''].flatMap((folder) => ENVIRONMENTS.map((name) => join(folder, name)));
  for (const place of paths.flatMap((path) => dependencies.get(path) ?? [])) {
    const python = await realpath(join(place, 'bin', 'python3')).catch(() => undefined);
    if (python === undefined) continue;
    const own = dirname(dirname(python));
    return { programs: [join(place, 'bin')], readOnly: /^\/usr(?:\/|$)/.test(own) ? [] : [own] };
  }
  return { programs: [], readOnly: [] };
}

/** Undefined where it is no folder, or a link to nothing. */
async function folderAt(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true ? realpath(path) : undefined;
}

async function said(directory: string, args: readonly string[]): Promise<string> {
  return (await runGit(args, directory, {})).toString().trim();
}
