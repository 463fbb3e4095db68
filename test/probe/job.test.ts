/** The probe of jobs by what a run of the embedded GitHub delivers to it; that a real job delivers such reports is shown end to end. */
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { RunnerReport } from '../../src/probe/runner-report.ts';
import { listening } from '../listening.ts';
import { JOB } from '../prepared.ts';
import { json, type ProbeStage, startProbeStage, type Tampering } from './stage.ts';

/** Takes the report from the App that it was dispatched with, where there is one, and says what GitHub's step would say where not. */
const BUILD = `name: loopwright-build
run-name: loopwright-build \${{ inputs.loop }} entry \${{ inputs.entry }} (\${{ inputs.phase }})
on:
  workflow_dispatch:
    inputs:
      loop: { type: string }
      entry: { type: string }
      phase: { type: string }
      candidate: { type: string }
      base: { type: string }
      job: { type: string }
      brief: { type: string }
      app: { type: string }
      model: { type: string }
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - env: { APP: '\${{ inputs.app }}', JOB: '\${{ inputs.job }}', PHASE: '\${{ inputs.phase }}' }
        run: |
          test "$PHASE" = PROBE
          curl --silent "$APP/say" && echo
          mkdir -p output && curl --silent --fail "$APP/report" > output/report.json
      - uses: actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1
        with: { name: build, path: output, if-no-files-found: ignore }
`;

let stage: ProbeStage;
let server: Server;
let publicUrl: string;
let report: RunnerReport | undefined;
let said = '';
/** What the App at PUBLIC_URL answers for its job and its brief. */
let hasBrief = true;

beforeAll(async () => {
  stage = await startProbeStage({ '.github/workflows/loopwright-build.yml': BUILD });
  const none = async () => undefined;
  const store = {
    ...{ load: none, pullProof: none, onboarding: none, job: none },
    putBlob: async () => '',
    blob: () => Promise.reject(new Error('a probe needs no store')),
    offerJob: async () => `sha256:${'1'.repeat(64)}`,
  };
  const { app } = await createGateway({ url: 'http://app.example', store, jobBundle: JOB });
  const gateway = getRequestListener(app.fetch);
  server = createServer((request, response) => {
    if (request.url === '/say') response.end(said);
    else if (request.url === '/report') response.writeHead(report ? 200 : 404).end(JSON.stringify(report));
    else if (!hasBrief && request.url?.startsWith('/briefs/')) response.writeHead(404).end('None.');
    else void gateway(request, response);
  });
  publicUrl = await listening(server);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await stage.close();
});

const CLAIMS = {
  ...{ environment: 'loopwright', event_name: 'workflow_dispatch', ref: 'refs/heads/main', run_attempt: '1' },
  workflow_ref: 'alice/toys/.github/workflows/loopwright-build.yml@refs/heads/main',
};
const TOKEN: RunnerReport['token'] & { readonly type: 'asked' } = {
  type: 'asked',
  ...{ claims: CLAIMS, status: 403, isApp: true, isUnawaited: true },
  said: 'Run 1 of the repository with id 1 is none that a loop of this App awaits.',
};
const GOOD: RunnerReport = {
  kind: 'probe',
  version: 2,
  token: TOKEN,
  sandbox: { works: true, said: 'A command ran in it.' },
};

const SUBJECTS = ['PUBLIC_URL', 'token', 'sandbox'];

/** The rows, of one run at most, with a remedy for all that is not ok. */
async function rowsOf(delivers: RunnerReport | undefined, options: Parameters<ProbeStage['probed']>[1] = {}) {
  report = delivers;
  const { rows, left } = await stage.probed(SUBJECTS, { publicUrl, ...options });
  expect([left, await stage.leftovers()]).toEqual([[], ['main']]);
  expect(rows.filter(({ state, remedy }) => (state === 'ok') !== (remedy === undefined))).toEqual([]);
  return Object.fromEntries(rows.map(({ subject, state, sentence }) => [subject, `${state}: ${sentence}`]));
}

async function runs() {
  const { data } = await stage.as('alice').rest.actions.listWorkflowRuns({
    ...{ owner: 'alice', repo: 'toys', workflow_id: 'loopwright-build.yml' },
  });
  return data.total_count;
}

test('one run shows that the runner reaches the App, that its token would do, and that the sandbox works', async () => {
  const before = await runs();
  expect(await rowsOf(GOOD)).toEqual({
    PUBLIC_URL: expect.stringMatching(/^ok: Run \d+ took its job and its brief from http/),
    token:
      'ok: The token of the job in the environment `loopwright` has the claims that the gateway asks for, and no job_workflow_ref.',
    sandbox: 'ok: The sandbox works on the runner. A command ran in it.',
  });
  expect(await runs()).toBe(before + 1);
});

