/** Required checks and the merge queue, as https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository describes them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

const arrange = (arranged: object) => stage.local('PATCH', '/switches', { mergeableAfterMs: 0, arranged });
const requiring = (context: string, integration_id?: number) => ({
  type: 'required_status_checks',
  parameters: {
    required_status_checks: [{ context, ...(integration_id === undefined ? {} : { integration_id }) }],
    strict_required_status_checks_policy: false,
  },
});
const QUEUE = {
  type: 'merge_queue',
  parameters: {
    ...{ check_response_timeout_minutes: 60, grouping_strategy: 'ALLGREEN', merge_method: 'MERGE' },
    ...{ max_entries_to_build: 1, max_entries_to_merge: 1 },
    ...{ min_entries_to_merge: 1, min_entries_to_merge_wait_minutes: 0 },
  },
};

let serial = 0;
async function opened(): Promise<{ readonly number: number; readonly sha: string }> {
  serial += 1;
  const { rest } = stage.as('bob');
  const { data: main } = await rest.git.getRef({ ...HERE, ref: 'heads/main' });
  const branch = `change-${serial}`;
  await rest.git.createRef({ ...HERE, ref: `refs/heads/${branch}`, sha: main.object.sha });
  const path = `file-${serial}.txt`;
  await rest.repos.createOrUpdateFileContents({ ...HERE, branch, path, message: path, content: 'eA==' });
  const { data } = await rest.pulls.create({ ...HERE, title: branch, head: branch, base: 'main' });
  return { number: data.number, sha: data.head.sha };
}

async function said(sha: string, conclusion: 'neutral' | 'skipped' | 'success' | 'failure', name = 'ci') {
  const app = await stage.asApp();
  await app.checks.create({ ...HERE, name, head_sha: sha, status: 'completed', conclusion });
}

const pullOf = async (pull_number: number) => (await stage.as('bob').rest.pulls.get({ ...HERE, pull_number })).data;
const merge = (pull_number: number) => stage.as('bob').rest.pulls.merge({ ...HERE, pull_number });
const queue = (number: number, login = 'bob') =>
  stage.local('POST', `/repos/alice/toys/pulls/${number}/queue`, undefined, login);
const isIn = async (number: number) => (await stage.local('GET', `/repos/alice/toys/pulls/${number}/queue`)).body;

const group = z.object({
  head_sha: z.string(),
  head_ref: z.string(),
  base_sha: z.string(),
  base_ref: z.string(),
});
const told = (action: string) =>
  stage.receiver.received
    .filter(({ event, payload }) => event === 'merge_group' && payload.action === action)
    .map(({ payload }) => ({ ...group.parse(payload.merge_group), reason: payload.reason }));

async function groupAfter(count: number) {
  await eventually(() => told('checks_requested').length > count, 'a merge group');
  const found = told('checks_requested').at(-1);
  if (found === undefined) throw new Error('unreachable');
  return found;
}

describe('a required check', () => {
  beforeEach(() => arrange({ rules: [requiring('ci')] }));

  test.each(['neutral', 'skipped', 'success'] as const)('lets a pull request be merged when it is %s', async (word) => {
    const { number, sha } = await opened();
    expect((await pullOf(number)).mergeable_state).toBe('blocked');
    await expect(merge(number)).rejects.toMatchObject({
      status: 405,
      message: expect.stringContaining('Required status check "ci" is expected.'),
    });
    await said(sha, word);
    expect((await pullOf(number)).mergeable_state).toBe('clean');
    expect((await merge(number)).data.merged).toBe(true);
  });

  test('that failed, or that must be the one of another App, does not', async () => {
    const { number, sha } = await opened();
    await said(sha, 'failure');
    await expect(merge(number)).rejects.toMatchObject({ message: expect.stringContaining('"ci" is failing.') });
    await arrange({ rules: [requiring('ci', 15_368)] });
    await said(sha, 'success');
    await expect(merge(number)).rejects.toMatchObject({ message: expect.stringContaining('"ci" is expected.') });
    await arrange({ rules: [requiring('ci', stage.server.credentials.appId)] });
    expect((await merge(number)).data.merged).toBe(true);
  });
});

describe('a ruleset for branches that begin alike', () => {
  const ruled = (rule: { readonly parameters: object }, exempts = {}) => ({
    branchRules: { prefix: 'kept/', rules: [{ ...rule, parameters: { ...rule.parameters, ...exempts } }] },
  });
  const branchAt = (sha: string, branch: string) =>
    stage.as('bob').rest.git.createRef({ ...HERE, ref: `refs/heads/${branch}`, sha });

  test('is told of them alone, and holds before a merge into one of them', async () => {
    await arrange(ruled(requiring('ci')));
    const { repos, pulls } = stage.as('bob').rest;
    const rulesOn = async (branch: string) => (await repos.getBranchRules({ ...HERE, branch })).data;
    expect(await rulesOn('kept/one')).toEqual([expect.objectContaining({ ...requiring('ci'), ruleset_id: 3 })]);
    expect(await rulesOn('main')).toEqual([]);
    const base = await opened();
    await said(base.sha, 'success');
    await branchAt(base.sha, 'kept/one');
    expect((await repos.getBranch({ ...HERE, branch: 'kept/one' })).data.protected).toBe(true);
    await branchAt(base.sha, 'onto');
    await repos.createOrUpdateFileContents({ ...HERE, branch: 'onto', path: 'on', message: 'on', content: 'eA==' });
    const { data } = await pulls.create({ ...HERE, title: 'onto', head: 'onto', base: 'kept/one' });
    expect((await pullOf(data.number)).mergeable_state).toBe('blocked');
    await said(data.head.sha, 'neutral');
    expect((await pullOf(data.number)).mergeable_state).toBe('clean');
  });

  test('lets such a branch be made only of a commit that has passed, unless it says that it does not ask then', async () => {
    await arrange(ruled(requiring('ci')));
    const { sha } = await opened();
    await expect(branchAt(sha, 'kept/two')).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Required status check "ci" is expected.'),
    });
    await arrange(ruled(requiring('ci'), { do_not_enforce_on_create: true }));
    expect((await branchAt(sha, 'kept/two')).status).toBe(201);
  });
});

test('a GitHub that takes no neutral check for a passed one keeps the pull request blocked', async () => {
  await arrange({ rules: [requiring('ci')] });
  await stage.local('PATCH', '/switches', { neutralPasses: false });
  const { number, sha } = await opened();
  await said(sha, 'neutral');
  const state = async () => (await pullOf(number)).mergeable_state;
  expect(await state()).toBe('blocked');
  await said(sha, 'skipped');
  expect(await state()).toBe('clean');
  await stage.local('PATCH', '/switches', { neutralPasses: true });
});

describe('a merge queue', () => {
  beforeEach(() => arrange({ rules: [requiring('ci'), QUEUE] }));

  test('is the only way; it takes what passes, asks for checks on a tree of its own, and merges when they are there', async () => {
    const { number, sha } = await opened();
    expect(await queue(number)).toEqual({ status: 422, body: { message: 'Required status check "ci" is expected.' } });
    await said(sha, 'success');
    await expect(merge(number)).rejects.toMatchObject({
      message: expect.stringContaining('Changes must be made through the merge queue'),
    });
    expect((await queue(number, 'carol')).status).toBe(403);
    const before = told('checks_requested').length;
    expect((await queue(number)).status).toBe(204);
    const asked = await groupAfter(before);
    expect(asked).toMatchObject({
      base_ref: 'refs/heads/main',
      head_ref: `refs/heads/gh-readonly-queue/main/pr-${number}-${asked.base_sha}`,
    });
    expect(asked.head_sha).not.toBe(sha);
    expect(await isIn(number)).toEqual({ isRequired: true, isIn: true });
    expect((await queue(number)).status).toBe(422);
    expect((await pullOf(number)).merged).toBe(false);
    await said(asked.head_sha, 'neutral');
    await eventually(async () => (await pullOf(number)).merged, 'the merge');
    const { rest } = stage.as('bob');
    expect((await rest.git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha).toBe(asked.head_sha);
    await eventually(() => told('destroyed').at(-1)?.head_sha === asked.head_sha, 'the end of the group');
    expect(told('destroyed').at(-1)?.reason).toBe('merged');
    const { data: left } = await rest.git.listMatchingRefs({ ...HERE, ref: 'heads/gh-readonly-queue' });
    expect(left).toEqual([]);
  });

  test('puts out what fails there, goes on with the next, and begins again where its base has moved', async () => {
    const [first, second] = [await opened(), await opened()];
    for (const { sha } of [first, second]) await said(sha, 'success');
    const before = told('checks_requested').length;
    for (const { number } of [first, second]) await queue(number);
    await said((await groupAfter(before)).head_sha, 'failure');
    const next = await groupAfter(before + 1);
    expect(next.head_ref).toContain(`/pr-${second.number}-`);
    expect(await isIn(first.number)).toMatchObject({ isIn: false });
    expect((await pullOf(first.number)).state).toBe('open');
    await stage.as('alice').rest.repos.createOrUpdateFileContents({
      ...{ ...HERE, path: 'direct.txt', message: 'Direct', content: 'eA==' },
    });
    await said(next.head_sha, 'success');
    const again = await groupAfter(before + 2);
    expect(again.base_sha).not.toBe(next.base_sha);
    await said(again.head_sha, 'skipped');
    await eventually(async () => (await pullOf(second.number)).merged, 'the merge');
    await eventually(() => told('destroyed').length >= 4, 'the end of the groups');
    expect(
      told('destroyed')
        .slice(-3)
        .map(({ reason }) => reason),
    ).toEqual(['dequeued', 'invalidated', 'merged']);
  });

  test('is told to nobody who has not accepted what that needs', async () => {
    await arrange({ rules: [QUEUE, requiring('ci')], accepted: { metadata: 'read', checks: 'write' } });
    const { number, sha } = await opened();
    await said(sha, 'success');
    const before = told('checks_requested').length;
    await queue(number);
    await eventually(() => stage.receiver.names().includes('push'), 'the push');
    await eventually(async () => {
      const { data } = await stage.as('bob').rest.git.listMatchingRefs({ ...HERE, ref: 'heads/gh-readonly-queue' });
      return data.length === 1;
    }, 'the group');
    expect(told('checks_requested').length).toBe(before);
  });
});
