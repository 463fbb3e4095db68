/** Who may come in: JWTs, installation tokens and people's tokens, as https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app says. */

import { statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

const read = (path: string, token?: string) =>
  fetch(`${stage.server.url}/api/v3${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {});

test('a web page that lets its own name lead here is refused, so it cannot read the tokens of people', async () => {
  const { port } = new URL(stage.server.url);
  const asked = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/_local/users', headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  expect(await asked(`rebound.example:${port}`)).toBe(421);
  expect(await asked('127.0.0.1:1')).toBe(421);
  expect(await asked(`localhost:${port}`)).toBe(200);
  expect(await asked(`127.0.0.1:${port}`)).toBe(200);
});

test('the App proves itself with a JWT and sees its one installation', async () => {
  const jwt = jwtOf(stage.server.credentials);
  expect(await (await read('/app', jwt)).json()).toMatchObject({
    slug: 'loopwright',
    permissions: { contents: 'write' },
  });
  expect(await (await read('/app/installations', jwt)).json()).toMatchObject([
    { id: stage.server.credentials.installationId, app_slug: 'loopwright' },
  ]);
  expect(await (await read('/repos/alice/toys/installation', jwt)).json()).toMatchObject({
    id: stage.server.credentials.installationId,
  });
});

test('a JWT of another key, one that lasts longer than ten minutes, and one that is over are refused', async () => {
  const { credentials } = stage.server;
  const { privateKey } = (await import('node:crypto')).generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  for (const jwt of [
    jwtOf({ ...credentials, privateKey }),
    jwtOf(credentials, 700),
    jwtOf(credentials, -10),
    jwtOf({ ...credentials, appId: 7 }),
  ]) {
    expect((await read('/app', jwt)).status).toBe(401);
  }
});

test('an unknown token is refused even where nobody needs one', async () => {
  expect((await read('/repos/alice/toys')).status).toBe(200);
  expect((await read('/repos/alice/toys', 'made-up')).status).toBe(401);
});

test('an installation token is no JWT, and a JWT is no installation token', async () => {
  expect((await read('/app', await installationToken(stage.server))).status).toBe(401);
  const { status } = await fetch(`${stage.server.url}/api/v3/repos/alice/toys/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${jwtOf(stage.server.credentials)}` },
    body: '{"title":"x"}',
  });
  expect(status).toBe(403);
});

test('a token cannot be given more than the App was granted', async () => {
  const response = await fetch(
    `${stage.server.url}/api/v3/app/installations/${stage.server.credentials.installationId}/access_tokens`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${jwtOf(stage.server.credentials)}` },
      body: JSON.stringify({ permissions: { workflows: 'write' } }),
    },
  );
  expect(response.status).toBe(422);
});

test('a token for other repositories cannot write here', async () => {
  const wanted = { repositories: ['no-such-repository'] };
  await expect(installationToken(stage.server, wanted)).rejects.toThrow();
  const own = octokit(
    stage.server.url,
    await installationToken(stage.server, { repositories: ['toys'], permissions: { issues: 'write' } }),
  );
  const { data } = await own.rest.apps.listReposAccessibleToInstallation();
  expect(data).toMatchObject({ total_count: 1, repositories: [{ full_name: 'alice/toys' }] });
});

test('the credentials of the App are readable by their owner only', () => {
  expect(statSync(join(stage.directory, 'data', 'app.json')).mode & 0o777).toBe(0o600);
});

test('the log of requests names who asked', async () => {
  await stage.as('bob').rest.users.getAuthenticated();
  await (await stage.asApp()).rest.repos.get(HERE);
  const rows = z
    .array(z.looseObject({ id: z.number(), actor: z.string(), path: z.string() }))
    .parse(await (await fetch(`${stage.server.url}/_local/requests`)).json());
  expect(rows.filter(({ path }) => path === '/user')).toMatchObject([
    { actor: 'user:bob', method: 'GET', status: 200 },
  ]);
  const last = rows.at(-1);
  expect(last).toMatchObject({ actor: 'app', path: '/repos/alice/toys' });
  const later = await (await fetch(`${stage.server.url}/_local/requests?after=${last?.id}`)).json();
  expect(later).toEqual([]);
});
