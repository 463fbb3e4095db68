/** Merges two commits in a bare repository: the tree of the merge, told as what it has other than the commit that is merged in. */
import { z } from 'zod';
import { blobSha } from '../github/git-tree.ts';
import type { HeldEntry, Merge } from '../github/github-port.ts';
import type { FileChange } from '../loop/brief.ts';
import type { GitCommand } from './git-reader.ts';

/** Runs one git command in the repository that holds both commits. */
export type Reader = (argv: readonly string[], more?: Pick<GitCommand, 'input' | 'mayAnswerNo'>) => Promise<string>;

/** Needs git 2.38 or newer. A file whose merge is no UTF-8 text counts as in conflict: people can merge it without loss. */
export async function mergeOf(
  read: Reader,
  head: string,
  base: string,
): Promise<{ readonly conflicts: readonly string[] } | Merge> {
  const merging = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', head, base];
  const [tree = '', ...conflicts] = partsOf(await read(merging, { mayAnswerNo: true }));
  if (conflicts.length > 0) return { conflicts };
  const known = await blobsOf(read, [head, base]);
  const entries = await differences(read, base, tree);
  const isHeld = ({ sha, mode }: HeldEntry) => sha === null || mode === '160000' || known.has(sha);
  const fresh = entries.filter((entry) => !isHeld(entry));
  const made = await Promise.all(fresh.map((entry) => textChange(read, entry)));
  const unread = fresh.filter((_, index) => made[index] === undefined).map(({ path }) => path);
  if (unread.length > 0) return { conflicts: unread };
  return { parent: base, held: entries.filter(isHeld), made: made.filter((change) => change !== undefined) };
}

/** A file that only the merge made; undefined when it is no text that survives being read. */
async function textChange(read: Reader, { path, mode, sha }: HeldEntry): Promise<FileChange | undefined> {
  if (sha === null || mode === '120000' || mode === '160000') return undefined;
  const bytes = Buffer.from(await read(['cat-file', 'blob', sha]), 'utf8');
  return blobSha(bytes) === sha ? { path, mode, content: bytes.toString('base64') } : undefined;
}

/** Everything that GitHub holds of these commits. */
async function blobsOf(read: Reader, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const lists = await Promise.all(commits.map((sha) => read(['ls-tree', '-r', '-z', '--full-tree', sha])));
  return new Set(lists.flatMap(partsOf).map((row) => row.split(/[ \t]/)[2] ?? ''));
}

const mode = z.enum(['100644', '100755', '120000', '160000']);
const ABSENT = '000000';

/** Reads `:<old mode> <new mode> <old object> <new object> <status>`, the path after a NUL. */
async function differences(read: Reader, before: string, after: string): Promise<readonly HeldEntry[]> {
  const parts = partsOf(await read(['diff-tree', '-r', '-z', '--raw', '--no-renames', `${before}^{tree}`, after]));
  return parts.flatMap((row, index) => {
    if (index % 2 === 1) return [];
    const [oldMode = '', newMode = '', , sha = ''] = row.slice(1).split(' ');
    const isGone = newMode === ABSENT;
    return [{ path: parts[index + 1] ?? '', mode: mode.parse(isGone ? oldMode : newMode), sha: isGone ? null : sha }];
  });
}

function partsOf(output: string): readonly string[] {
  return output.split('\0').filter((part) => part !== '');
}
