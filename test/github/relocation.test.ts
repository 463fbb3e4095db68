import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { readGit } from '../../src/adapters/git-reader.ts';
import { GoneError, LoopError, RelocatedError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import { git, HERE, type Stage, startStage } from '../local/server.ts';

let stage: Stage;
/** As the loop knows it: the name that it had. */
let former: RepositoryRef;
let issue: number;
beforeAll(async () => {
  stage = await startStage({ others: ['alice/blocks'] });
  const { rest } = stage.as('alice');
  const { id } = (await rest.repos.get(HERE)).data;
  former = { installationId: stage.server.credentials.installationId, repositoryId: id, ...HERE };
  issue = (await rest.issues.create({ ...HERE, title: 'Basket', labels: ['loop'] })).data.number;
  await rest.repos.update({ ...HERE, name: 'games' });
});
afterAll(() => stage.close());

function github(fetch?: typeof globalThis.fetch) {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const log = pino({ level: 'silent' });
  return createGitHub({ appId, privateKey, apiUrl, fetch: fetch ?? wire({ apiUrl, checked: true }), pauseMs: 1, log });
}

/** Answers a matching request with a redirect or another status, and notes what is sent besides. */
function redirecting(matches: (request: Request) => boolean, location: string, status = 301) {
  const through = wire({ apiUrl: `${stage.server.url}/api/v3`, checked: true });
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push(`${request.method} ${request.url}`);
    return matches(request) ? new Response(null, { status, headers: { location } }) : through(request);
  };
  return { fetch, sent };
}

const requestRows = z.array(z.object({ actor: z.string(), method: z.string(), path: z.string(), status: z.int() }));

test('a read goes by the id of the repository, whatever its name is, with our token', async () => {
  expect(await github().issueState(former, issue)).toEqual({ state: 'open', labels: ['loop'] });
  expect(await github().head(former, 'refs/heads/main')).toMatch(/^[0-9a-f]{40}$/);
  const rows = requestRows.parse((await stage.local('GET', '/requests')).body);
  expect(rows.filter(({ path }) => path.endsWith(`/issues/${issue}`))).toMatchObject([
    { actor: 'app', path: `/repositories/${former.repositoryId}/issues/${issue}`, status: 200 },
  ]);
});

test('so does a listing of many pages', async () => {
  const { rest } = stage.as('alice');
  for (let number = 0; number < 101; number += 1)
    await rest.issues.createComment({ ...HERE, repo: 'games', issue_number: issue, body: `${number}` });
  const app = await stage.asApp();
  const marked = '<!-- loopwright:board/1 -->\nold';
  const { data } = await app.rest.issues.createComment({ ...HERE, repo: 'games', issue_number: issue, body: marked });
  const said = github().comment(former, issue, { marker: 'board/1', body: 'new' });
  // Found on the second page, so what is left is the write.
  await expect(said).rejects.toThrow(RelocatedError);
  await expect(said).rejects.toThrow(new RegExp(`PATCH .*/issues/comments/${data.id}`));
});

test('a write under the former name is not sent on, and says that the repository has moved', async () => {
  const written = github().comment(former, issue, { marker: 'x/1', body: 'Hello' });
  await expect(written).rejects.toThrow(RelocatedError);
  await expect(written).rejects.toThrow(/alice\/toys.*another name/s);
  await expect(written).rejects.toMatchObject({ status: 307 });
});

test('git fetches under the former name', async () => {
  const directory = join(stage.directory, 'fetched.git');
  const token = await github().tokenOf(former);
  await readGit({ directory, argv: ['init', '--bare', '--quiet', directory] });
  await readGit({ directory, argv: ['fetch', '--quiet', github().gitUrlOf(former), 'main:main'], token });
  expect((await git(directory, ['rev-parse', 'main'])).stdout).toMatch(/^[0-9a-f]{40}$/);
});

test('a repository is located by its id, whatever it is called now', async () => {
  const { installationId } = former;
  const here = { owner: 'alice', repo: 'games', installationId };
  expect(await github().locate(former)).toEqual(here);
  expect(await github().locate({ ...former, owner: 'nobody', repo: 'nothing' })).toEqual(here);
});

test('a repository that another installation has now is located there, and one that none has is nowhere', async () => {
  expect(await github().locate({ ...former, installationId: 999 })).toMatchObject({
    repo: 'games',
    installationId: former.installationId,
  });
  expect(await github().locate({ ...former, repositoryId: 424242 })).toBeUndefined();
});

