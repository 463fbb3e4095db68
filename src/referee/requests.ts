/** The one table of every REST request that anybody sends: the App's rows are all that may leave it, all rows are what the embedded GitHub serves. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who sends a request: the App itself, a person (or a test acting as one), or both. */
export type Sender = 'app' | 'person' | 'both';

/** A rule, beyond method and route, that the App's request must obey; each is a predicate in the guard. */
export type Condition =
  | 'own ref in body'
  | 'own ref in path'
  | 'own head branch'
  | 'own workflow'
  | 'title and body only';

export interface RequestRow {
  readonly method: Method;
  /** Path as in GitHub's OpenAPI description. */
  readonly route: string;
  readonly by: Sender;
  readonly condition?: Condition;
}

/** The only GraphQL document that is ever sent; REST has no field for leaving draft. */
export const MARK_READY_FOR_REVIEW = `mutation markPullRequestReadyForReview($pullRequestId: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $pullRequestId }) {
    pullRequest { id number isDraft }
  }
}`;

/** The git services that the App may use: it reads, and never pushes. */
export const GIT_SERVICES: readonly string[] = ['git-upload-pack'];

const repository = '/repos/{owner}/{repo}';

export const REQUESTS: readonly RequestRow[] = [
  ...rows('app', [
    'GET /app',
    'GET /app/installations',
    'GET /app/installations/{installation_id}',
    'POST /app/installations/{installation_id}/access_tokens',
    'GET /app/hook/deliveries',
    'GET /app/hook/deliveries/{delivery_id}',
    'POST /app/hook/deliveries/{delivery_id}/attempts',
    `GET ${repository}/installation`,
    'GET /installation/repositories',
  ]),
  ...rows('both', [
    'GET /rate_limit',
    `GET ${repository}`,
    `GET ${repository}/contents/{path}`,
    `GET ${repository}/git/blobs/{file_sha}`,
    `POST ${repository}/git/blobs`,
    `GET ${repository}/git/trees/{tree_sha}`,
    `POST ${repository}/git/trees`,
    `GET ${repository}/git/commits/{commit_sha}`,
    `POST ${repository}/git/commits`,
    `GET ${repository}/git/ref/{ref}`,
    `GET ${repository}/git/matching-refs/{ref}`,
    `GET ${repository}/branches`,
    `GET ${repository}/branches/{branch}`,
    `GET ${repository}/commits`,
    `GET ${repository}/commits/{ref}`,
    `GET ${repository}/compare/{basehead}`,
    `GET ${repository}/issues`,
    `GET ${repository}/issues/{issue_number}`,
    `GET ${repository}/issues/{issue_number}/comments`,
    `POST ${repository}/issues/{issue_number}/comments`,
    `GET ${repository}/issues/comments/{comment_id}`,
    `PATCH ${repository}/issues/comments/{comment_id}`,
    `GET ${repository}/issues/{issue_number}/labels`,
    `POST ${repository}/issues/{issue_number}/labels`,
    `DELETE ${repository}/issues/{issue_number}/labels/{name}`,
    `GET ${repository}/issues/{issue_number}/events`,
    `GET ${repository}/issues/{issue_number}/reactions`,
    `POST ${repository}/issues/{issue_number}/reactions`,
    `GET ${repository}/issues/comments/{comment_id}/reactions`,
    `POST ${repository}/issues/comments/{comment_id}/reactions`,
    `DELETE ${repository}/issues/comments/{comment_id}/reactions/{reaction_id}`,
    `GET ${repository}/labels`,
    `POST ${repository}/labels`,
    `GET ${repository}/labels/{name}`,
    `GET ${repository}/pulls`,
    `GET ${repository}/pulls/{pull_number}`,
    `GET ${repository}/pulls/{pull_number}/files`,
    `GET ${repository}/pulls/{pull_number}/commits`,
    `GET ${repository}/pulls/{pull_number}/reviews`,
    `GET ${repository}/check-runs/{check_run_id}`,
    `GET ${repository}/check-runs/{check_run_id}/annotations`,
    `GET ${repository}/commits/{ref}/check-runs`,
    `GET ${repository}/commits/{ref}/status`,
    `GET ${repository}/actions/workflows`,
    `GET ${repository}/actions/workflows/{workflow_id}`,
    `GET ${repository}/actions/workflows/{workflow_id}/runs`,
    `GET ${repository}/actions/runs`,
    `GET ${repository}/actions/runs/{run_id}`,
    `GET ${repository}/actions/runs/{run_id}/jobs`,
    `GET ${repository}/actions/runs/{run_id}/logs`,
    `POST ${repository}/actions/runs/{run_id}/cancel`,
    `GET ${repository}/actions/runs/{run_id}/artifacts`,
    `GET ${repository}/actions/artifacts/{artifact_id}`,
    `GET ${repository}/actions/artifacts/{artifact_id}/{archive_format}`,
    `GET ${repository}/actions/jobs/{job_id}`,
    `GET ${repository}/actions/jobs/{job_id}/logs`,
    `GET ${repository}/collaborators/{username}/permission`,
  ]),
  ...rows('app', [`POST ${repository}/check-runs`, `PATCH ${repository}/check-runs/{check_run_id}`]),
  { method: 'POST', route: `${repository}/git/refs`, by: 'both', condition: 'own ref in body' },
  { method: 'PATCH', route: `${repository}/git/refs/{ref}`, by: 'both', condition: 'own ref in path' },
  { method: 'DELETE', route: `${repository}/git/refs/{ref}`, by: 'both', condition: 'own ref in path' },
  { method: 'POST', route: `${repository}/pulls`, by: 'both', condition: 'own head branch' },
  {
    method: 'POST',
    route: `${repository}/actions/workflows/{workflow_id}/dispatches`,
    by: 'both',
    condition: 'own workflow',
  },
  {
    method: 'PATCH',
    route: `${repository}/pulls/{pull_number}`,
    by: 'both',
    condition: 'title and body only',
  },
  ...rows('person', [
    'GET /user',
    `POST ${repository}/issues`,
    `PATCH ${repository}/issues/{issue_number}`,
    `DELETE ${repository}/issues/comments/{comment_id}`,
    `PUT ${repository}/issues/{issue_number}/labels`,
    `GET ${repository}/issues/comments`,
    `PATCH ${repository}/labels/{name}`,
    `PUT ${repository}/pulls/{pull_number}/merge`,
    `POST ${repository}/pulls/{pull_number}/reviews`,
    `GET ${repository}/pulls/{pull_number}/merge`,
    `PUT ${repository}/contents/{path}`,
    `DELETE ${repository}/contents/{path}`,
    `POST ${repository}/check-runs/{check_run_id}/rerequest`,
    `GET ${repository}/commits/{ref}/check-suites`,
    `POST ${repository}/statuses/{sha}`,
    `GET ${repository}/commits/{ref}/statuses`,
    `PUT ${repository}/collaborators/{username}`,
    `GET ${repository}/collaborators`,
    `POST ${repository}/actions/runs/{run_id}/rerun`,
  ]),
];

function rows(by: Sender, lines: readonly string[]): readonly RequestRow[] {
  return lines.map((line) => {
    const [method = '', route = ''] = line.split(' ');
    return { method: methodOf(method), route, by };
  });
}

function methodOf(word: string): Method {
  const method = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).find((known) => known === word);
  if (!method) throw new Error(`request table: "${word}" is no method that the table knows`);
  return method;
}
