/** Reactions on issues and comments: https://docs.github.com/rest/reactions/reactions */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { found, HttpError } from '../http-error.ts';
import { REACTIONS, type Reaction } from '../records.ts';
import { commentOf } from './comments.ts';
import { actingLogin, type Call, type Endpoints, list, noContent, numberParameter, parseBody } from './endpoint.ts';
import { issueOf } from './issues.ts';
import { reactionPayload } from './payloads.ts';

const REACT: Need = { permission: 'issues', level: 'write', people: 'signed in' };
const ON_ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}/reactions';
const ON_COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';

type Subject = Pick<Reaction, 'repositoryId' | 'subject' | 'subjectId'>;

export const reactionEndpoints: Endpoints = {
  [`GET ${ON_ISSUE}`]: { need: PUBLIC, answer: (call) => listReactions(call, issueSubject(call)) },
  [`POST ${ON_ISSUE}`]: { need: REACT, answer: (call) => react(call, issueSubject(call)) },
  [`GET ${ON_COMMENT}`]: { need: PUBLIC, answer: (call) => listReactions(call, commentSubject(call)) },
  [`POST ${ON_COMMENT}`]: { need: REACT, answer: (call) => react(call, commentSubject(call)) },
  [`DELETE ${ON_COMMENT}/{reaction_id}`]: { need: REACT, answer: removeReaction },
};

function issueSubject(call: Call): Subject {
  const { repositoryId, number } = issueOf(call);
  return { repositoryId, subject: 'issue', subjectId: number };
}

function commentSubject(call: Call): Subject {
  const { repositoryId, id } = commentOf(call);
  return { repositoryId, subject: 'comment', subjectId: id };
}

function listReactions(call: Call, subject: Subject) {
  const content = call.query.get('content');
  const reactions = call.host.state.reactions
    .find(subject)
    .filter((reaction) => !content || reaction.content === content);
  return list(reactions.map((reaction) => reactionPayload(call.host, reaction)));
}

const newReaction = z.object({ content: z.enum(REACTIONS) });

/** The same reaction by the same account is one reaction: 200 then, 201 when it is new. */
function react(call: Call, subject: Subject) {
  const { content } = parseBody(call, newReaction);
  const user = actingLogin(call);
  const known = call.host.state.reactions.first({ ...subject, content, user });
  const reaction = known ?? call.host.state.reactions.insert({ ...subject, content, user, createdAt: now(call.host) });
  return { status: known ? 200 : 201, body: reactionPayload(call.host, reaction) };
}

function removeReaction(call: Call) {
  const { subjectId } = commentSubject(call);
  const reaction = found(call.host.state.reactions.get(numberParameter(call, 'reaction_id')));
  if (reaction.subject !== 'comment' || reaction.subjectId !== subjectId) throw new HttpError(404, 'Not Found');
  if (reaction.user !== actingLogin(call)) throw new HttpError(403, 'Only who reacted may take the reaction back.');
  call.host.state.reactions.remove(reaction.id);
  return noContent;
}
