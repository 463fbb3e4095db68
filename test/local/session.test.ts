/** The secret of the printed address: without it the pages are for reading, and `/_local` tells nothing. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, startStage } from './server.ts';

const KEY = 'the-secret-of-the-address';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ key: KEY });
});
afterAll(() => stage.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${stage.server.url}${path}`, { headers, redirect: 'manual' });
const post = (path: string, fields: Record<string, string>, cookie: string) =>
  fetch(`${stage.server.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { cookie, origin: stage.server.url },
    redirect: 'manual',
  });

async function entered(): Promise<string> {
  const response = await get(`/_local/enter/${KEY}`);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('the printed address lets a browser in by a cookie that scripts cannot read and other sites do not send', async () => {
  const cookie = (await get(`/_local/enter/${KEY}`)).headers.get('set-cookie');
  expect(cookie).toBe(`local_github_session=${KEY}; Path=/; HttpOnly; SameSite=Strict`);
  const page = await (await get('/', { cookie: await entered() })).text();
  expect(page).toContain('<option value="alice">');
});

test('a guessed address is refused, and a guessed cookie lets nobody choose', async () => {
  expect((await get('/_local/enter/guess')).status).toBe(403);
  for (const cookie of ['', 'local_github_session=guess', 'local_github_token=token-alice']) {
    const page = await (await get('/', { cookie })).text();
    expect(page).toContain('Open the address that was printed at the start');
    expect(page).not.toContain('alice');
    expect((await post('/_local/sign-in', { login: 'alice' }, cookie)).headers.get('set-cookie')).toBeNull();
  }
});

test.each([
  ['GET', '/users'],
  ['GET', '/requests'],
  ['GET', '/problems'],
  ['GET', '/comments/1/edits'],
  ['GET', '/apps'],
  ['POST', '/apps'],
  ['GET', '/switches'],
  ['PATCH', '/switches'],
  ['GET', '/clock'],
  ['POST', '/clock'],
])('%s /_local%s is refused without the secret', async (method, path) => {
  const body = method === 'GET' ? {} : { body: JSON.stringify({ slug: 'spy' }) };
  for (const authorization of ['', 'Bearer token-alice', 'Bearer guess'])
    expect(
      (await fetch(`${stage.server.url}/_local${path}`, { method, ...body, headers: { authorization } })).status,
    ).toBe(401);
  expect((await get('/_local/users', { authorization: `Bearer ${KEY}` })).status).toBe(200);
});

test('the list of people has no token of anybody', async () => {
  const users = await (await get('/_local/users', { authorization: `Bearer ${KEY}` })).text();
  expect(users).toContain('alice');
  expect(users).not.toContain('token-alice');
});

test('only the owner of the data directory can read what has tokens in it', async () => {
  const folder = stage.dataDirectory;
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of (await readdir(folder)).filter((file) => /^(state\.sqlite|app\.json)/.test(file)))
    expect([name, (await stat(join(folder, name))).mode & 0o077]).toEqual([name, 0]);
});
