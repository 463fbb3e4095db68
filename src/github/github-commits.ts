/** Refs, files and commits through the Git Data API: nothing is checked out, and what GitHub stored is compared with what was sent. */
import { z } from 'zod';
import { LoopError, SecretError } from '../errors.ts';
import type { FileChange } from '../loop/brief.ts';
import { type HeldCommit, isFixed, once } from './fixed.ts';
import { blobSha, changedTreeSha, type TreeChange, type TreeEntry } from './git-tree.ts';
import type { Call } from './github-client.ts';
import { hasStatus, isLimit, refusalOf, textOf } from './github-errors.ts';
import type { HeldEntry, Merge } from './github-port.ts';
import type { Operation } from './github-talk.ts';

/** From the list of what begins so: that one without the ref says for sure that there is none, which a 404 does not. */
export const head: Operation<'head'> = async ({ octokit, here }, ref) => {
  const { data } = await octokit.rest.git.listMatchingRefs({ ...here, ref: shortRef(ref) });
  return data.find((one) => one.ref === ref)?.object.sha;
};

const TAGS = 'refs/tags/';

export const tags: Operation<'tags'> = async ({ octokit, here }) => {
  const { data } = await octokit.rest.git.listMatchingRefs({ ...here, ref: 'tags' });
  return data.flatMap(({ ref }) => (ref.startsWith(TAGS) ? ref.slice(TAGS.length) : []));
};

/** The API takes `heads/main` in paths and `refs/heads/main` in bodies. */
function shortRef(ref: string): string {
  if (!ref.startsWith('refs/')) throw new LoopError(`"${ref}" is no full ref; write refs/heads/${ref}.`);
  return ref.slice('refs/'.length);
}

const contentFile = z.object({ type: z.literal('file'), encoding: z.literal('base64'), content: z.string() });

export const file: Operation<'file'> = async ({ octokit, here, ifThere, fixed, repositoryId }, path, ref) => {
  const ask = async () => {
    const answer = await ifThere(() => octokit.rest.repos.getContent({ ...here, path, ref }));
    const found = contentFile.safeParse(answer?.data).data;
    return found === undefined ? undefined : Buffer.from(found.content, 'base64').toString('utf8');
  };
  return isFixed(ref) ? once(fixed.files, `${repositoryId}/${ref}/${path}`, ask) : ask();
};

export const commit: Operation<'commit'> = async (call, { ref, parent, changes, message, merge, known }) => {
  const { octokit, here } = call;
  const parents = merge === undefined ? [parent] : [parent, merge.parent];
  const before = await commitAt(call, merge?.parent ?? parent);
  const planned = await planTree(call, before.tree, { changes, merge });
  const { tree } = planned;
  const text = call.plain(message);
  const at = known === undefined ? await head(call, ref) : known.at;
  if (at !== undefined && (await isMade(call, at, { parents, tree, message: text })))
    return { sha: at, tree, before: at };
  await createTree(call, planned);
  // Neither author nor committer: GitHub signs only what it names itself.
  const { data } = await octokit.rest.git.createCommit({ ...here, message: text, tree, parents });
  if (data.tree.sha !== tree)
    throw new LoopError(`GitHub made the commit ${data.sha} with the tree ${data.tree.sha} instead of ${tree}.`);
  call.fixed.commits.set(keyOf(call, data.sha), { tree, parents, message: data.message });
  return { sha: data.sha, tree, before: at };
};

/** Whether an earlier try left it: its time differs, so it is known by everything else. A commit that no ref holds is left to GitHub. */
async function isMade(call: Call, sha: string, { parents, tree, message }: HeldCommit): Promise<boolean> {
  const held = await commitAt(call, sha);
  const isThere = sha === parents[0] || held.parents.join() === parents.join();
  return isThere && held.tree === tree && held.message.trim() === message.trim();
}

const keyOf = ({ repositoryId }: Call, sha: string): string => `${repositoryId}/${sha}`;

function commitAt(call: Call, sha: string): Promise<HeldCommit> {
  const { octokit, here, fixed } = call;
  return once(fixed.commits, keyOf(call, sha), async () => {
    const { data } = await octokit.rest.git.getCommit({ ...here, commit_sha: sha });
    return { tree: data.tree.sha, parents: data.parents.map((parent) => parent.sha), message: data.message };
  });
}

interface PlannedTree {
  readonly base: string;
  readonly files: readonly Sent[];
  /** What the tree's sha will be. */
  readonly tree: string;
  /** Those in it that are new, by their hash. */
  readonly computed: ReadonlyMap<string, readonly TreeEntry[]>;
}

