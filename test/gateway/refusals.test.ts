/** Who may not ask a model by the App's gateway: each attack is refused with its own sentence, before anything is sent or paid. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/adapters/clock.ts';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createIdentity } from '../../src/gateway/identity.ts';
import { UNAWAITED } from '../../src/loop/call-headers.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';
import { saveOf } from '../adapters/loops.ts';
import { freePort } from '../listening.ts';
import { MEMORY } from '../prepared.ts';
import {
  AUDIENCE,
  building,
  ENTRY,
  FIRST,
  type Forged,
  json,
  openStage,
  SECOND,
  type Stage,
  sentenceOf,
} from './stage.ts';

const CHAT = '/gateway/v1/chat/completions';
const REQUEST = { model: 'any', messages: [{ role: 'user', content: 'Hello.' }] };
const REPLIES = [json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })];
const now = () => Math.floor(Date.now() / 1000);

let engine: Engine;
let store: Store;
beforeAll(async () => {
  engine = await openEngine({ url: MEMORY });
  store = createStore(engine);
});
afterAll(() => engine.close());

/** Nothing was sent, nothing was paid, and a sentence says why. */
async function expectRefused(stage: Stage, response: Response, status: number, sentence: string | RegExp) {
  expect([response.status, await sentenceOf(response)]).toEqual([status, expect.stringMatching(sentence)]);
  expect(stage.upstream.asked).toEqual([]);
  expect(await stage.calls()).toEqual([]);
}

const WORKFLOW = '.github/workflows/loopwright-build.yml@refs/heads/main';

