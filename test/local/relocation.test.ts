/** Renamed and transferred repositories, as https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startLocalGitHub } from '../../src/local/local-github.ts';
import { createSource, eventually, git, HERE, octokit, PEOPLE, type Stage, startStage } from './server.ts';

let stage: Stage;
let id: number;
beforeAll(async () => {
  stage = await startStage({ others: ['alice/blocks', 'alice/trains'] });
  id = (await stage.as('alice').rest.repos.get(HERE)).data.id;
});
afterAll(() => stage.close());

const api = () => `${stage.server.url}/api/v3`;

/** Redirects are shown, not followed. */
async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${api()}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: 'Bearer token-alice' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const named = z.object({ repository: z.object({ id: z.int(), full_name: z.string() }) });
const webhooks = (event: string, action: string) =>
  stage.receiver.received.filter((one) => one.event === event && one.payload.action === action);

test('only an admin renames, and only to a name that is free and well formed', async () => {
  await expect(stage.as('bob').rest.repos.update({ ...HERE, name: 'games' })).rejects.toMatchObject({ status: 403 });
  await expect(stage.as('alice').rest.repos.update({ ...HERE, name: 'blocks' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('name already exists on this account'),
  });
  await expect(stage.as('alice').rest.repos.update({ ...HERE, name: 'a b' })).rejects.toMatchObject({ status: 422 });
});

test('after a rename the old name leads reads and writes to the id, and everything goes on there', async () => {
  const issue = (await stage.as('alice').rest.issues.create({ ...HERE, title: 'Before' })).data.number;
  const renamed = await send('PATCH', '/repos/alice/toys', { name: 'games' });
  expect(renamed).toMatchObject({ status: 200, body: { id, name: 'games', full_name: 'alice/games' } });

  const moved = `${api()}/repositories/${id}`;
  const message = { message: 'Moved Permanently', documentation_url: expect.stringContaining('http-redirects') };
  expect(await send('GET', '/repos/alice/toys')).toEqual({
    status: 301,
    location: moved,
    body: { ...message, url: moved },
  });
  expect(await send('GET', '/repos/Alice/Toys/issues?state=all')).toMatchObject({
    status: 301,
    location: `${moved}/issues?state=all`,
  });
  expect(await send('POST', `/repos/alice/toys/issues/${issue}/comments`, { body: 'lost' })).toEqual({
    status: 307,
    location: `${moved}/issues/${issue}/comments`,
    body: { ...message, url: `${moved}/issues/${issue}/comments` },
  });

  expect(await send('GET', `/repositories/${id}`)).toMatchObject({ status: 200, body: { full_name: 'alice/games' } });
  expect(await send('GET', `/repositories/${id}/issues/${issue}`)).toMatchObject({ body: { title: 'Before' } });
  expect(await send('POST', `/repositories/${id}/issues/${issue}/comments`, { body: 'kept' })).toMatchObject({
    status: 201,
    body: { url: expect.stringContaining('/repos/alice/games/issues/comments/') },
  });
  expect(await send('GET', '/repositories/424242')).toMatchObject({ status: 404 });
});

test('repository.renamed tells the former name, and later webhooks carry the new one', async () => {
  await eventually(() => webhooks('issue_comment', 'created').length > 0, 'the comment under the id is told');
  expect(webhooks('repository', 'renamed').map(({ payload }) => payload)).toMatchObject([
    { changes: { repository: { name: { from: 'toys' } } }, repository: { id, full_name: 'alice/games' } },
  ]);
  const [comment] = webhooks('issue_comment', 'created');
  expect(named.parse(comment?.payload).repository).toEqual({ id, full_name: 'alice/games' });
});

test('git finds a renamed repository under its old name, for reading and for pushing', async () => {
  const clone = join(stage.directory, 'clone');
  const url = `${stage.server.url.replace('http://', 'http://alice:token-alice@')}/alice/toys.git`;
  const asked = await fetch(`${stage.server.url}/alice/toys.git/info/refs?service=git-upload-pack`, {
    redirect: 'manual',
  });
  expect(asked.status).toBe(301);
  expect(asked.headers.get('location')).toBe(`${stage.server.url}/alice/games.git/info/refs?service=git-upload-pack`);
  await git(stage.directory, ['clone', '--quiet', url, clone]);
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'By the old name']);
  await git(clone, ['push', '--quiet', 'origin', 'HEAD:refs/heads/old']);
  const { data } = await stage.as('alice').rest.git.getRef({ ...HERE, repo: 'games', ref: 'heads/old' });
  expect(data.object.sha).toBe((await git(clone, ['rev-parse', 'HEAD'])).stdout);
});

