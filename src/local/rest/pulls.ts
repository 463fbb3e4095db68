/** Pull requests: https://docs.github.com/rest/pulls/pulls */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import { startPullRuns } from '../actions/workflow-triggers.ts';
import { now } from '../clock.ts';
import { found, HttpError } from '../http-error.ts';
import type { Pull } from '../records.ts';
import { takeNumber } from '../repository-records.ts';
import { emit } from '../webhooks/events.ts';
import { commitOf, commitPayload, commitsOf, fileChangesOf } from './commits.ts';
import { asksForDiff, diffReply } from './diffs.ts';
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
} from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { editText, setState, tellRetargeted } from './issue-changes.ts';
import { ordered } from './ordered.ts';
import { keepPullRef } from './pull-changes.ts';
import { issueOfPull, pullFactsOf, pullPayload } from './pull-payloads.ts';
import { bodyText, titleText } from './texts.ts';

const OPEN: Need = { permission: 'pull_requests', level: 'write', people: 'write' };
const ONE = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const pullEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/pulls': { need: PUBLIC, answer: listPulls },
  'POST /repos/{owner}/{repo}/pulls': { need: OPEN, answer: createPull },
  [`GET ${ONE}`]: { need: PUBLIC, answer: getPull },
  [`PATCH ${ONE}`]: { need: OPEN, answer: editPull },
  [`GET ${ONE}/files`]: { need: PUBLIC, answer: listFiles },
  [`GET ${ONE}/commits`]: { need: PUBLIC, answer: listCommits },
};

/** The pull request of the route. @throws HttpError 404 */
export function pullOf(call: Call): Pull {
  const number = numberParameter(call, 'pull_number');
  return found(call.host.state.pulls.first({ repositoryId: repositoryOf(call).id, number }));
}

async function getPull(call: Call) {
  const pull = pullOf(call);
  if (!asksForDiff(call)) return ok(await fullPayload(call, pull));
  const mergeBase = await gitOfCall(call).text(['merge-base', pull.baseSha, pull.headSha]);
  return diffReply(call, mergeBase, pull.headSha);
}

async function fullPayload(call: Call, pull: Pull) {
  const repository = repositoryOf(call);
  return pullPayload(call.host, repository, pull, await pullFactsOf(call.host, repository, pull));
}

function listPulls(call: Call) {
  const { host, query } = call;
  const repository = repositoryOf(call);
  const state = query.get('state') ?? 'open';
  const head = query.get('head')?.replace(/^[^:]*:/, '');
  const pulls = host.state.pulls
    .find({ repositoryId: repository.id })
    .filter((pull) => state === 'all' || issueOfPull(host, pull).state === state)
    .filter((pull) => head === undefined || pull.head === head)
    .filter((pull) => !query.has('base') || pull.base === query.get('base'));
  const issueOf = (pull: Pull) => issueOfPull(host, pull);
  const keys = { created: (pull: Pull) => issueOf(pull).createdAt, updated: (pull: Pull) => issueOf(pull).updatedAt };
  const direction = (query.get('sort') ?? 'created') === 'created' ? 'desc' : 'asc';
  return list(ordered(query, pulls, { keys, direction }).map((pull) => pullPayload(host, repository, pull)));
}

const newPull = z.object({
  title: titleText,
  head: z.string(),
  base: z.string(),
  body: bodyText.nullish(),
  draft: z.boolean().default(false),
});

async function createPull(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const wanted = parseBody(call, newPull);
  const author = actingLogin(call);
  // One after another, so that a second one of the same branch finds the first.
  const { pull, payload } = await host.serial(repository.id, () => openPull(call, wanted, author));
  await startPullRuns(host, { repository, actor: author, pull, title: wanted.title, action: 'opened', payload });
  return created(await fullPayload(call, pull));
}

