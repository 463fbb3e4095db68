/** A new file that an address fills in and a person commits: https://docs.github.com/repositories/working-with-files/managing-files/creating-new-files */
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, installationToken, octokit, type Stage, startStage } from './server.ts';

const WORKFLOW = `
name: Greeting
on: push
jobs: { greet: { runs-on: ubuntu-latest, steps: [{ run: 'echo "<hello> & goodbye"' }] } }
`;
const PATH = '.github/workflows/greeting.yml';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    files: { 'README.md': '# Toys\n', 'src/app.js': 'go();\n' },
    executeWorkflow: async () => ({ title: 'Greeting', conclusion: 'success', jobs: [] }),
  });
  const { data: main } = await rest().git.getRef({ ...HERE, ref: 'heads/main' });
  for (const name of ['loopwright/onboarding', 'loopwright-other'])
    await rest().git.createRef({ ...HERE, ref: `refs/heads/${name}`, sha: main.object.sha });
});
afterAll(() => stage.close());

const rest = (login = 'alice') => stage.as(login).rest;
const addressOf = (place: string, filled: Record<string, string>) =>
  `/alice/toys/new/${place}?${new URLSearchParams(filled)}`;

async function open(path: string, login = 'bob') {
  const response = await fetch(stage.server.url + path, { headers: { cookie: `local_github_token=token-${login}` } });
  return { status: response.status, ...formIn(await response.text()) };
}

/** What the form of a page would send, by its names. */
function formIn(page: string) {
  const { document } = parseHTML(page);
  const fields = [...document.querySelectorAll('main input, main textarea')].map((field): [string, string] => [
    field.getAttribute('name') ?? '',
    field.getAttribute('value') ?? textIn(field),
  ]);
  return { document, fields: Object.fromEntries(fields) };
}

/** As browsers do it, which drop the line break after the tag. The parser leaves the text of this element as it is written. */
function textIn({ textContent }: Element): string {
  const { document } = parseHTML(`<pre>${(textContent ?? '').replace(/^\n/, '')}</pre>`);
  return document.querySelector('pre')?.textContent ?? '';
}

async function submit(path: string, fields: Record<string, string>, login = 'bob') {
  const response = await fetch(stage.server.url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'commit', ...fields }),
    headers: { cookie: `local_github_token=token-${login}`, origin: stage.server.url },
  });
  const page = await response.text();
  const alert = parseHTML(page).document.querySelector('[role=alert]')?.textContent;
  return { location: response.headers.get('location'), alert, page };
}

async function textOf(path: string, ref: string): Promise<unknown> {
  return (await rest().repos.getContent({ ...HERE, path, ref, mediaType: { format: 'raw' } })).data;
}

test('name, content and message are those of the address, to the last character', async () => {
  const { fields, document } = await open(addressOf('main', { filename: PATH, value: WORKFLOW }));
  expect(fields).toEqual({ branch: 'main', filename: PATH, content: WORKFLOW, message: 'Create greeting.yml' });
  expect(document.querySelector('main button')?.textContent).toBe('Commit changes');
});

test('what stands behind the branch is the folder, whatever slashes the branch has', async () => {
  const filled = { filename: 'a.md', message: 'Say it' };
  expect((await open(addressOf('loopwright/onboarding', filled))).fields).toMatchObject({
    branch: 'loopwright/onboarding',
    filename: 'a.md',
    message: 'Say it',
  });
  expect((await open(addressOf('loopwright/onboarding/docs/more/', filled))).fields).toMatchObject({
    branch: 'loopwright/onboarding',
    filename: 'docs/more/a.md',
  });
  const unknown = await open(addressOf('loopwright/other', filled));
  expect([unknown.status, unknown.fields]).toEqual([404, {}]);
});

test('a person commits a workflow: it is pushed, listed and run, in their name', async () => {
  const address = addressOf('main', { filename: PATH, value: WORKFLOW });
  const before = stage.receiver.received.length;
  const { fields } = await open(address);
  // A browser sends line breaks in its own way.
  const content = (fields.content ?? '').replaceAll('\n', '\r\n');
  expect(await submit(address, { ...fields, content, message: 'Greet everybody' })).toMatchObject({
    location: `/alice/toys/blob/main/${PATH}`,
  });
  expect((await open(`/alice/toys/blob/main/${PATH}`)).document.querySelector('table.code')?.textContent).toContain(
    'echo "<hello> & goodbye"',
  );
  expect(await textOf(PATH, 'main')).toBe(WORKFLOW);
  const [commit] = (await rest().repos.listCommits(HERE)).data;
  expect(commit).toMatchObject({ commit: { message: 'Greet everybody', author: { name: 'bob' } } });
  await eventually(() => stage.receiver.names().slice(before).includes('push'), 'the push is told');
  const push = stage.receiver.received.slice(before).find(({ event }) => event === 'push');
  expect(push?.payload).toMatchObject({
    ref: 'refs/heads/main',
    after: commit?.sha,
    sender: { login: 'bob' },
    commits: [{ added: [PATH], author: { name: 'bob' } }],
  });
  const { data: workflows } = await rest().actions.listRepoWorkflows(HERE);
  expect(workflows.workflows).toMatchObject([{ path: PATH, name: 'Greeting', state: 'active' }]);
  const { data: runs } = await rest().actions.listWorkflowRunsForRepo(HERE);
  expect(runs.workflow_runs).toMatchObject([{ event: 'push', head_sha: commit?.sha, actor: { login: 'bob' } }]);
});