test('pages under the old name lead to the new one', async () => {
  const page = await fetch(`${stage.server.url}/alice/toys/issues`, { redirect: 'manual' });
  expect([page.status, page.headers.get('location')]).toEqual([301, `${stage.server.url}/alice/games/issues`]);
});

test('a repository that takes the old name over is what the old name means then', async () => {
  const blocks = (await stage.as('alice').rest.repos.get({ ...HERE, repo: 'blocks' })).data.id;
  await stage.as('alice').rest.repos.update({ ...HERE, repo: 'blocks', name: 'toys' });
  expect((await stage.as('alice').rest.repos.get(HERE)).data.id).toBe(blocks);
  expect(await send('GET', `/repositories/${id}`)).toMatchObject({ body: { full_name: 'alice/games' } });
});

test('a transfer changes the owner, tells the former one, and leads on like a rename', async () => {
  const trains = { ...HERE, repo: 'trains' };
  const before = (await stage.as('alice').rest.repos.get(trains)).data.id;
  await expect(stage.as('bob').rest.repos.transfer({ ...trains, new_owner: 'bob' })).rejects.toMatchObject({
    status: 403,
  });
  await expect(stage.as('alice').rest.repos.transfer({ ...trains, new_owner: 'nobody' })).rejects.toMatchObject({
    status: 422,
  });
  await stage.as('alice').rest.repos.transfer({ ...trains, new_owner: 'bob' });
  expect((await octokit(stage.server.url, 'token-bob').rest.repos.get({ ...trains, owner: 'bob' })).data.id).toBe(
    before,
  );
  expect(await send('GET', '/repos/alice/trains')).toMatchObject({
    status: 301,
    location: `${api()}/repositories/${before}`,
  });
  await eventually(() => webhooks('repository', 'transferred').length > 0, 'repository.transferred arrives');
  expect(webhooks('repository', 'transferred')[0]?.payload).toMatchObject({
    changes: { owner: { from: { user: { login: 'alice' } } } },
    repository: { full_name: 'bob/trains' },
  });
});

test('a restart keeps the new name, the clock and the switches, and imports nothing again under the old name', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'local-github-moved-'));
  const source = await createSource(directory, { 'README.md': '# Toys\n' });
  const start = () =>
    startLocalGitHub({
      dataDirectory: join(directory, 'data'),
      port: 0,
      imports: [{ source, fullName: 'alice/toys' }],
      users: PEOPLE,
      executeWorkflow: () => Promise.reject(new Error('this test runs no workflows')),
    });
  const control = async (url: string, method: string, path: string, body?: object) =>
    (await fetch(`${url}/_local${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })).json();
  const first = await start();
  await octokit(first.url, 'token-alice').rest.repos.update({ ...HERE, name: 'games' });
  await control(first.url, 'POST', '/clock', { advanceMs: 3_600_000 });
  await control(first.url, 'PATCH', '/switches', { mergeableAfterMs: 7 });
  await first.close();
  const second = await start();
  const alice = octokit(second.url, 'token-alice').rest;
  expect((await alice.git.getRef({ ...HERE, repo: 'games', ref: 'heads/main' })).status).toBe(200);
  // Followed to where the old name leads.
  expect((await alice.repos.get(HERE)).data.full_name).toBe('alice/games');
  expect(await control(second.url, 'GET', '/clock')).toMatchObject({ offsetMs: 3_600_000 });
  expect(await control(second.url, 'GET', '/switches')).toMatchObject({ mergeableAfterMs: 7 });
  await second.close();
  rmSync(directory, { recursive: true, force: true });
});