test.each<[string, number, RegExp, () => Forged]>([
  [
    'another repository',
    403,
    /^Run \d+ of the repository with id 66 is none/,
    () => ({ claims: { repository_id: '66' } }),
  ],
  [
    'a fork',
    403,
    /^Run \d+ of the repository with id 67 is none/,
    () => ({ claims: { repository_id: '67', repository: 'mallory/shop', workflow_ref: `mallory/shop/${WORKFLOW}` } }),
  ],
  ['another run', 403, /^Run 7 of the repository .* is none that a loop/, () => ({ claims: { run_id: '7' } })],
  ['another branch', 403, /^The token's ref is "refs\/heads\/evil"/, () => ({ claims: { ref: 'refs/heads/evil' } })],
  [
    'the workflow of another branch',
    403,
    /^The token's workflow_ref is ".*evil", not/,
    () => ({ claims: { workflow_ref: 'acme/shop/.github/workflows/loopwright-build.yml@refs/heads/evil' } }),
  ],
  [
    'another workflow',
    403,
    /only the BUILD workflow/,
    () => ({ claims: { workflow_ref: `acme/shop/.github/workflows/ci.yml@refs/heads/main` } }),
  ],
  [
    'a job of a reusable workflow',
    403,
    /^The token's job_workflow_ref is "mallory/,
    () => ({ claims: { job_workflow_ref: `mallory/tools/${WORKFLOW}` } }),
  ],
  ['another environment', 403, /^The token's environment is "prod"/, () => ({ claims: { environment: 'prod' } })],
  ['no environment', 403, /^The token's environment is missing/, () => ({ claims: { environment: undefined } })],
  ['another attempt', 403, /^The token's run_attempt is "2", .*`\/rerun`/, () => ({ claims: { run_attempt: '2' } })],
  [
    'another event',
    403,
    /^The token's event_name is "pull_request_target"/,
    () => ({ claims: { event_name: 'pull_request_target' } }),
  ],
  [
    'another audience',
    401,
    /^The token is for "https:\/\/github.com\/acme"; ask/,
    () => ({ claims: { aud: 'https://github.com/acme' } }),
  ],
  ['a longer audience', 401, /^The token is for/, () => ({ claims: { aud: `${AUDIENCE}.evil.test` } })],
  [
    'another issuer',
    401,
    /^The token is of the issuer "https:\/\/evil.test"/,
    () => ({ claims: { iss: 'https://evil.test' } }),
  ],
  ['an expired token', 401, /^The token expired at 20/, () => ({ claims: { exp: now() - 31 } })],
  [
    'a token of tomorrow',
    401,
    /^The token is not valid before 20\S+Z, and the App's clock says 20\S+Z; set the clock of the App's machine, or that of http\S+\.$/,
    () => ({ claims: { nbf: now() + 90 } }),
  ],
  [
    'an old token',
    401,
    /^The token was issued at 20.*10 minutes/,
    () => ({ claims: { iat: now() - 640, nbf: now() - 640 } }),
  ],
  [
    'a token issued later',
    401,
    /^The token was issued at 20\S+Z, and the App's clock says 20\S+Z; set the clock of the App's machine, or that of http\S+\.$/,
    () => ({ claims: { iat: now() + 90 } }),
  ],
  ...['iss', 'aud', 'exp', 'nbf', 'iat', 'run_id'].map((name): [string, number, RegExp, () => Forged] => [
    `a token without ${name}`,
    401,
    new RegExp(`^The token's claim ${name} is missing, as in no token of a GitHub Actions job\\.$`),
    () => ({ claims: { [name]: undefined } }),
  ]),
  [
    'a token that expires in words',
    401,
    /^The token's claim exp is "tomorrow", as in no token/,
    () => ({ claims: { exp: 'tomorrow' } }),
  ],
  [
    'a token that was issued in words',
    401,
    /^The token's claim iat is "today", as in no token/,
    () => ({ claims: { iat: 'today' } }),
  ],
  ['an unknown key', 401, /^The token names the key "third"/, () => ({ header: { kid: 'third' } })],
  ['a known key that did not sign', 401, /^The token was not signed by http/, () => ({ key: SECOND.privateKey })],
])('%s is refused', async (_, status, sentence, forged) => {
  const stage = await openStage(store, { replies: REPLIES });
  const authorization = `Bearer ${await stage.token(forged())}`;
  await expectRefused(stage, await stage.call(CHAT, REQUEST, { authorization }), status, sentence);
});

test('of a run that nobody awaits a program is told whether that is all there is against it', async () => {
  const stage = await openStage(store, { replies: REPLIES });
  const told = async (claims: NonNullable<Forged['claims']>) => {
    const authorization = `Bearer ${await stage.token({ claims })}`;
    return z
      .object({ error: z.object({ type: z.string(), message: z.string() }) })
      .parse(await (await stage.call(CHAT, REQUEST, { authorization })).json()).error;
  };
  const unawaited = 'Run 7 of the repository with id 66 is none that a loop of this App awaits.';
  const nobodys = { run_id: '7', repository_id: '66' };
  expect(await told(nobodys)).toEqual({ type: UNAWAITED, message: unawaited });
  expect(await told({ ...nobodys, environment: undefined })).toEqual({
    type: 'loopwright_refusal',
    message: expect.stringMatching(new RegExp(`^${unawaited} The token's environment is missing, not "loopwright"`)),
  });
  expect((await told({ environment: undefined })).type).toBe('loopwright_refusal');
  expect(stage.upstream.asked).toEqual([]);
});

test.each([
  ['no key', [], /^The token names no key, and http\S+ has none that fits\.$/],
  ['two keys', [FIRST, SECOND], /^The token names no single key of http\S+, as those of GitHub do\.$/],
])('a token that names no key is refused by an issuer with %s', async (_, keys, sentence) => {
  const stage = await openStage(store, { replies: REPLIES });
  stage.issuer.held.keys = keys;
  const authorization = `Bearer ${await stage.token({ header: { kid: undefined } })}`;
  await expectRefused(stage, await stage.call(CHAT, REQUEST, { authorization }), 401, sentence);
});

test('a token without a signature is refused', async () => {
  const stage = await openStage(store, { replies: REPLIES });
  const [, payload] = (await stage.token()).split('.');
  const header = Buffer.from('{"alg":"none"}').toString('base64url');
  for (const authorization of [`Bearer ${header}.${payload}.`, `Bearer ${header}.${payload}.AAAA`])
    await expectRefused(
      stage,
      await stage.call(CHAT, REQUEST, { authorization }),
      401,
      /^The token is signed with "none"/,
    );
});

test('the public key is no secret to sign with', async () => {
  const stage = await openStage(store, { replies: REPLIES });
  const key = Buffer.from(FIRST.publicKey.export({ type: 'spki', format: 'pem' }));
  const authorization = `Bearer ${await stage.token({ header: { alg: 'HS256' }, key })}`;
  await expectRefused(
    stage,
    await stage.call(CHAT, REQUEST, { authorization }),
    401,
    /^The token is signed with "HS256"/,
  );
});

test.each([
  ['no token', '', /^No token came/],
  ['an empty token', 'Bearer ', /^No token came/],
  ['garbage', 'Bearer let-me-in', /^What came as a token/],
  ['garbage with points', 'Bearer a.b.c', /^What came as a token/],
  ['the key of an upstream', 'Bearer sk-proj-0123456789abcdef', /^What came as a token/],
])('%s opens nothing', async (_, authorization, sentence) => {
  const stage = await openStage(store, { replies: REPLIES });
  await expectRefused(stage, await stage.call(CHAT, REQUEST, { authorization }), 401, sentence);
});

test('a fast runner is told to ask again while the App does not know its run', async () => {
  const pending: Loop['pending'] = [{ type: 'dispatch', key: '5/dispatch', job: 'build', entry: ENTRY }];
  const stage = await openStage(store, { loop: building({ pending, built: { reports: {} } }), replies: REPLIES });
  const authorization = `Bearer ${await stage.token({ claims: { run_id: '4711' } })}`;
  const response = await stage.call(CHAT, REQUEST, { authorization });
  expect([response.headers.get('retry-after'), response.headers.get('x-should-retry')]).toEqual(['2', 'true']);
  await expectRefused(stage, response, 425, /^Run 4711 .* is not known yet/);
  const { loop, version } = (await store.load(idOf(stage.loop.ref))) ?? { loop: stage.loop, version: 0 };
  await store.save(saveOf({ ...loop, pending: [], built: { reports: {}, run: { id: 4711, entry: ENTRY } } }, version));
  expect((await stage.call(CHAT, REQUEST, { authorization })).status).toBe(200);
});

describe('a token that was good', () => {
  test('is good no longer than its time, however often it came', async () => {
    let minutes = 0;
    const clock = { now: () => new Date(Date.now() + minutes * 60_000) };
    const stage = await openStage(store, { replies: REPLIES, clock });
    const authorization = `Bearer ${await stage.token()}`;
    const statuses: number[] = [];
    for (minutes of [0, 4, 6]) statuses.push((await stage.call(CHAT, REQUEST, { authorization })).status);
    expect(statuses).toEqual([200, 200, 401]);
    minutes = 0;
    const late = `Bearer ${await stage.token({ claims: { exp: now() + 3600 } })}`;
    const later: number[] = [];
    for (minutes of [0, 10, 11]) later.push((await stage.call(CHAT, REQUEST, { authorization: late })).status);
    expect(later).toEqual([200, 200, 401]);
  });

  const over: readonly (readonly [string, RegExp, (loop: Loop) => Partial<Loop>])[] = [
    ['its run is over and the next phase has begun', /is over/, () => ({ phase: 'SEED_DATA', entry: ENTRY + 1 })],
    [
      'the next run of the loop is awaited',
      /is none that/,
      ({ entry }) => ({ entry: entry + 1, built: { reports: {}, run: { id: 31, entry: entry + 1 } } }),
    ],
    [
      'its report is being read',
      /is over/,
      ({ built, entry, phase }) => ({
        pending: [
          {
            type: 'collect',
            key: '5/collect/ended',
            phase,
            report: 'build',
            entry,
            runId: built.run?.id ?? 0,
            because: 'ended',
          },
        ],
      }),
    ],
    ['its loop was stopped', /^The loop acme\/shop#\d+ is stopped/, () => ({ status: 'stopped' })],
    ['its loop has succeeded', /is succeeded/, () => ({ status: 'succeeded' })],
  ];
  test.each(over)('opens nothing once %s', async (_, sentence, changes) => {
    const stage = await openStage(store, { replies: REPLIES });
    const authorization = `Bearer ${await stage.token()}`;
    expect((await stage.call(CHAT, REQUEST, { authorization })).status).toBe(200);
    expect((await stage.call(CHAT, REQUEST, { authorization })).status).toBe(200);
    await store.save(saveOf({ ...stage.loop, ...changes(stage.loop) }, 1));
    const response = await stage.call(CHAT, REQUEST, { authorization });
    expect([response.status, await sentenceOf(response)]).toEqual([403, expect.stringMatching(sentence)]);
    expect(stage.upstream.asked).toHaveLength(2);
  });
});

test('a paused loop lets its run come to its end', async () => {
  const stage = await openStage(store, { loop: building({ status: 'paused' }), replies: REPLIES });
  expect((await stage.call(CHAT, REQUEST)).status).toBe(200);
});

test('a spent budget is said with what to do, and nobody is told to try again', async () => {
  const spent = { calls: 9, callsOutsideBuild: 0, promptTokens: 1, completionTokens: 1, usd: 3 };
  const stage = await openStage(store, { loop: building({ spent }), replies: REPLIES });
  const response = await stage.call(CHAT, REQUEST);
  expect(response.headers.get('x-should-retry')).toBe('false');
  await expectRefused(stage, response, 402, /^No call is left: the budget of 3 USD is used up .*`\/budget \+<usd>`/);
});

test('keys that cannot be read are no fault of the token', async () => {
  const stage = await openStage(store, { replies: REPLIES });
  stage.issuer.held.keys.length = 0;
  await expectRefused(stage, await stage.call(CHAT, REQUEST), 401, /^The token names the key "first"/);
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const identity = createIdentity({ issuer, audience: AUDIENCE, clock: systemClock });
  const away = await openStage(store, { replies: REPLIES, options: { identity } });
  await expectRefused(
    away,
    await away.call(CHAT, REQUEST),
    503,
    /^The keys of http:\/\/127.* cannot be read.*OIDC_ISSUER/,
  );
});

test.each<[string, object | string, number, RegExp]>([
  ['no JSON', '{"model":', 400, /no JSON object/],
  ['a list', [], 400, /no JSON object/],
  ['an answer in the background', { ...REQUEST, background: true }, 400, /in the background/],
  ['a stream that only the upstream takes for one', { ...REQUEST, stream: 1 }, 400, /is true or false/],
  ['what the upstream has kept', { ...REQUEST, previous_response_id: 'resp_1' }, 400, /^What the upstream has kept/],
  ['a dearer tier', { ...REQUEST, service_tier: 'priority' }, 400, /own price/],
  ['a dearer speed', { ...REQUEST, speed: 'fast' }, 400, /own price/],
  ['a dearer place', { ...REQUEST, inference_geo: 'us' }, 400, /own price/],
  ['a search by the upstream', { ...REQUEST, search_parameters: { mode: 'on' } }, 400, /performs itself/],
  ['other models to fall back to', { ...REQUEST, models: ['dearest'] }, 400, /chosen by the App/],
  ['a tool of the upstream', { ...REQUEST, tools: [{ type: 'web_search_20250305' }] }, 400, /performs itself/],
  ['a server of tools', { ...REQUEST, mcp_servers: [{ url: 'https://evil.test' }] }, 400, /performs itself/],
  ['more than 10 MiB', { ...REQUEST, padding: 'x'.repeat(10 * 1024 * 1024) }, 413, /larger than 10 MiB/],
])('a request with %s is refused', async (_, body, status, sentence) => {
  const stage = await openStage(store, { replies: REPLIES });
  await expectRefused(stage, await stage.call(CHAT, body), status, sentence);
});

const ANTHROPIC = '/gateway/anthropic/v1/messages';
const RESPONSES = '/gateway/v1/responses';
const SAFE = '9007199254740991';

test.each([
  [CHAT, '"max_tokens":-1', '`max_tokens` is -1', SAFE],
  [CHAT, '"max_tokens":0', '`max_tokens` is 0', SAFE],
  [CHAT, '"max_tokens":100.5', '`max_tokens` is 100.5', SAFE],
  [CHAT, '"max_tokens":"200000"', '`max_tokens` is "200000"', SAFE],
  [CHAT, '"max_tokens":9007199254740992', '`max_tokens` is 9007199254740992', SAFE],
  [CHAT, '"max_tokens":1e400', '`max_tokens` is Infinity', SAFE],
  [CHAT, '"max_tokens":100,"max_completion_tokens":-1', '`max_completion_tokens` is -1', SAFE],
  [RESPONSES, '"max_output_tokens":0', '`max_output_tokens` is 0', SAFE],
  [RESPONSES, '"max_output_tokens":1e21', '`max_output_tokens` is 1e+21', SAFE],
  [ANTHROPIC, '"max_tokens":-4096', '`max_tokens` is -4096', SAFE],
  [ANTHROPIC, '"max_tokens":0.5', '`max_tokens` is 0.5', SAFE],
  [CHAT, '"n":"8"', '`n` is "8"', '128'],
  [CHAT, '"n":129', '`n` is 129', '128'],
  [CHAT, '"n":0', '`n` is 0', '128'],
  [CHAT, '"n":0.5', '`n` is 0.5', '128'],
  // All answers together are counted too.
  [CHAT, `"n":100,"max_tokens":${SAFE}`, `\`max_tokens\` is ${SAFE}`, '90071992547409'],
])('a call to %s with %s is refused with the name of the field, and what it is', async (path, stated, what, most) => {
  const stage = await openStage(store, { replies: REPLIES });
  const name = what.slice(0, what.indexOf(' '));
  const body = `{"messages":[],${stated}}`;
  const sentence = `${what}; ask with a whole number from 1 to ${most}, or without ${name}.`;
  const response = await stage.call(path, body);
  expect([response.status, await sentenceOf(response)]).toEqual([400, sentence]);
  expect([stage.upstream.asked, await stage.calls()]).toEqual([[], []]);
});

test('a dialect without an endpoint is refused with the variable that names one', async () => {
  const stage = await openStage(store, { replies: REPLIES, dialects: ['chat'] });
  for (const [path, variable] of [
    ['/gateway/v1/responses', /set LLM_RESPONSES_BASE_URL/],
    ['/gateway/anthropic/v1/messages', /set LLM_ANTHROPIC_BASE_URL/],
  ] as const)
    await expectRefused(stage, await stage.call(path, REQUEST), 501, variable);
  await expectRefused(
    stage,
    await stage.call('/gateway/v1/models', REQUEST),
    404,
    /POST \/gateway\/v1\/models is not served/,
  );
});
