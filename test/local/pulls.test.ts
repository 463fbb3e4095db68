/** Pull requests, reviews, merges, check runs and statuses behave as https://docs.github.com/rest says. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { MARK_READY_FOR_REVIEW } from '../../src/referee/requests.ts';
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

async function markReady(nodeId: string, token: string): Promise<unknown> {
  const response = await fetch(`${stage.server.url}/api/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: MARK_READY_FOR_REVIEW, variables: { pullRequestId: nodeId } }),
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
    mergeable: true,
    commits: 2,
    changed_files: 2,
    head: { sha: next },
    user: { login: 'loopwright[bot]' },
  });
  await eventually(() => delivered('pull_request.synchronize') !== undefined, 'synchronize arrives');
  expect(delivered('pull_request.synchronize')?.payload).toMatchObject({ before: sha, after: next, number });
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

const output = { title: 't', summary: 's' };

// https://docs.github.com/rest/checks/runs#create-a-check-run
test('only an App writes check runs, with at most three buttons', async () => {
  const { sha } = await openPull('loopwright/check');
  const action = (identifier: string) => ({ label: 'Approve', description: 'Approve the plan', identifier });
  const check = { ...HERE, name: 'loopwright / plan', head_sha: sha, output };
  await expect(stage.as('bob').rest.checks.create(check)).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('GitHub App'),
  });
  const app = (await stage.asApp()).rest.checks;
  await expect(app.create({ ...check, actions: ['a', 'b', 'c', 'd'].map(action) })).rejects.toMatchObject({
    status: 422,
  });
  const { data } = await app.create({ ...check, actions: [action('approve')] });
  expect(data).toMatchObject({ status: 'queued', app: { slug: 'loopwright' }, pull_requests: [{ head: { sha } }] });
});

// https://docs.github.com/rest/checks/runs#update-a-check-run
test('a check run completes with a conclusion, keeps adding annotations, and is found by its commit', async () => {
  const { sha } = await openPull('loopwright/annotated');
  const app = (await stage.asApp()).rest.checks;
  const { data: made } = await app.create({
    ...HERE,
    name: 'loopwright / verify',
    head_sha: sha,
    status: 'in_progress',
    external_id: 'loop/1',
  });
  const annotation = (line: number) => ({
    path: 'README.md',
    start_line: line,
    end_line: line,
    annotation_level: 'failure' as const,
    message: `line ${line}`,
  });
  await app.update({ ...HERE, check_run_id: made.id, output: { ...output, annotations: [annotation(1)] } });
  await app.update({
    ...HERE,
    check_run_id: made.id,
    conclusion: 'failure',
    output: { ...output, annotations: [annotation(2)] },
  });
  const { data: annotations } = await app.listAnnotations({ ...HERE, check_run_id: made.id });
  expect(annotations.map(({ message }) => message)).toEqual(['line 1', 'line 2']);
  const { data } = await app.listForRef({ ...HERE, ref: sha });
  expect(data).toMatchObject({
    total_count: 1,
    check_runs: [{ name: 'loopwright / verify', status: 'completed', conclusion: 'failure', external_id: 'loop/1' }],
  });
  await eventually(() => delivered('check_run.completed') !== undefined, 'completed arrives');
});

// https://docs.github.com/rest/guides/using-the-rest-api-to-interact-with-checks#check-runs-and-requested-actions
test('a button tells the App who pressed it, and somebody below write cannot press it', async () => {
  const { sha } = await openPull('loopwright/button');
  const app = (await stage.asApp()).rest.checks;
  const actions = [{ label: 'Approve', description: 'Approve the plan', identifier: 'approve' }];
  const { data } = await app.create({
    ...HERE,
    name: 'loopwright / plan',
    head_sha: sha,
    conclusion: 'neutral',
    actions,
  });
  const press = (login: string, identifier: string) =>
    fetch(`${stage.server.url}/_local/repos/alice/toys/check-runs/${data.id}/actions/${identifier}`, {
      method: 'POST',
      headers: { authorization: `Bearer token-${login}` },
    });
  expect((await press('tina', 'approve')).status).toBe(403);
  expect((await press('bob', 'no-such-button')).status).toBe(404);
  expect((await press('bob', 'approve')).status).toBe(201);
  await eventually(() => delivered('check_run.requested_action') !== undefined, 'requested_action arrives');
  expect(delivered('check_run.requested_action')?.payload).toMatchObject({
    requested_action: { identifier: 'approve' },
    sender: { login: 'bob' },
    check_run: { id: data.id },
  });
  await stage.as('bob').rest.checks.rerequestRun({ ...HERE, check_run_id: data.id });
  await eventually(() => delivered('check_run.rerequested') !== undefined, 'rerequested arrives');
});

// https://docs.github.com/rest/commits/statuses#get-the-combined-status-for-a-specific-reference
test('the combined status is pending without statuses, then the worst of the newest per context', async () => {
  const { sha } = await openPull('loopwright/status');
  const bob = stage.as('bob').rest.repos;
  const state = async () => (await bob.getCombinedStatusForRef({ ...HERE, ref: sha })).data.state;
  expect(await state()).toBe('pending');
  await bob.createCommitStatus({ ...HERE, sha, state: 'failure', context: 'ci' });
  expect(await state()).toBe('failure');
  await bob.createCommitStatus({ ...HERE, sha, state: 'success', context: 'ci' });
  expect(await state()).toBe('success');
});

// https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
test('permission has the four old words and role_name the exact one', async () => {
  const app = (await stage.asApp()).rest.repos;
  const of = async (username: string) => (await app.getCollaboratorPermissionLevel({ ...HERE, username })).data;
  expect(await of('tina')).toMatchObject({ permission: 'read', role_name: 'triage' });
  expect(await of('bob')).toMatchObject({ permission: 'write', role_name: 'write' });
  await stage.as('alice').rest.repos.addCollaborator({ ...HERE, username: 'bob', permission: 'maintain' });
  expect(await of('bob')).toMatchObject({ permission: 'write', role_name: 'maintain' });
  await expect(of('nobody')).rejects.toMatchObject({ status: 404 });
});

test('nothing that was answered or delivered differs from the description, but for the fourth button', async () => {
  const problems = (await stage.problems()).map((problem) => JSON.stringify(problem));
  expect(problems.filter((problem) => !problem.includes('more than 3 items'))).toEqual([]);
});