test('locating asks for a new token each time, because a kept one may be of the past', async () => {
  const own = github();
  const mints = async () => {
    const rows = requestRows.parse((await stage.local('GET', '/requests?after=0')).body);
    return rows.filter(({ path }) => path.endsWith('/access_tokens')).length;
  };
  await own.locate(former);
  const before = await mints();
  await own.locate(former);
  expect((await mints()) - before).toBe(1);
});

test.each([
  ['another repository', () => `/repositories/${former.repositoryId + 1}`],
  ['a name', () => '/repos/alice/games'],
  ['an id that begins like ours', () => `/repositories/${former.repositoryId}0`],
  ['a path that climbs', () => `/repositories/${former.repositoryId}/../../user`],
])('a read that is redirected to %s is not sent there', async (_, path) => {
  const location = `${stage.server.url}/api/v3${path()}`;
  const { fetch, sent } = redirecting(({ url }) => url.endsWith(`/repositories/${former.repositoryId}`), location);
  await expect(github(fetch).repository(former)).rejects.toThrow(LoopError);
  expect(sent.at(-1)).toBe(`GET ${stage.server.url}/api/v3/repositories/${former.repositoryId}`);
});

test('an issue that was moved to another repository is gone, and so is one that was deleted', async () => {
  const { rest } = stage.as('alice');
  const games = { ...former, repo: 'games' };
  const open = async () => (await rest.issues.create({ ...HERE, repo: 'games', title: 'Gone' })).data.number;
  const moved = await open();
  await stage.local('POST', `/repos/alice/games/issues/${moved}/transfer`, { to: 'alice/blocks' }, 'alice');
  const deleted = await open();
  await stage.local('DELETE', `/repos/alice/games/issues/${deleted}`, undefined, 'alice');
  const said = (number: number) => github().comment(games, number, { marker: 'x/1', body: 'Hello' });
  for (const asked of [github().issueState(games, moved), github().issueState(former, moved), said(moved)]) {
    await expect(asked).rejects.toThrow(GoneError);
    await expect(asked).rejects.toMatchObject({ status: 301, message: expect.stringContaining('/issues/1') });
  }
  for (const asked of [github().issueState(games, deleted), said(deleted)]) {
    await expect(asked).rejects.toThrow(GoneError);
    await expect(asked).rejects.toMatchObject({
      status: 410,
      message: expect.stringContaining('This issue was deleted'),
    });
  }
});

test.each(['moved to another repository', 'deleted'])(
  'of an issue that was %s while nothing was told, that it is gone is what is to be heard',
  async (how) => {
    const { rest } = stage.as('alice');
    const { number } = (await rest.issues.create({ ...HERE, repo: 'games', title: 'Gone' })).data;
    const path = `/repos/alice/games/issues/${number}`;
    await (how === 'deleted'
      ? stage.local('DELETE', path, undefined, 'alice')
      : stage.local('POST', `${path}/transfer`, { to: 'alice/blocks' }, 'alice'));
    const since = '2026-01-01T00:00:00Z';
    expect(
      await github().unsent({ ...former, repo: 'games' }, { issue: number, pull: undefined, since }),
    ).toMatchObject([{ name: 'issues', payload: { action: 'deleted' } }]);
  },
);

test('of a pull request that is gone nothing was said', async () => {
  const of = { issue, pull: 4242, since: '2100-01-01T00:00:00Z' };
  expect(await github().unsent(former, of)).toEqual([]);
});

test('a read is of this repository also when another one has taken its former name, and a write reaches neither', async () => {
  const { rest } = stage.as('alice');
  await rest.repos.update({ ...HERE, repo: 'blocks', name: 'toys' });
  const { id } = (await rest.repos.get(HERE)).data;
  expect(id).not.toBe(former.repositoryId);
  expect(await github().issueState(former, issue)).toEqual({ state: 'open', labels: ['loop'] });
  const before = (await rest.issues.listForRepo({ ...HERE, state: 'all' })).data.map(({ comments }) => comments);
  const said = github().comment(former, 1, { marker: 'taken/1', body: 'Hello' });
  await expect(said).rejects.toThrow(LoopError);
  expect((await rest.issues.listForRepo({ ...HERE, state: 'all' })).data.map(({ comments }) => comments)).toEqual(
    before,
  );
});

test('a repository that is not there is gone', async () => {
  const { fetch } = redirecting(({ url }) => url.endsWith(`/repositories/${former.repositoryId}`), '', 404);
  const asked = github(fetch).repository(former);
  await expect(asked).rejects.toThrow(GoneError);
  await expect(asked).rejects.toMatchObject({ status: 404 });
});
