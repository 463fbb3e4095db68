/** Reviews and merges: https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/pulls#merge-a-pull-request */
import { z } from 'zod';
import { CONTENTS_WRITE, type Need, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Pull } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { actingLogin, type Call, type Endpoints, list, noContent, ok, parseBody, repositoryOf } from './endpoint.ts';
import { environmentOf, gitOfCall, ownSignature } from './git-data.ts';
import { closeMerged } from './pull-changes.ts';
import { issueOfPull, pullPayload, reviewPayload } from './pull-payloads.ts';
import { pullOf } from './pulls.ts';
import { writeRefsOf } from './refs.ts';

const REVIEW: Need = { permission: 'pull_requests', level: 'write', people: 'signed in' };
const ONE = '/repos/{owner}/{repo}/pulls/{pull_number}';

export const mergeEndpoints: Endpoints = {
  [`GET ${ONE}/reviews`]: { need: PUBLIC, answer: listReviews },
  [`POST ${ONE}/reviews`]: { need: REVIEW, answer: createReview },
  [`GET ${ONE}/merge`]: {
    need: PUBLIC,
    answer: (call) => {
      if (pullOf(call).mergedAt === undefined) throw notFound();
      return noContent;
    },
  },
  // `contents: write` includes merging, on GitHub too: nothing here keeps the App from it.
  [`PUT ${ONE}/merge`]: { need: CONTENTS_WRITE, answer: merge },
};

function listReviews(call: Call) {
  const { repositoryId, number } = pullOf(call);
  const reviews = call.host.state.reviews.find({ repositoryId, number });
  return list(reviews.map((review) => reviewPayload(call.host, repositoryOf(call), review)));
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;
const newReview = z.object({
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  body: z.string().default(''),
  commit_id: z.string().optional(),
});

function createReview(call: Call) {
  const { host } = call;
  const repository = repositoryOf(call);
  const pull = pullOf(call);
  const user = actingLogin(call);
  const { event, body, commit_id: commitId } = parseBody(call, newReview);
  judgeReview({ event, body, isAuthor: issueOfPull(host, pull).author === user });
  return host.state.transaction(() => {
    const review = host.state.reviews.insert({
      repositoryId: repository.id,
      number: pull.number,
      user,
      state: STATES[event],
      body,
      commitId: commitId ?? pull.headSha,
      submittedAt: now(host),
    });
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

interface ReviewAttempt {
  readonly event: keyof typeof STATES;
  readonly body: string;
  readonly isAuthor: boolean;
}

function judgeReview({ event, body, isAuthor }: ReviewAttempt): void {
  const refusals = {
    APPROVE: 'Can not approve your own pull request',
    REQUEST_CHANGES: 'Can not request changes on your own pull request',
  };
  if (isAuthor && event !== 'COMMENT')
    throw new HttpError(422, `Unprocessable Entity: ${refusals[event]}`, [refusals[event]]);
  if (event !== 'APPROVE' && body.trim() === '') {
    throw new HttpError(422, 'Unprocessable Entity: a review that requests changes or comments needs a body');
  }
}

const mergeBody = z.object({
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
});
type Wish = z.infer<typeof mergeBody>;

async function merge(call: Call) {
  const wish = parseBody(call, mergeBody);
  const sha = await writeRefsOf(call, async () => {
    const pull = pullOf(call);
    judgeMerge(call, pull, wish);
    const merged = await writeMerge(call, pull, wish);
    await closeMerged(call.host, {
      repository: repositoryOf(call),
      sender: actingLogin(call),
      pull,
      mergeCommitSha: merged,
    });
    return merged;
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}

function judgeMerge(call: Call, pull: Pull, { sha, merge_method: method }: Wish): void {
  if (pull.draft) throw new HttpError(405, 'Pull Request is still a draft');
  if (issueOfPull(call.host, pull).state === 'closed') throw new HttpError(405, 'Pull Request is not mergeable');
  if (sha !== undefined && sha !== pull.headSha)
    throw new HttpError(409, 'Head branch was modified. Review and try the merge again.');
  if (method === 'rebase') throw new HttpError(405, 'Rebase merges are not allowed on this repository.');
}

/** The base branch moves to a commit with both parents, or, squashed, with the base alone. */
async function writeMerge(call: Call, pull: Pull, wish: Wish): Promise<string> {
  const git = gitOfCall(call);
  const ref = `refs/heads/${pull.base}`;
  const base = await git.text(['rev-parse', ref]);
  const tree = await git.attempt(['merge-tree', '--write-tree', base, pull.headSha]);
  if (tree === undefined) throw new HttpError(405, 'Pull Request is not mergeable');
  const parents = wish.merge_method === 'squash' ? [base] : [base, pull.headSha];
  const own = ownSignature(call);
  const sha = await git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    input: messageOf(call, pull, wish),
    environment: environmentOf(call.host, own, own),
  });
  await git.text(['update-ref', ref, sha, base]);
  return sha;
}

function messageOf(call: Call, pull: Pull, wish: Wish): string {
  const { title } = issueOfPull(call.host, pull);
  const squashed = wish.merge_method === 'squash';
  const subject = squashed
    ? `${title} (#${pull.number})`
    : `Merge pull request #${pull.number} from ${repositoryOf(call).owner}/${pull.head}`;
  return `${wish.commit_title ?? subject}\n\n${wish.commit_message ?? (squashed ? '' : title)}`.trim();
}
