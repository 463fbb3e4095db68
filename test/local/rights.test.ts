/** What somebody takes from the App or from everybody on GitHub's settings pages is obeyed: suspended, permissions, archived, private, taken out of the installation. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { NEEDED } from '../../src/github/standing.ts';
import { eventually, git, HERE, jwtOf, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
let issue: number;
let sha: string;
let id: number;
beforeAll(async () => {
  stage = await startStage();
  issue = (await stage.as('alice').rest.issues.create({ ...HERE, title: 'Here' })).data.number;
  sha = (await stage.as('alice').rest.git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  id = (await stage.as('alice').rest.repos.get(HERE)).data.id;
});
afterEach(() => arrange({}));
afterAll(() => stage.close());

const arrange = (arranged: object) => stage.local('PATCH', '/switches', { arranged });
const asItself = () => octokit(stage.server.url, jwtOf(stage.server.credentials)).rest;
const told = () => stage.receiver.names();
const arrives = (name: string) => eventually(() => told().includes(name), `${name} arrives`);
const payloadOf = (name: string) =>
  stage.receiver.received.findLast(({ event, payload }) => `${event}.${payload.action}` === name)?.payload;

describe('a suspended installation', () => {
  test('has no tokens, old or new, and hears nothing until it is unsuspended', async () => {
    const app = (await stage.asApp()).rest;
    await arrange({ isSuspended: true });
    const refused = { status: 403, message: expect.stringContaining('This installation has been suspended') };
    await expect(app.issues.get({ ...HERE, issue_number: issue })).rejects.toMatchObject(refused);
    await expect(stage.asApp()).rejects.toThrow();
    expect((await asItself().apps.getRepoInstallation(HERE)).data.suspended_at).not.toBeNull();
    await arrives('installation.suspend');
    await stage.as('alice').rest.issues.createComment({ ...HERE, issue_number: issue, body: 'Unheard' });
    await arrange({});
    await arrives('installation.unsuspend');
    expect(told()).not.toContain('issue_comment.created');
    expect((await app.issues.get({ ...HERE, issue_number: issue })).status).toBe(200);
  });
});

describe('permissions that the installation no longer has', () => {
  const writes: readonly (readonly [
    keyof typeof NEEDED,
    (app: ReturnType<Stage['as']>['rest']) => Promise<unknown>,
  ])[] = [
    ['issues', (app) => app.issues.createComment({ ...HERE, issue_number: issue, body: 'x' })],
    ['contents', (app) => app.git.createRef({ ...HERE, ref: 'refs/heads/loopwright/x', sha })],
    ['pull_requests', (app) => app.pulls.create({ ...HERE, head: 'loopwright/x', base: 'main', title: 'x' })],
    ['checks', (app) => app.checks.create({ ...HERE, name: 'x', head_sha: sha })],
    ['actions', (app) => app.actions.cancelWorkflowRun({ ...HERE, run_id: 1 })],
  ];

  test.each(writes)('%s: tokens from before do not write either, and public reads go on', async (permission, write) => {
    const app = (await stage.asApp()).rest;
    await arrange({ accepted: { ...NEEDED, [permission]: 'read' } });
    await expect(write(app)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
    });
    expect((await app.issues.get({ ...HERE, issue_number: issue })).status).toBe(200);
    await arrange({ isPrivate: true, accepted: { ...NEEDED, [permission]: 'read' } });
    await expect(app.issues.get({ ...HERE, issue_number: issue })).resolves.toMatchObject({ status: 200 });
  });

  test('what is accepted is told, and what is taken is not', async () => {
    const accepted = () => told().filter((name) => name === 'installation.new_permissions_accepted').length;
    await arrange({ accepted: NEEDED });
    const before = accepted();
    await arrange({ accepted: { ...NEEDED, actions: 'read' } });
    await arrange({ accepted: NEEDED });
    await eventually(() => accepted() === before + 1, 'installation.new_permissions_accepted arrives');
    expect(payloadOf('installation.new_permissions_accepted')).toMatchObject({
      installation: { permissions: NEEDED },
    });
  });
});

describe('an archived repository', () => {
  test('is read by everybody and written by nobody, not by git either', async () => {
    await arrange({ isArchived: true });
    const refused = { status: 403, message: expect.stringContaining('Repository was archived so is read-only.') };
    for (const { rest } of [stage.as('alice'), await stage.asApp()]) {
      await expect(rest.issues.createComment({ ...HERE, issue_number: issue, body: 'x' })).rejects.toMatchObject(
        refused,
      );
      expect((await rest.repos.get(HERE)).data.archived).toBe(true);
    }
    const source = `${stage.server.url.replace('://', '://alice:token-alice@')}/alice/toys.git`;
    await git(stage.directory, ['clone', '--quiet', source, 'archived']);
    const push = await git(`${stage.directory}/archived`, ['push', 'origin', 'HEAD:refs/heads/late'], false);
    expect(push.all).toMatch(/archived so is read-only|403/);
    await arrange({});
    await arrives('repository.unarchived');
    expect(payloadOf('repository.archived')).toMatchObject({ repository: { id, archived: true } });
    expect(
      (await (await stage.asApp()).rest.issues.createComment({ ...HERE, issue_number: issue, body: 'x' })).status,
    ).toBe(201);
  });
});

describe('a private repository', () => {
  const anonymous = () => fetch(`${stage.server.url}/api/v3/repos/alice/toys`);

  test('is there for its people and for the installation, and for nobody else', async () => {
    const app = (await stage.asApp()).rest;
    await arrange({ isPrivate: true });
    expect((await anonymous()).status).toBe(404);
    expect((await stage.as('carol').rest.repos.get(HERE)).data.private).toBe(true);
    expect((await app.issues.get({ ...HERE, issue_number: issue })).status).toBe(200);
    await arrange({ isPrivate: true, accepted: { metadata: 'read', contents: 'read' } });
    expect((await app.git.getRef({ ...HERE, ref: 'heads/main' })).status).toBe(200);
    await expect(app.issues.get({ ...HERE, issue_number: issue })).rejects.toMatchObject({ status: 403 });
    await arrange({});
    await arrives('repository.publicized');
    expect(payloadOf('repository.privatized')).toMatchObject({ repository: { id, private: true } });
    expect((await anonymous()).status).toBe(200);
  });

  test('that is taken out of the installation is not there for it, until it is added', async () => {
    const app = (await stage.asApp()).rest;
    await arrange({ isPrivate: true });
    await stage.local('DELETE', '/repos/alice/toys/installed');
    await arrives('installation_repositories.removed');
    expect(payloadOf('installation_repositories.removed')).toMatchObject({ repositories_removed: [{ id }] });
    await expect(app.repos.get(HERE)).rejects.toMatchObject({ status: 404 });
    await expect(asItself().apps.getRepoInstallation(HERE)).rejects.toMatchObject({ status: 404 });
    const wanted = { installation_id: stage.server.credentials.installationId, repository_ids: [id] };
    await expect(asItself().apps.createInstallationAccessToken(wanted)).rejects.toMatchObject({ status: 422 });
    await stage.local('POST', '/repos/alice/toys/installed');
    expect((await app.repos.get(HERE)).status).toBe(200);
  });

  test('a public one that is taken out is read as by everybody, and not written', async () => {
    const app = (await stage.asApp()).rest;
    await stage.local('DELETE', '/repos/alice/toys/installed');
    expect((await app.repos.get(HERE)).status).toBe(200);
    const said = app.issues.createComment({ ...HERE, issue_number: issue, body: 'x' });
    await expect(said).rejects.toMatchObject({ status: 403 });
  });
});

test('what is told breaks nothing of GitHub’s description', async () => {
  expect((await stage.local('GET', '/problems')).body).toEqual([]);
});
