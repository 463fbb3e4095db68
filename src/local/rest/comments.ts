/** Comments on issues and pull requests: https://docs.github.com/rest/issues/comments */
import { z } from 'zod';
import { type Need, PUBLIC, reaches, roleOf } from '../access.ts';
import { now } from '../clock.ts';
import { found, HttpError } from '../http-error.ts';
import type { Comment } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  list,
  noContent,
  numberParameter,
  ok,
  parseBody,
  repositoryOf,
} from './endpoint.ts';
import { issueOf } from './issues.ts';
import { MOMENTS, ordered } from './ordered.ts';
import { commentPayload, issuePayload } from './payloads.ts';

const COMMENT: Need = { permission: 'issues', level: 'write', people: 'signed in' };
const ONE = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
const OF_ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const LONGEST_BODY = 65_536;

export const commentEndpoints: Endpoints = {
  [`GET ${OF_ISSUE}`]: { need: PUBLIC, answer: (call) => listComments(call, issueOf(call).number) },
  [`POST ${OF_ISSUE}`]: { need: COMMENT, answer: createComment },
  'GET /repos/{owner}/{repo}/issues/comments': { need: PUBLIC, answer: (call) => listComments(call) },
  [`GET ${ONE}`]: {
    need: PUBLIC,
    answer: (call) => ok(commentPayload(call.host, repositoryOf(call), commentOf(call))),
  },
  [`PATCH ${ONE}`]: { need: COMMENT, answer: editComment },
  [`DELETE ${ONE}`]: { need: COMMENT, answer: deleteComment },
};

/** The comment of the route. @throws HttpError 404 */
export function commentOf(call: Call): Comment {
  const comment = call.host.state.comments.get(numberParameter(call, 'comment_id'));
  return found(comment?.repositoryId === repositoryOf(call).id ? comment : undefined);
}

const commentBody = z.object({ body: z.string().min(1) });

function bodyOf(call: Call): string {
  const { body } = parseBody(call, commentBody);
  if (body.length > LONGEST_BODY) {
    throw new HttpError(422, 'Validation Failed: body is too long (maximum is 65536 characters)');
  }
  return body;
}

function listComments(call: Call, number?: number) {
  const repository = repositoryOf(call);
  const where = number === undefined ? { repositoryId: repository.id } : { repositoryId: repository.id, number };
  const since = call.query.get('since') ?? '';
  const comments = call.host.state.comments.find(where).filter(({ updatedAt }) => updatedAt >= since);
  const shown = number === undefined ? ordered(call.query, comments, { keys: MOMENTS, direction: 'asc' }) : comments;
  return list(shown.map((comment) => commentPayload(call.host, repository, comment)));
}

function createComment(call: Call) {
  const { host, actor } = call;
  const issue = issueOf(call);
  const author = actingLogin(call);
  const body = bodyOf(call);
  return host.state.transaction(() => {
    const comment = host.state.comments.insert({
      repositoryId: issue.repositoryId,
      number: issue.number,
      author,
      byApp: actor.type === 'installation',
      body,
      createdAt: now(host),
      updatedAt: now(host),
    });
    host.state.issues.update(issue.id, { updatedAt: now(host) });
    tell(call, 'created', comment);
    return created(commentPayload(host, repositoryOf(call), comment));
  });
}

function editComment(call: Call) {
  const { host } = call;
  const comment = commentOf(call);
  judgeOwnership(call, comment);
  const body = bodyOf(call);
  return host.state.transaction(() => {
    host.state.commentEdits.insert({
      commentId: comment.id,
      editor: actingLogin(call),
      body: comment.body,
      editedAt: now(host),
    });
    const edited = host.state.comments.update(comment.id, { body, updatedAt: now(host) });
    tell(call, 'edited', edited, { changes: { body: { from: comment.body } } });
    return ok(commentPayload(host, repositoryOf(call), edited));
  });
}

function deleteComment(call: Call) {
  const comment = commentOf(call);
  judgeOwnership(call, comment);
  return call.host.state.transaction(() => {
    tell(call, 'deleted', comment);
    call.host.state.comments.remove(comment.id);
    return noContent;
  });
}

/** A person changes their own comments, and those of others with write only. */
function judgeOwnership(call: Call, comment: Comment): void {
  const login = actingLogin(call);
  if (call.actor.type !== 'user' || comment.author === login) return;
  if (!reaches(roleOf(call.host, repositoryOf(call), login), 'write')) {
    throw new HttpError(403, 'Must have write rights to change the comment of somebody else.');
  }
}

function tell(call: Call, action: string, comment: Comment, fields: Readonly<Record<string, unknown>> = {}): void {
  const { host } = call;
  const repository = repositoryOf(call);
  const issue = found(host.state.issues.first({ repositoryId: repository.id, number: comment.number }));
  emit(host, {
    event: 'issue_comment',
    action,
    repository,
    sender: actingLogin(call),
    fields: {
      issue: issuePayload(host, repository, issue),
      comment: commentPayload(host, repository, comment),
      ...fields,
    },
  });
}
