/** Check runs and commit statuses: https://docs.github.com/rest/checks and https://docs.github.com/rest/commits/statuses */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import type { CheckRun } from '../check-records.ts';
import { now, repositoryUrlOf } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import { emit } from '../webhooks/events.ts';
import { type CheckChange, checkChange, createCheckRun, pressRerequest, updateCheckRun } from './check-changes.ts';
import { checkRunPayload, checkSuitePayload, statusPayload } from './check-payloads.ts';
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
import { repositoryPayload } from './payloads.ts';

/** Only Apps write check runs: https://docs.github.com/rest/checks/runs#create-a-check-run */
const APP_ONLY: Need = { permission: 'checks', level: 'write', people: 'app' };
const PERSON: Need = { permission: 'checks', level: 'write', people: 'write' };
const STATUS: Need = { permission: 'statuses', level: 'write', people: 'write' };
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
  'POST /repos/{owner}/{repo}/statuses/{sha}': { need: STATUS, answer: createStatus },
  [`GET ${OF_COMMIT}/status`]: { need: PUBLIC, answer: combinedStatus },
  [`GET ${OF_COMMIT}/statuses`]: { need: PUBLIC, answer: listStatuses },
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

async function create(call: Call) {
  const { head_sha: headSha, ...change } = parseBody(call, newCheckRun);
  if (!(await commitOf(gitOfCall(call), headSha))) throw new HttpError(422, `No commit found for SHA: ${headSha}`);
  const run = createCheckRun(call.host, { repository: repositoryOf(call), sender: actingLogin(call), headSha, change });
  return created(payloadOf(call, run));
}

function update(call: Call) {
  const run = checkRunOf(call);
  if (run.app !== 'loopwright')
    throw new HttpError(
      403,
      'Invalid app_id `1001` - check run can only be modified by the GitHub App that created it.',
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

async function shaOf(call: Call): Promise<string> {
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
    .filter(
      (run) =>
        !query.has('app_id') || (run.app === 'loopwright') === (Number(query.get('app_id')) === host.credentials.appId),
    );
  const latest = [...new Map(runs.map((run) => [`${run.suiteId} ${run.name}`, run])).values()];
  const shown = query.get('filter') === 'all' ? runs : latest;
  return list(
    shown.toReversed().map((run) => payloadOf(call, run)),
    (page, total) => ({ total_count: total, check_runs: page }),
  );
}

async function listSuites(call: Call) {
  const headSha = await shaOf(call);
  const repository = repositoryOf(call);
  const suites = call.host.state.checkSuites.find({ repositoryId: repository.id, headSha });
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

const newStatus = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string().default('default'),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

async function createStatus(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const commit = await commitOf(gitOfCall(call), textParameter(call, 'sha'));
  if (!commit) throw new HttpError(422, `No commit found for SHA: ${textParameter(call, 'sha')}`);
  const creator = actingLogin(call);
  const { state, context, description, target_url: targetUrl } = parseBody(call, newStatus);
  return host.state.transaction(() => {
    const status = host.state.statuses.insert({
      repositoryId: repository.id,
      sha: commit.sha,
      state,
      context,
      description: description ?? undefined,
      targetUrl: targetUrl ?? undefined,
      creator,
      createdAt: now(),
    });
    const fields = {
      ...statusPayload(host, repository, status),
      sha: commit.sha,
      name: `${repository.owner}/${repository.name}`,
      branches: [],
      commit: commitPayload(host, repository, commit),
    };
    emit(host, { event: 'status', repository, sender: creator, fields });
    return created(statusPayload(host, repository, status));
  });
}

async function listStatuses(call: Call) {
  const sha = await shaOf(call);
  const statuses = call.host.state.statuses.find({ repositoryId: repositoryOf(call).id, sha }).toReversed();
  return list(statuses.map((status) => statusPayload(call.host, repositoryOf(call), status)));
}

/** The newest status of each context; pending while there is none: https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference */
async function combinedStatus(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const sha = await shaOf(call);
  const statuses = [
    ...new Map(
      host.state.statuses.find({ repositoryId: repository.id, sha }).map((status) => [status.context, status]),
    ).values(),
  ];
  const states = statuses.map(({ state }) => state);
  const failed = states.some((state) => state === 'failure' || state === 'error');
  const passed = states.length > 0 && states.every((state) => state === 'success');
  return ok({
    state: failed ? 'failure' : passed ? 'success' : 'pending',
    statuses: statuses.map((status) => statusPayload(host, repository, status)),
    sha,
    total_count: statuses.length,
    repository: repositoryPayload(host, repository),
    commit_url: `${repositoryUrlOf(host, repository)}/commits/${sha}`,
    url: `${repositoryUrlOf(host, repository)}/commits/${sha}/status`,
  });
}
