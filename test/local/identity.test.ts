/** Identity tokens of jobs: who gets what to ask with, what the tokens say, and when both end. */
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually, HERE, type Stage, startStage } from './server.ts';
import { executeHere } from './workflow-kit.ts';

const PATIENCE_MS = 60_000;

/** A step that shows the test what it may ask with, and goes on when the test says so. */
const HOLD = `run: |
          cd "$PLACE"
          printf '%s %s' "$ACTIONS_ID_TOKEN_REQUEST_URL" "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" > "$GITHUB_JOB.new"
          mv "$GITHUB_JOB.new" "$GITHUB_JOB"
          until [ -e "$GITHUB_JOB.go" ]; do sleep 0.1; done`;
const holding = (keys: string) => `runs-on: ubuntu-latest
    ${keys}
    steps:
      - ${HOLD}`;
const DISPATCH = 'workflow_dispatch: { inputs: { place: { type: string } } }';
const FILES = {
  'README.md': '# Toys\n',
  '.github/workflows/hold.yml': `name: Hold
on: { ${DISPATCH} }
permissions: { contents: read, id-token: write }
env: { PLACE: '\${{ inputs.place }}' }
jobs:
  first:
    ${holding('')}
  second:
    ${holding('needs: first\n    environment: Staging:EU')}
`,
  '.github/workflows/grants.yml': `on: workflow_dispatch
permissions: { contents: read, id-token: write }
jobs:
  workflow: { runs-on: local, steps: &steps [{ run: 'echo "asks at [$ACTIONS_ID_TOKEN_REQUEST_URL] with [$ACTIONS_ID_TOKEN_REQUEST_TOKEN]"' }] }
  all: { runs-on: local, permissions: write-all, steps: *steps }
  reads: { runs-on: local, permissions: { id-token: read }, steps: *steps }
  reads-all: { runs-on: local, permissions: read-all, steps: *steps }
  others: { runs-on: local, permissions: { contents: write }, steps: *steps }
  none: { runs-on: local, permissions: {}, steps: *steps }
  mimics: { runs-on: local, env: { ACTIONS_ID_TOKEN_REQUEST_TOKEN: mine }, steps: *steps }
`,
  '.github/workflows/tells.yml': `on: [workflow_dispatch, pull_request]
permissions: { id-token: write }
jobs:
  only:
    runs-on: local
    steps:
      - run: |
          node -e '
            const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = process.env;
            fetch(url, { headers: { authorization: "Bearer " + token } })
              .then((answer) => answer.json())
              .then(({ value }) => console.log("told " + value.split(".")[1]));'
`,
  '.github/workflows/default.yml':
    'on: workflow_dispatch\njobs: { only: { runs-on: local, steps: [{ run: \'echo "asks at [$ACTIONS_ID_TOKEN_REQUEST_URL]"\' }] } }\n',
};

let stage: Stage;
const held = new Set<Held>();
beforeAll(async () => {
  stage = await startStage({ files: FILES, executeWorkflow: executeHere });
});
afterEach(async () => {
  for (const { release } of held) for (const job of ['first', 'second']) release(job);
  held.clear();
  await stage.local('POST', '/clock', { offsetMs: 0 });
  await eventually(
    async () => (await runs()).every(({ status }) => status === 'completed'),
    'all runs ended',
    PATIENCE_MS,
  );
});
afterAll(() => stage.close());

async function runs() {
  return (await stage.as('alice').rest.actions.listWorkflowRunsForRepo(HERE)).data.workflow_runs;
}

interface Held {
  readonly runId: number;
  /** What a job may ask with, once it runs. */
  readonly variablesOf: (job: string) => Promise<{ readonly url: string; readonly token: string }>;
  readonly release: (job: string) => void;
}

async function dispatched(file: string, inputs: Record<string, string> = {}): Promise<number> {
  const { data } = await stage
    .as('bob')
    .request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...HERE,
      workflow_id: file,
      ref: 'main',
      inputs,
      return_run_details: true,
    });
  return z.object({ workflow_run_id: z.number() }).parse(data).workflow_run_id;
}