test.each<[string, RunnerReport['token'], RegExp]>([
  [
    'is refused for a claim',
    { ...TOKEN, isUnawaited: false, said: 'The token\'s environment is missing, not "loopwright".' },
    /^wrong: The gateway does not take the job's token \(403\): The token's environment is missing/,
  ],
  [
    'is of another branch',
    { ...TOKEN, claims: { ...CLAIMS, ref: 'refs/heads/evil' } },
    /^wrong: The token's ref is "refs\/heads\/evil", not "refs\/heads\/main"\.$/,
  ],
  [
    'came to something else than the App',
    { ...TOKEN, isApp: false, isUnawaited: false, said: 'Blocked' },
    /^wrong: What answered the job's call was not the App \(403\): Blocked$/,
  ],
  [
    'came to something that fails for now',
    { ...TOKEN, isApp: false, isUnawaited: false, status: 502, said: 'Bad gateway' },
    /^unknown: What answered the job's call was not the App \(502\): Bad gateway$/,
  ],
  ...[425, 429, 500, 503].map((status): [string, RunnerReport['token'], RegExp] => [
    `the App could not judge (${status})`,
    { ...TOKEN, isUnawaited: false, status, said: 'Ask again.' },
    new RegExp(`^unknown: The gateway did not judge the job's token \\(${status}\\): Ask again\\.$`),
  ]),
  [
    'was heard of nowhere',
    { type: 'unheard', said: 'GitHub gave the job no identity in 5 tries.' },
    /^unknown: Nothing is known of the job's token: GitHub gave the job no identity in 5 tries\.$/,
  ],
  ['is none', { type: 'none', said: 'GitHub gives this job no way.' }, /^wrong: The job has no token .*no way\.$/],
])('a token that %s is told', async (_, token, sentence) => {
  const rows = await rowsOf({ ...GOOD, token });
  expect(rows).toMatchObject({ PUBLIC_URL: expect.stringMatching(/^ok/), token: expect.stringMatching(sentence) });
});

test('a sandbox that does not work is told with what it said', async () => {
  expect(await rowsOf({ ...GOOD, sandbox: { works: false, said: 'bwrap: setting up uid map' } })).toMatchObject({
    sandbox: 'wrong: The sandbox does not work on the runner: bwrap: setting up uid map',
  });
});

test('a runner that does not reach the App is told in its own words, and nothing is known of the rest', async () => {
  said = `Error: ${publicUrl}/jobs/job-${'1'.repeat(64)}.mjs answered nothing: TypeError: fetch failed`;
  const rows = await rowsOf(undefined);
  said = '';
  expect(rows).toEqual({
    PUBLIC_URL: expect.stringMatching(
      /^wrong: The runner of run \d+ did not .*answered nothing: TypeError: fetch failed$/,
    ),
    token: expect.stringMatching(/^unknown: Run \d+ ended as failure without a report\.$/),
    sandbox: expect.stringMatching(/^unknown: Run \d+ ended as failure without a report\.$/),
  });
});

test('a run that fails for another reason, or that does not end, shows nothing', async () => {
  expect(Object.values(await rowsOf(undefined)).filter((row) => !row.startsWith('unknown: Run '))).toEqual([]);
  const rows = await rowsOf(GOOD, { longPatienceMs: 1 });
  expect(Object.values(rows).filter((row) => !/^unknown: Run \d+ did not end in time\.$/.test(row))).toEqual([]);
});

test.each<[string, RegExp, () => Promise<Record<string, string>>]>([
  ['no PUBLIC_URL', /PUBLIC_URL is not as it must be/, () => rowsOf(GOOD, { publicUrl: undefined })],
  [
    'no App',
    /no App answers at http:\/\/127\.0\.0\.1:9 from here/,
    () => rowsOf(GOOD, { publicUrl: 'http://127.0.0.1:9' }),
  ],
  [
    'an App of another version',
    /has no brief for it, so it is of another version/,
    async () => {
      hasBrief = false;
      const rows = await rowsOf(GOOD);
      hasBrief = true;
      return rows;
    },
  ],
])('with %s nothing is dispatched, and what is missing is said', async (_, sentence, looked) => {
  const before = await runs();
  const rows = Object.values(await looked());
  expect(rows).toEqual(SUBJECTS.map(() => expect.stringMatching(/^unknown: Not looked at, because /)));
  expect(rows[0]).toMatch(sentence);
  expect(await runs()).toBe(before);
});

test('a dispatch that was refused leaves nothing, though another workflow was dispatched after it', async () => {
  report = GOOD;
  const verify = '/workflows/loopwright-verify.yml/';
  const none = json(
    () => ({ total_count: 0, workflow_runs: [] }),
    (path) => path.endsWith(`${verify}runs`),
  );
  const tampering: Tampering = (answer, request) =>
    request.url.endsWith(`${verify}dispatches`)
      ? Response.json({ message: "Workflow does not have 'workflow_dispatch' trigger" }, { status: 422 })
      : none(answer, request);
  const { rows, left } = await stage.probed(['dispatch', 'PUBLIC_URL'], { publicUrl, tampering });
  expect([rows.map(({ state }) => state), left]).toEqual([['unknown', 'ok'], []]);
});
