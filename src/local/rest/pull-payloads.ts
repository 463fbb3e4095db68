/** Pull requests and reviews as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import { gitOf, type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { found } from '../http-error.ts';
import { lackingCheck } from '../queue/required.ts';
import type { Issue, Pull, Repository, Review } from '../records.ts';
import { accountPayload, associationOf, labelPayloads, repositoryPayload } from './payloads.ts';

/** What only git can tell about a pull request. */
export interface PullFacts {
  /** Undefined while GitHub has not found out. */
  readonly mergeable: boolean | undefined;
  readonly commits: number;
  readonly additions: number;
  readonly deletions: number;
  readonly changedFiles: number;
}

/** Asks git; a merged pull request keeps the facts of its last head. */
export async function pullFactsOf(host: Host, repository: Repository, pull: Pull): Promise<PullFacts> {
  const git = gitOf(host, repository);
  const range = `${pull.baseSha}...${pull.headSha}`;
  // A head that was pushed over may have no history in common with its base, and git refuses to merge or to compare those.
  const isRelated = (await git.attempt(['merge-base', pull.baseSha, pull.headSha])) !== undefined;
  const [merge, count, numbers] = await Promise.all([
    isRelated ? git.attempt(['merge-tree', '--write-tree', pull.baseSha, pull.headSha]) : undefined,
    git.text(['rev-list', '--count', `${pull.baseSha}..${pull.headSha}`]),
    isRelated ? git.text(['diff', '--numstat', range]) : '',
  ]);
  const files = numbers.split('\n').filter((line) => line !== '');
  const sumOf = (column: number) => files.reduce((sum, line) => sum + (Number(line.split('\t')[column]) || 0), 0);
  return {
    mergeable: isFoundOut(host, pull) ? merge !== undefined : undefined,
    commits: Number(count),
    additions: sumOf(0),
    deletions: sumOf(1),
    changedFiles: files.length,
  };
}

function isFoundOut({ clock, switches }: Host, { movedAt }: Pull): boolean {
  const { mergeableAfterMs } = switches.values();
  if (movedAt === undefined || mergeableAfterMs === 0) return true;
  return clock.now().getTime() >= Date.parse(movedAt) + mergeableAfterMs;
}

/** The issue behind a pull request: title, body, state and labels live there. */
export function issueOfPull(host: Host, pull: Pull): Issue {
  return found(host.state.issues.first({ repositoryId: pull.repositoryId, number: pull.number }));
}

/** Without `facts` it is the short form that lists hold. */
export function pullPayload(host: Host, repository: Repository, pull: Pull, facts?: PullFacts): Fields {
  const issue = issueOfPull(host, pull);
  return {
    ...addressesOf(host, repository, pull),
    id: pull.id,
    node_id: nodeIdOf('PullRequest', pull.id),
    number: pull.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: accountPayload(host, issue.author),
    body: issue.body ?? null,
    labels: labelPayloads(host, repository, issue.labels),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt ?? null,
    merged_at: pull.mergedAt ?? null,
    merge_commit_sha: pull.mergeCommitSha ?? null,
    head: endPayload(host, repository, { branch: pull.head, sha: pull.headSha }),
    base: endPayload(host, repository, { branch: pull.base, sha: pull.baseSha }),
    author_association: associationOf(host, repository, issue.author),
    auto_merge: null,
    active_lock_reason: null,
    draft: pull.draft,
    ...(facts ? detailsOf(host, pull, facts) : {}),
  };
}

export function reviewPayload(host: Host, repository: Repository, review: Review): Fields {
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/pull/${review.number}#pullrequestreview-${review.id}`;
  const pullUrl = `${repositoryUrlOf(host, repository)}/pulls/${review.number}`;
  return {
    id: review.id,
    node_id: nodeIdOf('PullRequestReview', review.id),
    user: accountPayload(host, review.user),
    body: review.body,
    state: review.state,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    submitted_at: review.submittedAt,
    updated_at: review.submittedAt,
    commit_id: review.commitId,
    author_association: associationOf(host, repository, review.user),
  };
}

function detailsOf(host: Host, pull: Pull, facts: PullFacts): Fields {
  const { repositoryId, number } = pull;
  const open = issueOfPull(host, pull).state === 'open';
  return {
    merged: pull.mergedAt !== undefined,
    merged_by: pull.mergedBy === undefined ? null : accountPayload(host, pull.mergedBy),
    mergeable: open ? (facts.mergeable ?? null) : null,
    rebaseable: false,
    mergeable_state: mergeableState(pull, facts, {
      open,
      isBlocked: lackingCheck(host, pull, pull.headSha) !== undefined,
    }),
    comments: host.state.comments.find({ repositoryId, number }).length,
    review_comments: host.state.reviewComments.find({ repositoryId, number }).length,
    maintainer_can_modify: false,
    commits: facts.commits,
    additions: facts.additions,
    deletions: facts.deletions,
    changed_files: facts.changedFiles,
  };
}

function mergeableState(
  pull: Pull,
  facts: PullFacts,
  { open, isBlocked }: { readonly open: boolean; readonly isBlocked: boolean },
): string {
  if (!open || facts.mergeable === undefined) return 'unknown';
  if (pull.draft) return 'draft';
  if (!facts.mergeable) return 'dirty';
  return isBlocked ? 'blocked' : 'clean';
}

function endPayload(
  host: Host,
  repository: Repository,
  { branch, sha }: { readonly branch: string; readonly sha: string },
): Fields {
  return {
    label: `${repository.owner}:${branch}`,
    ref: branch,
    sha,
    user: accountPayload(host, repository.owner),
    repo: repositoryPayload(host, repository),
  };
}

function addressesOf(host: Host, repository: Repository, { number, headSha }: Pull): Fields {
  const api = repositoryUrlOf(host, repository);
  const url = `${api}/pulls/${number}`;
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/pull/${number}`;
  const addresses = {
    html: htmlUrl,
    issue: `${api}/issues/${number}`,
    comments: `${api}/issues/${number}/comments`,
    commits: `${url}/commits`,
    review_comments: `${url}/comments`,
    review_comment: `${api}/pulls/comments{/number}`,
    statuses: `${api}/statuses/${headSha}`,
  };
  const links = Object.entries({ self: url, ...addresses }).map(([name, href]) => [name, { href }]);
  return {
    url,
    ...Object.fromEntries(Object.entries(addresses).map(([name, href]) => [`${name}_url`, href])),
    diff_url: `${htmlUrl}.diff`,
    patch_url: `${htmlUrl}.patch`,
    _links: Object.fromEntries(links),
  };
}