async function openPull(call: Call, { title, head, base, body, draft }: z.infer<typeof newPull>, author: string) {
  const { host } = call;
  const repository = repositoryOf(call);
  const ends = await endsOf(call, { head: head.replace(`${repository.owner}:`, ''), base });
  const issueFields = { isPull: true, title, body: body ?? undefined, state: 'open', author, labels: [] } as const;
  const number = host.state.transaction(() => takeNumber(host, repository));
  const movedAt = host.clock.now().toISOString();
  const draftPull = { id: 0, repositoryId: repository.id, number, draft, movedAt, ...ends };
  await keepPullRef(host, repository, draftPull);
  const facts = await pullFactsOf(host, repository, draftPull);
  return host.state.transaction(() => {
    host.state.issues.insert({
      repositoryId: repository.id,
      number,
      ...issueFields,
      labels: [],
      createdAt: now(host),
      updatedAt: now(host),
    });
    const { id: _, ...fresh } = draftPull;
    const opened = host.state.pulls.insert(fresh);
    const fields = { number, pull_request: pullPayload(host, repository, opened, facts) };
    return {
      pull: opened,
      payload: emit(host, { event: 'pull_request', action: 'opened', repository, sender: author, fields }),
    };
  });
}

async function endsOf(call: Call, { head, base }: { readonly head: string; readonly base: string }) {
  const git = gitOfCall(call);
  const [headCommit, baseCommit] = await Promise.all([
    commitOf(git, `refs/heads/${head}`),
    commitOf(git, `refs/heads/${base}`),
  ]);
  if (!headCommit) throw invalid('head');
  if (!baseCommit) throw invalid('base');
  const count = await git.text(['rev-list', '--count', `${baseCommit.sha}..${headCommit.sha}`]);
  if (count === '0') throw refused(`No commits between ${base} and ${head}`);
  if ((await git.attempt(['merge-base', baseCommit.sha, headCommit.sha])) === undefined)
    throw refused(`The ${head} branch has no history in common with ${base}`);
  const { host } = call;
  const twin = host.state.pulls
    .find({ repositoryId: repositoryOf(call).id, head, base })
    .find((pull) => issueOfPull(host, pull).state === 'open');
  if (twin) throw refused(`A pull request already exists for ${repositoryOf(call).owner}:${head}.`);
  return { head, base, headSha: headCommit.sha, baseSha: baseCommit.sha };
}

function invalid(field: string): HttpError {
  return new HttpError(422, 'Validation Failed', [{ resource: 'PullRequest', field, code: 'invalid' }]);
}

function refused(message: string): HttpError {
  return new HttpError(422, 'Validation Failed', [{ resource: 'PullRequest', code: 'custom', message }]);
}

const pullEdit = z.object({
  title: titleText.optional(),
  body: bodyText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().optional(),
});

async function editPull(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const pull = pullOf(call);
  const edit = parseBody(call, pullEdit);
  if (edit.base !== undefined && edit.base !== pull.base) await retarget(call, pull, edit.base);
  if (edit.state === 'open') await judgeReopening(call, pull);
  const change = { host, repository, sender: actingLogin(call) };
  const issue = await editText(
    { ...change, issue: issueOfPull(host, pull) },
    { title: edit.title, body: edit.body ?? undefined },
  );
  if (edit.state) await setState({ ...change, issue }, edit.state);
  return ok(await fullPayload(call, pullOf(call)));
}

async function retarget(call: Call, pull: Pull, base: string): Promise<void> {
  const { host } = call;
  const issue = issueOfPull(host, pull);
  if (issue.state !== 'open') throw refused('Cannot change the base branch of a closed pull request.');
  const { baseSha } = await endsOf(call, { head: pull.head, base });
  host.state.pulls.update(pull.id, { base, baseSha, movedAt: host.clock.now().toISOString() });
  await tellRetargeted({ host, repository: repositoryOf(call), issue, sender: actingLogin(call) }, pull);
}

async function judgeReopening(call: Call, { mergedAt, head }: Pull): Promise<void> {
  if (mergedAt !== undefined) throw refused('Cannot reopen a merged pull request.');
  if ((await commitOf(gitOfCall(call), `refs/heads/${head}`)) === undefined)
    throw refused(`state cannot be changed. The ${head} branch has been deleted.`);
}

async function listFiles(call: Call) {
  const { baseSha, headSha } = pullOf(call);
  const mergeBase = await gitOfCall(call).text(['merge-base', baseSha, headSha]);
  return list(await fileChangesOf(call.host, repositoryOf(call), [mergeBase, headSha]));
}

async function listCommits(call: Call) {
  const { baseSha, headSha } = pullOf(call);
  const commits = (await commitsOf(gitOfCall(call), [`${baseSha}..${headSha}`])).toReversed();
  return list(commits.map((commit) => commitPayload(call.host, repositoryOf(call), commit)));
}
