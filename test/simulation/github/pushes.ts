/** Commits that arrive on branches, and what GitHub does about them. */
import type { Files } from './commits.ts';
import { type Account, APP, type Hub, pullOfBranch, setRef } from './hub.ts';
import { sendDelete, sendPull, sendPush } from './payloads.ts';

const NOTHING = '0'.repeat(40);

/** Moves a ref to a commit that is there already, and tells everybody. */
export function arrive(hub: Hub, ref: string, sha: string, by: Account): void {
  const before = hub.refs.get(ref) ?? NOTHING;
  setRef(hub, ref, sha, by.login);
  if (!ref.startsWith('refs/heads/')) return;
  const pull = pullOfBranch(hub, ref.slice('refs/heads/'.length));
  if (pull !== undefined) pull.headSha = sha;
  sendPush(hub, ref, before, sha, by);
  for (const told of hub.onPush) told(ref, sha);
}

/** A person commits on a branch. */
export function pushFiles(
  hub: Hub,
  branch: string,
  {
    files,
    by,
    message,
    merged,
  }: { readonly files: Files; readonly by: Account; readonly message: string; readonly merged?: string },
): string | undefined {
  const ref = `refs/heads/${branch}`;
  const parent = hub.refs.get(ref);
  if (parent === undefined) return undefined;
  const parents = merged === undefined ? [parent] : [parent, merged];
  const { sha } = hub.commits.add({ parents, files, message, by: by.login, atMs: hub.scheduler.nowMs() });
  arrive(hub, ref, sha, by);
  return sha;
}

/** Deleting a branch closes its pull request. */
export function deleteBranch(hub: Hub, branch: string, by: Account): void {
  const pull = pullOfBranch(hub, branch);
  setRef(hub, `refs/heads/${branch}`, undefined, by.login);
  if (pull !== undefined) {
    pull.state = 'closed';
    sendPull(hub, 'closed', pull, by);
  }
  sendDelete(hub, branch, by);
}

/** Whether a write of the App may move this ref: forward only, and a branch that is its own. */
export function moveByApp(hub: Hub, ref: string, sha: string): 'moved' | 'not a fast-forward' {
  const before = hub.refs.get(ref);
  if (before !== undefined && !hub.commits.isAncestor(before, sha)) return 'not a fast-forward';
  if (before !== sha) arrive(hub, ref, sha, APP);
  return 'moved';
}
