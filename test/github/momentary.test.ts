/** A 404 of the moment: GitHub's replicas lag and its gateways slip, so what it does not have is asked for again before it is believed. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { GoneError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import { executeWorkflow } from '../../src/local/actions/workflow-execution.ts';
import { HERE, type Stage, startStage } from '../local/server.ts';

const BUILD = `run-name: loopwright-build
on: { workflow_dispatch: {} }
jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: sleep 60 }] } }
`;

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  stage = await startStage({
    files: { 'README.md': '# Toys\n', '.github/workflows/loopwright-build.yml': BUILD },
    executeWorkflow,
  });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
});
afterEach(async () => {
  await stage.local('DELETE', '/faults', undefined, 'alice');
});
afterAll(() => stage.close());

function github() {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  return createGitHub({
    appId,
    privateKey,
    apiUrl,
    fetch: wire({ apiUrl, checked: true }),
    pauseMs: 1,
    log: pino({ level: 'silent' }),
  });
}

const notThere = (fault: object) =>
  stage.local('POST', '/faults', { route: '*', by: 'app', status: 404, times: 1, ...fault }, 'alice');
/** Each kind of request is answered 404 at first. */
const eachOnce = () => notThere({ countedBy: 'route' });

test('a branch is not gone for it', async () => {
  const head = await github().head(repository, 'refs/heads/main');
  expect(head).toMatch(/^[0-9a-f]{40}$/);
  await eachOnce();
  expect(await github().head(repository, 'refs/heads/main')).toBe(head);
});

test('a branch that is not there is known by one answer, which is no 404', async () => {
  await notThere({ times: undefined, after: 1000 });
  expect(await github().head(repository, 'refs/heads/mai')).toBeUndefined();
});

test('a file is not missing for it, and is when GitHub says so twice', async () => {
  await eachOnce();
  expect(await github().file(repository, 'README.md', 'main')).toBe('# Toys\n');
  expect(await github().file(repository, 'MISSING.md', 'main')).toBeUndefined();
});

test('a person does not lose a role by it', async () => {
  await eachOnce();
  expect(await github().permission(repository, 'alice')).toBe('admin');
  expect(await github().permission(repository, 'no-such-person')).toBe('none');
});

test('a repository is still found', async () => {
  await eachOnce();
  expect(await github().locate(repository)).toMatchObject(HERE);
});

test('a run is cancelled all the same', async () => {
  const before = github();
  const id = await before.dispatch(repository, 'loopwright-build.yml', {}, 1);
  await notThere({ method: 'POST', route: '/repos/{owner}/{repo}/actions/runs/{run_id}/cancel' });
  await before.cancelRun(repository, id);
  await expect.poll(async () => (await github().run(repository, id)).conclusion, { timeout: 10_000 }).toBe('cancelled');
});

test('a label is taken away all the same', async () => {
  const { rest } = stage.as('alice');
  const { number } = (await rest.issues.create({ ...HERE, title: 'Labelled', labels: ['loop'] })).data;
  await notThere({ method: 'DELETE' });
  await github().removeLabel(repository, number, 'loop');
  expect((await github().issueState(repository, number)).labels).toEqual([]);
});

test('what GitHub does not have twice is gone', async () => {
  await notThere({ times: 2 });
  await expect(github().run(repository, 4711)).rejects.toThrow(GoneError);
});
