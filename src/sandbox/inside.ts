/**
 * Reading and writing files of a workspace from outside the sandbox, never through a link that code inside planted.
 * Nothing of the sandbox runs meanwhile (its processes die with their command), so what is checked here still holds when it is used.
 */
import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a path is, or why it is nowhere. `stats` is undefined when nothing is there. */
export type Place =
  | { readonly absolute: string; readonly stats: Stats | undefined; readonly refusal?: undefined }
  | { readonly refusal: string; readonly stats?: undefined };

/** Finds a relative path below `root`; every folder on the way must be a real one and the end must not be a link. */
export async function placeOf(root: string, path: string): Promise<Place> {
  const refusal = spellingRefusal(path);
  if (refusal !== undefined) return { refusal };
  const segments = path.split('/');
  for (const index of segments.keys()) {
    const here = segments.slice(0, index + 1).join('/');
    const stats = await lstat(join(root, here)).catch(missing);
    const last = index === segments.length - 1;
    if (stats === undefined || last) return endOf(root, path, here, stats);
    if (stats.isSymbolicLink()) return { refusal: `\`${here}\` is a symbolic link` };
    if (!stats.isDirectory()) return { refusal: `\`${here}\` is not a folder` };
  }
  return { refusal: 'the path is empty' };
}

/** Reads a regular file whole. @throws {Error} when it became a link meanwhile. */
export async function readRegular(absolute: string): Promise<Buffer> {
  const file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Writes a file below `root`, folders on the way included; returns a refusal instead of following a link. */
export async function writeInside(
  root: string,
  path: string,
  content: Uint8Array | string,
  executable?: boolean,
): Promise<string | undefined> {
  const place = await placeOf(root, path);
  if (place.refusal !== undefined) return place.refusal;
  if (place.stats !== undefined && !place.stats.isFile()) return `\`${path}\` is not a regular file`;
  await mkdir(join(place.absolute, '..'), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const file = await open(place.absolute, flags, 0o644);
  try {
    await file.writeFile(content);
    if (executable !== undefined) await file.chmod(executable ? 0o755 : 0o644);
  } finally {
    await file.close();
  }
  return undefined;
}

/** Writes a file whatever stands in its way: a link or a folder is removed, never followed. Returns a refusal where that is not possible. */
export async function overwriteInside(
  root: string,
  path: string,
  content: Uint8Array | string,
  executable?: boolean,
): Promise<string | undefined> {
  const parts = path.split('/');
  for (const index of parts.keys()) {
    const here = parts.slice(0, index + 1).join('/');
    if (isInTheWay(await placeOf(root, here), index === parts.length - 1)) await removeInside(root, here);
  }
  return writeInside(root, path, content, executable);
}

function isInTheWay(place: Place, isEnd: boolean): boolean {
  if (place.refusal !== undefined) return true;
  if (place.stats === undefined) return false;
  return isEnd ? !place.stats.isFile() : !place.stats.isDirectory();
}

/** Removes whatever is at the path, a link itself and not its target; returns a refusal when a folder on the way is a link. */
export async function removeInside(root: string, path: string): Promise<string | undefined> {
  const parent = path.split('/').slice(0, -1).join('/');
  const place = parent === '' ? undefined : await placeOf(root, parent);
  if (place?.refusal !== undefined) return place.refusal;
  await rm(join(root, path), { recursive: true, force: true });
  return undefined;
}

function spellingRefusal(path: string): string | undefined {
  const segments = path.split('/');
  if (path.includes('\0') || segments.some((part) => part === '' || part === '.' || part === '..'))
    return `the path ${JSON.stringify(path)} is not a plain relative path like \`src/main.ts\``;
  return segments.some((part) => part.toLowerCase() === '.git') ? '`.git` is not accessible' : undefined;
}

function endOf(root: string, path: string, here: string, stats: Stats | undefined): Place {
  if (stats?.isSymbolicLink() === true) return { refusal: `\`${here}\` is a symbolic link` };
  return { absolute: join(root, path), stats };
}

function missing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
  throw error;
}
