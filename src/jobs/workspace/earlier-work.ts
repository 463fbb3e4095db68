/** Puts what an earlier iteration built onto the checked-out candidate, which people may have moved on meanwhile. */
import { type MergedChanges, mergeChanges, type Tree, type TreeFile } from '../../guard/merge-changes.ts';
import type { Brief, FileChange } from '../../loop/brief.ts';
import { type Repository, type TreeEntry, treeOf } from '../../trees/repository.ts';
import { applyChanges, blobId } from './changes.ts';

type Previous = NonNullable<Brief['previous']>;

/** Commits of the branch that are looked at, newest first; people push few between two iterations. */
const MOST_COMMITS = 100;

/** Writes the earlier work into the workspace as far as people's commits let it stand, and tells where it had to give way. */
export async function applyPrevious(
  repository: Repository,
  { previous, candidate, policy }: Pick<Brief, 'previous' | 'candidate' | 'policy'>,
): Promise<MergedChanges['conflicts']> {
  if (previous === null) return [];
  const merged =
    previous.head === candidate
      ? { changes: previous.changes, conflicts: [] }
      : await mergedOnto(repository, previous, { candidate, maxBytes: policy.maxBytes });
  await applyChanges(repository.workspace, merged.changes);
  return merged.conflicts;
}

async function mergedOnto(
  repository: Repository,
  previous: Previous,
  { candidate, maxBytes }: { readonly candidate: string; readonly maxBytes: number },
): Promise<MergedChanges> {
  const { changes, tests: frozen } = previous;
  const paths = new Set([...changes, ...(frozen?.files ?? [])].map(({ path }) => path));
  const base = await baseOf(repository, previous, candidate);
  const before = base === undefined ? undefined : await readTree(repository, base, { paths, maxBytes });
  return mergeChanges({ changes, frozen, before, after: await readTree(repository, candidate, { paths, maxBytes }) });
}

/**
 * The commit that both sides started from: the newest one of the branch that has the earlier work already, because that was promoted and
 * people went on from it; else the one that the work was made on. Undefined where a rewritten branch does not have that any more.
 */
async function baseOf(
  repository: Repository,
  { head, changes }: Previous,
  candidate: string,
): Promise<string | undefined> {
  const known = await linesOf(repository, ['rev-list', '--ignore-missing', '--no-walk', head]);
  if (known.length === 0) return undefined;
  // Work of which nothing but frozen tests is left was never promoted.
  if (changes.length === 0) return head;
  const range = ['rev-list', '--first-parent', `--max-count=${MOST_COMMITS}`, `${head}..${candidate}`];
  for (const commit of await linesOf(repository, range)) {
    const entries = new Map((await treeOf(repository, commit)).map((entry) => [entry.path, entry]));
    if (changes.every((change) => isIn(entries.get(change.path), change))) return commit;
  }
  return head;
}

function isIn(entry: TreeEntry | undefined, { mode, content }: FileChange): boolean {
  if (content === null || entry === undefined) return content === null && entry === undefined;
  return entry.mode === mode && entry.id === blobId(Buffer.from(content, 'base64'), entry.id);
}

async function linesOf(repository: Repository, args: readonly string[]): Promise<readonly string[]> {
  return (await repository.git(args)).toString().split('\n').filter(Boolean);
}

async function readTree(
  repository: Repository,
  commit: string,
  { paths, maxBytes }: { readonly paths: ReadonlySet<string>; readonly maxBytes: number },
): Promise<Tree> {
  const files = new Map<string, TreeFile>();
  for (const { path, mode, id } of await treeOf(repository, commit)) {
    const isRead = paths.has(path) && (mode === '100644' || mode === '100755');
    files.set(path, { mode, content: isRead ? await contentOf(repository, id, maxBytes) : undefined });
  }
  return files;
}

async function contentOf(repository: Repository, id: string, maxBytes: number): Promise<string | undefined> {
  const size = Number((await repository.git(['cat-file', '-s', id])).toString());
  return size > maxBytes ? undefined : (await repository.git(['cat-file', 'blob', id])).toString('base64');
}
