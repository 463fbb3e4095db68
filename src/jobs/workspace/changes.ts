/** What the workspace changed against the candidate, read from the files themselves, and setting it back. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defectOf } from '../../guard/patch-policy.ts';
import type { FileChange } from '../../loop/brief.ts';
import type { Defect } from '../../loop/measurement.ts';
import { placeOf, readRegular, removeInside, writeInside } from '../../sandbox/inside.ts';
import { diffOfFolders, type Repository, split, type TreeEntry, treeOf } from '../../trees/repository.ts';

export interface Changes {
  readonly changes: readonly FileChange[];
  /** Blocking `path-policy` defects for what cannot be a change: links, submodules, special and oversized files. */
  readonly refused: readonly Defect[];
}

type Difference = { readonly change: FileChange } | { readonly path: string; readonly problem: string } | undefined;

/** Larger files are not even read. */
const LARGEST = 512 * 1024 * 1024;
/** By-products of running tests; nobody proposes them, ignored or not. */
const BY_PRODUCTS = ['__pycache__/', '*.pyc', 'node_modules/', '.pytest_cache/', '.loopwright/'] as const;

/** All differences of the workspace from the commit, sorted by path; ignored files and `.loopwright/` are left out. */
export async function changesOf(repository: Repository, commit: string, maxBytes: number): Promise<Changes> {
  const tracked = (await treeOf(repository, commit)).filter(({ path }) => !path.startsWith('.loopwright/'));
  const names = new Set(tracked.map(({ path }) => path));
  const added = (await untrackedOf(repository, commit)).filter((path) => !names.has(path));
  // One at a time: a large repository has more files than a process may have open.
  const found: Difference[] = [];
  for (const entry of tracked) found.push(await differenceOf(repository.workspace, entry, maxBytes));
  for (const path of added) found.push(await additionOf(repository.workspace, path, maxBytes));
  const differences = found.filter((difference) => difference !== undefined);
  return {
    changes: differences
      .flatMap((difference) => ('change' in difference ? [difference.change] : []))
      .sort((left, right) => (left.path < right.path ? -1 : 1)),
    refused: differences.flatMap((difference) =>
      'problem' in difference ? [defectOf(difference.path, difference.problem)] : [],
    ),
  };
}

/** Writes changes into the workspace. @throws {Error} when a path leads through a link or onto a folder. */
export async function applyChanges(workspace: string, changes: readonly FileChange[]): Promise<void> {
  const deleted = changes.filter(({ content }) => content === null);
  for (const { path } of deleted) refuse(path, await removeInside(workspace, path));
  for (const { path, mode, content } of changes) {
    if (content === null) continue;
    const bytes = Buffer.from(content, 'base64');
    refuse(path, await writeInside(workspace, path, bytes, mode === '100755'));
  }
}

/** Sets the paths back to what the commit has there: its file, or nothing. */
export async function restorePaths(repository: Repository, commit: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await removeInside(repository.workspace, path);
  const inside = new Set(paths);
  for (const { path, mode, id } of await treeOf(repository, commit)) {
    if (!inside.has(path) || (mode !== '100644' && mode !== '100755')) continue;
    const bytes = await repository.git(['cat-file', 'blob', id]);
    refuse(path, await writeInside(repository.workspace, path, bytes, mode === '100755'));
  }
}

/** The changes as a unified diff against the commit, with `a/` and `b/` before the paths. */
export async function diffOf(repository: Repository, commit: string, changes: readonly FileChange[]): Promise<string> {
  const folder = await mkdtemp(join(repository.scratch, 'diff-'));
  await Promise.all(['a', 'b'].map((side) => mkdir(join(folder, side))));
  const before = new Map((await treeOf(repository, commit)).map((entry) => [entry.path, entry.id]));
  for (const { path, content } of changes) {
    const id = before.get(path);
    if (id !== undefined) await writeTo(join(folder, 'a', path), await repository.git(['cat-file', 'blob', id]));
    if (content !== null) await writeTo(join(folder, 'b', path), Buffer.from(content, 'base64'));
  }
  return diffOfFolders('a', 'b', folder);
}

