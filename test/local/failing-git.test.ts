/** A git process that fails is a failure of the server: it is never told as something that is not there, or that conflicts. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
let head: string;
let tree: string;
beforeAll(async () => {
  stage = await startStage({ provokes: (problem) => problem.includes('GitError') });
  const { rest } = stage.as('alice');
  head = (await rest.git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  tree = (await rest.git.getCommit({ ...HERE, commit_sha: head })).data.tree.sha;
});
afterAll(() => stage.close());

/** The status of an answer while the repository's git directory is away. */
async function statusWithoutGit(path: string, method = 'GET', body?: object): Promise<number> {
  const place = join(stage.dataDirectory, 'git', 'alice', 'toys.git');
  await rename(place, `${place}.away`);
  try {
    const answer = await fetch(`${stage.server.url}/api/v3/repos/alice/toys${path}`, {
      method,
      headers: { authorization: 'Bearer token-alice' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.status;
  } finally {
    await rename(`${place}.away`, place);
  }
}

test.each([
  ['a ref', '/git/ref/heads/main'],
  ['a commit', '/commits/main'],
  ['a tree', '/git/trees/main'],
  ['a comparison', '/compare/main...main'],
])('%s is not told to be missing', async (_, path) => {
  expect(await statusWithoutGit(path)).toBe(500);
});

test('a blob, a tree and a parent are not told to be missing', async () => {
  expect(await statusWithoutGit(`/git/blobs/${head}`)).toBe(500);
  expect(await statusWithoutGit('/git/refs', 'POST', { ref: 'refs/heads/x', sha: head })).toBe(500);
  expect(await statusWithoutGit('/git/commits', 'POST', { message: 'x', tree, parents: [head] })).toBe(500);
});

test('a pull request is not told to conflict', async () => {
  const { rest } = stage.as('alice');
  await rest.repos.createOrUpdateFileContents({
    ...HERE,
    path: 'one.md',
    message: 'One',
    content: 'MQ==',
    branch: 'main',
  });
  await rest.git.createRef({ ...HERE, ref: 'refs/heads/one', sha: head });
  await rest.repos.createOrUpdateFileContents({
    ...HERE,
    path: 'two.md',
    message: 'Two',
    content: 'MQ==',
    branch: 'one',
  });
  const { number } = (await rest.pulls.create({ ...HERE, title: 'One', head: 'one', base: 'main' })).data;
  expect(await statusWithoutGit(`/pulls/${number}`)).toBe(500);
});

test('what is not there is still told so', async () => {
  const { rest } = stage.as('alice');
  const missing = '0123456789012345678901234567890123456789';
  await expect(rest.git.getRef({ ...HERE, ref: 'heads/none' })).rejects.toMatchObject({ status: 404 });
  await expect(rest.git.getBlob({ ...HERE, file_sha: missing })).rejects.toMatchObject({ status: 404 });
  await expect(rest.git.getBlob({ ...HERE, file_sha: 'no sha' })).rejects.toMatchObject({ status: 404 });
  await expect(rest.git.createRef({ ...HERE, ref: 'refs/heads/x', sha: missing })).rejects.toMatchObject({
    status: 422,
  });
});

test('a head without any history of the base is refused, as on GitHub', async () => {
  const { rest } = stage.as('alice');
  const { sha } = (await rest.git.createCommit({ ...HERE, message: 'Alone', tree, parents: [] })).data;
  await rest.git.createRef({ ...HERE, ref: 'refs/heads/alone', sha });
  await expect(rest.pulls.create({ ...HERE, title: 'Alone', head: 'alone', base: 'main' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('has no history in common with'),
  });
});
