/** Check runs and suites: https://docs.github.com/rest/checks */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import type { CheckRun } from '../check-records.ts';
import { ACTIONS_SLUG, repositoryUrlOf } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import { type CheckChange, checkChange, createCheckRun, pressRerequest, updateCheckRun } from './check-changes.ts';
import { checkAppPayload, checkRunPayload, checkSuitePayload } from './check-payloads.ts';
import { commitOf, commitPayload } from './commits.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  list,
  numberParameter,
  ok,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';
import { gitOfCall } from './git-data.ts';

/** Only Apps write check runs: https://docs.github.com/rest/checks/runs#create-a-check-run */
export const APP_ONLY: Need = { permission: 'checks', level: 'write', people: 'app' };
const PERSON: Need = { permission: 'checks', level: 'write', people: 'write' };
const ONE = '/repos/{owner}/{repo}/check-runs/{check_run_id}';
const OF_COMMIT = '/repos/{owner}/{repo}/commits/{ref}';

export const checkEndpoints: Endpoints = {
  'POST /repos/{owner}/{repo}/check-runs': { need: APP_ONLY, answer: create },
  [`GET ${ONE}`]: { need: PUBLIC, answer: (call) => ok(payloadOf(call, checkRunOf(call))) },
  [`PATCH ${ONE}`]: { need: APP_ONLY, answer: update },
  [`GET ${ONE}/annotations`]: { need: PUBLIC, answer: listAnnotations },
  [`POST ${ONE}/rerequest`]: { need: PERSON, answer: rerequest },
  [`GET ${OF_COMMIT}/check-runs`]: { need: PUBLIC, answer: listRuns },
  [`GET ${OF_COMMIT}/check-suites`]: { need: PUBLIC, answer: listSuites },
};

/** The check run of the route. @throws HttpError 404 */
export function checkRunOf(call: Call): CheckRun {
  const run = call.host.state.checkRuns.get(numberParameter(call, 'check_run_id'));
  return found(run?.repositoryId === repositoryOf(call).id ? run : undefined);
}

function payloadOf(call: Call, run: CheckRun) {
  return checkRunPayload(call.host, repositoryOf(call), run);
}

const newCheckRun = checkChange.required({ name: true }).extend({ head_sha: z.string() });

/** Whose check runs the call makes and changes: a job's token stands for GitHub Actions. */
export function appOf({ actor }: Pick<Call, 'actor'>): string {
  return actor.type === 'installation' ? actor.app : ACTIONS_SLUG;
}

async function create(call: Call) {
  const { head_sha: headSha, ...change } = parseBody(call, newCheckRun);
  if (!(await commitOf(gitOfCall(call), headSha))) throw new HttpError(422, `No commit found for SHA: ${headSha}`);
  const run = createCheckRun(call.host, {
    repository: repositoryOf(call),
    sender: actingLogin(call),
    headSha,
    change,
    app: appOf(call),
  });
  return created(payloadOf(call, run));
}

function update(call: Call) {
  const run = checkRunOf(call);
  if (run.app !== appOf(call))
    throw new HttpError(
      403,
      `Invalid app_id \`${checkAppPayload(call.host, appOf(call)).id}\` - check run can only be modified by the GitHub App that created it.`,
    );
  const change: CheckChange = parseBody(call, checkChange);
  return ok(
    payloadOf(
      call,
      updateCheckRun(call.host, { repository: repositoryOf(call), sender: actingLogin(call), run, change }),
    ),
  );
}

function listAnnotations(call: Call) {
  const run = checkRunOf(call);
  const html = `${repositoryUrlOf(call.host, repositoryOf(call))}/git/blobs/${run.headSha}`;
  return list(
    run.annotations.map((annotation) => ({
      start_column: null,
      end_column: null,
      title: null,
      raw_details: null,
      ...annotation,
      blob_href: html,
    })),
  );
}

function rerequest(call: Call) {
  pressRerequest(call.host, { repository: repositoryOf(call), sender: actingLogin(call), run: checkRunOf(call) });
  return created({});
}

/** The commit that the route names. @throws HttpError 422 */
export async function shaOf(call: Call): Promise<string> {
  const name = textParameter(call, 'ref');
  const commit = await commitOf(gitOfCall(call), name);
  if (!commit) throw new HttpError(422, `No commit found for SHA: ${name}`);
  return commit.sha;
}

/** `filter=latest`, the default, shows the newest run of each name and suite. */
async function listRuns(call: Call) {
  const { host, query } = call;
  const headSha = await shaOf(call);
  const runs = host.state.checkRuns
    .find({ repositoryId: repositoryOf(call).id, headSha })
    .filter((run) => !query.has('check_name') || run.name === query.get('check_name'))
    .filter((run) => !query.has('status') || run.status === query.get('status'))
    .filter(({ app }) => isOfApp(call, app));
  const latest = [...new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run])).values()];
  const shown = query.get('filter') === 'all' ? runs : latest;
  return list(
    shown.toReversed().map((run) => payloadOf(call, run)),
    (page, total) => ({ total_count: total, check_runs: page }),
  );
}

/** Whether an App is the one that `app_id` asks for, where it asks. */
function isOfApp({ host, query }: Call, slug: string): boolean {
  return !query.has('app_id') || Number(query.get('app_id')) === checkAppPayload(host, slug).id;
}

async function listSuites(call: Call) {
  const headSha = await shaOf(call);
  const repository = repositoryOf(call);
  const name = call.query.get('check_name');
  const { checkSuites, checkRuns } = call.host.state;
  const suites = checkSuites
    .find({ repositoryId: repository.id, headSha })
    .filter(({ app }) => isOfApp(call, app))
    .filter(({ id: suiteId }) => name === null || checkRuns.first({ suiteId, name }));
  const head = found(await commitOf(gitOfCall(call), headSha));
  const { commit } = commitPayload(call.host, repository, head);
  const payloads = suites.map((suite) => ({
    ...checkSuitePayload(call.host, repository, suite),
    head_commit: simpleCommit(commit, head.sha),
  }));
  return list(payloads, (page, total) => ({ total_count: total, check_suites: page }));
}

function simpleCommit(commit: unknown, sha: string) {
  const { tree, message, author, committer } = z
    .object({
      tree: z.object({ sha: z.string() }),
      message: z.string(),
      author: z.object({ name: z.string(), email: z.string(), date: z.string() }),
      committer: z.object({ name: z.string(), email: z.string() }),
    })
    .parse(commit);
  return {
    id: sha,
    tree_id: tree.sha,
    message,
    timestamp: author.date,
    author: { name: author.name, email: author.email },
    committer,
  };
}
