/** A small in-memory stand-in for GitHub's REST answers, for the tests of the pages alone. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { createPages, type PagesOptions } from '../../src/local/pages/pages.ts';

export type FakeRequest = {
  readonly method: string;
  readonly path: string;
  readonly by: string;
  readonly body: unknown;
};
export type FakeGitHub = {
  readonly app: Hono;
  readonly requests: FakeRequest[];
  /** What a test changes to see it on a page. */
  readonly state: typeof START & { comments: unknown[] };
  readonly fail: (path: string, status: number, body: unknown) => void;
};

const at = '2026-11-20T10:00:00Z';
const alice = { login: 'alice', type: 'User' };
const bot = { login: 'loopwright[bot]', type: 'Bot' };
const sha = 'a'.repeat(40);
const label = { name: 'bug', color: 'd73a4a', description: 'Something is wrong' };

const START = {
  issue: {
    number: 5,
    title: 'Slow <search>',
    state: 'open',
    body: 'It is **slow**, see #9.',
    user: alice,
    created_at: at,
    updated_at: at,
    labels: [label],
    comments: 1,
  },
  pull: {
    node_id: 'PR_9',
    number: 9,
    title: 'Faster search',
    state: 'open',
    draft: true,
    merged: false,
    mergeable: true,
    mergeable_state: 'clean',
    body: 'Closes #5',
    user: bot,
    created_at: at,
    updated_at: at,
    labels: [],
    head: { ref: 'loopwright/5', sha },
    base: { ref: 'main', sha: 'b'.repeat(40) },
  },
  buttons: [{ label: 'Approve', description: 'Approve this plan', identifier: 'approve' }],
  check: {
    id: 31,
    name: 'example / plan',
    head_sha: sha,
    status: 'completed',
    conclusion: 'action_required',
    started_at: at,
    completed_at: '2026-11-20T10:01:05Z',
    output: {
      title: 'Waiting for a person',
      summary: '| gate | value |\n|---|---|\n| spec | 0.95 |',
      text: '',
      annotations_count: 1,
    },
    app: { slug: 'example', name: 'Example' },
  },
};

const json = z.unknown();

const PEOPLE = [
  { login: 'alice', role: 'write', repositories: ['octo/shop'], token: 'alice-token' },
  { login: 'rita', role: 'read', repositories: ['octo/shop'], token: 'rita-token' },
];

/** The fake with the pages mounted after its routes, as the real server does it. */
export function createFakeGitHub(options: Partial<Omit<PagesOptions, 'request'>> = {}): FakeGitHub {
  const app = new Hono();
  const requests: FakeRequest[] = [];
  const failures = new Map<string, { status: number; body: unknown }>();
  const state = {
    ...structuredClone(START),
    comments: [
      { id: 71, body: 'Hello <script>alert(1)</script>', user: bot, created_at: at, updated_at: at },
    ] as unknown[],
  };
  app.use('*', async (context, next) => {
    const { method } = context.req;
    const path = new URL(context.req.url).pathname;
    if (!/^\/(api|_local)\//.test(path) || path === '/_local/sign-in') return next();
    const text = await context.req.text();
    const body = text === '' ? undefined : json.parse(JSON.parse(text));
    requests.push({ method, path, by: context.req.header('authorization') ?? 'nobody', body });
    const failure = failures.get(`${method} ${path}`);
    if (failure) return new Response(JSON.stringify(failure.body), { status: failure.status });
    return next();
  });
  addReading(app, state);
  addWriting(app, state);
  app.route(
    '/',
    createPages({ people: () => PEOPLE, ...options, request: async (path, init) => app.request(path, init) }),
  );
  return { app, requests, state, fail: (path, status, body) => failures.set(path, { status, body }) };
}

/** The fake on a port of its own, for a browser. */
export async function startFakeGitHub(fake: FakeGitHub): Promise<{ url: string; close: () => Promise<void> }> {
  return new Promise((resolve) => {
    const server = serve({ fetch: fake.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () => new Promise((closed) => server.close(() => closed())),
      }),
    );
  });
}