async function hold(): Promise<Held> {
  const place = mkdtempSync(join(stage.directory, 'place-'));
  const runId = await dispatched('hold.yml', { place });
  const one: Held = {
    runId,
    release: (job) => writeFileSync(join(place, `${job}.go`), ''),
    variablesOf: async (job) => {
      await eventually(async () => existsSync(join(place, job)), `${job} runs`, PATIENCE_MS);
      const [url = '', token = ''] = readFileSync(join(place, job), 'utf8').split(' ');
      return { url, token };
    },
  };
  held.add(one);
  return one;
}

const answered = z.object({ count: z.number(), value: z.string() });
const ask = (url: string, token: string) => fetch(url, { headers: { authorization: `bearer ${token}` } });
async function tokenFrom({ url, token }: { readonly url: string; readonly token: string }, more = ''): Promise<string> {
  const response = await ask(`${url}${more}`, token);
  expect(response.status).toBe(200);
  const { count, value } = answered.parse(await response.json());
  expect(count).toBe(value.length);
  return value;
}

const keySchema = z.strictObject({
  kty: z.literal('RSA'),
  alg: z.literal('RS256'),
  use: z.literal('sig'),
  kid: z.string(),
  n: z.string(),
  e: z.string(),
});
/** The published keys, found as whoever trusts the issuer finds them. */
async function publishedKeys() {
  const issuer = `${stage.server.url}/_services/token`;
  const configuration = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const { jwks_uri } = z.object({ issuer: z.literal(issuer), jwks_uri: z.string() }).parse(configuration);
  expect(jwks_uri).toBe(`${issuer}/.well-known/jwks`);
  return z.object({ keys: z.array(keySchema) }).parse(await (await fetch(jwks_uri)).json()).keys;
}

/** The claims of a token that a published key signed. */
async function verified(token: string): Promise<Record<string, unknown>> {
  const [head = '', body = '', signature = ''] = token.split('.');
  const { kid, ...header } = decoded(head);
  const key = (await publishedKeys()).find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new Error(`no key ${String(kid)} is published`);
  expect(header).toEqual({ typ: 'JWT', alg: 'RS256' });
  const signed = Buffer.from(`${head}.${body}`);
  expect(verify('sha256', signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  return decoded(body);
}

function decoded(part = ''): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(part, 'base64url').toString()));
}

test('the token of a dispatched job says all that GitHub’s says, and its published key verifies it', async () => {
  const { runId, variablesOf } = await hold();
  const claims = await verified(await tokenFrom(await variablesOf('first')));
  const { data: run } = await stage.as('alice').rest.actions.getWorkflowRun({ ...HERE, run_id: runId });
  const { data: jobs } = await stage.as('alice').rest.actions.listJobsForWorkflowRun({ ...HERE, run_id: runId });
  const workflow_ref = 'alice/toys/.github/workflows/hold.yml@refs/heads/main';
  const iat = Number(claims.iat);
  expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60);
  expect(claims).toEqual({
    iss: `${stage.server.url}/_services/token`,
    aud: `${stage.server.url}/alice`,
    sub: 'repo:alice/toys:ref:refs/heads/main',
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    iat,
    nbf: iat - 600,
    exp: iat + 300,
    actor: 'bob',
    actor_id: String(run.actor?.id),
    base_ref: '',
    check_run_id: jobs.jobs[0]?.check_run_url.split('/').at(-1),
    event_name: 'workflow_dispatch',
    head_ref: '',
    job_workflow_ref: workflow_ref,
    job_workflow_sha: run.head_sha,
    ref: 'refs/heads/main',
    ref_protected: 'false',
    ref_type: 'branch',
    repository: 'alice/toys',
    repository_id: String(run.repository.id),
    repository_owner: 'alice',
    repository_owner_id: String(run.repository.owner.id),
    repository_visibility: 'public',
    run_attempt: '1',
    run_id: String(runId),
    run_number: String(run.run_number),
    runner_environment: 'self-hosted',
    sha: run.head_sha,
    workflow: 'Hold',
    workflow_ref,
    workflow_sha: run.head_sha,
  });
});

