/** Environments: made by jobs and by administrators, and refs that must not deploy to them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isNamePattern, matchesPattern } from '../../src/local/environments.ts';
import { eventually, HERE, type Stage, startStage } from './server.ts';
import { executeHere } from './workflow-kit.ts';

const job = (environment: string) =>
  `{ runs-on: ubuntu-latest, environment: ${environment}, steps: [{ run: echo deployed }] }`;
const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/deploy.yml': `on: { workflow_dispatch: { inputs: { target: { type: string } } }, pull_request: {} }
jobs: { ship: ${job(`'\${{ inputs.target || github.event_name }}'`)} }
`,
  '.github/workflows/page.yml': `on: workflow_dispatch\njobs: { ship: ${job('{ name: Site, url: "https://toys.example" }')} }\n`,
  '.github/workflows/skips.yml': `on: workflow_dispatch
jobs: { ship: { if: false, runs-on: ubuntu-latest, environment: never, steps: [{ run: 'true' }] } }
`,
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ files: FILES, executeWorkflow: executeHere });
  const { git } = stage.as('alice').rest;
  const { data: main } = await git.getRef({ ...HERE, ref: 'heads/main' });
  for (const ref of ['heads/release/1', 'heads/work', 'tags/v1'])
    await git.createRef({ ...HERE, ref: `refs/${ref}`, sha: main.object.sha });
});
afterAll(() => stage.close());

const repos = (login = 'alice') => stage.as(login).rest.repos;
const named = (environment_name: string) => ({ ...HERE, environment_name });
const branchesOf = (kind: 'protected' | 'custom') => ({
  deployment_branch_policy: { protected_branches: kind === 'protected', custom_branch_policies: kind === 'custom' },
});

/** How the latest run ended: its conclusion, its job's, how many steps that has, and what stands on it. */
async function ended() {
  const { actions, checks } = stage.as('alice').rest;
  const latest = async () => (await actions.listWorkflowRunsForRepo(HERE)).data.workflow_runs[0];
  await eventually(async () => (await latest())?.status === 'completed', 'the run ended', 60_000);
  const run = await latest();
  const { data } = await actions.listJobsForWorkflowRun({ ...HERE, run_id: run?.id ?? 0 });
  const notes = await checks.listAnnotations({ ...HERE, check_run_id: data.jobs[0]?.id ?? 0 });
  return {
    conclusions: [run?.conclusion, data.jobs[0]?.conclusion],
    steps: data.jobs[0]?.steps?.length,
    notes: notes.data.map(({ message }) => message),
  };
}

async function deployed(ref: string, target: string) {
  await stage
    .as('bob')
    .rest.actions.createWorkflowDispatch({ ...HERE, workflow_id: 'deploy.yml', ref, inputs: { target } });
  return ended();
}

const DONE = { conclusions: ['success', 'success'], steps: 1, notes: [] };
const refused = (what: string, target: string) => ({
  conclusions: ['failure', 'failure'],
  steps: 0,
  notes: [`${what} is not allowed to deploy to ${target} due to environment protection rules.`],
});

test('a job makes its environment, once and without rules; one that is skipped makes none', async () => {
  expect(await deployed('main', 'production')).toEqual(DONE);
  expect(await deployed('work', 'Production')).toEqual(DONE);
  await stage.as('bob').rest.actions.createWorkflowDispatch({ ...HERE, workflow_id: 'skips.yml', ref: 'main' });
  await ended();
  const { data } = await repos('carol').getAllEnvironments(HERE);
  expect([data.total_count, data.environments?.map(({ name }) => name)]).toEqual([1, ['production']]);
  const { data: environment } = await repos('carol').getEnvironment(named('PRODUCTION'));
  expect(environment).toMatchObject({
    name: 'production',
    url: `${stage.server.url}/api/v3/repos/alice/toys/environments/production`,
    protection_rules: [],
    deployment_branch_policy: null,
  });
});

test('the address of an environment is not shown, which the run says', async () => {
  await stage.as('bob').rest.actions.createWorkflowDispatch({ ...HERE, workflow_id: 'page.yml', ref: 'main' });
  expect(await ended()).toEqual({
    ...DONE,
    notes: ['environment: the url of Site is not obeyed: there are no deployments here that would show it.'],
  });
});

