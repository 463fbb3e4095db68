/** Reviews and what they say line by line: https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/comments */
import { z } from 'zod';
import { type Need, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { found, HttpError } from '../http-error.ts';
import type { Pull, Review, ReviewComment } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { fileChangesOf } from './commits.ts';
import {
  actingLogin,
  type Call,
  type Endpoints,
  list,
  numberParameter,
  ok,
  parseBody,
  repositoryOf,
} from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { ordered } from './ordered.ts';
import { issueOfPull, pullPayload, reviewPayload } from './pull-payloads.ts';
import { pullOf } from './pulls.ts';
import { reviewCommentPayload } from './review-payloads.ts';
import { placeIn } from './review-places.ts';

const REVIEW: Need = { permission: 'pull_requests', level: 'write', people: 'signed in' };
const ONE = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const reviewEndpoints: Endpoints = {
  [`GET ${ONE}/reviews`]: { need: PUBLIC, answer: listReviews },
  [`POST ${ONE}/reviews`]: { need: REVIEW, answer: createReview },
  [`GET ${ONE}/reviews/{review_id}/comments`]: { need: PUBLIC, answer: listCommentsOfReview },
  [`GET ${ONE}/comments`]: { need: PUBLIC, answer: listComments },
};

function listReviews(call: Call) {
  const { repositoryId, number } = pullOf(call);
  const reviews = call.host.state.reviews.find({ repositoryId, number });
  return list(reviews.map((review) => reviewPayload(call.host, repositoryOf(call), review)));
}

/** Here GitHub tells the place by position and hunk, and not by line and side. */
function listCommentsOfReview(call: Call) {
  const review = reviewOf(call, pullOf(call));
  const comments = call.host.state.reviewComments.find({ reviewId: review.id });
  return list(comments.map((comment) => reviewCommentPayload(call.host, repositoryOf(call), comment)));
}

function listComments(call: Call) {
  const { repositoryId, number } = pullOf(call);
  const since = call.query.get('since') ?? '';
  const comments = call.host.state.reviewComments
    .find({ repositoryId, number })
    .filter(({ createdAt }) => createdAt >= since);
  return list(
    ordered(call.query, comments, { keys: { created: madeAt, updated: madeAt }, direction: 'asc' }).map((comment) => ({
      ...reviewCommentPayload(call.host, repositoryOf(call), comment),
      line: comment.line,
      original_line: comment.line,
      side: comment.side,
      subject_type: 'line',
    })),
  );
}

/** Nobody can change such a comment here. */
function madeAt({ createdAt }: ReviewComment): string {
  return createdAt;
}

function reviewOf(call: Call, { repositoryId, number }: Pull): Review {
  const review = call.host.state.reviews.get(numberParameter(call, 'review_id'));
  return found(review?.repositoryId === repositoryId && review.number === number ? review : undefined);
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
const newComment = z.strictObject({
  path: z.string(),
  body: z.string().min(1),
  line: z.int().positive(),
  side: z.enum(['LEFT', 'RIGHT']).default('RIGHT'),
});
const newReview = z.object({
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  body: z.string().default(''),
  commit_id: z.string().optional(),
  comments: z.array(newComment).default([]),
});

async function createReview(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const pull = pullOf(call);
  const user = actingLogin(call);
  const { event, body, comments, commit_id: commitId } = parseBody(call, newReview);
  judgeReview({ event, body, count: comments.length, isAuthor: issueOfPull(host, pull).author === user });
  const placed = await placedOn(call, pull, comments);
  const of = { repositoryId: repository.id, number: pull.number, user, commitId: commitId ?? pull.headSha };
  return host.state.transaction(() => {
    const at = now(host);
    const review = host.state.reviews.insert({ ...of, state: STATES[event], body, submittedAt: at });
    for (const comment of placed)
      host.state.reviewComments.insert({ ...of, ...comment, reviewId: review.id, createdAt: at });
    const written = reviewPayload(host, repository, review);
    emit(host, {
      event: 'pull_request_review',
      action: 'submitted',
      repository,
      sender: user,
      fields: {
        review: { ...written, state: review.state.toLowerCase() },
        pull_request: pullPayload(host, repository, pull),
      },
    });
    return ok(written);
  });
}

/** Each comment with its place in the change; one that has none there is refused, as on GitHub. */
async function placedOn(call: Call, { baseSha, headSha }: Pull, comments: readonly z.infer<typeof newComment>[]) {
  if (comments.length === 0) return [];
  const mergeBase = await gitOfCall(call).text(['merge-base', baseSha, headSha]);
  const files = await fileChangesOf(call.host, repositoryOf(call), [mergeBase, headSha]);
  return comments.map((comment) => {
    const file = files.find(({ filename }) => filename === comment.path);
    if (file === undefined) throw unresolved('Path');
    const place = placeIn(String(file.patch ?? ''), comment);
    if (place === undefined) throw unresolved('Line');
    return { ...comment, ...place };
  });
}

function unresolved(what: 'Path' | 'Line'): HttpError {
  const message = `${what} could not be resolved`;
  return new HttpError(422, `Unprocessable Entity: ${message}`, [message]);
}

interface ReviewAttempt {
  readonly event: keyof typeof STATES;
  readonly body: string;
  readonly count: number;
  readonly isAuthor: boolean;
}

function judgeReview({ event, body, count, isAuthor }: ReviewAttempt): void {
  const refusals = {
    APPROVE: 'Can not approve your own pull request',
    REQUEST_CHANGES: 'Can not request changes on your own pull request',
  };
  if (isAuthor && event !== 'COMMENT')
    throw new HttpError(422, `Unprocessable Entity: ${refusals[event]}`, [refusals[event]]);
  if (event !== 'APPROVE' && body.trim() === '' && count === 0) {
    throw new HttpError(422, 'Unprocessable Entity: a review that requests changes or comments needs a body');
  }
}
