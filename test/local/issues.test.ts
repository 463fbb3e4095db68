/** Issues, labels, comments and reactions behave as https://docs.github.com/rest/issues says. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  // A misspelt field is provoked below.
  stage = await startStage({ provokes: (problem) => problem.includes('labls') });
});
afterAll(() => stage.close());

async function openIssue(title: string): Promise<number> {
  const { data } = await stage.as('carol').rest.issues.create({ ...HERE, title, body: 'Please.' });
  return data.number;
}

// https://docs.github.com/rest/issues/issues#create-an-issue
test('an issue that a person opens is listed, and its signed webhook names the person as sender', async () => {
  const number = await openIssue('Count the toys');
  const { data } = await stage.as('bob').rest.issues.get({ ...HERE, issue_number: number });
  expect(data).toMatchObject({
    title: 'Count the toys',
    body: 'Please.',
    state: 'open',
    user: { login: 'carol', type: 'User' },
  });
  const arrived = () =>
    stage.receiver.received.find(({ event, payload }) => event === 'issues' && payload.action === 'opened');
  await eventually(() => arrived() !== undefined, 'issues.opened arrives');
  expect(arrived()).toMatchObject({
    signed: true,
    payload: { sender: { login: 'carol' }, installation: { id: 5001 }, repository: { full_name: 'alice/toys' } },
  });
  expect(arrived()?.guid).toMatch(/^[0-9a-f-]{36}$/);
});

// https://docs.github.com/rest/issues/labels#add-labels-to-an-issue
test('somebody with triage labels an issue, somebody who only reads is refused', async () => {
  const number = await openIssue('Label me');
  await stage.as('tina').rest.issues.addLabels({ ...HERE, issue_number: number, labels: ['loop'] });
  const { data } = await stage.as('carol').rest.issues.listLabelsOnIssue({ ...HERE, issue_number: number });
  expect(data.map(({ name }) => name)).toEqual(['loop']);
  await expect(
    stage.as('carol').rest.issues.addLabels({ ...HERE, issue_number: number, labels: ['bug'] }),
  ).rejects.toMatchObject({ status: 403 });
  const labelled = () => stage.receiver.received.find(({ payload }) => payload.action === 'labeled');
  await eventually(() => labelled() !== undefined, 'issues.labeled arrives');
  expect(labelled()).toMatchObject({
    event: 'issues',
    payload: { label: { name: 'loop' }, sender: { login: 'tina' } },
  });
});

// https://docs.github.com/rest/issues/comments#update-an-issue-comment
test('an edited comment keeps what it said before, and its webhook tells it', async () => {
  const number = await openIssue('Talk');
  const carol = stage.as('carol').rest.issues;
  const { data: comment } = await carol.createComment({ ...HERE, issue_number: number, body: 'first' });
  await carol.updateComment({ ...HERE, comment_id: comment.id, body: 'second' });
  const { data } = await carol.getComment({ ...HERE, comment_id: comment.id });
  expect(data.body).toBe('second');
  const edits = await (await fetch(`${stage.server.url}/_local/comments/${comment.id}/edits`)).json();
  expect(edits).toMatchObject([{ body: 'first', editor: 'carol' }]);
  const edited = () => stage.receiver.received.find(({ payload }) => payload.action === 'edited');
  await eventually(() => edited() !== undefined, 'issue_comment.edited arrives');
  expect(edited()?.payload).toMatchObject({ changes: { body: { from: 'first' } }, comment: { body: 'second' } });
});

test('somebody who only reads cannot change the comment of somebody else', async () => {
  const number = await openIssue('Mine');
  const { data } = await stage.as('bob').rest.issues.createComment({ ...HERE, issue_number: number, body: 'mine' });
  await expect(
    stage.as('carol').rest.issues.updateComment({ ...HERE, comment_id: data.id, body: 'yours' }),
  ).rejects.toMatchObject({ status: 403 });
});

// https://docs.github.com/rest/reactions/reactions#create-reaction-for-an-issue-comment
test('the same reaction twice is one reaction', async () => {
  const number = await openIssue('React');
  const app = (await stage.asApp()).rest;
  const { data: comment } = await stage
    .as('bob')
    .rest.issues.createComment({ ...HERE, issue_number: number, body: '/status' });
  const first = await app.reactions.createForIssueComment({ ...HERE, comment_id: comment.id, content: '+1' });
  const second = await app.reactions.createForIssueComment({ ...HERE, comment_id: comment.id, content: '+1' });
  expect([first.status, second.status]).toEqual([201, 200]);
  const { data } = await app.issues.getComment({ ...HERE, comment_id: comment.id });
  expect(data.reactions).toMatchObject({ total_count: 1, '+1': 1 });
});

test('what the App writes is written by its bot', async () => {
  const number = await openIssue('Bot');
  const { data } = await (await stage.asApp()).rest.issues.createComment({
    ...HERE,
    issue_number: number,
    body: 'hello',
  });
  expect(data).toMatchObject({
    user: { login: 'loopwright[bot]', type: 'Bot' },
    performed_via_github_app: { slug: 'loopwright' },
  });
});

test('lists are paged, with a link to the next page', async () => {
  const number = await openIssue('Many');
  for (let count = 0; count < 5; count += 1)
    await stage.as('bob').rest.issues.createComment({ ...HERE, issue_number: number, body: `${count}` });
  const octokit = stage.as('bob');
  const all = await octokit.paginate(octokit.rest.issues.listComments, { ...HERE, issue_number: number, per_page: 2 });
  expect(all.map(({ body }) => body)).toEqual(['0', '1', '2', '3', '4']);
});

test('a misspelt field is refused instead of ignored', async () => {
  const response = await fetch(`${stage.server.url}/api/v3/repos/alice/toys/issues`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-bob' },
    body: JSON.stringify({ title: 'x', labls: ['loop'] }),
  });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain('labls');
});

test('nothing that was answered or delivered differs from the description, but for the misspelt field', async () => {
  const problems = await stage.problems();
  expect(JSON.stringify(problems.filter((problem) => !JSON.stringify(problem).includes('labls')))).toBe('[]');
});