test('an administrator sets which branches and tags may deploy, by name patterns', async () => {
  const { data: made } = await repos().createOrUpdateEnvironment({ ...named('stores'), ...branchesOf('custom') });
  expect(made).toMatchObject({ ...branchesOf('custom'), protection_rules: [{ type: 'branch_policy' }] });
  expect(await deployed('main', 'stores')).toEqual(refused('Branch "main"', 'stores'));
  const add = async (policy: { name: string; type?: 'branch' | 'tag' }) =>
    (await repos().createDeploymentBranchPolicy({ ...named('stores'), ...policy })).data;
  const release = await add({ name: 'release/*' });
  expect(release).toMatchObject({ name: 'release/*', type: 'branch' });
  expect(await deployed('release/1', 'stores')).toEqual(DONE);
  expect(await deployed('v1', 'stores')).toEqual(refused('Tag "v1"', 'stores'));
  await add({ name: 'v*', type: 'tag' });
  expect(await deployed('v1', 'stores')).toEqual(DONE);
  const again = await repos().createDeploymentBranchPolicy({ ...named('stores'), name: 'v*', type: 'tag' });
  expect(Number(again.status)).toBe(303);
  await repos().deleteDeploymentBranchPolicy({ ...named('stores'), branch_policy_id: release.id ?? 0 });
  const { data: left } = await repos('carol').listDeploymentBranchPolicies(named('stores'));
  expect(left).toMatchObject({ total_count: 1, branch_policies: [{ name: 'v*', type: 'tag' }] });
  expect(await deployed('release/1', 'stores')).toEqual(refused('Branch "release/1"', 'stores'));
});

test('a pull request deploys from its merge, which a pattern has to name', async () => {
  const environment = named('pull_request');
  await repos().createOrUpdateEnvironment({ ...environment, ...branchesOf('custom') });
  await repos().createDeploymentBranchPolicy({ ...environment, name: '*' });
  const write = (path: string) =>
    repos().createOrUpdateFileContents({ ...HERE, path, message: path, content: 'eA==', branch: 'work' });
  await write('a.txt');
  const { data: pull } = await stage.as('alice').rest.pulls.create({ ...HERE, title: 'a', head: 'work', base: 'main' });
  expect(await ended()).toEqual(refused(`Branch "refs/pull/${pull.number}/merge"`, 'pull_request'));
  await repos().createDeploymentBranchPolicy({ ...environment, name: 'refs/pull/*/merge' });
  await write('b.txt');
  expect(await ended()).toEqual(DONE);
});

test('protected branches alone deploy where there are any, and all where there are none', async () => {
  await repos().createOrUpdateEnvironment({ ...named('safe'), ...branchesOf('protected') });
  expect(await deployed('work', 'safe')).toEqual(DONE);
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: true });
  expect(await deployed('work', 'safe')).toEqual(refused('Branch "work"', 'safe'));
  expect(await deployed('main', 'safe')).toEqual(DONE);
});

test('what a change does not name is taken away, with the patterns; and an environment is deleted', async () => {
  const environment = named('brief');
  await repos().createOrUpdateEnvironment({ ...environment, ...branchesOf('custom') });
  await repos().createDeploymentBranchPolicy({ ...environment, name: 'main' });
  const { data } = await repos().createOrUpdateEnvironment(environment);
  expect(data).toMatchObject({ protection_rules: [], deployment_branch_policy: null });
  expect((await repos().listDeploymentBranchPolicies(environment)).data.total_count).toBe(0);
  await expect(repos().createDeploymentBranchPolicy({ ...environment, name: 'main' })).rejects.toMatchObject({
    status: 404,
  });
  expect((await repos().deleteAnEnvironment(environment)).status).toBe(204);
  await expect(repos().getEnvironment(environment)).rejects.toMatchObject({ status: 404 });
});

test('rules that contradict themselves, what is not kept here, and who may not administer are refused', async () => {
  const both = { deployment_branch_policy: { protected_branches: true, custom_branch_policies: true } };
  await expect(repos().createOrUpdateEnvironment({ ...named('x'), ...both })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('cannot have the same value'),
  });
  await expect(repos().createOrUpdateEnvironment({ ...named('x'), wait_timer: 5 })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('does not obey "wait_timer"'),
  });
  for (const login of ['bob', 'carol'])
    await expect(repos(login).createOrUpdateEnvironment(named('x'))).rejects.toMatchObject({ status: 403 });
  const app = (await stage.asApp()).rest.repos;
  await expect(app.createOrUpdateEnvironment(named('x'))).rejects.toMatchObject({ status: 403 });
  expect((await app.getAllEnvironments(HERE)).data.environments?.map(({ name }) => name)).not.toContain('x');
});

describe('a name pattern', () => {
  test.each([
    ['main', 'main', true],
    ['main', 'mainly', false],
    ['*', 'main', true],
    ['*', 'feature/one', false],
    ['**', 'feature/one', false],
    ['feature/*', 'feature/one', true],
    ['feature/*', 'feature/one/two', false],
    ['**/fix', 'a/b/fix', true],
    ['**/fix', 'fix', true],
    ['v?', 'v1', true],
    ['v?', 'v/', false],
    ['v[0-3]', 'v2', true],
    ['v[!0-3]', 'v2', false],
    ['v[!0-3]', 'v/', false],
    ['v1.0', 'v1x0', false],
    ['a(b|c)+', 'a(b|c)+', true],
    ['***', 'main', true],
  ])('%s of %s', (pattern, name, matches) => {
    expect(matchesPattern(pattern, name)).toBe(matches);
  });

  test('has sets that are some', () => {
    expect([isNamePattern('v[0-9]'), isNamePattern('v[9-0]')]).toEqual([true, false]);
  });
});
