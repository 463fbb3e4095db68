/** Reading and building git trees without a work tree. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from './git.ts';

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  /** Bytes; blobs only. */
  readonly size: number | undefined;
}

/** The entries of a tree; recursive listings hold the trees themselves too, as GitHub's do. */
export async function treeEntriesOf(
  git: Git,
  tree: string,
  recursive: boolean,
  path?: string,
): Promise<readonly TreeEntry[]> {
  const output = await git.text([
    'ls-tree',
    '-z',
    '--long',
    ...(recursive ? ['-r', '-t'] : []),
    tree,
    ...(path === undefined ? [] : [path]),
  ]);
  return output
    .split('\0')
    .filter((line) => line !== '')
    .map(parseEntry);
}

function parseEntry(line: string): TreeEntry {
  const tab = line.indexOf('\t');
  const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/);
  return { path: line.slice(tab + 1), mode, type, sha, size: size === '-' ? undefined : Number(size) };
}

export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  /** Undefined removes the path. */
  readonly sha: string | undefined;
}

/** Writes a tree: `base` with the changes, in their order. */
export async function buildTree(git: Git, base: string | undefined, changes: readonly TreeChange[]): Promise<string> {
  const index = join(tmpdir(), `local-github-index-${randomUUID()}`);
  const environment = { GIT_INDEX_FILE: index };
  try {
    if (base === undefined) await git.text(['read-tree', '--empty'], { environment });
    else await git.text(['read-tree', base], { environment });
    for (const change of changes) await applyChange(git, change, environment);
    return await git.text(['write-tree'], { environment });
  } finally {
    await rm(index, { force: true });
  }
}

async function applyChange(
  git: Git,
  { path, mode, sha }: TreeChange,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  if (sha === undefined) {
    await git.text(['rm', '--cached', '-r', '-q', '--ignore-unmatch', '--', `:(literal)${path}`], { environment });
    return;
  }
  if (mode === '040000') {
    await git.text(['rm', '--cached', '-r', '-q', '--ignore-unmatch', '--', `:(literal)${path}`], { environment });
    await git.text(['read-tree', `--prefix=${path}/`, sha], { environment });
    return;
  }
  await git.text(['update-index', '--add', '--replace', '--cacheinfo', `${mode},${sha},${path}`], { environment });
}
