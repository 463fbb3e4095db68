/** What each endpoint obeys of what GitHub describes for it; whatever else is asked for is refused before anything happens. */

import { fieldsOf, isFields } from '../../referee/json.ts';
import type { RequestRow } from '../../referee/requests.ts';
import { HttpError } from '../http-error.ts';

const FILE_WRITE = 'message sha branch committer author';
const CHECK = 'name details_url external_id started_at status conclusion completed_at output actions';
const RUNS = 'actor branch event status created exclude_pull_requests check_suite_id head_sha';
/** Pages of lists; what is no list has none of these in its description. */
const PAGES = ['per_page', 'page'];

/** Query parameters and keys of the body, by `METHOD route`; where there is no row, none. */
export const OBEYED: Readonly<Record<string, string>> = {
  'POST /app/installations/{installation_id}/access_tokens': 'repositories repository_ids permissions',
  'GET /app/hook/deliveries': 'cursor status',
  'PATCH /repos/{owner}/{repo}': 'name',
  'POST /repos/{owner}/{repo}/transfer': 'new_owner',
  'PUT /repos/{owner}/{repo}/collaborators/{username}': 'permission',
  'GET /repos/{owner}/{repo}/contents/{path}': 'ref',
  'PUT /repos/{owner}/{repo}/contents/{path}': `content ${FILE_WRITE}`,
  'DELETE /repos/{owner}/{repo}/contents/{path}': FILE_WRITE,
  'POST /repos/{owner}/{repo}/git/blobs': 'content encoding',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': 'recursive',
  'POST /repos/{owner}/{repo}/git/trees': 'tree base_tree',
  'POST /repos/{owner}/{repo}/git/commits': 'message tree parents author committer',
  'POST /repos/{owner}/{repo}/git/refs': 'ref sha',
  'PATCH /repos/{owner}/{repo}/git/refs/{ref}': 'sha force',
  'GET /repos/{owner}/{repo}/commits': 'sha path since until',
  'POST /repos/{owner}/{repo}/statuses/{sha}': 'state target_url description context',
  'GET /repos/{owner}/{repo}/issues': 'state creator labels sort direction since',
  'POST /repos/{owner}/{repo}/issues': 'title body labels',
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}': 'title body state state_reason labels',
  'GET /repos/{owner}/{repo}/issues/comments': 'sort direction since',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': 'since',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': 'body',
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': 'body',
  'GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': 'content',
  'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': 'content',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/reactions': 'content',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions': 'content',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels': 'labels',
  'PUT /repos/{owner}/{repo}/issues/{issue_number}/labels': 'labels',
  'POST /repos/{owner}/{repo}/labels': 'name color description',
  'PATCH /repos/{owner}/{repo}/labels/{name}': 'color description',
  'GET /repos/{owner}/{repo}/pulls': 'state head base sort direction',
  // Whether maintainers may push to a fork's branch: there are no forks here.
  'POST /repos/{owner}/{repo}/pulls': 'title head base body maintainer_can_modify draft',
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}': 'title body state base maintainer_can_modify',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': 'sort direction since',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews': 'commit_id body event comments',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge': 'commit_title commit_message sha merge_method',
  'POST /repos/{owner}/{repo}/check-runs': `head_sha ${CHECK}`,
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': CHECK,
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': 'check_name status filter app_id',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-suites': 'app_id check_name',
  'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs': RUNS,
  'GET /repos/{owner}/{repo}/actions/runs': RUNS,
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}': 'exclude_pull_requests',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': 'name direction',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs': 'filter',
  'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches': 'ref inputs return_run_details',
  // Nobody is asked here and nothing waits, so there are neither reviewers nor timers.
  'PUT /repos/{owner}/{repo}/environments/{environment_name}': 'deployment_branch_policy',
  'POST /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies': 'name type',
};

/** Other forms than JSON in which an endpoint answers, where `accept` asks: https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types */
const FORMS: Readonly<Record<string, string>> = {
  'GET /repos/{owner}/{repo}/contents/{path}': 'raw',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': 'diff',
  'GET /repos/{owner}/{repo}/commits/{ref}': 'diff',
  'GET /repos/{owner}/{repo}/compare/{basehead}': 'diff',
};

export interface Wish {
  readonly row: RequestRow;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly accept: string;
}

/** Refuses what GitHub would obey and this server does not. @throws HttpError 415 or 422 that names it */
export function judgeWish({ row, query, body, accept }: Wish): void {
  const operation = `${row.method} ${row.route}`;
  const obeyed = new Set([...(OBEYED[operation] ?? '').split(' '), ...PAGES]);
  const refused = [...query.keys(), ...(isFields(body) ? Object.keys(fieldsOf(body)) : [])].filter(
    (name) => !obeyed.has(name),
  );
  if (refused.length > 0) {
    const names = refused.map((name) => `"${name}"`).join(', ');
    throw new HttpError(422, `Validation Failed: this server does not obey ${names} of ${operation}`);
  }
  const form = formOf(accept);
  if (form !== undefined && form !== FORMS[operation])
    throw new HttpError(415, `Unsupported 'Accept' header: '${accept}'. Must accept 'application/json'.`);
}

/** `diff` of `application/vnd.github.v3.diff`; undefined where JSON is asked for, in which texts are `raw` anyway. */
export function formOf(accept: string): string | undefined {
  const [, form, json] = /vnd\.github(?:\.v3)?\.(raw|diff|patch|sha|html|text|full|object)(\+json)?/.exec(accept) ?? [];
  return form === 'raw' && json !== undefined ? undefined : form;
}