test('a job with an environment is named by it, a token is for whom it is asked for, and none is given twice', async () => {
  const { variablesOf, release } = await hold();
  release('first');
  const variables = await variablesOf('second');
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: true });
  const [one, other] = [
    await tokenFrom(variables, '&audience=https%3A%2F%2Floops.example'),
    await tokenFrom(variables),
  ];
  await stage.local('PATCH', '/switches', { protectsDefaultBranch: false });
  const claims = await verified(one);
  expect(claims).toMatchObject({
    aud: 'https://loops.example',
    sub: 'repo:alice/toys:environment:Staging%3AEU',
    environment: 'Staging:EU',
    ref_protected: 'true',
  });
  expect((await verified(other)).jti).not.toBe(claims.jti);
});

test('only a job that is granted id-token: write has something to ask with, and no log shows the token', async () => {
  const ids = [await dispatched('grants.yml'), await dispatched('default.yml')];
  await eventually(async () => (await runs()).every(({ status }) => status === 'completed'), 'both ended', PATIENCE_MS);
  const said = await Promise.all(
    ids.map(async (run_id) => {
      const { data } = await stage.as('alice').rest.actions.listJobsForWorkflowRun({ ...HERE, run_id });
      return Promise.all(data.jobs.map(async ({ id, name }) => [name, await lineOf(id)] as const));
    }),
  );
  const url = expect.stringMatching(/^asks at \[http:\S+\/idtoken\?api-version=2\.0\] with \[\*\*\*\]$/);
  expect(Object.fromEntries(said.flat())).toEqual({
    workflow: url,
    all: url,
    reads: 'asks at [] with []',
    'reads-all': 'asks at [] with []',
    others: 'asks at [] with []',
    none: 'asks at [] with []',
    mimics: url,
    only: 'asks at []',
  });
});

