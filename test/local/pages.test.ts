import { parseHTML } from 'linkedom';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFakeGitHub, type FakeGitHub } from './pages-fake-github.ts';

const ORIGIN = 'http://localhost';
const COOKIE = 'local_github_token=alice-token';
let fake: FakeGitHub;

beforeEach(() => {
  fake = createFakeGitHub();
});

async function open(path: string, headers: Record<string, string> = { cookie: COOKIE }): Promise<Document> {
  const response = await fake.app.request(path, { headers });
  expect(response.status, path).toBe(200);
  return parseHTML(await response.text()).document;
}

function submit(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return Promise.resolve(
    fake.app.request(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { cookie: COOKIE, origin: ORIGIN, ...headers },
    }),
  );
}

const writes = (): unknown[] =>
  fake.requests.filter(({ method }) => method !== 'GET').map(({ method, path, body, by }) => [method, path, body, by]);
const REST = '/api/v3/repos/octo/shop';
const BY = 'Bearer alice-token';

describe('who you are', () => {
  test('choosing a person sets a cookie that scripts cannot read and other sites do not send', async () => {
    const response = await submit('/_local/sign-in', { login: 'rita', return_to: '/octo/shop' });
    expect(response.headers.get('set-cookie')).toBe('local_github_token=rita-token; Path=/; HttpOnly; SameSite=Strict');
    expect(response.headers.get('location')).toBe('/octo/shop');
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example'])(
    'the way back is never %s',
    async (return_to) => {
      const response = await submit('/_local/sign-in', { login: 'rita', return_to });
      expect(response.headers.get('location')).toBe('/');
    },
  );

  test('a name that is not in the list is refused with a sentence', async () => {
    const response = await submit('/_local/sign-in', { login: 'mallory' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('Nobody here is called &quot;mallory&quot;');
  });

  test('a token of another server is nobody, and is not sent on', async () => {
    const document = await open('/octo/shop', { cookie: 'local_github_token=elsewhere' });
    expect(document.querySelector('option[selected]')).toBeNull();
    expect(fake.requests.every(({ by }) => by === 'nobody')).toBe(true);
  });

  test('nobody cannot write, and is told how to', async () => {
    const response = await submit('/octo/shop/issues/5', { action: 'comment', body: 'hi' }, { cookie: '' });
    expect(await response.text()).toContain('Choose who you are first');
    expect(writes()).toEqual([]);
  });
});

describe('safety', () => {
  test.each([
    ['another origin', 'http://evil.example'],
    ['no origin', ''],
  ])('a form sent from %s is refused', async (_name, origin) => {
    const response = await submit('/octo/shop/issues/5', { action: 'comment', body: 'hi' }, { origin });
    expect(response.status).toBe(403);
    expect(writes()).toEqual([]);
  });

  test('pages allow scripts and connections to themselves only', async () => {
    const response = await fake.app.request('/octo/shop');
    const policy = response.headers.get('content-security-policy');
    for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule);
    }
  });

  test('titles, comments and file contents are shown as text', async () => {
    const document = await open('/octo/shop/issues/5');
    expect(document.querySelector('h1')?.textContent).toContain('Slow <search>');
    expect(document.querySelectorAll('main script')).toHaveLength(0);
    expect((await open('/octo/shop/blob/main/src/app.js')).querySelector('table.code')?.textContent).toContain('a < b');
  });

  test('addresses of the API are left to the server', async () => {
    expect((await fake.app.request('/api/v3/unknown')).headers.get('content-type')).not.toContain('html');
    expect((await fake.app.request('/_local/unknown')).headers.get('content-type')).not.toContain('html');
  });
});

describe('reading', () => {
  test('the first page counts what is open, without counting a pull request as an issue', async () => {
    const document = await open('/');
    expect([...document.querySelectorAll('.count')].map((count) => count.textContent)).toEqual([
      '1 open issue',
      '1 open pull request',
    ]);
  });

  test('the host can say in Markdown what to do next', async () => {
    fake = createFakeGitHub({ welcome: 'Label an issue **loop**.' });
    expect((await open('/')).querySelector('main strong')?.textContent).toBe('loop');
  });

  test('a repository shows folders first, its README rendered, and the command to clone it', async () => {
    const document = await open('/octo/shop');
    expect([...document.querySelectorAll('.files a')].map((link) => link.textContent)).toEqual(['src/', 'README.md']);
    expect(document.querySelector('.markdown h1')?.textContent).toBe('The shop');
    expect(document.querySelector('.clone')?.textContent).toBe('git clone http://localhost/octo/shop.git');
  });

  test('a branch with a slash in its name is told from the path behind it', async () => {
    await open('/octo/shop/tree/loopwright/5/src');
    const asked = fake.requests.find(({ path }) => path === `${REST}/contents/src`);
    expect(asked).toBeDefined();
  });

  test('a page without its object says so with status 404', async () => {
    const response = await fake.app.request('/octo/shop/issues/404');
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('There is no issue #404 in octo/shop.');
  });

  test('the number of a pull request among the issues leads to the pull request', async () => {
    const response = await fake.app.request('/octo/shop/issues/9');
    expect(response.headers.get('location')).toBe('/octo/shop/pull/9');
  });

  test('an issue shows author, comments, labels and who reacted', async () => {
    const document = await open('/octo/shop/issues/5');
    expect(document.querySelector('.badge')?.textContent).toBe('Open');
    expect(document.querySelectorAll('article.comment')).toHaveLength(2);
    expect(document.querySelector('.reaction')?.getAttribute('title')).toBe('alice');
    expect(document.querySelector('.labels-box .label')?.textContent).toBe('bug');
  });

  test('files changed show a coloured diff with the line numbers of both sides', async () => {
    const document = await open('/octo/shop/pull/9/files');
    const rows = [...document.querySelectorAll('table.code tr')].map((row) => [
      row.className,
      ...[...row.querySelectorAll('td')].map((cell) => cell.textContent),
    ]);
    expect(rows).toEqual([
      ['hunk', '', '', '@@ -1,3 +1,3 @@ start'],
      ['same', '1', '1', ' one'],
      ['removed', '2', '', '-two'],
      ['added', '', '2', '+<two>'],
      ['same', '3', '3', ' three'],
    ]);
  });

  test('files in hidden folders come last and folded, so that the product is seen first', async () => {
    const file = (filename: string) => ({
      filename,
      status: 'added',
      additions: 1,
      deletions: 0,
      patch: '@@ -0,0 +1 @@\n+x',
    });
    fake.fail('GET /api/v3/repos/octo/shop/pulls/9/files', 200, [file('.notes/plan.md'), file('src/app.js')]);
    const diffs = [...(await open('/octo/shop/pull/9/files')).querySelectorAll('details.diff')];
    expect(diffs.map((diff) => [diff.querySelector('b')?.textContent, diff.hasAttribute('open')])).toEqual([
      ['src/app.js', true],
      ['.notes/plan.md', false],
    ]);
  });

  test('a workflow run shows jobs, steps, the log as text and artifacts with their digest', async () => {
    const document = await open('/octo/shop/actions/runs/77');
    expect(document.querySelector('.job h2')?.textContent).toBe('build');
    expect(document.querySelector('.steps li')?.textContent).toContain('Check out');
    expect(document.querySelector('.log pre')?.textContent).toContain('<b>ok</b>');
    expect(document.querySelector('.digest')?.textContent).toBe(`sha256:${'c'.repeat(64)}`);
  });

  test('an artifact is downloaded through its signed address, without the token', async () => {
    const response = await fake.app.request('/octo/shop/actions/runs/77/artifacts/8', { headers: { cookie: COOKIE } });
    expect(await response.text()).toBe('PK-bytes');
    expect(response.headers.get('content-disposition')).toContain('build.zip');
  });

  test('the poll gets the changing part only, and the same digest while nothing changes', async () => {
    const whole = await open('/octo/shop/issues/5');
    const poll = async (): Promise<Response> =>
      fake.app.request('/octo/shop/issues/5', { headers: { cookie: COOKIE, 'x-fragment': '1' } });
    const first = await poll();
    expect(first.headers.get('x-fragment-digest')).toBe(whole.querySelector('main')?.getAttribute('data-digest'));
    expect(await first.text()).not.toContain('<html');
    fake.state.issue.title = 'Another title';
    expect((await poll()).headers.get('x-fragment-digest')).not.toBe(first.headers.get('x-fragment-digest'));
  });
});

describe('writing', () => {
  const issue = '/octo/shop/issues/5';
  const pull = '/octo/shop/pull/9';
  test.each([
    [
      'a comment',
      issue,
      { action: 'comment', body: 'one\r\ntwo' },
      [['POST', `${REST}/issues/5/comments`, { body: 'one\ntwo' }, BY]],
    ],
    ['closing', issue, { action: 'close', body: '' }, [['PATCH', `${REST}/issues/5`, { state: 'closed' }, BY]]],
    ['reopening', issue, { action: 'reopen' }, [['PATCH', `${REST}/issues/5`, { state: 'open' }, BY]]],
    [
      'closing with a comment',
      issue,
      { action: 'close', body: 'bye' },
      [
        ['POST', `${REST}/issues/5/comments`, { body: 'bye' }, BY],
        ['PATCH', `${REST}/issues/5`, { state: 'closed' }, BY],
      ],
    ],
    [
      'a known label',
      issue,
      { action: 'label', known_label: 'loop', new_label: '' },
      [['POST', `${REST}/issues/5/labels`, { labels: ['loop'] }, BY]],
    ],
    [
      'a typed label',
      issue,
      { action: 'label', known_label: '', new_label: ' new ' },
      [['POST', `${REST}/issues/5/labels`, { labels: ['new'] }, BY]],
    ],
    [
      'removing a label',
      issue,
      { action: 'unlabel', label: 'a b/c' },
      [['DELETE', `${REST}/issues/5/labels/a%20b%2Fc`, undefined, BY]],
    ],
    [
      'a reaction',
      issue,
      { action: 'react', comment_id: '71', content: 'heart' },
      [['POST', `${REST}/issues/comments/71/reactions`, { content: 'heart' }, BY]],
    ],
    [
      'merging',
      pull,
      { action: 'merge', sha: 'abc' },
      [['PUT', `${REST}/pulls/9/merge`, { merge_method: 'merge', sha: 'abc' }, BY]],
    ],
    [
      'a button of a check',
      `${pull}/checks`,
      { action: 'press', check_run: '31', identifier: 'approve' },
      [['POST', '/_local/repos/octo/shop/check-runs/31/actions/approve', undefined, BY]],
    ],
    [
      're-running a check',
      `${pull}/checks`,
      { action: 'rerun', check_run: '31' },
      [['POST', `${REST}/check-runs/31/rerequest`, undefined, BY]],
    ],
    [
      'a review',
      `${pull}/files`,
      { action: 'review', event: 'REQUEST_CHANGES', body: 'no' },
      [['POST', `${REST}/pulls/9/reviews`, { event: 'REQUEST_CHANGES', body: 'no' }, BY]],
    ],
    [
      'a review that says all of it line by line',
      `${pull}/files`,
      {
        action: 'review',
        event: 'REQUEST_CHANGES',
        body: '',
        'line:src/app.js:RIGHT:2': 'Why?',
        'line:src/app.js:LEFT:2': ' ',
      },
      [
        [
          'POST',
          `${REST}/pulls/9/reviews`,
          { event: 'REQUEST_CHANGES', comments: [{ path: 'src/app.js', side: 'RIGHT', line: 2, body: 'Why?' }] },
          BY,
        ],
      ],
    ],
    [
      'an approval without words',
      `${pull}/files`,
      { action: 'review', event: 'APPROVE', body: '' },
      [['POST', `${REST}/pulls/9/reviews`, { event: 'APPROVE' }, BY]],
    ],
  ])('%s is one form and ends on a page', async (_name, path, fields, expected) => {
    const response = await submit(path, fields);
    expect(response.status).toBe(303);
    expect(writes()).toEqual(expected);
  });

  test('a new issue leads to its page', async () => {
    const response = await submit('/octo/shop/issues/new', { action: 'create', title: 'T', body: 'B' });
    expect(response.headers.get('location')).toBe('/octo/shop/issues/6');
  });

  test('leaving draft sends the one GraphQL document with the node id', async () => {
    await submit(pull, { action: 'ready' });
    const sent = fake.requests.find(({ path }) => path === '/api/graphql');
    expect(sent?.body).toMatchObject({
      query: expect.stringContaining('markPullRequestReadyForReview'),
      variables: { pullRequestId: 'PR_9' },
    });
  });

  test('a refusal by GraphQL, which comes with status 200, is shown', async () => {
    fake.fail('POST /api/graphql', 200, { data: null, errors: [{ message: 'alice may not do this.' }] });
    const response = await submit(pull, { action: 'ready' });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('alice may not do this (markPullRequestReadyForReview).');
  });

  test("GitHub's refusal is one sentence at the top, and what was typed stays", async () => {
    fake.fail(`POST ${REST}/issues/5/comments`, 403, {
      message: 'Must have write access.',
      errors: [{ field: 'body', code: 'too_long' }],
    });
    const response = await submit(issue, { action: 'comment', body: 'my <words>' });
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(parseHTML(page).document.querySelector('[role=alert]')?.textContent).toBe(
      'Must have write access: body is too_long.',
    );
    expect(page).toContain('>my &lt;words&gt;</textarea>');
  });

  test('a refused new issue and a refused review keep their text', async () => {
    fake.fail(`POST ${REST}/issues`, 410, { message: 'Issues are disabled' });
    fake.fail(`POST ${REST}/pulls/9/reviews`, 422, { message: 'Review Can not approve your own pull request' });
    const created = parseHTML(
      await (await submit('/octo/shop/issues/new', { action: 'create', title: 'T1', body: 'B1' })).text(),
    );
    expect(created.document.querySelector('input[name=title]')?.getAttribute('value')).toBe('T1');
    expect(created.document.querySelector('textarea')?.textContent).toBe('B1');
    const reviewed = parseHTML(
      await (await submit(`${pull}/files`, { action: 'review', event: 'APPROVE', body: 'ok' })).text(),
    );
    expect(reviewed.document.querySelector('textarea')?.textContent).toBe('ok');
    expect(reviewed.document.querySelector('input[checked]')?.getAttribute('value')).toBe('APPROVE');
  });

  test('an unknown button does nothing and says so', async () => {
    const response = await submit(issue, { action: 'constructor' });
    expect(await response.text()).toContain('This page has no action');
    expect(writes()).toEqual([]);
  });
});

describe('a pull request', () => {
  const badge = async (): Promise<string | null | undefined> =>
    (await open('/octo/shop/pull/9')).querySelector('.badge')?.textContent;
  const mergeButton = async (): Promise<Element | null> =>
    (await open('/octo/shop/pull/9')).querySelector('input[value=merge]');

  test('is Draft, Open, Merged or Closed', async () => {
    expect(await badge()).toBe('Draft');
    fake.state.pull.draft = false;
    expect(await badge()).toBe('Open');
    fake.state.pull.state = 'closed';
    expect(await badge()).toBe('Closed');
    fake.state.pull.merged = true;
    expect(await badge()).toBe('Merged');
  });

  test('offers merging only when it is no draft and known to be mergeable', async () => {
    expect(await mergeButton()).toBeNull();
    fake.state.pull.draft = false;
    expect(await mergeButton()).not.toBeNull();
    fake.state.pull.mergeable = false;
    expect(await mergeButton()).toBeNull();
    Object.assign(fake.state.pull, { mergeable: null });
    expect(await mergeButton()).toBeNull();
  });

  test('shows in its conversation which check asks for a decision, and the reviews', async () => {
    const document = await open('/octo/shop/pull/9');
    expect(document.querySelector('.merge-box .tag.asks')?.getAttribute('href')).toBe(
      '/octo/shop/pull/9/checks#check-31',
    );
    expect(document.querySelector('.review em')?.textContent).toBe('yet');
  });

  test('shows what a review says line by line below the lines that it is about', async () => {
    const said = (await open('/octo/shop/pull/9')).querySelector('.review .said');
    expect(said?.querySelector('code')?.textContent).toBe('src/search.ts:2');
    expect(said?.querySelector('pre')?.textContent).toBe(' a\n+b');
    expect(said?.querySelector('em')?.textContent).toBe('b');
  });

  test('takes a comment on each line of its files, on the side where the line stands', async () => {
    const document = await open('/octo/shop/pull/9/files');
    const fields = [...document.querySelectorAll('.diff textarea')].map((field) => [
      field.getAttribute('name'),
      field.getAttribute('form'),
    ]);
    expect(fields).toEqual([
      ['line:src/app.js:RIGHT:1', 'review'],
      ['line:src/app.js:LEFT:2', 'review'],
      ['line:src/app.js:RIGHT:2', 'review'],
      ['line:src/app.js:RIGHT:3', 'review'],
    ]);
    expect(document.querySelector('form#review')).not.toBeNull();
  });

  test('shows checks with state, rendered summary, annotations and their buttons', async () => {
    const document = await open('/octo/shop/pull/9/checks');
    const card = document.querySelector('#check-31');
    expect(card?.querySelector('svg.state')?.getAttribute('aria-label')).toBe('action required');
    expect(card?.querySelector('.markdown td')?.textContent).toBe('spec');
    expect(card?.querySelector('.annotations a')?.textContent).toBe('src/app.js:1');
    expect([...(card?.querySelectorAll('button') ?? [])].map((button) => button.textContent)).toEqual([
      'Approve',
      'Re-run',
    ]);
  });

  test('says so when the server does not tell the buttons of a check', async () => {
    fake.fail('GET /_local/repos/octo/shop/check-runs/31/actions', 404, { message: 'Not Found' });
    const card = (await open('/octo/shop/pull/9/checks')).querySelector('#check-31');
    expect(card?.textContent).toContain('The server does not say which buttons this check has.');
  });

  test('a check without a conclusion is never shown as passed', async () => {
    Object.assign(fake.state.check, { conclusion: null });
    const icon = (await open('/octo/shop/pull/9/checks')).querySelector('#check-31 svg.state');
    expect([icon?.getAttribute('aria-label'), icon?.classList.contains('good')]).toEqual(['unknown', false]);
  });
});

test('the stylesheet, the script and the browser build of Mermaid with its parts are served', async () => {
  for (const path of [
    '/_assets/pages.css',
    '/_assets/pages.js',
    '/_assets/icon.svg',
    '/_assets/mermaid/mermaid.esm.min.mjs',
  ]) {
    const response = await fake.app.request(path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/css|javascript|svg/);
  }
  expect((await fake.app.request('/_assets/mermaid/../../package.json')).status).toBe(404);
});
