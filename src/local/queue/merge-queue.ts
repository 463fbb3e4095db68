/**
 * The merge queue, in its smallest form: one group at a time, of one pull request, merged when its required checks are there:
 * https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue
 */
import { now } from '../clock.ts';
import { writeRefs } from '../git/pushes.ts';
import { gitOf, type Host } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import type { Pull, QueueEntry, Repository } from '../records.ts';
import { commitOf } from '../rest/commits.ts';
import { closeMerged } from '../rest/pull-changes.ts';
import { issueOfPull } from '../rest/pull-payloads.ts';
import { grantedTo } from '../tokens.ts';
import { emit } from '../webhooks/events.ts';
import { isQueued, lackingCheck, standingOf } from './required.ts';

/** Whose deeds they are on GitHub. */
const BOT = 'github-merge-queue[bot]';

/** Puts a pull request in the queue of its base. @throws HttpError 422 with the reason, as GitHub's button is not there then */
export function enqueue(host: Host, pull: Pull): void {
  const refusal = refusalOf(host, pull);
  if (refusal !== undefined) throw new HttpError(422, refusal);
  const { repositoryId, number, headSha } = pull;
  host.state.queueEntries.insert({ repositoryId, number, headSha });
  host.lookAtQueue(repositoryId);
}

function refusalOf(host: Host, pull: Pull): string | undefined {
  if (!isQueued(host, pull)) return `${pull.base} has no merge queue`;
  if (pull.draft) return 'Pull Request is still a draft';
  if (issueOfPull(host, pull).state === 'closed') return 'Pull Request is not mergeable';
  if (entryOf(host, pull) !== undefined) return 'Pull Request is already in the merge queue';
  return lackingCheck(host, pull, pull.headSha);
}

export function entryOf({ state }: Host, { repositoryId, number }: Pull): QueueEntry | undefined {
  return state.queueEntries.first({ repositoryId, number });
}

/** Makes what looks at queues: one look at a time in each repository, after whatever called for it. */
export function createQueueLook(host: () => Host): Host['lookAtQueue'] {
  const last = new Map<number, Promise<void>>();
  return (repositoryId) => {
    if (host().state.queueEntries.first({ repositoryId }) === undefined) return;
    const look = (last.get(repositoryId) ?? Promise.resolve()).then(() => moveOn(host(), repositoryId));
    const settled = look.catch((error: unknown) => {
      host().reportProblem('merge queue', String(repositoryId), String(error));
    });
    last.set(repositoryId, settled);
    const { performances } = host();
    performances.add(settled);
    void settled.finally(() => performances.delete(settled));
  };
}

/** Takes steps until the first in the queue waits for a check, or nobody is left. */
async function moveOn(host: Host, repositoryId: number): Promise<void> {
  let entry = host.state.queueEntries.first({ repositoryId });
  while (entry !== undefined && !host.stopping.signal.aborted) {
    const isMoved = await step(host, entry);
    if (!isMoved) return;
    entry = host.state.queueEntries.first({ repositoryId });
  }
}

async function step(host: Host, entry: QueueEntry): Promise<boolean> {
  const { repositoryId, number, headSha, group } = entry;
  const repository = found(host.state.repositories.get(repositoryId));
  const pull = found(host.state.pulls.first({ repositoryId, number }));
  const queued: Queued = { repository, pull, entry };
  if (issueOfPull(host, pull).state === 'closed' || pull.headSha !== headSha) return leave(host, queued, 'dequeued');
  if (group === undefined) return build(host, queued);
  const base = await gitOf(host, repository).text(['rev-parse', `refs/heads/${pull.base}`]);
  if (base !== group.baseSha) return rebuild(host, queued);
  const standing = standingOf(host, pull, group.sha);
  if (standing === 'pending') return false;
  return standing === 'failed' ? leave(host, queued, 'dequeued') : merge(host, { ...queued, group });
}

interface Queued {
  readonly repository: Repository;
  readonly pull: Pull;
  readonly entry: QueueEntry;
}
type Group = NonNullable<QueueEntry['group']>;