async function lineOf(job_id: number): Promise<string | undefined> {
  const { data } = await stage.as('alice').rest.actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id });
  return /Z (asks at \[[^"$]*)$/m.exec(String(data))?.[1];
}

/** What `tells.yml` was told in the latest run of it. */
async function told(): Promise<Record<string, unknown>> {
  await eventually(async () => (await runs()).every(({ status }) => status === 'completed'), 'it ended', PATIENCE_MS);
  const [run] = (await runs()).filter(({ path }) => path.endsWith('tells.yml'));
  const { data } = await stage.as('alice').rest.actions.listJobsForWorkflowRun({ ...HERE, run_id: run?.id ?? 0 });
  const { data: log } = await stage
    .as('alice')
    .rest.actions.downloadJobLogsForWorkflowRun({ ...HERE, job_id: data.jobs[0]?.id ?? 0 });
  return decoded(/Z told (\S+)$/m.exec(String(log))?.[1]);
}

test('a tag, a second attempt and a pull request are told as such', async () => {
  const { actions, git, pulls, repos } = stage.as('alice').rest;
  const { data: main } = await git.getRef({ ...HERE, ref: 'heads/main' });
  await git.createRef({ ...HERE, ref: 'refs/tags/v1', sha: main.object.sha });
  await actions.createWorkflowDispatch({ ...HERE, workflow_id: 'tells.yml', ref: 'v1' });
  const tagged = await told();
  expect(tagged).toMatchObject({
    ...{ ref: 'refs/tags/v1', ref_type: 'tag', sub: 'repo:alice/toys:ref:refs/tags/v1', run_attempt: '1' },
    workflow_ref: 'alice/toys/.github/workflows/tells.yml@refs/tags/v1',
  });
  await actions.reRunWorkflow({ ...HERE, run_id: Number(tagged.run_id) });
  const again = await told();
  expect([again.run_id, again.run_attempt]).toEqual([tagged.run_id, '2']);
  expect(again.check_run_id).not.toBe(tagged.check_run_id);
  await git.createRef({ ...HERE, ref: 'refs/heads/work', sha: main.object.sha });
  const change = { path: 'a.txt', message: 'Write a', content: 'eA==', branch: 'work' };
  await repos.createOrUpdateFileContents({ ...HERE, ...change });
  const { data: pull } = await pulls.create({ ...HERE, title: 'a', head: 'work', base: 'main' });
  expect(await told()).toMatchObject({
    ...{ event_name: 'pull_request', head_ref: 'work', base_ref: 'main', actor: 'alice' },
    ...{ ref: `refs/pull/${pull.number}/merge`, ref_type: 'branch', sub: 'repo:alice/toys:pull_request' },
  });
});

test('what a job asks with ends with the job, though its run goes on', async () => {
  const { variablesOf, release, runId } = await hold();
  const first = await variablesOf('first');
  expect((await ask(first.url, first.token)).status).toBe(200);
  release('first');
  const second = await variablesOf('second');
  expect((await ask(first.url, first.token)).status).toBe(401);
  expect((await ask(second.url, second.token)).status).toBe(200);
  await stage.as('alice').rest.actions.cancelWorkflowRun({ ...HERE, run_id: runId });
  await eventually(
    async () => (await ask(second.url, second.token)).status === 401,
    'it is void after the end',
    PATIENCE_MS,
  );
});

test('a token asks for its own job only', async () => {
  const [one, other] = await Promise.all([hold(), hold()]);
  const [mine, others] = await Promise.all([one.variablesOf('first'), other.variablesOf('first')]);
  expect(mine.token).not.toBe(others.token);
  expect((await ask(mine.url, others.token)).status).toBe(401);
  expect((await ask(others.url, mine.token)).status).toBe(401);
  const anotherJob = mine.url.replace(/jobs\/\d+/, 'jobs/999999');
  for (const url of [anotherJob, mine.url.replace(/plans\/\d+/, 'plans/999999')])
    expect((await ask(url, mine.token)).status).toBe(401);
  expect((await verified(await tokenFrom(others))).run_id).toBe(String(other.runId));
});

test('a token to ask with opens nothing else, and no other token asks', async () => {
  const { variablesOf } = await hold();
  const { url, token } = await variablesOf('first');
  const { url: server } = stage.server;
  for (const path of ['/api/v3/repos/alice/toys', '/api/v3/user', '/alice/toys.git/info/refs?service=git-receive-pack'])
    expect((await ask(`${server}${path}`, token)).status, path).toBe(401);
  const value = await tokenFrom({ url, token });
  expect((await ask(`${server}/api/v3/repos/alice/toys`, value)).status).toBe(401);
  for (const other of ['token-alice', value, '', 'nonsense']) expect((await ask(url, other)).status).toBe(401);
  expect((await fetch(url)).status).toBe(401);
});

test('after a rotation new tokens have a new key, and the old one stays until its tokens have expired', async () => {
  const { variablesOf } = await hold();
  const variables = await variablesOf('first');
  const before = await tokenFrom(variables);
  const [old, ...none] = await publishedKeys();
  expect(none).toEqual([]);
  const { status, body } = await stage.local('POST', '/identity/rotate');
  expect([status, keySchema.parse(body).kid]).toEqual([201, (await publishedKeys())[0]?.kid]);
  const after = await tokenFrom(variables);
  expect(decoded(before.split('.')[0]).kid).toBe(old?.kid);
  expect(decoded(after.split('.')[0]).kid).toBe(keySchema.parse(body).kid);
  expect([await verified(before), await verified(after)]).toHaveLength(2);
  await stage.local('POST', '/clock', { advanceMs: 290_000 });
  expect((await publishedKeys()).map(({ kid }) => kid)).toContain(old?.kid);
  await stage.local('POST', '/clock', { advanceMs: 20_000 });
  expect((await publishedKeys()).map(({ kid }) => kid)).toEqual([keySchema.parse(body).kid]);
});

test('by itself a key is changed after a day', async () => {
  const [before] = await publishedKeys();
  await stage.local('POST', '/clock', { advanceMs: 25 * 3_600_000 });
  expect((await publishedKeys()).map(({ kid }) => kid)).not.toContain(before?.kid);
});
