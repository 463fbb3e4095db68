/** Git over HTTP, the Git Data API and contents behave as https://docs.github.com/rest/git says. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, git, HERE, installationToken, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ files: { 'README.md': '# Toys\n', 'src/count.ts': 'export const count = 1;\n' } });
});
afterAll(() => stage.close());

const cloneUrl = (token?: string) => {
  const url = new URL(`${stage.server.url}/alice/toys.git`);
  if (token) Object.assign(url, { username: 'x-access-token', password: token });
  return url.href;
};

async function clone(token?: string): Promise<string> {
  const directory = mkdtempSync(join(stage.directory, 'clone-'));
  await git(directory, ['clone', '--quiet', cloneUrl(token), '.']);
  return directory;
}

async function mainSha(): Promise<string> {
  const { data } = await stage.as('alice').rest.git.getRef({ ...HERE, ref: 'heads/main' });
  return data.object.sha;
}

/** A commit on top of main that writes one file, made by the App through the API. */
async function commitFile(path: string, content: string): Promise<string> {
  const app = (await stage.asApp()).rest.git;
  const { data: tree } = await app.createTree({
    ...HERE,
    base_tree: await mainSha(),
    tree: [{ path, mode: '100644', content }],
  });
  const { data } = await app.createCommit({
    ...HERE,
    message: `Write ${path}`,
    tree: tree.sha,
    parents: [await mainSha()],
  });
  return data.sha;
}

test('anybody clones, nobody pushes without a token, and a wrong token is refused even for reading', async () => {
  const directory = await clone();
  expect(readFileSync(join(directory, 'README.md'), 'utf8')).toBe('# Toys\n');
  await git(directory, ['commit', '--allow-empty', '--message', 'x']);
  const push = await git(directory, ['push', 'origin', 'main'], false);
  expect(push.exitCode).not.toBe(0);
  const authorization = `Basic ${Buffer.from('x-access-token:no-such-token').toString('base64')}`;
  const wrong = await fetch(`${cloneUrl()}/info/refs?service=git-upload-pack`, { headers: { authorization } });
  expect(wrong.status).toBe(401);
});

test('somebody who only reads cannot push', async () => {
  const directory = await clone('token-carol');
  await git(directory, ['commit', '--allow-empty', '--message', 'x']);
  const push = await git(directory, ['push', 'origin', 'HEAD:refs/heads/carol'], false);
  expect(push.exitCode).not.toBe(0);
  expect(String(push.all)).toContain('403');
});

// https://docs.github.com/webhooks/webhook-events-and-payloads#push
test('a push of a new branch is told by create and push with its commits and changed paths', async () => {
  const directory = await clone('token-bob');
  await git(directory, ['checkout', '--quiet', '-b', 'feature']);
  writeFileSync(join(directory, 'new.txt'), 'new\n');
  await git(directory, ['add', '.']);
  await git(directory, ['commit', '--quiet', '--message', 'Add new']);
  await git(directory, ['push', '--quiet', 'origin', 'feature']);
  const push = () =>
    stage.receiver.received.find(({ event, payload }) => event === 'push' && payload.ref === 'refs/heads/feature');
  await eventually(() => push() !== undefined, 'push arrives');
  expect(push()?.payload).toMatchObject({
    created: true,
    sender: { login: 'bob' },
    commits: [{ message: 'Add new', added: ['new.txt'], modified: [] }],
  });
  const names = stage.receiver.names();
  expect(names.indexOf('create')).toBeLessThan(names.indexOf('push'));
});

// https://docs.github.com/rest/git/commits#create-a-commit
test('a commit that the App makes through the API is verified, has the tree as sent, and leaves the other files', async () => {
  const sha = await commitFile('docs/a.md', 'hello\n');
  const { data } = await stage.as('bob').rest.git.getCommit({ ...HERE, commit_sha: sha });
  expect(data.verification).toMatchObject({ verified: true, reason: 'valid' });
  expect(data.author.name).toBe('loopwright[bot]');
  const tree = await stage.as('bob').rest.git.getTree({ ...HERE, tree_sha: sha, recursive: '1' });
  expect(tree.data.tree.filter(({ type }) => type === 'blob').map(({ path }) => path)).toEqual([
    'README.md',
    'docs/a.md',
    'src/count.ts',
  ]);
});

test('a tree entry without a sha removes the path', async () => {
  const app = (await stage.asApp()).rest.git;
  const { data } = await app.createTree({
    ...HERE,
    base_tree: await mainSha(),
    tree: [{ path: 'src/count.ts', mode: '100644', type: 'blob', sha: null }],
  });
  expect(data.tree.map(({ path }) => path)).toEqual(['README.md']);
});

test('a commit of a person is not verified', async () => {
  const { data } = await stage.as('bob').rest.git.getCommit({ ...HERE, commit_sha: await mainSha() });
  expect(data.verification).toMatchObject({ verified: false, reason: 'unsigned' });
});