/** All files that are in the workspace and not ignored, sorted. */
export async function presentFiles(repository: Repository, commit: string): Promise<readonly string[]> {
  const added = await untrackedOf(repository, commit);
  const index = join(repository.gitDirectory, `index-${commit}`);
  const deleted = new Set(split(await repository.git(['ls-files', '-z', '--deleted'], { index })));
  const tracked = (await treeOf(repository, commit)).map(({ path }) => path).filter((path) => !deleted.has(path));
  return [...tracked, ...added].toSorted();
}

/** Paths in the workspace that the commit does not have and that are not ignored. */
export async function untrackedOf(repository: Repository, commit: string): Promise<readonly string[]> {
  const index = join(repository.gitDirectory, `index-${commit}`);
  await repository.git(['read-tree', commit], { index });
  const excluded = BY_PRODUCTS.flatMap((pattern) => ['--exclude', pattern]);
  return split(await repository.git(['ls-files', '-z', '--others', '--exclude-standard', ...excluded], { index }));
}

async function differenceOf(workspace: string, entry: TreeEntry, maxBytes: number): Promise<Difference> {
  const { path, mode, id } = entry;
  if (mode === '160000') return undefined;
  if (mode === '120000') return linkDifferenceOf(workspace, entry);
  const found = await regularAt(workspace, path);
  if (found === undefined) return { change: { path, mode: mode === '100755' ? mode : '100644', content: null } };
  if ('problem' in found) return { path, problem: found.problem };
  if (found.mode === mode && blobId(found.bytes, id) === id) return undefined;
  return changeOf(path, found, maxBytes);
}

async function linkDifferenceOf(workspace: string, { path, id }: TreeEntry): Promise<Difference> {
  const target = await readlink(join(workspace, path), { encoding: 'buffer' }).catch(() => undefined);
  const same = target !== undefined && blobId(target, id) === id;
  return same ? undefined : { path, problem: 'it is a symbolic link of the repository' };
}

async function additionOf(workspace: string, path: string, maxBytes: number): Promise<Difference> {
  // Git lists a folder with a repository of its own as one name with a slash at the end.
  if (path.endsWith('/')) return { path: path.slice(0, -1), problem: 'it is a git repository of its own' };
  const found = await regularAt(workspace, path);
  if (found === undefined) return { path, problem: 'its name is not valid UTF-8' };
  return 'problem' in found ? { path, problem: found.problem } : changeOf(path, found, maxBytes);
}

interface RegularFile {
  readonly mode: FileChange['mode'];
  readonly bytes: Buffer;
}

async function regularAt(
  workspace: string,
  path: string,
): Promise<RegularFile | { readonly problem: string } | undefined> {
  const place = await placeOf(workspace, path);
  if (place.refusal !== undefined) return { problem: place.refusal };
  if (place.stats === undefined) return undefined;
  if (!place.stats.isFile()) return { problem: 'it is not a regular file' };
  if (place.stats.size > LARGEST) return { problem: `it has ${place.stats.size} bytes` };
  return { mode: (place.stats.mode & 0o100) === 0 ? '100644' : '100755', bytes: await readRegular(place.absolute) };
}

function changeOf(path: string, { mode, bytes }: RegularFile, maxBytes: number): Difference {
  if (bytes.length > maxBytes)
    return { path, problem: `it has ${bytes.length} bytes; at most ${maxBytes} are accepted` };
  return { change: { path, mode, content: bytes.toString('base64') } };
}

/** Git's object id of a blob; the length of `like` tells which hash the repository uses. */
export function blobId(bytes: Buffer, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

async function writeTo(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

function refuse(path: string, refusal: string | undefined): void {
  if (refusal !== undefined) throw new Error(`cannot write ${JSON.stringify(path)} in the workspace: ${refusal}`);
}