const REPOSITORY = '/api/v3/repos/octo/shop';

function addReading(app: Hono, state: FakeGitHub['state']): void {
  const reads: Record<string, () => unknown> = {
    [REPOSITORY]: () => ({ full_name: 'octo/shop', description: 'A small shop', default_branch: 'main' }),
    [`${REPOSITORY}/git/trees/main`]: () => ({
      tree: [
        { path: 'README.md', type: 'blob' },
        { path: 'src', type: 'tree' },
      ],
    }),
    [`${REPOSITORY}/contents/README.md`]: () => file('README.md', '# The shop\n\n[guide](docs/guide.md)'),
    [`${REPOSITORY}/contents/src`]: () => [{ name: 'app.js', path: 'src/app.js', type: 'file', size: 20 }],
    [`${REPOSITORY}/contents/src/app.js`]: () => file('src/app.js', 'if (a < b) {\n  go();\n}\n'),
    [`${REPOSITORY}/git/matching-refs/heads/main`]: () => [{ ref: 'refs/heads/main', object: { sha } }],
    [`${REPOSITORY}/git/matching-refs/heads/loopwright`]: () => [{ ref: 'refs/heads/loopwright/5', object: { sha } }],
    [`${REPOSITORY}/git/matching-refs/heads/loopwright/5`]: () => [{ ref: 'refs/heads/loopwright/5', object: { sha } }],
    [`${REPOSITORY}/commits`]: () => [commit()],
    [`${REPOSITORY}/commits/${sha}`]: () => ({ ...commit(), files: [changed()] }),
    [`${REPOSITORY}/issues`]: () => [state.issue, { ...state.pull, pull_request: {} }],
    [`${REPOSITORY}/issues/5`]: () => state.issue,
    [`${REPOSITORY}/issues/9`]: () => ({ ...state.pull, pull_request: {} }),
    [`${REPOSITORY}/labels`]: () => [label, { name: 'loop', color: '1d76db', description: '' }],
    [`${REPOSITORY}/pulls`]: () => [state.pull],
    [`${REPOSITORY}/pulls/9`]: () => state.pull,
    [`${REPOSITORY}/pulls/9/reviews`]: () => [
      { id: 1, state: 'CHANGES_REQUESTED', body: 'Not *yet*', user: alice, submitted_at: at, commit_id: sha },
    ],
    [`${REPOSITORY}/pulls/9/comments`]: () => [
      {
        id: 7,
        pull_request_review_id: 1,
        path: 'src/search.ts',
        line: 2,
        diff_hunk: '@@ -1 +1,2 @@\n a\n+b',
        body: 'Why *b*?',
      },
    ],
    [`${REPOSITORY}/pulls/9/commits`]: () => [commit()],
    [`${REPOSITORY}/pulls/9/files`]: () => [changed()],
    [`${REPOSITORY}/commits/${sha}/check-runs`]: () => ({ total_count: 1, check_runs: [state.check] }),
    [`${REPOSITORY}/commits/${sha}/status`]: () => ({
      statuses: [{ state: 'success', context: 'licence', description: 'All good', target_url: null }],
    }),
    '/_local/repos/octo/shop/check-runs/31/actions': () => state.buttons,
    [`${REPOSITORY}/check-runs/31/annotations`]: () => [
      {
        path: 'src/app.js',
        start_line: 1,
        end_line: 1,
        annotation_level: 'failure',
        title: 'R-1',
        message: 'Too slow',
        raw_details: null,
      },
    ],
    [`${REPOSITORY}/actions/runs`]: () => ({ total_count: 1, workflow_runs: [run()] }),
    [`${REPOSITORY}/actions/runs/77`]: () => run(),
    [`${REPOSITORY}/actions/runs/77/jobs`]: () => ({ total_count: 1, jobs: [job()] }),
    [`${REPOSITORY}/actions/runs/77/artifacts`]: () => ({ total_count: 1, artifacts: [artifact()] }),
    [`${REPOSITORY}/actions/artifacts/8`]: () => artifact(),
  };
  for (const [path, answer] of Object.entries(reads))
    app.get(path, (context) => context.json(z.json().parse(answer())));
  for (const number of [5, 9]) {
    app.get(`${REPOSITORY}/issues/${number}/comments`, (context) => context.json(z.json().parse(state.comments)));
    app.get(`${REPOSITORY}/issues/${number}/reactions`, (context) => context.json([]));
  }
  app.get(`${REPOSITORY}/issues/comments/:id/reactions`, (context) => context.json([{ content: '+1', user: alice }]));
  app.get(`${REPOSITORY}/actions/artifacts/8/zip`, (context) =>
    context.redirect('http://example.invalid/signed/8?sig=1', 302),
  );
  app.get(`${REPOSITORY}/actions/jobs/3/logs`, (context) => context.redirect('http://example.invalid/signed/log', 302));
  app.get('/signed/8', (context) => context.body(context.req.query('sig') === '1' ? 'PK-bytes' : 'unsigned'));
  app.get('/signed/log', (context) => context.text('##[group]Run tests\n<b>ok</b>'));
}

