/** Computes the hashes that git gives to blobs and trees, so that what GitHub stored can be compared with what was sent. */
import { createHash } from 'node:crypto';

export interface TreeEntry {
  readonly name: string;
  /** As in git: `100644`, `40000` for a directory. */
  readonly mode: string;
  readonly sha: string;
}

/** One changed file; `sha` undefined deletes it. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly sha: string | undefined;
}

const DIRECTORY = '40000';

/** The hash of a blob with this content. */
export function blobSha(content: Uint8Array): string {
  return objectSha('blob', content);
}

/** The hash of a tree with these entries; GitHub writes directories as `040000`, git hashes them as `40000`. */
export function treeSha(entries: readonly TreeEntry[]): string {
  const sorted = entries.toSorted((left, right) => Buffer.compare(sortKey(left), sortKey(right)));
  const parts = sorted.flatMap(({ name, mode, sha }) => [
    Buffer.from(`${plainMode(mode)} ${name}\0`),
    Buffer.from(sha, 'hex'),
  ]);
  return objectSha('tree', Buffer.concat(parts));
}

/**
 * The hash of a tree after changes; only directories that a change touches are read. Undefined when nothing is left: git keeps no empty directories.
 */
export async function changedTreeSha(
  root: string | undefined,
  changes: readonly TreeChange[],
  trees: Trees,
): Promise<string | undefined> {
  const entries = new Map((root === undefined ? [] : await trees.read(root)).map((entry) => [entry.name, entry]));
  for (const [name, below] of byFirstName(changes)) {
    const after = await changedEntry(name, below, { before: entries.get(name), trees });
    if (after === undefined) entries.delete(name);
    else entries.set(name, after);
  }
  if (entries.size === 0) return undefined;
  const sha = treeSha([...entries.values()]);
  trees.computed(sha, [...entries.values()]);
  return sha;
}

export interface Trees {
  /** The entries of a tree by its hash. */
  readonly read: (sha: string) => Promise<readonly TreeEntry[]>;
  /** Is told of each tree that comes of the changes. */
  readonly computed: (sha: string, entries: readonly TreeEntry[]) => void;
}

async function changedEntry(
  name: string,
  changes: readonly TreeChange[],
  { before, trees }: { readonly before: TreeEntry | undefined; readonly trees: Trees },
): Promise<TreeEntry | undefined> {
  const file = changes.find(({ path }) => path === '');
  const below = changes.filter(({ path }) => path !== '');
  if (file?.sha !== undefined) return { name, mode: file.mode, sha: file.sha };
  if (below.length === 0) return undefined;
  const directory = before && plainMode(before.mode) === DIRECTORY ? before.sha : undefined;
  const sha = await changedTreeSha(directory, below, trees);
  return sha === undefined ? undefined : { name, mode: DIRECTORY, sha };
}

/** Changes by the first name of their path, with the rest of the path; the rest of the file itself is empty. */
function byFirstName(changes: readonly TreeChange[]): ReadonlyMap<string, readonly TreeChange[]> {
  const split = changes.map(({ path, ...change }) => {
    const [, name = '', rest = ''] = /^([^/]*)\/?(.*)$/s.exec(path) ?? [];
    return { name, change: { ...change, path: rest } };
  });
  return new Map(
    [...Map.groupBy(split, ({ name }) => name)].map(([name, group]) => [name, group.map(({ change }) => change)]),
  );
}

function plainMode(mode: string): string {
  return mode.replace(/^0+/, '');
}

/** git sorts a directory as if its name ended with a slash. */
function sortKey({ name, mode }: TreeEntry): Buffer {
  return Buffer.from(plainMode(mode) === DIRECTORY ? `${name}/` : name);
}

function objectSha(type: 'blob' | 'tree', content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}
