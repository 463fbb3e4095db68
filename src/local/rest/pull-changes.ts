/** What happens to pull requests when branches move. */

import { startPullRuns } from '../actions/workflow-triggers.ts';
import { now } from '../clock.ts';
import { type Git, NO_COMMIT } from '../git/git.ts';
import { gitOf, type Host } from '../host.ts';
import type { Pull, Repository } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { setState } from './issue-changes.ts';
import { issueOfPull, pullFactsOf, pullPayload } from './pull-payloads.ts';

export interface BranchMove {
  readonly repository: Repository;
  readonly sender: string;
  readonly change: { readonly ref: string; readonly before: string; readonly after: string };
}

/** Open pull requests follow their head (`synchronize`) and their base; a deleted head closes them. */
export async function followHead(host: Host, { repository, sender, change }: BranchMove): Promise<void> {
  if (!change.ref.startsWith('refs/heads/')) return;
  const branch = change.ref.slice('refs/heads/'.length);
  const open = host.state.pulls
    .find({ repositoryId: repository.id })
    .filter((pull) => issueOfPull(host, pull).state === 'open');
  const git = gitOf(host, repository);
  const movedAt = host.clock.now().toISOString();
  for (const pull of open.filter(({ base }) => base === branch && change.after !== NO_COMMIT)) {
    const mergeCommitSha = await mergedBy(change.after, pull, git);
    if (mergeCommitSha !== undefined) await closeMerged(host, { repository, sender, pull, mergeCommitSha });
    else host.state.pulls.update(pull.id, { baseSha: change.after, movedAt });
  }
  for (const pull of open.filter(({ head, headSha }) => head === branch && headSha !== change.after)) {
    if (change.after === NO_COMMIT)
      await setState({ host, repository, issue: issueOfPull(host, pull), sender }, 'closed');
    else await synchronize(host, { repository, sender, pull, after: change.after });
  }
}

/** The commit that merged a pull request, where its base as it is now holds one: the one that was made for it, or whatever brought its head. */
async function mergedBy(base: string, { mergeCommitSha, headSha }: Pull, git: Git): Promise<string | undefined> {
  const holds = async (sha: string) => (await git.attempt(['merge-base', '--is-ancestor', sha, base])) !== undefined;
  if (mergeCommitSha !== undefined && (await holds(mergeCommitSha))) return mergeCommitSha;
  return (await holds(headSha)) ? base : undefined;
}

export interface MergedPull {
  readonly repository: Repository;
  readonly sender: string;
  readonly pull: Pull;
  readonly mergeCommitSha: string;
}

/** https://docs.github.com/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue */
const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)/gi;

/** The pull request is merged; where that is into the default branch, so are done the issues that its text closes. */
export async function closeMerged(host: Host, { repository, sender, pull, mergeCommitSha }: MergedPull): Promise<void> {
  host.state.pulls.update(pull.id, { mergedAt: now(host), mergedBy: sender, mergeCommitSha });
  const own = issueOfPull(host, pull);
  await setState({ host, repository, issue: own, sender }, 'closed');
  if (pull.base !== repository.defaultBranch) return;
  for (const [, number] of (own.body ?? '').matchAll(CLOSES)) {
    const where = { repositoryId: repository.id, number: Number(number), isPull: false };
    const issue = host.state.issues.first(where);
    if (issue) await setState({ host, repository, issue, sender }, 'closed');
  }
}

interface Synchronized {
  readonly repository: Repository;
  readonly sender: string;
  readonly pull: Pull;
  readonly after: string;
}

async function synchronize(host: Host, { repository, sender, pull, after }: Synchronized): Promise<void> {
  const movedAt = host.clock.now().toISOString();
  const moved = { ...pull, headSha: after, movedAt };
  await keepPullRef(host, repository, moved);
  const facts = await pullFactsOf(host, repository, moved);
  const payload = host.state.transaction(() => {
    const issue = issueOfPull(host, pull);
    const current = host.state.pulls.update(pull.id, { headSha: after, movedAt });
    host.state.issues.update(issue.id, { updatedAt: now(host) });
    return emit(host, {
      event: 'pull_request',
      action: 'synchronize',
      repository,
      sender,
      fields: {
        number: pull.number,
        before: pull.headSha,
        after,
        pull_request: pullPayload(host, repository, current, facts),
      },
    });
  });
  await startPullRuns(host, {
    repository,
    actor: sender,
    pull: moved,
    title: issueOfPull(host, moved).title,
    action: 'synchronize',
    payload,
  });
}

/** `refs/pull/<n>/head` keeps the commits of a pull request alive and fetchable. */
export async function keepPullRef(host: Host, repository: Repository, { number, headSha }: Pull): Promise<void> {
  await gitOf(host, repository).text(['update-ref', `refs/pull/${number}/head`, headSha]);
}
