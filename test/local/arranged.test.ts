/** What people arrange on GitHub's settings pages is told as GitHub tells it, and to whom. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

const arrange = (arranged: object) => stage.local('PATCH', '/switches', { arranged });
const asItself = () => octokit(stage.server.url, jwtOf(stage.server.credentials));
const RULE = { type: 'non_fast_forward' };

test('the rules of a ruleset are those of the default branch alone, and name it', async () => {
  await arrange({ rules: [RULE] });
  const { repos } = (await stage.asApp()).rest;
  const rules = (await repos.getBranchRules({ ...HERE, branch: 'main' })).data;
  expect(rules).toEqual([{ ...RULE, ruleset_source_type: 'Repository', ruleset_source: 'alice/toys', ruleset_id: 1 }]);
  expect((await repos.getBranchRules({ ...HERE, branch: 'other' })).data).toEqual([]);
  const { data } = await repos.getBranch({ ...HERE, branch: 'main' });
  expect([data.protected, data.protection.enabled]).toEqual([true, false]);
});

test('a ruleset says to who asks whether they may bypass it', async () => {
  await arrange({ rules: [RULE], canBypass: 'always' });
  const ruleset = { ...HERE, ruleset_id: 1 };
  const bypassOf = async (asked: ReturnType<typeof stage.as>) =>
    (await asked.rest.repos.getRepoRuleset(ruleset)).data.current_user_can_bypass;
  expect(await bypassOf(await stage.asApp())).toBe('always');
  expect(await bypassOf(stage.as('bob'))).toBe('never');
  await expect(stage.as('bob').rest.repos.getRepoRuleset({ ...HERE, ruleset_id: 2 })).rejects.toThrow('Not Found');
});

test('what Actions may do only owners see, and an App that may read the administration', async () => {
  await arrange({ actions: { enabled: true, allowed_actions: 'selected' } });
  const seen = async (asked: ReturnType<typeof stage.as>) =>
    (await asked.rest.actions.getGithubActionsPermissionsRepository(HERE)).data;
  expect(await seen(stage.as('alice'))).toMatchObject({ enabled: true, allowed_actions: 'selected' });
  await expect(seen(stage.as('bob'))).rejects.toThrow('admin rights');
  await expect(seen(await stage.asApp())).rejects.toThrow('Resource not accessible by integration');
  await arrange({ permissions: { metadata: 'read', administration: 'read' } });
  expect(await seen(await stage.asApp())).toMatchObject({ allowed_actions: 'all' });
  await arrange({});
});

test('the App sees its webhook, and never the secret', async () => {
  const { data } = await asItself().rest.apps.getWebhookConfigForApp();
  expect(data).toEqual({ url: stage.receiver.url, content_type: 'json', insecure_ssl: '0', secret: '********' });
  await expect(stage.as('alice').rest.apps.getWebhookConfigForApp()).rejects.toThrow();
});

test('an installation gives what it has accepted, nothing while it is suspended, and is none where there is none', async () => {
  const installed = () => asItself().rest.apps.getRepoInstallation(HERE);
  await arrange({ accepted: { metadata: 'read', issues: 'read' } });
  expect((await installed()).data.permissions).toEqual({ metadata: 'read', issues: 'read' });
  expect((await asItself().rest.apps.getAuthenticated()).data?.permissions).toMatchObject({ issues: 'write' });
  await arrange({ isSuspended: true });
  expect((await installed()).data.suspended_at).not.toBeNull();
  await expect(installationToken(stage.server)).rejects.toThrow();
  await arrange({ isInstalled: false });
  await expect(installed()).rejects.toThrow('Not Found');
  await arrange({});
});

test('what is not named is as at first, and what is unknown is refused', async () => {
  await arrange({ isArchived: true });
  expect((await stage.as('bob').rest.repos.get(HERE)).data).toMatchObject({ archived: true, has_issues: true });
  await arrange({});
  expect((await stage.as('bob').rest.repos.get(HERE)).data.archived).toBe(false);
  expect((await arrange({ isArchive: true })).status).toBe(422);
});
