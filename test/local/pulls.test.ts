/** Pull requests, reviews and merges behave as https://docs.github.com/rest/pulls says. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONVERT_TO_DRAFT, MARK_READY_FOR_REVIEW } from '../../src/referee/graphql.ts';
import { eventually, HERE, installationToken, type Received, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

let serial = 0;

/** A commit that adds one file to a branch of the App, which it makes when it is missing. */
async function commitTo(branch: string): Promise<string> {
  serial += 1;
  const app = (await stage.asApp()).rest.git;
  const { data: refs } = await app.listMatchingRefs({ ...HERE, ref: `heads/${branch}` });
  const parent = refs[0]?.object.sha ?? (await app.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  const { data: tree } = await app.createTree({
    ...HERE,
    base_tree: parent,
    tree: [{ path: `file-${serial}`, mode: '100644', content: `${serial}\n` }],
  });
  const { data: commit } = await app.createCommit({
    ...HERE,
    message: `Add file ${serial}`,
    tree: tree.sha,
    parents: [parent],
  });
  if (refs[0]) await app.updateRef({ ...HERE, ref: `heads/${branch}`, sha: commit.sha });
  else await app.createRef({ ...HERE, ref: `refs/heads/${branch}`, sha: commit.sha });
  return commit.sha;
}

async function openPull(branch: string, draft = true) {
  const sha = await commitTo(branch);
  const { data } = await (await stage.asApp()).rest.pulls.create({
    ...HERE,
    title: `Pull ${branch}`,
    head: branch,
    base: 'main',
    body: 'b',
    draft,
  });
  return { number: data.number, nodeId: data.node_id, sha };
}

async function markReady(nodeId: string, token: string, query: string = MARK_READY_FOR_REVIEW): Promise<unknown> {
  const response = await fetch(`${stage.server.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables: { pullRequestId: nodeId } }),
  });
  return response.json();
}

function delivered(name: string): Received | undefined {
  const [event, action] = name.split('.');
  return stage.receiver.received.findLast((received) => received.event === event && received.payload.action === action);
}

// https://docs.github.com/rest/pulls/pulls#get-a-pull-request
test('the head sha of a pull request follows its branch, and synchronize tells before and after', async () => {
  const { number, sha } = await openPull('loopwright/live');
  const next = await commitTo('loopwright/live');
  const { data } = await stage.as('bob').rest.pulls.get({ ...HERE, pull_number: number });
  expect(data).toMatchObject({
    draft: true,
    commits: 2,
    changed_files: 2,
    head: { sha: next },
    user: { login: 'loopwright[bot]' },
  });
  await eventually(() => delivered('pull_request.synchronize') !== undefined, 'synchronize arrives');
  expect(delivered('pull_request.synchronize')?.payload).toMatchObject({ before: sha, after: next, number });
});

test('whether a pull request can be merged is known a moment after it was opened, its head moved or its base moved', async () => {
  const aMomentMs = 60_000;
  await stage.local('PATCH', '/switches', { mergeableAfterMs: aMomentMs });
  const { number } = await openPull('loopwright/mergeable');
  const seen = async () => {
    const { data } = await stage.as('bob').rest.pulls.get({ ...HERE, pull_number: number });
    return [data.mergeable, data.mergeable_state];
  };
  const later = () => stage.local('POST', '/clock', { advanceMs: aMomentMs });
  for (const move of [() => undefined, () => commitTo('loopwright/mergeable'), () => commitTo('main')]) {
    await move();
    expect(await seen()).toEqual([null, 'unknown']);
    await later();
    expect(await seen()).toEqual([true, 'draft']);
  }
  await stage.local('POST', '/clock', { offsetMs: 0 });
  await stage.local('PATCH', '/switches', { mergeableAfterMs: 0 });
  expect(await seen()).toEqual([true, 'draft']);
});

test('files and commits of a pull request are those between its base and its head', async () => {
  const { number } = await openPull('loopwright/files');
  const { data: files } = await stage.as('bob').rest.pulls.listFiles({ ...HERE, pull_number: number });
  expect(files).toMatchObject([{ filename: `file-${serial}`, status: 'added', additions: 1 }]);
  const { data: commits } = await stage.as('bob').rest.pulls.listCommits({ ...HERE, pull_number: number });
  expect(commits).toMatchObject([{ commit: { message: `Add file ${serial}`, verification: { verified: true } } }]);
});

test('a second pull request for the same branch is refused', async () => {
  await openPull('loopwright/twice');
  await expect(openPull('loopwright/twice')).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('already exists'),
  });
});

// https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview
test('a draft becomes ready by GraphQL only, and cannot be merged before', async () => {
  const { number, nodeId } = await openPull('loopwright/draft');
  const merge = () => stage.as('bob').rest.pulls.merge({ ...HERE, pull_number: number });
  await expect(merge()).rejects.toMatchObject({ status: 405, message: expect.stringContaining('still a draft') });
  expect(await markReady(nodeId, 'token-carol')).toMatchObject({ errors: [{ type: 'FORBIDDEN' }] });
  expect(await markReady(nodeId, await installationToken(stage.server))).toMatchObject({
    data: { markPullRequestReadyForReview: { pullRequest: { number, isDraft: false } } },
  });
  const { data } = await merge();
  expect(data.merged).toBe(true);
  const merged = await stage.as('bob').rest.pulls.get({ ...HERE, pull_number: number });
  expect(merged.data).toMatchObject({
    merged: true,
    state: 'closed',
    merged_by: { login: 'bob' },
    merge_commit_sha: data.sha,
  });
  const { data: main } = await stage.as('bob').rest.git.getRef({ ...HERE, ref: 'heads/main' });
  expect(main.object.sha).toBe(data.sha);
  await eventually(() => delivered('pull_request.closed') !== undefined, 'closed arrives');
  expect(delivered('pull_request.closed')?.payload).toMatchObject({
    pull_request: { merged: true },
    sender: { login: 'bob' },
  });
});

// https://docs.github.com/graphql/reference/mutations#convertpullrequesttodraft
test('a ready pull request becomes a draft again by GraphQL, once, and cannot be merged then', async () => {
  const { number, nodeId } = await openPull('loopwright/redraft', false);
  const token = await installationToken(stage.server);
  expect(await markReady(nodeId, 'token-carol', CONVERT_TO_DRAFT)).toMatchObject({ errors: [{ type: 'FORBIDDEN' }] });
  for (const _ of [1, 2])
    expect(await markReady(nodeId, token, CONVERT_TO_DRAFT)).toMatchObject({
      data: { convertPullRequestToDraft: { pullRequest: { number, isDraft: true } } },
    });
  await expect(stage.as('bob').rest.pulls.merge({ ...HERE, pull_number: number })).rejects.toMatchObject({
    status: 405,
  });
  expect((await stage.as('bob').rest.pulls.get({ ...HERE, pull_number: number })).data.draft).toBe(true);
});

// https://docs.github.com/rest/authentication/permissions-required-for-github-apps: "Merge a pull request" is under Contents (write)
test('contents: write lets the App merge here as on GitHub: only its own guard keeps it from that', async () => {
  const { number, nodeId } = await openPull('loopwright/by-app');
  const token = await installationToken(stage.server);
  await markReady(nodeId, token);
  const response = await fetch(`${stage.server.url}/api/v3/repos/alice/toys/pulls/${number}/merge`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: '{}',
  });
  expect(response.status).toBe(200);
});

test('somebody with triage cannot merge, and a head that moved is a conflict', async () => {
  const { number, sha } = await openPull('loopwright/moved', false);
  await expect(stage.as('tina').rest.pulls.merge({ ...HERE, pull_number: number })).rejects.toMatchObject({
    status: 403,
  });
  await commitTo('loopwright/moved');
  await expect(stage.as('bob').rest.pulls.merge({ ...HERE, pull_number: number, sha })).rejects.toMatchObject({
    status: 409,
  });
});

// https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request
test('an author cannot approve, somebody else may request changes, and the webhook names them', async () => {
  const { number, sha } = await openPull('loopwright/review');
  const review = { ...HERE, pull_number: number };
  const app = await stage.asApp();
  await expect(app.rest.pulls.createReview({ ...review, event: 'APPROVE' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Can not approve your own pull request'),
  });
  await stage.as('bob').rest.pulls.createReview({ ...review, event: 'REQUEST_CHANGES', body: 'Count again.' });
  const { data } = await app.rest.pulls.listReviews(review);
  expect(data).toMatchObject([{ state: 'CHANGES_REQUESTED', user: { login: 'bob' }, commit_id: sha }]);
  await eventually(() => delivered('pull_request_review.submitted') !== undefined, 'the review arrives');
  expect(delivered('pull_request_review.submitted')?.payload).toMatchObject({
    review: { state: 'changes_requested' },
    sender: { login: 'bob' },
  });
});

// https://docs.github.com/rest/pulls/reviews#list-comments-for-a-pull-request-review
test('a review may say all of it line by line, and its comments are told by place', async () => {
  const { number, sha } = await openPull('loopwright/inline');
  const path = `file-${serial}`;
  const bob = stage.as('bob').rest.pulls;
  const review = { ...HERE, pull_number: number, event: 'REQUEST_CHANGES' } as const;
  const comments = [{ path, line: 1, side: 'RIGHT', body: 'Why a number?' }];
  const { data: written } = await bob.createReview({ ...review, comments });
  expect(written).toMatchObject({ state: 'CHANGES_REQUESTED', body: '' });
  const of = { ...HERE, pull_number: number };
  const { data: told } = await bob.listCommentsForReview({ ...of, review_id: written.id });
  expect(told).toMatchObject([
    {
      path,
      body: 'Why a number?',
      diff_hunk: `@@ -0,0 +1 @@\n+${serial}`,
      position: 1,
      user: { login: 'bob' },
      commit_id: sha,
    },
  ]);
  expect(told[0]).not.toHaveProperty('line');
  const { data: all } = await bob.listReviewComments(of);
  expect(all).toMatchObject([{ path, line: 1, side: 'RIGHT', pull_request_review_id: written.id }]);
  expect((await bob.get(of)).data.review_comments).toBe(1);
  const refused = (over: object) => bob.createReview({ ...review, comments: [{ path, line: 1, body: 'x', ...over }] });
  await expect(refused({ path: 'elsewhere' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Path could not be resolved'),
  });
  await expect(refused({ line: 99 })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Line could not be resolved'),
  });
  await expect(bob.createReview(review)).rejects.toMatchObject({ status: 422 });
  await expect(bob.listCommentsForReview({ ...of, review_id: 99_999 })).rejects.toMatchObject({ status: 404 });
});

test('labels of a pull request are told as a pull_request event, comments as issue_comment', async () => {
  const { number } = await openPull('loopwright/labels');
  await stage.as('tina').rest.issues.addLabels({ ...HERE, issue_number: number, labels: ['loop'] });
  await stage.as('tina').rest.issues.createComment({ ...HERE, issue_number: number, body: '/approve' });
  await eventually(() => delivered('issue_comment.created') !== undefined, 'the comment arrives');
  expect(delivered('pull_request.labeled')?.payload).toMatchObject({ label: { name: 'loop' }, number });
  expect(delivered('issue_comment.created')?.payload).toMatchObject({
    issue: { number, pull_request: { url: expect.stringContaining(`/pulls/${number}`) } },
  });
});

test('deleting the branch closes its pull request', async () => {
  const { number } = await openPull('loopwright/deleted');
  await stage.as('bob').rest.git.deleteRef({ ...HERE, ref: 'heads/loopwright/deleted' });
  const { data } = await stage.as('bob').rest.pulls.get({ ...HERE, pull_number: number });
  expect(data).toMatchObject({ state: 'closed', merged: false });
});

test('nothing that was answered or delivered differs from the description', async () => {
  expect(JSON.stringify(await stage.problems(), undefined, 1)).toBe('[]');
});