test('on the branch of an open pull request the commit leads there, and the pull request has it', async () => {
  const address = addressOf('loopwright/onboarding', { filename: 'docs/first.md', value: '# First\n' });
  const { fields } = await open(address);
  expect((await submit(address, fields)).location).toBe('/alice/toys/blob/loopwright/onboarding/docs/first.md');
  const { data: pull } = await rest().pulls.create({
    ...HERE,
    title: 'Set up',
    head: 'loopwright/onboarding',
    base: 'main',
  });
  const next = await submit(address, { ...fields, filename: 'docs/second.md', message: ' ' });
  expect(next.location).toBe(`/alice/toys/pull/${pull.number}`);
  const { data: commits } = await rest().pulls.listCommits({ ...HERE, pull_number: pull.number });
  expect(commits.map(({ commit }) => commit.message)).toEqual(['Create first.md', 'Create second.md']);
});

test.each([
  ['a name that is taken', { filename: 'README.md' }, 'README.md is in main already: choose another name.'],
  ['a folder that is a file', { filename: 'README.md/more.md' }, 'README.md is a file.'],
  ['no name', { filename: ' ' }, 'Name the file.'],
  ['a place outside', { filename: 'src/../../x' }, 'A file cannot be called src/../../x.'],
  ["git's own folder", { filename: '.git/config' }, 'Path contains a malformed path component.'],
  ['a branch that is gone', { filename: 'x.md', branch: 'gone' }, 'Branch gone not found.'],
])('%s is refused in a sentence, and what was typed stays', async (_what, wrong, sentence) => {
  const head = (await rest().git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  const typed = { branch: 'main', content: '\nKeep <this>\n', message: 'Mine', ...wrong };
  const { alert, page, location } = await submit(addressOf('main', { filename: 'other.md' }), typed);
  expect([alert, location]).toEqual([sentence, null]);
  expect(formIn(page).fields).toEqual(typed);
  expect((await rest().git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha).toBe(head);
});

test('who may only read, and who is nobody, is told so and writes nothing', async () => {
  const address = addressOf('main', { filename: 'carol.md', value: 'mine' });
  const seen = async (login: string) => (await open(address, login)).document.querySelector('main')?.textContent;
  expect(await seen('carol')).toContain('carol may read alice/toys, and not write to it.');
  expect(await seen('nobody')).toContain('Choose who you are at the top right to write a file.');
  const typed = { branch: 'main', filename: 'carol.md', content: 'mine', message: 'Mine' };
  const refused = await submit(address, typed, 'carol');
  expect(refused.alert).toBe('Must have write rights to Repository.');
  expect(formIn(refused.page).fields).toEqual(typed);
  await expect(textOf('carol.md', 'main')).rejects.toMatchObject({ status: 404 });
});

test('whoever says who they are comes back to the file that was filled in', async () => {
  const address = addressOf('main', { filename: 'x.md', value: 'a b' });
  const { document } = await open(address, 'nobody');
  expect(document.querySelector('input[name=return_to]')?.getAttribute('value')).toBe(address);
});

test('where the past of the default branch is protected, a file is added to it as by a push', async () => {
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: true });
  const address = addressOf('main', { filename: 'forward.md', value: 'on\n' });
  expect((await submit(address, (await open(address)).fields)).location).toBe('/alice/toys/blob/main/forward.md');
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: false });
});

// https://docs.github.com/rest/repos/contents#create-or-update-file-contents
test('the App writes files, and workflow files with the permission for them alone', async () => {
  const file = { ...HERE, path: '.github/workflows/by-app.yml', message: 'Mine', content: 'b246IHB1c2gK' };
  await expect((await stage.asApp()).rest.repos.createOrUpdateFileContents(file)).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/by-app.yml` without `workflows` permission',
    ),
  });
  const permissions = { metadata: 'read', contents: 'write', workflows: 'write' };
  await stage.local('PATCH', '/switches', { arranged: { permissions } });
  const granted = octokit(stage.server.url, await installationToken(stage.server)).rest.repos;
  const { status, data } = await granted.createOrUpdateFileContents(file);
  expect(status).toBe(201);
  expect(data).toMatchObject({
    content: { path: file.path, type: 'file' },
    commit: { message: 'Mine', author: { name: 'loopwright[bot]' } },
  });
  await stage.local('PATCH', '/switches', { arranged: {} });
});

test.each([
  [422, { path: 'README.md' }, '"sha" wasn\'t supplied'],
  [409, { path: 'README.md', sha: 'a'.repeat(40) }, 'does not match'],
  [409, { path: 'none.md', sha: 'a'.repeat(40) }, 'does not match'],
  [404, { path: 'x.md', branch: 'gone' }, 'Branch gone not found'],
  [422, { path: 'x.md', content: 'no base64!' }, 'content is not valid Base64'],
  [422, { path: '.git/config' }, 'malformed path component'],
  [422, { path: 'src/app.js/x' }, 'src/app.js is a file'],
])('REST answers %i to a file with %j', async (status, wish, message) => {
  await expect(
    rest('bob').repos.createOrUpdateFileContents({ ...HERE, message: 'No', content: 'eA==', ...wish }),
  ).rejects.toMatchObject({ status, message: expect.stringContaining(message) });
});

test('a folder is not written over, even by who knows its digest', async () => {
  const { data: tree } = await rest().git.getTree({ ...HERE, tree_sha: 'main' });
  const sha = tree.tree.find(({ path }) => path === 'src')?.sha ?? '';
  await expect(
    rest('bob').repos.createOrUpdateFileContents({ ...HERE, path: 'src', message: 'No', content: 'eA==', sha }),
  ).rejects.toMatchObject({ status: 422, message: expect.stringContaining('src is a directory') });
});
