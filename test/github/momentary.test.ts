/** A 404 of the moment: GitHub's replicas lag and its gateways slip, so what it does not have is asked for again before it is believed. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { GoneError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import type { CheckRun } from '../../src/loop/check-run.ts';
import { HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

const BUILD = `run-name: loopwright-build
on: { workflow_dispatch: {} }
jobs: { build: { runs-on: ubuntu-latest, steps: [{ run: sleep 60 }] } }
`;

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  stage = await startStage({
    files: { 'README.md': '# Toys\n', '.github/workflows/loopwright-build.yml': BUILD },
    executeWorkflow: executeHere,
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

test('what was new, and is made though GitHub answers 502, is made once', async () => {
  // One token for all of it: to ask for one is a POST too.
  const hub = github();
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...HERE, title: 'Once' });
  const parent = await hub.head(repository, 'refs/heads/main');
  const ref = 'refs/heads/loopwright/once';
  await hub.moveRef(repository, ref, (await committed(hub, parent ?? '', ref)).sha);
  const head = (await hub.head(repository, ref)) ?? '';
  const once = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    await stage.local(
      'POST',
      '/faults',
      { route: '*', method: 'POST', by: 'app', status: 502, performs: true, times: 1 },
      'alice',
    );
    return act();
  };
  await once(() => hub.comment(repository, issue.number, { marker: 'ask/1/1', body: 'Which?', isNew: true }));
  const { data: comments } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue.number });
  expect(comments.filter(({ body }) => body?.includes('Which?'))).toHaveLength(1);
  const pull = { branch: 'loopwright/once', base: 'main', title: 'Once', body: '', isNew: true };
  await once(() => hub.openPull(repository, pull));
  expect((await stage.as('alice').rest.pulls.list(HERE)).data.filter(({ title }) => title === 'Once')).toHaveLength(1);
  await once(() =>
    hub.checks(
      repository,
      ['a', 'b'].map((name) => checkNamed(name, head)),
      [],
    ),
  );
  const { data: checks } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: head, filter: 'all' });
  expect(checks.check_runs.map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
});

function committed(hub: ReturnType<typeof github>, parent: string, ref: string) {
  const changes = [{ path: 'once.txt', mode: '100644' as const, content: Buffer.from('once').toString('base64') }];
  return hub.commit(repository, { ref, parent, changes, message: 'Add once' });
}

function checkNamed(name: string, headSha: string): CheckRun {
  const said = { title: 'At work', summary: '', text: '', actions: [], annotations: [] };
  return { name, headSha, externalId: '', status: 'in_progress', conclusion: undefined, ...said };
}

test('what was said while nothing was told is not lost for it', async () => {
  const { rest } = stage.as('alice');
  const { number } = (await rest.issues.create({ ...HERE, title: 'Swing' })).data;
  const { id } = (await rest.issues.createComment({ ...HERE, issue_number: number, body: '/stop' })).data;
  const hub = github();
  await hub.issueState(repository, number);
  await notThere({});
  const since = '2026-01-01T00:00:00Z';
  expect(await hub.unsent(repository, { issue: number, pull: undefined, since })).toMatchObject([
    { name: 'issue_comment', payload: { comment: { id } } },
  ]);
});