// https://docs.github.com/rest/git/refs#update-a-reference
test('a ref moves forward only, unless it is forced', async () => {
  const app = (await stage.asApp()).rest.git;
  const [one, two] = [await commitFile('one', '1'), await commitFile('two', '2')];
  await app.createRef({ ...HERE, ref: 'refs/heads/loopwright/1', sha: one });
  await expect(app.createRef({ ...HERE, ref: 'refs/heads/loopwright/1', sha: one })).rejects.toMatchObject({
    status: 422,
  });
  await expect(app.updateRef({ ...HERE, ref: 'heads/loopwright/1', sha: two })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('not a fast forward'),
  });
  await app.updateRef({ ...HERE, ref: 'heads/loopwright/1', sha: two, force: true });
  const { data } = await app.getRef({ ...HERE, ref: 'heads/loopwright/1' });
  expect(data.object.sha).toBe(two);
});

test('a ref under refs/loopwright tells nobody and starts nothing, and its commit is fetched by sha', async () => {
  const app = (await stage.asApp()).rest;
  const sha = await commitFile('candidate', 'c');
  const before = stage.receiver.received.length;
  await app.git.createRef({ ...HERE, ref: 'refs/loopwright/1/1/1', sha });
  await app.issues.createLabel({ ...HERE, name: 'after-the-ref', color: '000000' });
  await eventually(() => stage.receiver.names().includes('label.created'), 'the later label arrives');
  expect(
    stage.receiver
      .names()
      .slice(before)
      .filter((name) => name !== 'label.created'),
  ).toEqual([]);
  const directory = mkdtempSync(join(stage.directory, 'fetch-'));
  await git(directory, ['init', '--quiet']);
  await git(directory, ['fetch', '--quiet', '--depth', '1', '--filter=blob:none', cloneUrl(), sha]);
  const { data } = await app.git.listMatchingRefs({ ...HERE, ref: 'loopwright/1' });
  expect(data.map(({ ref }) => ref)).toEqual(['refs/loopwright/1/1/1']);
});

// https://docs.github.com/apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app
test('the App cannot write workflow files, neither by git nor by the API', async () => {
  const text =
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission';
  const sha = await commitFile('.github/workflows/x.yml', 'on: push\n');
  const app = (await stage.asApp()).rest.git;
  await expect(app.createRef({ ...HERE, ref: 'refs/heads/loopwright/w', sha })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining(text),
  });
  const directory = await clone(await installationToken(stage.server));
  await git(directory, ['fetch', '--quiet', 'origin', sha]);
  const push = await git(directory, ['push', 'origin', `${sha}:refs/heads/loopwright/w`], false);
  expect(push.exitCode).not.toBe(0);
  expect(String(push.all)).toContain(text);
  const byBob = await git(directory, ['push', cloneUrl('token-bob'), `${sha}:refs/heads/w`], false);
  expect(byBob.exitCode).toBe(0);
});

// https://docs.github.com/rest/repos/contents#create-or-update-file-contents
test('a file is written through contents, and not over a version that the writer has not seen', async () => {
  const bob = stage.as('bob').rest.repos;
  const content = Buffer.from('# Better toys\n').toString('base64');
  const { data: seen } = await bob.getContent({ ...HERE, path: 'README.md' });
  const sha = 'sha' in seen ? seen.sha : '';
  await bob.createOrUpdateFileContents({ ...HERE, path: 'README.md', message: 'Better', content, sha });
  await expect(
    bob.createOrUpdateFileContents({ ...HERE, path: 'README.md', message: 'Again', content, sha }),
  ).rejects.toMatchObject({ status: 409 });
  const raw = await bob.getContent({ ...HERE, path: 'README.md', mediaType: { format: 'raw' } });
  expect(raw.data).toBe('# Better toys\n');
  const { data: folder } = await bob.getContent({ ...HERE, path: 'src' });
  expect(folder).toMatchObject([{ name: 'count.ts', path: 'src/count.ts', type: 'file' }]);
});

// https://docs.github.com/rest/commits/commits#compare-two-commits
test('a comparison counts the commits and lists the files with their patches', async () => {
  const sha = await commitFile('compared.txt', 'one\ntwo\n');
  const { data } = await stage.as('bob').rest.repos.compareCommitsWithBasehead({ ...HERE, basehead: `main...${sha}` });
  expect(data).toMatchObject({
    status: 'ahead',
    ahead_by: 1,
    behind_by: 0,
    files: [{ filename: 'compared.txt', status: 'added', additions: 2 }],
  });
  expect(data.files?.[0]?.patch).toContain('+two');
});

// https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
test('a narrowed token is refused beyond its permissions', async () => {
  const narrow = octokit(stage.server.url, await installationToken(stage.server, { permissions: { issues: 'write' } }));
  await expect(narrow.rest.git.createBlob({ ...HERE, content: 'x' })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('Resource not accessible by integration'),
  });
  await expect(narrow.rest.issues.createLabel({ ...HERE, name: 'narrow', color: 'ffffff' })).resolves.toMatchObject({
    status: 201,
  });
});

test('nothing that was answered or delivered differs from the description', async () => {
  expect(JSON.stringify(await stage.problems())).toBe('[]');
});