function addWriting(app: Hono, state: FakeGitHub['state']): void {
  app.post(`${REPOSITORY}/issues`, (context) => context.json({ ...state.issue, number: 6 }, 201));
  app.post(`${REPOSITORY}/issues/:number/comments`, (context) => context.json({}, 201));
  app.post(`${REPOSITORY}/issues/:number/labels`, (context) => context.json([], 200));
  app.delete(`${REPOSITORY}/issues/:number/labels/:name`, (context) => context.json([], 200));
  app.patch(`${REPOSITORY}/issues/:number`, (context) => context.json({}, 200));
  app.post(`${REPOSITORY}/issues/comments/:id/reactions`, (context) => context.json({}, 201));
  app.post(`${REPOSITORY}/pulls/9/reviews`, (context) => context.json({}, 200));
  app.put(`${REPOSITORY}/pulls/9/merge`, (context) => context.json({ merged: true }, 200));
  app.post(`${REPOSITORY}/check-runs/31/rerequest`, (context) => context.json({}, 201));
  app.post(`/_local/repos/octo/shop/check-runs/31/actions/approve`, (context) => context.body(null, 204));
  app.post('/api/graphql', (context) => context.json({ data: {} }));
}

function file(path: string, text: string): unknown {
  const content = Buffer.from(text).toString('base64');
  return { name: path.split('/').at(-1), path, type: 'file', size: text.length, encoding: 'base64', content };
}

function commit() {
  const author = { name: 'Alice', date: at };
  return {
    sha,
    author: alice,
    commit: { message: 'Speed up <search>\n\nWith an index.', author, verification: { verified: true } },
    parents: [],
  };
}

function changed(): unknown {
  const patch = '@@ -1,3 +1,3 @@ start\n one\n-two\n+<two>\n three';
  return { filename: 'src/app.js', status: 'modified', additions: 1, deletions: 1, patch };
}

function run(): unknown {
  return {
    id: 77,
    name: 'Build',
    display_title: 'Loop 5 entry 1',
    run_number: 3,
    event: 'workflow_dispatch',
    status: 'completed',
    conclusion: 'failure',
    head_branch: 'main',
    head_sha: sha,
    created_at: at,
    updated_at: at,
    actor: bot,
  };
}

function job(): unknown {
  const times = { started_at: at, completed_at: '2026-11-20T10:02:00Z' };
  const steps = [{ name: 'Check out', number: 1, status: 'completed', conclusion: 'success', ...times }];
  return { id: 3, name: 'build', status: 'completed', conclusion: 'failure', ...times, steps };
}

function artifact(): unknown {
  return { id: 8, name: 'build', size_in_bytes: 2048, expired: false, digest: `sha256:${'c'.repeat(64)}` };
}
