/** The one table of every REST request that anybody sends: the App's rows are all that may leave it, all rows are what the embedded GitHub serves. */

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who sends a request: the App itself; people, their tools and tests, but never the App; or both. */
export type Sender = 'app' | 'person' | 'both';

/** A rule, beyond method and route, that the App's request must obey; each is a predicate in the guard. */
export type Condition =
  | 'own ref in body'
  | 'own ref in path'
  | 'own head branch'
  | 'own workflow'
  | 'title and body only'
  | 'no verdict';

export interface RequestRow {
  readonly method: Method;
  /** Path as in GitHub's OpenAPI description. */
  readonly route: string;
  readonly by: Sender;
  readonly condition?: Condition;
}

/** The git services that the App may use: it reads, and never pushes. */
export const GIT_SERVICES: readonly string[] = ['git-upload-pack'];

const repository = '/repos/{owner}/{repo}';

export const REQUESTS: readonly RequestRow[] = [
  ...rows('app', [
    'GET /app',
    'POST /app/installations/{installation_id}/access_tokens',
    'GET /app/hook/config',
    'GET /app/hook/deliveries',
    'POST /app/hook/deliveries/{delivery_id}/attempts',
    `GET ${repository}/installation`,
    'GET /installation/repositories',
    `POST ${repository}/check-runs`,
    `PATCH ${repository}/check-runs/{check_run_id}`,
    `GET ${repository}/rules/branches/{branch}`,
    `GET ${repository}/rulesets/{ruleset_id}`,
    `GET ${repository}/actions/permissions`,
  ]),
  ...rows('both', [
    `GET ${repository}`,
    `GET ${repository}/contents/{path}`,
    `POST ${repository}/git/blobs`,
    `GET ${repository}/git/trees/{tree_sha}`,
    `POST ${repository}/git/trees`,
    `GET ${repository}/git/commits/{commit_sha}`,
    `POST ${repository}/git/commits`,
    `GET ${repository}/git/matching-refs/{ref}`,
    `GET ${repository}/compare/{basehead}`,
    `GET ${repository}/issues`,
    `GET ${repository}/issues/{issue_number}`,
    `GET ${repository}/issues/{issue_number}/comments`,
    `GET ${repository}/issues/{issue_number}/events`,
    `POST ${repository}/issues/{issue_number}/comments`,
    `PATCH ${repository}/issues/comments/{comment_id}`,
    `DELETE ${repository}/issues/{issue_number}/labels/{name}`,
    `POST ${repository}/issues/comments/{comment_id}/reactions`,
    `GET ${repository}/pulls`,
    `GET ${repository}/pulls/{pull_number}`,
    `GET ${repository}/pulls/{pull_number}/reviews`,
    `GET ${repository}/pulls/{pull_number}/reviews/{review_id}/comments`,
    `GET ${repository}/commits/{ref}/check-runs`,
    `GET ${repository}/commits/{ref}/check-suites`,
    `GET ${repository}/commits/{ref}/status`,
    `GET ${repository}/actions/workflows/{workflow_id}/runs`,
    `GET ${repository}/actions/runs`,
    `GET ${repository}/actions/runs/{run_id}`,
    `GET ${repository}/actions/runs/{run_id}/jobs`,
    `POST ${repository}/actions/runs/{run_id}/cancel`,
    `GET ${repository}/actions/runs/{run_id}/artifacts`,
    `GET ${repository}/actions/jobs/{job_id}/logs`,
    `GET ${repository}/check-runs/{check_run_id}/annotations`,
    `GET ${repository}/actions/artifacts/{artifact_id}/{archive_format}`,
    `GET ${repository}/collaborators/{username}/permission`,
    `GET ${repository}/branches/{branch}`,
    `GET ${repository}/actions/workflows/{workflow_id}`,
    `GET ${repository}/environments/{environment_name}`,
    `GET ${repository}/environments/{environment_name}/deployment-branch-policies`,
  ]),
  { method: 'POST', route: `${repository}/git/refs`, by: 'both', condition: 'own ref in body' },
  { method: 'PATCH', route: `${repository}/git/refs/{ref}`, by: 'both', condition: 'own ref in path' },
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
    'GET /app/installations',
    'GET /app/installations/{installation_id}',
    'GET /app/hook/deliveries/{delivery_id}',
    'POST /app-manifests/{code}/conversions',
    'GET /rate_limit',
    'GET /user',
    `PATCH ${repository}`,
    `POST ${repository}/transfer`,
    `GET ${repository}/collaborators`,
    `PUT ${repository}/collaborators/{username}`,
    `PUT ${repository}/contents/{path}`,
    `DELETE ${repository}/contents/{path}`,
    `GET ${repository}/git/blobs/{file_sha}`,
    `GET ${repository}/git/ref/{ref}`,
    `DELETE ${repository}/git/refs/{ref}`,
    `GET ${repository}/branches`,
    `GET ${repository}/commits`,
    `GET ${repository}/commits/{ref}`,
    `GET ${repository}/commits/{ref}/statuses`,
    `POST ${repository}/statuses/{sha}`,
    `POST ${repository}/issues`,
    `PATCH ${repository}/issues/{issue_number}`,
    `GET ${repository}/issues/{issue_number}/labels`,
    `POST ${repository}/issues/{issue_number}/labels`,
    `PUT ${repository}/issues/{issue_number}/labels`,
    `GET ${repository}/issues/{issue_number}/reactions`,
    `POST ${repository}/issues/{issue_number}/reactions`,
    `GET ${repository}/issues/comments`,
    `GET ${repository}/issues/comments/{comment_id}`,
    `DELETE ${repository}/issues/comments/{comment_id}`,
    `GET ${repository}/issues/comments/{comment_id}/reactions`,
    `DELETE ${repository}/issues/comments/{comment_id}/reactions/{reaction_id}`,
    `GET ${repository}/labels`,
    `POST ${repository}/labels`,
    `GET ${repository}/labels/{name}`,
    `PATCH ${repository}/labels/{name}`,
    `GET ${repository}/pulls/{pull_number}/files`,
    `GET ${repository}/pulls/{pull_number}/commits`,
    `GET ${repository}/pulls/{pull_number}/comments`,
    `POST ${repository}/pulls/{pull_number}/reviews`,
    `GET ${repository}/pulls/{pull_number}/merge`,
    `PUT ${repository}/pulls/{pull_number}/merge`,
    `GET ${repository}/check-runs/{check_run_id}`,
    `POST ${repository}/check-runs/{check_run_id}/rerequest`,
    `GET ${repository}/actions/workflows`,
    `POST ${repository}/actions/runs/{run_id}/rerun`,
    `GET ${repository}/actions/runs/{run_id}/logs`,
    `GET ${repository}/actions/artifacts/{artifact_id}`,
    `GET ${repository}/actions/jobs/{job_id}`,
    `GET ${repository}/environments`,
    `PUT ${repository}/environments/{environment_name}`,
    `DELETE ${repository}/environments/{environment_name}`,
    `POST ${repository}/environments/{environment_name}/deployment-branch-policies`,
    `DELETE ${repository}/environments/{environment_name}/deployment-branch-policies/{branch_policy_id}`,
  ]),
];

/** Of people's those that the App sends too, where somebody has it probe GitHub: what it needs to see what came of its writes, and to take them back. */
export const PROBES: readonly RequestRow[] = [
  ...rows('person', ['GET /app/hook/deliveries/{delivery_id}', `GET ${repository}/commits`]),
  { method: 'POST', route: `${repository}/pulls/{pull_number}/reviews`, by: 'person', condition: 'no verdict' },
  { method: 'DELETE', route: `${repository}/git/refs/{ref}`, by: 'person', condition: 'own ref in path' },
];

/** What registers the App, before it has a key: sent by no App that runs, and without any token. */
export const REGISTRATION: readonly RequestRow[] = rows('person', ['POST /app-manifests/{code}/conversions']);

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