async function planTree(
  call: Call,
  base: string,
  { changes, merge }: { readonly changes: readonly FileChange[]; readonly merge: Merge | undefined },
): Promise<PlannedTree> {
  const held = (merge?.held ?? []).map(({ path, mode, sha }) => ({ entry: { path, mode, sha: sha ?? undefined } }));
  const files = new Map<string, Sent>(held.map((file) => [file.entry.path, file]));
  for (const change of [...(merge?.made ?? []), ...changes]) files.set(change.path, await sentOf(call, change));
  const computed = new Map<string, readonly TreeEntry[]>();
  const tree = await changedTreeSha(
    base,
    [...files.values()].map(({ entry }) => entry),
    { read: (sha) => treeEntries(call, sha), computed: (sha, entries) => void computed.set(sha, entries) },
  );
  if (tree === undefined) throw new LoopError('A commit that deletes every file is not made.');
  return { base, files: [...files.values()], tree, computed };
}

async function createTree(call: Call, { base, files, tree, computed }: PlannedTree): Promise<void> {
  const { octokit, here, fixed } = call;
  const { data } = await octokit.rest.git.createTree({
    ...here,
    base_tree: base,
    tree: files.map(({ entry: { path, mode, sha }, text }) => ({
      path,
      mode,
      type: mode === '160000' ? ('commit' as const) : ('blob' as const),
      ...(text === undefined ? { sha: sha ?? null } : { content: text }),
    })),
  });
  if (data.sha !== tree) throw new LoopError(`GitHub stored the tree ${data.sha}, but what was sent is ${tree}.`);
  // What has this hash is this, with all that is in it.
  for (const [sha, entries] of computed) fixed.trees.set(keyOf(call, sha), entries);
}

interface Sent {
  readonly entry: TreeChange & { readonly mode: HeldEntry['mode'] };
  /** Sent within the tree; undefined for what was uploaded before, or is deleted. */
  readonly text?: string;
}

/** Text goes within the tree, which saves a request for each file; bytes that are no UTF-8 are uploaded first. */
async function sentOf(call: Call, { path, mode, content }: FileChange): Promise<Sent> {
  if (content === null) return { entry: { path, mode, sha: undefined } };
  const bytes = Buffer.from(content, 'base64');
  const text = bytes.toString('utf8');
  const secret = call.secretIn(path, text);
  if (secret !== undefined) throw new SecretError(refusal(path, secret));
  const entry = { path, mode, sha: blobSha(bytes) };
  if (bytes.equals(Buffer.from(text, 'utf8'))) return { entry, text };
  const { data } = await call.octokit.rest.git.createBlob({ ...call.here, content, encoding: 'base64' });
  if (data.sha !== entry.sha)
    throw new LoopError(`GitHub stored ${path} as ${data.sha}, but what was sent is ${entry.sha}.`);
  return { entry };
}

/** Documents are made from the issue, the answers and what a model says; a model is told before it comes to this. */
function refusal(path: string, secret: string): string {
  const remedy = path.startsWith('.loopwright/')
    ? ' Take it out of the issue and the answers, then say `/rerun DISCOVER`.'
    : '';
  return `${path} holds ${secret}, so nothing is committed.${remedy}`;
}

function treeEntries(call: Call, sha: string): Promise<readonly TreeEntry[]> {
  const { octokit, here, fixed } = call;
  return once(fixed.trees, keyOf(call, sha), async () => {
    const { data } = await octokit.rest.git.getTree({ ...here, tree_sha: sha });
    if (data.truncated)
      throw new LoopError(`GitHub lists only a part of the tree ${sha}, so the commit cannot be checked.`);
    return data.tree.map(({ path, mode, sha: entry }) => ({ name: path ?? '', mode: mode ?? '', sha: entry ?? '' }));
  });
}

export const moveRef: Operation<'moveRef'> = async (call, ref, sha, known) => {
  const before = known === undefined ? await head(call, ref) : known.at;
  if (before === sha) return;
  try {
    await write(call, { ref, sha, before });
  } catch (error) {
    if (isLimit(error) || !hasStatus(error, 403, 409, 422)) throw error;
    // Whoever wrote it meanwhile wrote perhaps the same: it is looked for before it is refused.
    if (known !== undefined) return moveRef(call, ref, sha, undefined);
    throw refusalOf(`GitHub refused to move ${ref} to ${sha}: ${textOf(error)}`, { cause: error });
  }
};

interface Move {
  readonly ref: string;
  readonly sha: string;
  /** Undefined where there is no such ref yet. */
  readonly before: string | undefined;
}

async function write({ octokit, here }: Call, { ref, sha, before }: Move): Promise<void> {
  if (before === undefined) await octokit.rest.git.createRef({ ...here, ref, sha });
  else await octokit.rest.git.updateRef({ ...here, ref: shortRef(ref), sha, force: false });
}
