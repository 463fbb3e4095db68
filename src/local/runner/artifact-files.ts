/** Finds the files of an artifact and their names in the zip, as actions/upload-artifact does. */
import { glob, lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, relative, resolve, sep } from 'node:path';

export interface ArtifactSearch {
  /** Files, folders and globs; a leading `!` excludes. */
  readonly patterns: readonly string[];
  readonly workspace: string;
  readonly hidden: boolean;
}

export interface ArtifactFiles {
  /** Name in the zip to path on disk. */
  readonly files: ReadonlyMap<string, string>;
  /** Symbolic links that were found; they are left out, as they could show what lies outside. */
  readonly links: readonly string[];
}

/** Names are relative to the least common folder of the patterns' fixed parts, so one folder's content is flat. */
export async function findArtifactFiles(search: ArtifactSearch): Promise<ArtifactFiles> {
  const lines = search.patterns.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const absolute = (pattern: string): string => resolve(search.workspace, pattern);
  const included = lines.filter((line) => !line.startsWith('!')).map(absolute);
  const excluded = lines.filter((line) => line.startsWith('!')).map((line) => absolute(line.slice(1)));
  const found = new Map<string, 'file' | 'link'>();
  for (const pattern of included) {
    for (const path of await matches(pattern)) await collect(path, search.hidden, found);
  }
  const wanted = [...found].filter(([path]) => !excluded.some((pattern) => isCovered(path, pattern)));
  const paths = wanted.filter(([, kind]) => kind === 'file').map(([path]) => path);
  const root = rootOf(included.map(fixedPart), paths);
  return {
    files: new Map(paths.toSorted().map((path) => [relative(root, path).split(sep).join('/'), path])),
    links: wanted.filter(([, kind]) => kind === 'link').map(([path]) => relative(search.workspace, path)),
  };
}

const isGlob = (text: string): boolean => /[*?[\]]/.test(text);

async function matches(pattern: string): Promise<string[]> {
  if (!isGlob(pattern)) return [pattern];
  return Array.fromAsync(glob(pattern));
}

async function collect(path: string, hidden: boolean, found: Map<string, 'file' | 'link'>): Promise<void> {
  if (!hidden && basename(path).startsWith('.')) return;
  const status = await lstat(path).catch(() => undefined);
  if (status?.isSymbolicLink() === true) found.set(path, 'link');
  if (status?.isFile() === true) found.set(path, 'file');
  if (status?.isDirectory() !== true) return;
  for (const name of await readdir(path)) await collect(join(path, name), hidden, found);
}

const isCovered = (path: string, pattern: string): boolean =>
  isGlob(pattern) ? matchesGlob(path, pattern) : path === pattern || path.startsWith(pattern + sep);

function fixedPart(pattern: string): string {
  const segments = pattern.split(sep);
  const first = segments.findIndex(isGlob);
  return first === -1 ? pattern : segments.slice(0, first).join(sep) || sep;
}

function rootOf(bases: readonly string[], paths: readonly string[]): string {
  const [first = [''], ...others] = bases.map((base) => base.split(sep));
  const common = [...first];
  for (const other of others) {
    const differs = common.findIndex((segment, index) => segment !== other[index]);
    if (differs !== -1) common.length = differs;
  }
  const root = common.join(sep) || sep;
  return paths.includes(root) ? dirname(root) : root;
}
