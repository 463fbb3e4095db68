/** What was deleted or moved away: comments, issues: https://docs.github.com/rest/issues/issues#get-an-issue */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ others: ['alice/blocks'] });
});
afterAll(() => stage.close());

const newIssue = async () => (await stage.as('carol').rest.issues.create({ ...HERE, title: 'Gone' })).data.number;
const comment = async (issue: number, body = '/help') =>
  (await stage.as('carol').rest.issues.createComment({ ...HERE, issue_number: issue, body })).data.id;
const webhooks = (action: string) =>
  stage.receiver.received.filter(({ event, payload }) => event === 'issues' && payload.action === action);

test('a deleted comment answers 404 to a reaction', async () => {
  const id = await comment(await newIssue());
  await stage.as('carol').rest.issues.deleteComment({ ...HERE, comment_id: id });
  const app = await stage.asApp();
  await expect(
    app.rest.reactions.createForIssueComment({ ...HERE, comment_id: id, content: '+1' }),
  ).rejects.toMatchObject({ status: 404 });
});

test('a deleted issue answers 410 to reads and writes, its comments 404, and no list shows it', async () => {
  const issue = await newIssue();
  const id = await comment(issue);
  expect((await stage.local('DELETE', `/repos/alice/toys/issues/${issue}`, undefined, 'bob')).status).toBe(403);
  expect((await stage.local('DELETE', `/repos/alice/toys/issues/${issue}`, undefined, 'alice')).status).toBe(204);
  const { rest } = await stage.asApp();
  const here = { ...HERE, issue_number: issue };
  const gone = { status: 410, message: expect.stringContaining('This issue was deleted') };
  await expect(rest.issues.get(here)).rejects.toMatchObject(gone);
  await expect(rest.issues.createComment({ ...here, body: 'x' })).rejects.toMatchObject(gone);
  await expect(rest.issues.removeLabel({ ...here, name: 'loop' })).rejects.toMatchObject(gone);
  await expect(rest.reactions.createForIssueComment({ ...HERE, comment_id: id, content: '+1' })).rejects.toMatchObject({
    status: 404,
  });
  const { data } = await rest.issues.listForRepo({ ...HERE, state: 'all' });
  expect(data.map(({ number }) => number)).not.toContain(issue);
  await eventually(() => webhooks('deleted').length > 0, 'issues.deleted arrives');
  expect(webhooks('deleted')[0]?.payload).toMatchObject({ issue: { number: issue }, sender: { login: 'alice' } });
});

test('a transferred issue answers 301 with its new address, where its comments went too', async () => {
  const issue = await newIssue();
  await comment(issue, 'remember this');
  const path = `/repos/alice/toys/issues/${issue}/transfer`;
  expect((await stage.local('POST', path, { to: 'alice/nowhere' }, 'alice')).status).toBe(404);
  const moved = await stage.local('POST', path, { to: 'alice/blocks' }, 'alice');
  expect(moved).toMatchObject({ status: 201, body: { number: 1 } });
  const blocks = (await stage.as('alice').rest.repos.get({ ...HERE, repo: 'blocks' })).data.id;
  const answer = await fetch(`${stage.server.url}/api/v3/repos/alice/toys/issues/${issue}`, { redirect: 'manual' });
  const location = `${stage.server.url}/api/v3/repositories/${blocks}/issues/1`;
  expect([answer.status, answer.headers.get('location')]).toEqual([301, location]);
  expect(await answer.json()).toMatchObject({ message: 'Moved Permanently', url: location });
  const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, repo: 'blocks', issue_number: 1 });
  expect(data.map(({ body }) => body)).toEqual(['remember this']);
  await eventually(() => webhooks('transferred').length > 0, 'issues.transferred arrives');
  expect(webhooks('transferred')[0]?.payload).toMatchObject({
    issue: { number: issue },
    changes: { new_issue: { number: 1 }, new_repository: { full_name: 'alice/blocks' } },
  });
});
