/** Issues and their events: https://docs.github.com/rest/issues/issues */
import { z } from 'zod';
import { type Need, PUBLIC, roleOf } from '../access.ts';
import { now } from '../clock.ts';
import { HttpError } from '../http-error.ts';
import type { Issue } from '../records.ts';
import { takeNumber } from '../repository-records.ts';
import { emit } from '../webhooks/events.ts';
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
import { issueIsMissing } from './gone-issues.ts';
import { addLabels, editText, replaceLabels, setState } from './issue-changes.ts';
import { MOMENTS, ordered } from './ordered.ts';
import { issueEventPayload, issuePayload } from './payloads.ts';
import { bodyText, titleText } from './texts.ts';

const OPEN_ISSUE: Need = { permission: 'issues', level: 'write', people: 'signed in' };

/** Labels of a new issue arrive as names or as objects. */
const labelNames = z.array(z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]));

export const issueEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/issues': { need: PUBLIC, answer: listIssues },
  'POST /repos/{owner}/{repo}/issues': { need: OPEN_ISSUE, answer: createIssue },
  'GET /repos/{owner}/{repo}/issues/{issue_number}': {
    need: PUBLIC,
    answer: (call) => ok({ ...issuePayload(call.host, repositoryOf(call), issueOf(call)), closed_by: null }),
  },
  'PATCH /repos/{owner}/{repo}/issues/{issue_number}': { need: OPEN_ISSUE, answer: editIssue },
  'GET /repos/{owner}/{repo}/issues/{issue_number}/events': { need: PUBLIC, answer: listEvents },
};

/** The issue (or the issue behind the pull request) of the route. @throws HttpError 404, 410 when it was deleted, 301 when it was moved */
export function issueOf(call: Call): Issue {
  const number = numberParameter(call, 'issue_number');
  const where = { repositoryId: repositoryOf(call).id, number };
  const issue = call.host.state.issues.first(where);
  if (issue) return issue;
  const [, below = ''] = /\/issues\/\d+(.*)$/.exec(call.path) ?? [];
  throw issueIsMissing(call.host, { ...where, below });
}

function listIssues(call: Call) {
  const { host, query } = call;
  const repository = repositoryOf(call);
  const state = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const issues = host.state.issues
    .find({ repositoryId: repository.id })
    .filter((issue) => state === 'all' || issue.state === state)
    .filter((issue) => labels.every((name) => issue.labels.includes(name)))
    .filter((issue) => !query.has('creator') || issue.author === query.get('creator'))
    .filter((issue) => issue.updatedAt >= (query.get('since') ?? ''));
  const order = {
    keys: { ...MOMENTS, comments: (issue: Issue) => commentsOn(call, issue) },
    direction: 'desc',
  } as const;
  return list(ordered(query, issues, order).map((issue) => issuePayload(host, repository, issue)));
}

function commentsOn({ host }: Call, { repositoryId, number }: Issue): number {
  return host.state.comments.find({ repositoryId, number }).length;
}

const newIssue = z.object({
  title: z.union([z.string(), z.number()]).transform(String).pipe(titleText),
  body: bodyText.nullish(),
  labels: labelNames.default([]),
});

async function createIssue(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const author = actingLogin(call);
  const { title, body, labels } = parseBody(call, newIssue);
  const issue = host.state.transaction(() => {
    const number = takeNumber(host, repository);
    const opened = host.state.issues.insert({
      repositoryId: repository.id,
      number,
      isPull: false,
      title,
      body: body ?? undefined,
      state: 'open',
      author,
      labels: [],
      createdAt: now(host),
      updatedAt: now(host),
    });
    emit(host, {
      event: 'issues',
      action: 'opened',
      repository,
      sender: author,
      fields: { issue: issuePayload(host, repository, opened) },
    });
    return opened;
  });
  const labelled = mayLabel(call) ? await addLabels({ host, repository, issue, sender: author }, labels) : issue;
  return created(issuePayload(host, repository, labelled));
}

/** Somebody without triage rights may open an issue and change their own, but their labels are dropped without a word. */
function mayLabel(call: Call): boolean {
  return call.actor.type !== 'user' || roleOf(call.host, repositoryOf(call), actingLogin(call)) !== 'read';
}

const issueEdit = z.object({
  title: titleText.nullish(),
  body: bodyText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
  labels: labelNames.optional(),
});

async function editIssue(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const sender = actingLogin(call);
  const issue = issueOf(call);
  if (call.actor.type === 'user' && sender !== issue.author && roleOf(host, repository, sender) === 'read') {
    throw new HttpError(403, 'Must have triage rights to Repository.');
  }
  const edit = parseBody(call, issueEdit);
  const change = { host, repository, sender };
  const edited = await editText({ ...change, issue }, { title: edit.title ?? undefined, body: edit.body ?? undefined });
  const labelled =
    edit.labels && mayLabel(call) ? await replaceLabels({ ...change, issue: edited }, edit.labels) : edited;
  const changed = edit.state
    ? await setState({ ...change, issue: labelled }, edit.state, edit.state_reason ?? undefined)
    : labelled;
  return ok(issuePayload(host, repository, changed));
}

function listEvents(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const { number } = issueOf(call);
  const events = host.state.issueEvents.find({ repositoryId: repository.id, number });
  return list(events.map((event) => issueEventPayload(host, repository, event)));
}
