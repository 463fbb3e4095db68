/** What GitHub describes for a request is obeyed, or refused by name: nothing is accepted and ignored. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OBEYED } from '../../src/local/rest/obeyed.ts';
import { gitHubContract } from '../../src/referee/contract.ts';
import { HERE, type Stage, startStage } from './server.ts';

let stage: Stage;
let number: number;
beforeAll(async () => {
  stage = await startStage();
  number = await openIssue('first');
});
afterAll(() => stage.close());

/** GitHub's times are whole seconds. */
async function later(): Promise<void> {
  await stage.local('POST', '/clock', { advanceMs: 2000 });
}

async function openIssue(title: string, labels: string[] = []): Promise<number> {
  return (await stage.as('alice').rest.issues.create({ ...HERE, title, labels })).data.number;
}

test.each([
  ['GET /repos/{owner}/{repo}/issues', 'assignee', { assignee: 'bob' }],
  ['GET /repos/{owner}/{repo}/issues', 'milestone', { milestone: '1' }],
  ['GET /repos/{owner}/{repo}/issues', 'mentioned', { mentioned: 'bob' }],
  ['POST /repos/{owner}/{repo}/issues', 'assignees', { title: 'x', assignees: ['bob'] }],
  ['PATCH /repos/{owner}/{repo}/issues/1', 'milestone', { milestone: 1 }],
  ['PATCH /repos/{owner}/{repo}/labels/bug', 'new_name', { new_name: 'fault' }],
  ['GET /repos/{owner}/{repo}/commits', 'author', { author: 'alice' }],
  ['GET /repos/{owner}/{repo}/branches', 'protected', { protected: true }],
  ['GET /repos/{owner}/{repo}/collaborators', 'permission', { permission: 'admin' }],
  ['PATCH /repos/{owner}/{repo}', 'has_wiki', { has_wiki: false }],
  ['POST /repos/{owner}/{repo}/transfer', 'new_name', { new_owner: 'bob', new_name: 'games' }],
])('%s with %s is refused by name, and nothing happens', async (route, name, wish) => {
  const before = (await stage.as('alice').rest.issues.listForRepo({ ...HERE, state: 'all' })).data.length;
  await expect(stage.as('alice').request(route, { ...HERE, ...wish })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining(`this server does not obey "${name}" of ${route.split(' ')[0]}`),
  });
  expect((await stage.as('alice').rest.issues.listForRepo({ ...HERE, state: 'all' })).data).toHaveLength(before);
});

// https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types
test.each(['html', 'full+json', 'text'])('an issue as %s is refused as a form that there is not', async (form) => {
  await expect(
    stage
      .as('alice')
      .rest.issues.get({ ...HERE, issue_number: number, headers: { accept: `application/vnd.github.${form}` } }),
  ).rejects.toMatchObject({ status: 415, message: expect.stringContaining("Unsupported 'Accept' header") });
});

// https://docs.github.com/rest/issues/issues#list-repository-issues
test('issues come in the order that is asked for, the newest first by default', async () => {
  const second = await openIssue('second');
  const carol = stage.as('carol').rest.issues;
  await later();
  await carol.createComment({ ...HERE, issue_number: number, body: 'again' });
  const listed = async (wish: Parameters<typeof carol.listForRepo>[0] | object) =>
    (await carol.listForRepo({ ...HERE, ...wish })).data.map((issue) => issue.number);
  // Those that were refused above are not there.
  expect(await listed({})).toEqual([second, number]);
  expect(await listed({ sort: 'created', direction: 'asc' })).toEqual([number, second]);
  expect(await listed({ sort: 'updated' })).toEqual([number, second]);
  expect(await listed({ sort: 'comments', direction: 'asc' })).toEqual([second, number]);
});

test('an order that this server does not know is refused', async () => {
  await expect(stage.as('carol').rest.pulls.list({ ...HERE, sort: 'popularity' })).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('"popularity"'),
  });
});

// https://docs.github.com/rest/issues/issues#update-an-issue
test('labels of an issue are replaced with its other changes, by whoever may label', async () => {
  const issue_number = await openIssue('labelled', ['bug', 'loop']);
  const change = async (login: string, labels: string[]) =>
    (await stage.as(login).rest.issues.update({ ...HERE, issue_number, title: 'relabelled', labels })).data;
  const { title, labels } = await change('alice', ['loop', 'feature']);
  expect(title).toBe('relabelled');
  expect(labels.map((label) => (typeof label === 'string' ? label : label.name))).toEqual(['loop', 'feature']);
});

