/** What a probe's job tells of its token and of the sandbox where something is not as it must be; that all is well is shown end to end. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seeRunner } from '../../src/jobs/probe/see-runner.ts';
import { runnerReport } from '../../src/probe/runner-report.ts';
import { listening } from '../listening.ts';
import { JOB } from '../prepared.ts';

const NOT_A_WORKSPACE = join(tmpdir(), 'loopwright-no-workspace');
const TOKEN = `x.${Buffer.from(JSON.stringify({ ref: 'refs/heads/main', sub: 'secret-sub', iat: 1, exp: 301 })).toString('base64url')}.signature`;

let output: string;
let server: Server;
let app: string;
/** What the App, or whatever stands there, answers to the job's call. */
let gateway: RequestListener;
const bodies: string[] = [];

beforeEach(async () => {
  output = await mkdtemp(join(tmpdir(), 'see-runner-'));
  bodies.length = 0;
  server = createServer((request, response) => {
    if (request.url?.startsWith('/token')) response.end(JSON.stringify({ value: TOKEN }));
    else if (request.url?.startsWith('/none')) response.writeHead(503).end();
    else request.on('data', (part) => bodies.push(String(part))).on('end', () => gateway(request, response));
  });
  app = await listening(server);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(output, { recursive: true });
});

async function reported(changes: Readonly<Record<string, string>> = {}) {
  const variables = {
    ...{ LOOPWRIGHT_BRIEF: '', LOOPWRIGHT_INPUT: '', GITHUB_OUTPUT: '', RUNNER_TEMP: '' },
    ...{ LOOPWRIGHT_WORKSPACE: NOT_A_WORKSPACE, LOOPWRIGHT_OUTPUT: output, LOOPWRIGHT_MODEL_URL: `${app}/gateway/v1` },
    ...{ ACTIONS_ID_TOKEN_REQUEST_URL: `${app}/token`, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner' },
    ...changes,
  };
  await seeRunner({ variables, bundle: JOB, log: () => undefined, pauseMs: 1 });
  const text = await readFile(join(output, 'report.json'), 'utf8');
  for (const secret of [TOKEN, 'signature', 'secret-sub']) expect(text).not.toContain(secret);
  return runnerReport.parse(JSON.parse(text));
}

const refusing = (status: number, type: string, message: string): RequestListener => {
  const body = JSON.stringify({ type: 'error', error: { type, message } });
  return (_, response) => response.writeHead(status, { 'x-loopwright-refusal': 'true' }).end(body);
};

test('while the App does not know its run it asks again, and what it sends is no request for a model', async () => {
  const answers = [
    refusing(425, 'loopwright_refusal', 'Not known yet.'),
    refusing(403, 'loopwright_unawaited', 'Nobody awaits it.'),
  ];
  gateway = (request, response) => answers.shift()?.(request, response);
  expect((await reported()).token).toEqual({
    ...{ type: 'asked', claims: { ref: 'refs/heads/main' }, status: 403, isApp: true, isUnawaited: true },
    said: 'Nobody awaits it.',
  });
  expect(bodies).toEqual(['{}', '{}']);
});

test('what stands before the App, and says the same, is not taken for it', async () => {
  const body = JSON.stringify({ error: { type: 'loopwright_unawaited', message: 'Nobody awaits it.' } });
  gateway = (_, response) => response.writeHead(403).end(body);
  expect((await reported()).token).toMatchObject({ isApp: false, isUnawaited: false, said: 'Nobody awaits it.' });
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['that cannot be asked for', { ACTIONS_ID_TOKEN_REQUEST_URL: '' }, /lacks `permissions: id-token: write`/],
  ['for nobody', { LOOPWRIGHT_MODEL_URL: 'http://127.0.0.1:9/v1' }, /^"http:\/\/127\.0\.0\.1:9\/v1" is no gateway/],
])('a token %s is told, and sent nowhere', async (_, changes, said) => {
  expect((await reported(changes)).token).toEqual({ type: 'none', said: expect.stringMatching(said) });
  expect(bodies).toEqual([]);
});

test('what passes is asked again: an outage, a limit, a connection that breaks', async () => {
  const passing: RequestListener[] = [
    (_, response) => response.writeHead(502).end('<html>'),
    refusing(429, 'loopwright_refusal', 'Too many.'),
    refusing(503, 'loopwright_refusal', 'Its keys cannot be read.'),
    (request) => request.socket.destroy(),
  ];
  gateway = (request, response) =>
    (passing.shift() ?? refusing(403, 'loopwright_unawaited', 'Nobody awaits it.'))(request, response);
  expect((await reported()).token).toMatchObject({ type: 'asked', status: 403, isUnawaited: true });
  expect(passing).toEqual([]);
});

test('an outage that stays is told as it is', async () => {
  gateway = (_, response) => response.writeHead(502).end('Bad gateway');
  expect((await reported()).token).toMatchObject({ type: 'asked', status: 502, isApp: false, said: 'Bad gateway' });
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'an App that does not answer',
    { LOOPWRIGHT_MODEL_URL: 'http://127.0.0.1:9/gateway/v1' },
    /^http:\/\/127\.0\.0\.1:9\/gateway\/v1 gave no answer: /,
  ],
  ['a GitHub that gives none for now', { ACTIONS_ID_TOKEN_REQUEST_URL: '/none' }, /no identity in 5 tries: .*503\.$/],
])('of a token for %s nothing is known', async (_, changes, said) => {
  const url = changes.ACTIONS_ID_TOKEN_REQUEST_URL;
  const { token } = await reported({ ...changes, ...(url && { ACTIONS_ID_TOKEN_REQUEST_URL: `${app}${url}` }) });
  expect(token).toEqual({ type: 'unheard', said: expect.stringMatching(said) });
  expect(bodies).toEqual([]);
});

test('a sandbox that cannot be opened is told, and the report is delivered all the same', async () => {
  gateway = refusing(403, 'loopwright_unawaited', 'Nobody awaits it.');
  const { sandbox, token } = await reported();
  expect(sandbox).toEqual({ works: false, said: expect.stringContaining(NOT_A_WORKSPACE) });
  expect(token.type).toBe('asked');
});
