/** Check runs, commit statuses and roles behave as https://docs.github.com/rest/checks says. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, type Received, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  // A fourth button is provoked below.
  stage = await startStage({ provokes: (problem) => problem.includes('more than 3 items') });
});
afterAll(() => stage.close());

/** A draft of the App on a new branch; its head sha. */
async function openPull(branch: string): Promise<string> {
  const app = (await stage.asApp()).rest;
  const { data: main } = await app.git.getRef({ ...HERE, ref: 'heads/main' });
  const file = { path: 'file', mode: '100644', content: branch } as const;
  const { data: tree } = await app.git.createTree({ ...HERE, base_tree: main.object.sha, tree: [file] });
  const { data } = await app.git.createCommit({ ...HERE, message: branch, tree: tree.sha, parents: [main.object.sha] });
  await app.git.createRef({ ...HERE, ref: `refs/heads/${branch}`, sha: data.sha });
  await app.pulls.create({ ...HERE, title: branch, head: branch, base: 'main', draft: true });
  return data.sha;
}

function delivered(name: string): Received | undefined {
  const [event, action] = name.split('.');
  return stage.receiver.received.findLast((received) => received.event === event && received.payload.action === action);
}

const output = { title: 't', summary: 's' };

// https://docs.github.com/rest/checks/runs#create-a-check-run
test('only an App writes check runs, with at most three buttons', async () => {
  const sha = await openPull('loopwright/check');
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
  const sha = await openPull('loopwright/annotated');
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
  const sha = await openPull('loopwright/button');
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
  // The pages draw the buttons from here; GitHub's own answer for a check run does not have them.
  const buttons = await fetch(`${stage.server.url}/_local/repos/alice/toys/check-runs/${data.id}/actions`);
  expect([buttons.status, await buttons.json()]).toEqual([200, actions]);
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
  const sha = await openPull('loopwright/status');
  const bob = stage.as('bob').rest.repos;
  const state = async () => (await bob.getCombinedStatusForRef({ ...HERE, ref: sha })).data.state;
  expect(await state()).toBe('pending');
  await bob.createCommitStatus({ ...HERE, sha, state: 'failure', context: 'ci' });
  expect(await state()).toBe('failure');
  await bob.createCommitStatus({ ...HERE, sha, state: 'success', context: 'ci' });
  expect(await state()).toBe('success');
});

test('the combined status lists contexts page by page, and says how many there are', async () => {
  const sha = await openPull('loopwright/statuses');
  const bob = stage.as('bob').rest.repos;
  for (const context of ['a', 'b', 'c']) await bob.createCommitStatus({ ...HERE, sha, state: 'success', context });
  const page = async (number: number) =>
    (await bob.getCombinedStatusForRef({ ...HERE, ref: sha, per_page: 2, page: number })).data;
  const pages = [await page(1), await page(2)];
  expect(pages.map(({ total_count: total, state }) => [total, state])).toEqual([
    [3, 'success'],
    [3, 'success'],
  ]);
  expect(pages.map(({ statuses }) => statuses.map(({ context }) => context))).toEqual([['a', 'b'], ['c']]);
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
