/** What the App can send, and what is stopped before the wire. */

import { expect, test } from 'vitest';
import { guardedFetch, mayUseGitService, WireError } from '../../src/github/guard.ts';
import { CONVERT_TO_DRAFT, checkRunsDocument, MARK_READY_FOR_REVIEW } from '../../src/referee/graphql.ts';
import { PROBES, type RequestRow } from '../../src/referee/requests.ts';

const API = 'https://api.github.test';

function createGuard(answers: readonly Response[] = [], besides: readonly RequestRow[] = []) {
  const sent: Request[] = [];
  const waiting = [...answers];
  const fetch = guardedFetch({
    apiUrl: API,
    branchPrefix: 'loopwright/',
    workflows: ['loopwright-build.yml'],
    besides,
    fetch: async (input, init) => {
      sent.push(new Request(input, init));
      return waiting.shift() ?? new Response('{}');
    },
  });
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${API}${path}`, {
      method,
      headers: { authorization: 'Bearer secret' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { send, sent, fetch };
}

const REPOSITORY = '/repos/alice/toys';
const CHECK_RUN = {
  ...{ checkRunId: 'CR_1', repositoryId: 'R_1', externalId: '', status: 'QUEUED', actions: [] },
  output: { title: 'Not reached yet', summary: '' },
};
const MARK_READY = { query: MARK_READY_FOR_REVIEW, variables: { pullRequestId: 'x' } };

const ALLOWED: readonly (readonly [string, string, unknown?])[] = [
  ['GET', `${REPOSITORY}/issues?state=open&per_page=20`],
  ['GET', `${REPOSITORY}/contents/docs/a%20b.md?ref=main`],
  ['POST', `${REPOSITORY}/git/refs`, { ref: 'refs/heads/loopwright/1', sha: 'a' }],
  ['POST', `${REPOSITORY}/git/refs`, { ref: 'refs/loopwright/1/1/1', sha: 'a' }],
  ['PATCH', `${REPOSITORY}/git/refs/heads%2Floopwright%2F1`, { sha: 'a' }],
  ['POST', `${REPOSITORY}/pulls`, { title: 't', head: 'loopwright/1', base: 'main' }],
  ['PATCH', `${REPOSITORY}/pulls/1`, { title: 't', body: 'b' }],
  ['POST', `${REPOSITORY}/check-runs`, { name: 'n', head_sha: 'a' }],
  ['POST', `${REPOSITORY}/actions/workflows/loopwright-build.yml/dispatches`, { ref: 'main' }],
  ['GET', '/repositories/7'],
  ['GET', '/repositories/7/issues/1/comments?per_page=100'],
  ['GET', '/repositories/7/installation'],
  ['POST', '/graphql', MARK_READY],
  ['POST', '/graphql', { ...MARK_READY, query: CONVERT_TO_DRAFT }],
  ['POST', '/graphql', { query: checkRunsDocument(['update0']), variables: { update0: CHECK_RUN } }],
  ['GET', '/repositories/7/pulls/1/reviews/2/comments?per_page=100'],
];

for (const [method, path, body] of ALLOWED) {
  test(`the App may send ${method} ${path} ${JSON.stringify(body)?.slice(0, 60) ?? ''}`, async () => {
    const { send, sent } = createGuard();
    await send(method, path, body);
    expect(sent).toHaveLength(1);
  });
}

const STOPPED: readonly (readonly [string, string, unknown?])[] = [
  ['POST', '/graphql', { query: checkRunsDocument(['create0']), variables: { create0: CHECK_RUN } }],
  ['PUT', `${REPOSITORY}/pulls/1/merge`, {}],
  ['PUT', `${REPOSITORY}/contents/README.md`, { message: 'm', content: '' }],
  ['PATCH', `${REPOSITORY}/git/refs/heads/main`, { sha: 'a' }],
  ['PATCH', `${REPOSITORY}/git/refs/heads%2Fmain`, { sha: 'a' }],
  ['PATCH', `${REPOSITORY}/git/refs/heads/loopwright/../main`, { sha: 'a' }],
  ['PATCH', `${REPOSITORY}/git/refs/heads%2Floopwright%2F..%2Fmain`, { sha: 'a' }],
  ['DELETE', `${REPOSITORY}/git/refs/tags/v1`],
  ['DELETE', `${REPOSITORY}/git/refs/loopwright/1/1/1`],
  ['POST', `${REPOSITORY}/issues`, { title: 'Ours' }],
  ['POST', `${REPOSITORY}/labels`, { name: 'loop' }],
  ['PATCH', REPOSITORY, { name: 'games' }],
  ['POST', '/repositories/7/issues/1/comments', { body: 'b' }],
  ['PATCH', '/repositories/7/pulls/1', { title: 't' }],
  ['GET', '/repositories/7/collaborators'],
  ['GET', '/repositories/7/../../user'],
  ['GET', '/repositories/alice'],
  ['PATCH', `${REPOSITORY}/git/refs/heads/loopwright/%E0`, { sha: 'a' }],
  ['POST', `${REPOSITORY}/git/refs`, { ref: 'refs/heads/main', sha: 'a' }],
  ['POST', `${REPOSITORY}/git/refs`, { ref: 'refs/heads/loopwright/', sha: 'a' }],
  ['POST', `${REPOSITORY}/git/refs`],
  ['POST', `${REPOSITORY}/merges`, { base: 'main', head: 'x' }],
  ['POST', `${REPOSITORY}/pulls`, { title: 't', head: 'main', base: 'x' }],
  ['PATCH', `${REPOSITORY}/pulls/1`, { base: 'other' }],
  ['PATCH', `${REPOSITORY}/pulls/1`, { state: 'closed' }],
  ['POST', `${REPOSITORY}/pulls/1/reviews`, { event: 'APPROVE' }],
  ['POST', `${REPOSITORY}/actions/workflows/deploy.yml/dispatches`, { ref: 'main' }],
  ['POST', `${REPOSITORY}/actions/workflows/7/dispatches`, { ref: 'main' }],
  ['POST', `${REPOSITORY}/actions/workflows/1/dispatches/../../../../pulls/1/merge`],
  ['PUT', `${REPOSITORY}/collaborators/mallory`, {}],
  ['DELETE', REPOSITORY],
  [
    'POST',
    '/graphql',
    { query: 'mutation { enablePullRequestAutoMerge(input: {pullRequestId: "x"}) { clientMutationId } }' },
  ],
  [
    'POST',
    '/graphql',
    {
      query: `${MARK_READY_FOR_REVIEW} mutation other { mergePullRequest(input: {}) { clientMutationId } }`,
      variables: { pullRequestId: 'x' },
    },
  ],
];

for (const [method, path, body] of STOPPED) {
  test(`${method} ${path} ${JSON.stringify(body)?.slice(0, 60) ?? ''} is stopped before the wire`, async () => {
    const { send, sent } = createGuard();
    await expect(send(method, path, body)).rejects.toBeInstanceOf(WireError);
    expect(sent).toEqual([]);
  });
}

test.each([
  ['names a key twice', { body: `{"ref":"refs/heads/main","ref":"refs/heads/loopwright/1","sha":"a"}` }],
  ['is no JSON', { body: 'ref=refs/heads/main' }],
  [
    'asks for another method',
    { body: `{"ref":"refs/heads/loopwright/1","sha":"a"}`, headers: { 'X-HTTP-Method-Override': 'PUT' } },
  ],
])('a request that another reader could take for something else is stopped: it %s', async (_, init) => {
  const { fetch, sent } = createGuard();
  await expect(fetch(`${API}${REPOSITORY}/git/refs`, { method: 'POST', ...init })).rejects.toThrow(WireError);
  expect(sent).toEqual([]);
});

test('another host is stopped', async () => {
  const { fetch, sent } = createGuard();
  await expect(fetch('https://evil.test/repos/alice/toys')).rejects.toThrow('not the GitHub API');
  await expect(fetch(`${API}.evil.test/repos/alice/toys`)).rejects.toThrow('not the GitHub API');
  expect(sent).toEqual([]);
});

test("an artifact's redirect is followed without our token", async () => {
  const redirect = new Response(null, { status: 302, headers: { location: 'https://storage.test/zip?sig=1' } });
  const { send, sent } = createGuard([redirect, new Response('zip')]);
  const response = await send('GET', `${REPOSITORY}/actions/artifacts/1/zip`);
  expect(await response.text()).toBe('zip');
  expect(sent.map((request) => [request.url, request.headers.get('authorization')])).toEqual([
    [`${API}${REPOSITORY}/actions/artifacts/1/zip`, 'Bearer secret'],
    ['https://storage.test/zip?sig=1', null],
  ]);
});

test.each(['GET', 'POST'])(
  'a redirect of a %s within the API is handed back, for whoever knows the id of the repository',
  async (method) => {
    const location = `${API}/repositories/7/git/blobs`;
    const redirect = new Response(null, { status: method === 'GET' ? 301 : 307, headers: { location } });
    const { send, sent } = createGuard([redirect]);
    const response =
      method === 'GET'
        ? await send('GET', `${REPOSITORY}/git/trees/a`)
        : await send('POST', `${REPOSITORY}/git/blobs`, { content: 'x' });
    expect(response.headers.get('location')).toBe(location);
    expect(sent).toHaveLength(1);
  },
);

test('a redirect of a write is not followed', async () => {
  const redirect = new Response(null, { status: 307, headers: { location: 'https://storage.test/' } });
  const { send, sent } = createGuard([redirect]);
  await expect(send('POST', `${REPOSITORY}/git/blobs`, { content: 'x' })).rejects.toThrow(
    'only a read may be redirected',
  );
  expect(sent).toHaveLength(1);
});

test('the App reads by git and never pushes', () => {
  expect(mayUseGitService('git-upload-pack')).toBe(true);
  expect(mayUseGitService('git-receive-pack')).toBe(false);
});

test('a probe reviews by comments only, and the App not at all', async () => {
  const review = `${REPOSITORY}/pulls/1/reviews`;
  const probe = createGuard([], PROBES);
  await probe.send('POST', review, { event: 'COMMENT', comments: [] });
  for (const event of ['APPROVE', 'REQUEST_CHANGES', undefined])
    await expect(probe.send('POST', review, { event })).rejects.toThrow(WireError);
  expect(probe.sent).toHaveLength(1);
  await expect(createGuard().send('POST', review, { event: 'COMMENT' })).rejects.toThrow(WireError);
});
