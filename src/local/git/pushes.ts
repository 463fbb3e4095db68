/** Writes of refs: one at a time per repository, and what has changed is announced afterwards, even when a crash came between. */
import type { Fields } from '../../referee/json.ts';
import { startPushRuns } from '../actions/workflow-triggers.ts';
import { now } from '../clock.ts';
import { gitOf, type Host, repositoryHtmlUrlOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { refsOf } from '../repository-records.ts';
import { requestSuite } from '../rest/check-suites.ts';
import { type Commit, changedPathsOf, commitsOf } from '../rest/commits.ts';
import { followHead } from '../rest/pull-changes.ts';
import { emit } from '../webhooks/events.ts';
import { type Git, NO_COMMIT } from './git.ts';

export interface Pusher {
  readonly login: string;
  /** What a job's own token does starts no further runs. */
  readonly byJob: boolean;
}

export interface RefChange {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

/** Runs `work`, which may write refs, and announces what it changed. */
export async function writeRefs<T>(
  host: Host,
  {
    repository,
    pusher,
    work,
  }: { readonly repository: Repository; readonly pusher: Pusher; readonly work: () => Promise<T> },
): Promise<T> {
  return host.serial(repository.id, async () => {
    const intent = host.state.refIntents.insert({
      repositoryId: repository.id,
      actor: pusher.login,
      byJob: pusher.byJob,
    });
    try {
      return await work();
    } finally {
      await announce(host, repository, pusher);
      host.state.refIntents.remove(intent.id);
    }
  });
}

/** After a start: announces what a killed process wrote and did not tell, and lets pull requests catch up. */
export async function announceLeftovers(host: Host): Promise<void> {
  for (const intent of host.state.refIntents.find({})) {
    const repository = host.state.repositories.get(intent.repositoryId);
    if (repository) {
      await announce(host, repository, { login: intent.actor, byJob: intent.byJob });
      await catchUp(host, repository, intent.actor);
    }
    host.state.refIntents.remove(intent.id);
  }
}

/** The process may have died after a push was told, before its pull requests followed. */
async function catchUp(host: Host, repository: Repository, sender: string): Promise<void> {
  for (const { head, headSha, base, baseSha } of host.state.pulls.find({ repositoryId: repository.id })) {
    for (const [branch, before] of [
      [base, baseSha],
      [head, headSha],
    ]) {
      const ref = `refs/heads/${branch}`;
      const after = host.state.announcedRefs.first({ repositoryId: repository.id, ref })?.sha ?? NO_COMMIT;
      if (before !== undefined) await followHead(host, { repository, sender, change: { ref, before, after } });
    }
  }
}

async function announce(host: Host, repository: Repository, pusher: Pusher): Promise<void> {
  for (const change of await changesSince(host, repository)) {
    const push = await pushFieldsOf(host, repository, change);
    const payload = host.state.transaction(() => {
      remember(host, repository, change);
      return tell(host, { repository, pusher, change, push });
    });
    await followHead(host, { repository, sender: pusher.login, change });
    if (!pusher.byJob) await startPushRuns(host, { repository, actor: pusher.login, change, payload });
  }
}

async function changesSince(host: Host, repository: Repository): Promise<readonly RefChange[]> {
  const current = await refsOf(host, repository);
  const known = new Map(
    host.state.announcedRefs.find({ repositoryId: repository.id }).map(({ ref, sha }) => [ref, sha]),
  );
  return [...new Set([...known.keys(), ...current.keys()])]
    .map((ref) => ({ ref, before: known.get(ref) ?? NO_COMMIT, after: current.get(ref) ?? NO_COMMIT }))
    .filter(({ before, after }) => before !== after);
}

function remember(host: Host, repository: Repository, { ref, after }: RefChange): void {
  const known = host.state.announcedRefs.first({ repositoryId: repository.id, ref });
  if (known) host.state.announcedRefs.remove(known.id);
  if (after !== NO_COMMIT) host.state.announcedRefs.insert({ repositoryId: repository.id, ref, sha: after });
  host.state.repositories.update(repository.id, { pushedAt: now(host) });
}

interface Told {
  readonly repository: Repository;
  readonly pusher: Pusher;
  readonly change: RefChange;
  readonly push: Fields;
}

/** Webhooks `create` or `delete` and `push`: https://docs.github.com/webhooks/webhook-events-and-payloads#push */
function tell(host: Host, { repository, pusher, change, push }: Told): Fields {
  const sender = pusher.login;
  const isTag = change.ref.startsWith('refs/tags/');
  const ref = change.ref.replace(/^refs\/(heads|tags)\//, '');
  const common = { ref, ref_type: isTag ? 'tag' : 'branch', pusher_type: 'user' };
  if (change.before === NO_COMMIT) {
    emit(host, {
      event: 'create',
      repository,
      sender,
      fields: { ...common, master_branch: repository.defaultBranch, description: null },
    });
  }
  if (change.after === NO_COMMIT) emit(host, { event: 'delete', repository, sender, fields: common });
  const payload = emit(host, {
    event: 'push',
    repository,
    sender,
    fields: { ...push, pusher: { name: sender, email: `${sender}@users.noreply.github.com` } },
  });
  if (!isTag && change.after !== NO_COMMIT)
    requestSuite(host, { repository, sender, headSha: change.after, headBranch: ref, before: change.before });
  return payload;
}

const MOST_COMMITS = 20;

async function pushFieldsOf(host: Host, repository: Repository, { ref, before, after }: RefChange): Promise<Fields> {
  const git = gitOf(host, repository);
  const html = repositoryHtmlUrlOf(host, repository);
  const commits = after === NO_COMMIT ? [] : await newCommitsOf(host, repository, { ref, before, after });
  const written = await Promise.all(commits.map((commit) => pushedCommit(git, html, commit)));
  const head = after === NO_COMMIT ? undefined : (await commitsOf(git, ['-1', after]))[0];
  return {
    ref,
    before,
    after,
    base_ref: null,
    created: before === NO_COMMIT,
    deleted: after === NO_COMMIT,
    forced: before !== NO_COMMIT && after !== NO_COMMIT && !(await isAncestor(git, before, after)),
    compare: `${html}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: written,
    head_commit: head ? await pushedCommit(git, html, head) : null,
  };
}

/** Whether `after` only adds to `before`. */
export async function isAncestor(git: Git, before: string, after: string): Promise<boolean> {
  return (await git.attempt(['merge-base', '--is-ancestor', before, after])) !== undefined;
}

async function newCommitsOf(
  host: Host,
  repository: Repository,
  { ref, before, after }: RefChange,
): Promise<readonly Commit[]> {
  const git = gitOf(host, repository);
  const others = host.state.announcedRefs.find({ repositoryId: repository.id }).filter((known) => known.ref !== ref);
  const exclusions = before === NO_COMMIT ? others.map(({ sha }) => `^${sha}`) : [`^${before}`];
  return (await commitsOf(git, [`--max-count=${MOST_COMMITS}`, after, ...exclusions])).toReversed();
}

async function pushedCommit(
  git: Git,
  html: string,
  { sha, tree, author, committer, message }: Commit,
): Promise<Fields> {
  return {
    id: sha,
    tree_id: tree,
    distinct: true,
    message,
    timestamp: committer.date,
    url: `${html}/commit/${sha}`,
    author,
    committer,
    ...(await changedPathsOf(git, sha)),
  };
}
