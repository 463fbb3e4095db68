/** Refs, files and commits through the Git Data API: nothing is checked out, and what GitHub stored is compared with what was sent. */
import { z } from 'zod';
import { LoopError, WriteRefusedError } from '../errors.ts';
import type { FileChange } from '../loop/brief.ts';
import { blobSha, changedTreeSha, type TreeChange, type TreeEntry } from './git-tree.ts';
import type { Call } from './github-client.ts';
import { hasStatus, textOf } from './github-errors.ts';
import type { Operation } from './github-talk.ts';

export const head: Operation<'head'> = async ({ octokit, here }, ref) => {
  try {
    const { data } = await octokit.rest.git.getRef({ ...here, ref: shortRef(ref) });
    return data.ref === ref ? data.object.sha : undefined;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
};

/** The API takes `heads/main` in paths and `refs/heads/main` in bodies. */
function shortRef(ref: string): string {
  if (!ref.startsWith('refs/')) throw new LoopError(`"${ref}" is no full ref; write refs/heads/${ref}.`);
  return ref.slice('refs/'.length);
}

const contentFile = z.object({ type: z.literal('file'), encoding: z.literal('base64'), content: z.string() });

export const file: Operation<'file'> = async ({ octokit, here }, path, ref) => {
  try {
    const { data } = await octokit.rest.repos.getContent({ ...here, path, ref });
    const found = contentFile.safeParse(data).data;
    return found === undefined ? undefined : Buffer.from(found.content, 'base64').toString('utf8');
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
};

export const commit: Operation<'commit'> = async (call, { parent, changes, message, date }) => {
  const { octokit, here, self } = call;
  const { data: before } = await octokit.rest.git.getCommit({ ...here, commit_sha: parent });
  const tree = await createTree(call, before.tree.sha, changes);
  const signature = {
    name: self.login,
    email: `${self.appId}+${self.login}@users.noreply.github.com`,
    // git keeps whole seconds.
    date: `${new Date(date).toISOString().slice(0, 19)}Z`,
  };
  const { data } = await octokit.rest.git.createCommit({
    ...here,
    message: call.plain(message),
    tree,
    parents: [parent],
    author: signature,
    committer: signature,
  });
  if (data.tree.sha !== tree)
    throw new LoopError(`GitHub made the commit ${data.sha} with the tree ${data.tree.sha} instead of ${tree}.`);
  return { sha: data.sha, tree };
};

async function createTree(call: Call, base: string, changes: readonly FileChange[]): Promise<string> {
  const { octokit, here } = call;
  const entries: TreeChange[] = [];
  for (const change of changes) entries.push(await uploaded(call, change));
  const expected = await changedTreeSha(base, entries, (sha) => treeEntries(call, sha));
  if (expected === undefined) throw new LoopError('A commit that deletes every file is not made.');
  const { data } = await octokit.rest.git.createTree({
    ...here,
    base_tree: base,
    tree: changes.map(({ path, mode }, index) => ({
      path,
      mode,
      type: 'blob' as const,
      sha: entries[index]?.sha ?? null,
    })),
  });
  if (data.sha !== expected)
    throw new LoopError(`GitHub stored the tree ${data.sha}, but what was sent is ${expected}.`);
  return expected;
}

async function uploaded(call: Call, { path, mode, content }: FileChange): Promise<TreeChange> {
  if (content === null) return { path, mode, sha: undefined };
  const bytes = Buffer.from(content, 'base64');
  if (call.leaks(bytes.toString('utf8')))
    throw new WriteRefusedError(`${path} holds one of the App's own secrets, so it is not committed.`);
  const sha = blobSha(bytes);
  const { data } = await call.octokit.rest.git.createBlob({ ...call.here, content, encoding: 'base64' });
  if (data.sha !== sha) throw new LoopError(`GitHub stored ${path} as ${data.sha}, but what was sent is ${sha}.`);
  return { path, mode, sha };
}

async function treeEntries({ octokit, here }: Call, sha: string): Promise<readonly TreeEntry[]> {
  const { data } = await octokit.rest.git.getTree({ ...here, tree_sha: sha });
  if (data.truncated)
    throw new LoopError(`GitHub lists only a part of the tree ${sha}, so the commit cannot be checked.`);
  return data.tree.map(({ path, mode, sha: entry }) => ({ name: path ?? '', mode: mode ?? '', sha: entry ?? '' }));
}

export const moveRef: Operation<'moveRef'> = async (call, ref, sha) => {
  const { octokit, here } = call;
  const before = await head(call, ref);
  if (before === sha) return;
  try {
    if (before === undefined) await octokit.rest.git.createRef({ ...here, ref, sha });
    else await octokit.rest.git.updateRef({ ...here, ref: shortRef(ref), sha, force: false });
  } catch (error) {
    if (!hasStatus(error, 403, 409, 422)) throw error;
    throw new WriteRefusedError(`GitHub refused to move ${ref} to ${sha}: ${textOf(error)}`, { cause: error });
  }
};
