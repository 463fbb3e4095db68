/** Ends and limits of pull requests and issues, as GitHub has them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
let main: string;
beforeAll(async () => {
  stage = await startStage();
  main = (await rest().git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
});
afterAll(() => stage.close());

const rest = () => stage.as('alice').rest;
let serial = 0;

/** A branch with one commit on top of the start; its pull request is opened by hand. */
async function branch(): Promise<{ readonly name: string; readonly sha: string }> {
  serial += 1;
  const name = `topic-${serial}`;
  await rest().git.createRef({ ...HERE, ref: `refs/heads/${name}`, sha: main });
  const { data } = await rest().repos.createOrUpdateFileContents({
    ...HERE,
    path: `${name}.md`,
    message: name,
    content: 'MQ==',
    branch: name,
  });
  return { name, sha: data.commit.sha ?? '' };
}

const opened = async (head: string, body = '') =>
  (await rest().pulls.create({ ...HERE, title: head, head, base: 'main', body })).data.number;
const pullOf = async (number: number) => (await rest().pulls.get({ ...HERE, pull_number: number })).data;

describe('a merge', () => {
  test('closes the issues that the text of the pull request says it closes', async () => {
    const issue = async () => (await rest().issues.create({ ...HERE, title: 'Wanted' })).data.number;
    const [first, second, third] = [await issue(), await issue(), await issue()];
    const { name } = await branch();
    const number = await opened(name, `Closes #${first}, fixes: #${second}. See #${third}, and #99999.`);
    await rest().pulls.merge({ ...HERE, pull_number: number });
    const states = await Promise.all(
      [first, second, third].map(async (one) => (await rest().issues.get({ ...HERE, issue_number: one })).data.state),
    );
    expect(states).toEqual(['closed', 'closed', 'open']);
  });

  test('is what a base that reaches the head means', async () => {
    const { name } = await branch();
    const number = await opened(name);
    const base = (await rest().git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
    const { sha } = (await rest().repos.getCommit({ ...HERE, ref: name })).data;
    const merged = await rest().git.createCommit({
      ...HERE,
      message: 'By hand',
      tree: (await rest().git.getCommit({ ...HERE, commit_sha: sha })).data.tree.sha,
      parents: [base, sha],
    });
    await rest().git.updateRef({ ...HERE, ref: 'heads/main', sha: merged.data.sha });
    expect(await pullOf(number)).toMatchObject({ state: 'closed', merged: true, merge_commit_sha: merged.data.sha });
    await expect(rest().pulls.merge({ ...HERE, pull_number: number })).rejects.toMatchObject({ status: 405 });
  });
});

test('of six pull requests of one branch that are opened at once there is one', async () => {
  const { name } = await branch();
  const tries = await Promise.allSettled(Array.from({ length: 6 }, () => opened(name)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await rest().pulls.list({ ...HERE, head: `alice:${name}` })).data).toHaveLength(1);
});

test('a pull request whose branch was deleted is not reopened', async () => {
  const { name } = await branch();
  const number = await opened(name);
  await rest().git.deleteRef({ ...HERE, ref: `heads/${name}` });
  expect((await pullOf(number)).state).toBe('closed');
  await expect(rest().pulls.update({ ...HERE, pull_number: number, state: 'open' })).rejects.toMatchObject({
    status: 422,
  });
});

test('a ref below another one, or above, is refused without a word of this machine', async () => {
  await rest().git.createRef({ ...HERE, ref: 'refs/heads/deep/one', sha: main });
  for (const ref of ['refs/heads/main/below', 'refs/heads/deep'])
    await expect(rest().git.createRef({ ...HERE, ref, sha: main })).rejects.toMatchObject({
      status: 422,
      message: expect.not.stringContaining(stage.directory),
    });
});

test.each([
  ['a title of 257 characters', { title: 'x'.repeat(257) }],
  ['a text of 65,537 characters', { title: 'x', body: 'x'.repeat(65_537) }],
])('%s is refused in an issue and in a pull request', async (_, text) => {
  const tooLong = { status: 422, message: expect.stringContaining('is too long') };
  await expect(rest().issues.create({ ...HERE, ...text })).rejects.toMatchObject(tooLong);
  const { number } = (await rest().issues.create({ ...HERE, title: 'x' })).data;
  await expect(rest().issues.update({ ...HERE, issue_number: number, ...text })).rejects.toMatchObject(tooLong);
  const { name } = await branch();
  await expect(rest().pulls.create({ ...HERE, head: name, base: 'main', ...text })).rejects.toMatchObject(tooLong);
  const pull = await opened(name);
  await expect(rest().pulls.update({ ...HERE, pull_number: pull, ...text })).rejects.toMatchObject(tooLong);
});
