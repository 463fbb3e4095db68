/** Comments of reviews as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import { type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import type { Repository, ReviewComment } from '../records.ts';
import { accountPayload, associationOf } from './payloads.ts';

/** The fields that every list of them has. */
export function reviewCommentPayload(host: Host, repository: Repository, comment: ReviewComment): Fields {
  const { id, number, reviewId, user, body, path, hunk, position, commitId, createdAt } = comment;
  const url = `${repositoryUrlOf(host, repository)}/pulls/comments/${id}`;
  const pullUrl = `${repositoryUrlOf(host, repository)}/pulls/${number}`;
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/pull/${number}#discussion_r${id}`;
  return {
    id,
    node_id: nodeIdOf('PullRequestReviewComment', id),
    pull_request_review_id: reviewId,
    url,
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    _links: { self: { href: url }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    path,
    body,
    diff_hunk: hunk,
    position,
    original_position: position,
    commit_id: commitId,
    original_commit_id: commitId,
    user: accountPayload(host, user),
    author_association: associationOf(host, repository, user),
    created_at: createdAt,
    updated_at: createdAt,
  };
}
