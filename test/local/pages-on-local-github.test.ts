import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HERE, type Stage, startStage } from './server.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({
    files: {
      'README.md': '# Toys\n\nSee [the guide](docs/guide.md).\n',
      'docs/guide.md': '# Guide\n',
      'src/app.js': 'go();\n',
    },
  });
});
afterAll(async () => stage?.close());

async function open(path: string): Promise<Document> {
  const response = await fetch(stage.server.url + path);
  const page = await response.text();
  expect(response.status, `${path}: ${page}`).toBe(200);
  return parseHTML(page).document;
}

/** Sends a form as alice; answers where it led, or the sentence of the refusal. */
async function submit(path: string, fields: Record<string, string>, login = 'alice'): Promise<string> {
  const response = await fetch(stage.server.url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields),
    headers: { cookie: `local_github_token=token-${login}`, origin: stage.server.url },
  });
  const location = response.headers.get('location');
  return (
    location ??
    parseHTML(await response.text()).document.querySelector('[role=alert]')?.textContent ??
    `status ${response.status}`
  );
}

test('code: files, README, folder, blob, commits and one commit are shown', async () => {
  const root = await open('/alice/toys');
  expect([...root.querySelectorAll('.files a')].map((link) => link.textContent)).toEqual([
    'docs/',
    'src/',
    'README.md',
  ]);
  expect(root.querySelector('.markdown a')?.getAttribute('href')).toBe('/alice/toys/blob/main/docs/guide.md');
  expect((await open('/alice/toys/blob/main/docs/guide.md')).querySelector('.markdown h1')?.textContent).toBe('Guide');
  expect((await open('/alice/toys/tree/main/src')).querySelector('.files .file')?.textContent).toBe('app.js');
  const commits = await open('/alice/toys/commits/main');
  const link = commits.querySelector('.commits .title')?.getAttribute('href') ?? '';
  expect((await open(link)).querySelectorAll('details.diff')).toHaveLength(3);
});

test('an issue is created, labelled, answered, reacted to and closed through forms', async () => {
  const path = await submit('/alice/toys/issues/new', {
    action: 'create',
    title: 'A wheel is missing',
    body: 'On the *car*',
  });
  expect(path).toMatch(/^\/alice\/toys\/issues\/\d+$/);
  for (const fields of [
    { action: 'label', new_label: 'brand new', known_label: '' },
    { action: 'comment', body: 'I look into it' },
    { action: 'react', content: 'heart', comment_id: '' },
    { action: 'close', body: '' },
  ]) {
    expect(await submit(path, fields), fields.action).toBe(path);
  }
  const page = await open(path);
  expect(page.querySelector('.badge')?.textContent).toBe('Closed');
  expect(page.querySelector('.labels-box .label')?.textContent).toBe('brand new');
  expect(page.querySelectorAll('article.comment')).toHaveLength(2);
  expect(page.querySelector('.reaction')?.getAttribute('title')).toBe('alice');
  expect(await submit(path, { action: 'unlabel', label: 'brand new' })).toBe(path);
  expect((await open(path)).querySelector('.labels-box .label')).toBeNull();
});

test("a reader's label is refused in GitHub's words", async () => {
  const path = await submit('/alice/toys/issues/new', { action: 'create', title: 'Mine', body: '' }, 'carol');
  expect(await submit(path, { action: 'label', new_label: 'bug', known_label: '' }, 'carol')).toMatch(
    /^(?!.*(?:POST|repos\/))[A-Z].*\.$/s,
  );
});

test('a pull request goes from draft with a check to merged', async () => {
  const app = await stage.asApp();
  const base = (await app.git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  const tree = await app.git.createTree({
    ...HERE,
    base_tree: base,
    tree: [{ path: 'src/app.js', mode: '100644', type: 'blob', content: 'stop();\n' }],
  });
  const commit = await app.git.createCommit({ ...HERE, message: 'Stop', tree: tree.data.sha, parents: [base] });
  await app.git.createRef({ ...HERE, ref: 'refs/heads/loopwright/1', sha: commit.data.sha });
  const pull = await app.pulls.create({
    ...HERE,
    head: 'loopwright/1',
    base: 'main',
    title: 'Stop it',
    body: 'Why not',
    draft: true,
  });
  await app.checks.create({
    ...HERE,
    name: 'example / plan',
    head_sha: commit.data.sha,
    status: 'completed',
    conclusion: 'action_required',
    output: {
      title: 'Waiting',
      summary: 'A **person** decides',
      annotations: [
        { path: 'src/app.js', start_line: 1, end_line: 1, annotation_level: 'warning', message: 'Look here' },
      ],
    },
    actions: [{ label: 'Approve', description: 'Approve this plan', identifier: 'approve' }],
  });
  const path = `/alice/toys/pull/${pull.data.number}`;
  expect((await open('/alice/toys/pulls')).querySelector('.title')?.textContent).toBe('Stop it');
  expect((await open(path)).querySelector('.badge')?.textContent).toBe('Draft');
  expect((await open(`${path}/commits`)).querySelector('.tag.good')?.textContent).toBe('Verified');
  expect((await open('/alice/toys/tree/loopwright/1/src')).querySelector('.files .file')?.textContent).toBe('app.js');
  const checks = await open(`${path}/checks`);
  expect(checks.querySelector('.annotations .message')?.textContent).toBe('Look here');
  const check = checks.querySelector('input[name=check_run]')?.getAttribute('value') ?? '';
  expect(await submit(`${path}/checks`, { action: 'press', check_run: check, identifier: 'approve' })).toBe(
    `${path}/checks`,
  );
  expect(await submit(`${path}/checks`, { action: 'rerun', check_run: check })).toBe(`${path}/checks`);
  expect((await open(`${path}/files`)).querySelector('tr.added')?.textContent).toContain('+stop();');
  expect(await submit(`${path}/files`, { action: 'review', event: 'APPROVE', body: '' })).toBe(path);
  expect(await submit(path, { action: 'ready' })).toBe(path);
  // However soon this comes after the pull request was opened.
  await stage.local('PATCH', '/switches', { mergeableAfterMs: 0 });
  const ready = await open(path);
  const sha = ready.querySelector('input[name=sha]')?.getAttribute('value') ?? '';
  expect(await submit(path, { action: 'merge', sha })).toBe(path);
  expect((await open(path)).querySelector('.badge')?.textContent).toBe('Merged');
});

test('the pages keep to what GitHub documents', async () => {
  await open('/');
  expect(await stage.problems()).toEqual([]);
});