// https://docs.github.com/rest/issues/comments#list-issue-comments-for-a-repository
test('comments of a repository come in the order that is asked for', async () => {
  const carol = stage.as('carol').rest.issues;
  const issue_number = await openIssue('talk');
  const ids: number[] = [];
  for (const body of ['a', 'b']) ids.push((await carol.createComment({ ...HERE, issue_number, body })).data.id);
  await later();
  await carol.updateComment({ ...HERE, comment_id: ids[0] ?? 0, body: 'a, later' });
  const newest = async (wish: object) =>
    (await carol.listCommentsForRepo({ ...HERE, per_page: 1, ...wish })).data.map(({ id }) => id);
  expect(await newest({ sort: 'created', direction: 'desc' })).toEqual([ids[1]]);
  expect(await newest({ sort: 'updated', direction: 'desc' })).toEqual([ids[0]]);
});

// https://docs.github.com/rest/commits/commits#list-commits
test('commits are listed by the path that they change and by their time', async () => {
  const { repos } = stage.as('alice').rest;
  const write = (path: string, day: string) =>
    repos.createOrUpdateFileContents({
      ...HERE,
      path,
      message: `Write ${path}`,
      content: 'eA==',
      author: { name: 'Ada', email: 'ada@example.com', date: `${day}T12:00:00Z` },
      committer: { name: 'Ada', email: 'ada@example.com', date: `${day}T12:00:00Z` },
    });
  await write('a.txt', '2031-01-01');
  await write('b.txt', '2031-02-01');
  const listed = async (wish: object) =>
    (await repos.listCommits({ ...HERE, ...wish })).data.map(({ commit }) => [commit.message, commit.author?.name]);
  expect(await listed({ path: 'a.txt' })).toEqual([['Write a.txt', 'Ada']]);
  expect(await listed({ since: '2031-01-15T00:00:00Z' })).toEqual([['Write b.txt', 'Ada']]);
  expect(await listed({ since: '2030-12-01T00:00:00Z', until: '2031-01-15T00:00:00Z' })).toEqual([
    ['Write a.txt', 'Ada'],
  ]);
});

test('a commit, a comparison and a pull request come as a diff where that is asked for', async () => {
  const { repos, git, pulls } = stage.as('alice').rest;
  const { data: main } = await git.getRef({ ...HERE, ref: 'heads/main' });
  await git.createRef({ ...HERE, ref: 'refs/heads/diffs', sha: main.object.sha });
  await repos.createOrUpdateFileContents({
    ...HERE,
    branch: 'diffs',
    path: 'c.txt',
    message: 'Write c',
    content: 'Yw==',
  });
  const { data: pull } = await pulls.create({ ...HERE, title: 'c', head: 'diffs', base: 'main' });
  const mediaType = { format: 'diff' };
  const answers = await Promise.all([
    repos.getCommit({ ...HERE, ref: 'diffs', mediaType }),
    repos.compareCommitsWithBasehead({ ...HERE, basehead: 'main...diffs', mediaType }),
    pulls.get({ ...HERE, pull_number: pull.number, mediaType }),
  ]);
  for (const { data, headers } of answers) {
    expect(headers['content-type']).toBe('application/vnd.github.v3.diff; charset=utf-8');
    expect(String(data)).toContain('diff --git a/c.txt b/c.txt\nnew file mode 100644\n');
    expect(String(data)).toContain('\n+c\n');
  }
});

test.each(Object.entries(OBEYED))('all that is obeyed of %s is in GitHub’s description', (operation, names) => {
  const [method = '', route = ''] = operation.split(' ');
  const path = route.replaceAll(/\{[^}]+\}/g, '1');
  const undescribed = names.split(' ').filter((name) => {
    const problems =
      method === 'GET'
        ? gitHubContract().request(method, `${path}?${name}=1`)
        : gitHubContract().request(method, path, { [name]: null });
    return problems.some(({ message }) => /not in the (description|request table)/.test(message));
  });
  expect(undescribed).toEqual([]);
});