/** The commit that the branch is to become, on a branch of its own. */
async function build(host: Host, { repository, pull, entry }: Queued): Promise<boolean> {
  const git = gitOf(host, repository);
  const baseSha = await git.text(['rev-parse', `refs/heads/${pull.base}`]);
  const tree = await git.attempt(['merge-tree', '--write-tree', baseSha, pull.headSha]);
  if (tree === undefined) {
    host.state.queueEntries.remove(entry.id);
    return true;
  }
  const ref = `refs/heads/gh-readonly-queue/${pull.base}/pr-${pull.number}-${baseSha}`;
  const sha = await git.text(['commit-tree', tree, '-p', baseSha, '-p', pull.headSha], {
    input: `Merge pull request #${pull.number} from ${repository.owner}/${pull.head}`,
    environment: signatureAt(now(host)),
  });
  await byQueue(host, repository, () => git.text(['update-ref', ref, sha]));
  const group = { sha, ref, baseSha };
  host.state.queueEntries.update(entry.id, { group });
  await tell(host, { repository, pull, group }, { action: 'checks_requested' });
  return true;
}

function signatureAt(date: string): Readonly<Record<string, string>> {
  const one = (who: string) => ({
    [`GIT_${who}_NAME`]: 'GitHub',
    [`GIT_${who}_EMAIL`]: 'noreply@github.com',
    [`GIT_${who}_DATE`]: date,
  });
  return { ...one('AUTHOR'), ...one('COMMITTER') };
}

async function merge(host: Host, { repository, pull, entry, group }: Queued & { group: Group }): Promise<boolean> {
  const git = gitOf(host, repository);
  await byQueue(host, repository, async () => {
    host.state.pulls.update(pull.id, { mergeCommitSha: group.sha });
    await git.text(['update-ref', `refs/heads/${pull.base}`, group.sha, group.baseSha]);
    await closeMerged(host, { repository, sender: BOT, pull, mergeCommitSha: group.sha });
  });
  return leave(host, { repository, pull, entry }, 'merged');
}

/** Out of the queue, and its branch with it. */
async function leave(host: Host, { repository, pull, entry }: Queued, reason: string): Promise<boolean> {
  host.state.queueEntries.remove(entry.id);
  if (entry.group !== undefined) await destroy(host, { repository, pull, group: entry.group }, reason);
  return true;
}

/** Its base has moved: what was checked is not what would be merged. */
async function rebuild(host: Host, { repository, pull, entry }: Queued): Promise<boolean> {
  host.state.queueEntries.update(entry.id, { group: undefined });
  if (entry.group !== undefined) await destroy(host, { repository, pull, group: entry.group }, 'invalidated');
  return true;
}

interface Grouped {
  readonly repository: Repository;
  readonly pull: Pull;
  readonly group: Group;
}

async function destroy(host: Host, grouped: Grouped, reason: string): Promise<void> {
  const { repository, group } = grouped;
  await byQueue(host, repository, () => gitOf(host, repository).text(['update-ref', '-d', group.ref]));
  await tell(host, grouped, { action: 'destroyed', reason });
}

function byQueue<T>(host: Host, repository: Repository, work: () => Promise<T>): Promise<T> {
  return writeRefs(host, { repository, pusher: { login: BOT, byJob: false }, work });
}

interface Told {
  readonly action: string;
  readonly reason?: string;
}

/** To an App that subscribes to it, where the installation has accepted what that needs. */
async function tell(host: Host, { repository, pull, group }: Grouped, { action, ...more }: Told): Promise<void> {
  const isHeard = host.switches.values().arranged.events.includes('merge_group');
  if (!isHeard || grantedTo(host).merge_queues === undefined) return;
  const { sha, tree, message, author, committer } = found(await commitOf(gitOf(host, repository), group.sha));
  const head_commit = { id: sha, tree_id: tree, message, timestamp: committer.date, author, committer };
  const merge_group = {
    ...{ head_sha: group.sha, head_ref: group.ref, base_sha: group.baseSha, base_ref: `refs/heads/${pull.base}` },
    head_commit,
  };
  emit(host, { event: 'merge_group', action, repository, sender: BOT, fields: { merge_group, ...more } });
}
