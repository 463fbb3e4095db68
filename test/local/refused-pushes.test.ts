/** What GitHub takes from nobody, by push or by REST: the default branch's end, refs of pull requests, and a protected branch's past. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneOf, git, HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
let clone: string;
beforeAll(async () => {
  stage = await startStage();
  clone = await cloneOf(stage, 'pushing');
});
afterAll(() => stage.close());

const push = (...argv: readonly string[]) => git(clone, ['push', 'origin', ...argv], false);
const refs = () => stage.as('alice').rest.git;
const headOf = async (branch: string) => (await refs().getRef({ ...HERE, ref: `heads/${branch}` })).data.object.sha;

test('the default branch cannot be deleted', async () => {
  const { exitCode, all } = await push('--delete', 'main');
  expect(exitCode).toBe(1);
  expect(all).toContain('refusing to delete the current branch: refs/heads/main');
  await expect(refs().deleteRef({ ...HERE, ref: 'heads/main' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Cannot delete the default branch'),
  });
  expect(await headOf('main')).toMatch(/^[0-9a-f]{40}$/);
});

test('any other branch can', async () => {
  await push('HEAD:refs/heads/passing');
  expect((await push('--delete', 'passing')).exitCode).toBe(0);
});

// https://docs.github.com/pull-requests/collaborating-with-pull-requests/reviewing-changes-in-pull-requests/checking-out-pull-requests-locally
test('nobody writes refs of pull requests', async () => {
  const { exitCode, all } = await push('HEAD:refs/pull/7/head');
  expect(exitCode).toBe(1);
  expect(all).toContain('(deny updating a hidden ref)');
  const sha = await headOf('main');
  await expect(refs().createRef({ ...HERE, ref: 'refs/pull/7/head', sha })).rejects.toMatchObject({ status: 422 });
  await push('HEAD:refs/heads/change');
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'Change']);
  await push('HEAD:refs/heads/change');
  const { data: pull } = await stage
    .as('alice')
    .rest.pulls.create({ ...HERE, title: 'x', head: 'change', base: 'main' });
  const ref = `pull/${pull.number}/head`;
  await expect(refs().updateRef({ ...HERE, ref, sha, force: true })).rejects.toMatchObject({ status: 422 });
  await expect(refs().deleteRef({ ...HERE, ref })).rejects.toMatchObject({ status: 422 });
  expect((await refs().getRef({ ...HERE, ref })).data.object.sha).toBe(pull.head.sha);
});

// https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
test('where the default branch is protected, its past cannot be changed', async () => {
  await git(clone, ['checkout', '--quiet', '-B', 'main', 'origin/main']);
  const first = await headOf('main');
  await git(clone, ['commit', '--quiet', '--allow-empty', '--message', 'Forward']);
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: true });
  expect((await push('main')).exitCode).toBe(0);
  const { exitCode, all } = await push('--force', `${first}:refs/heads/main`);
  expect(exitCode).toBe(1);
  expect(all).toContain('GH006: Protected branch update failed for refs/heads/main.');
  expect(all).toContain('Cannot force-push to this protected branch');
  const update = { ...HERE, ref: 'heads/main', sha: first, force: true };
  await expect(refs().updateRef(update)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Cannot force-push to this protected branch'),
  });
  const { data: branch } = await stage.as('alice').rest.repos.getBranch({ ...HERE, branch: 'main' });
  expect(branch.protected).toBe(true);
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: false });
  expect((await refs().updateRef(update)).data.object.sha).toBe(first);
});

test('where a ruleset restricts creations, the App is told of it and creates no such branch', async () => {
  await stage.local('PATCH', '/switches', { arranged: { restricted: 'kept/' } });
  const app = await stage.asApp();
  const rules = async (branch: string) => (await app.rest.repos.getBranchRules({ ...HERE, branch })).data;
  expect((await rules('kept/one')).map(({ type }) => type)).toEqual(['creation']);
  expect(await rules('other')).toEqual([]);
  const sha = await headOf('main');
  await expect(app.rest.git.createRef({ ...HERE, ref: 'refs/heads/kept/one', sha })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('Cannot create ref due to creations being restricted.'),
  });
  expect((await app.rest.git.createRef({ ...HERE, ref: 'refs/heads/other', sha })).status).toBe(201);
  expect((await refs().createRef({ ...HERE, ref: 'refs/heads/kept/one', sha })).status).toBe(201);
  await stage.local('PATCH', '/switches', { arranged: {} });
});
