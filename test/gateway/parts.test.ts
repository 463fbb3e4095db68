/** The parts of the model gateway that need no server. */
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { compose, secretsOf } from '../../src/compose.ts';
import { ConfigError } from '../../src/errors.ts';
import { createAnswerText } from '../../src/gateway/answer-text.ts';
import { createBreaker } from '../../src/gateway/breaker.ts';
import { DIALECTS } from '../../src/gateway/dialects.ts';
import { createKeyWatch, KeyEchoError } from '../../src/gateway/key-watch.ts';
import { prepared } from '../../src/gateway/request-body.ts';
import { createMeter } from '../../src/gateway/usage.ts';
import { issuerOf } from '../../src/settings/gateway-settings.ts';
import { MEMORY } from '../prepared.ts';

test.each([
  ['https://api.github.com', 'https://token.actions.githubusercontent.com'],
  ['https://github.example.com/api/v3', 'https://github.example.com/_services/token'],
  ['https://api.octo.ghe.com', 'https://token.actions.octo.ghe.com'],
])('jobs of the GitHub at %s are vouched for by %s', (apiUrl, issuer) => {
  expect(issuerOf(apiUrl)).toBe(issuer);
});

test('an endpoint that fails in a row is left alone, then tried by one call before the others', () => {
  let at = 0;
  const breaker = createBreaker({
    name: 'LLM_BASE_URL',
    clock: { now: () => new Date(at) },
    failures: 2,
    pauseMs: 1000,
  });
  for (const went of ['wrong', 'well', 'wrong', 'wrong'] as const) {
    breaker.admit();
    breaker.heard(went);
  }
  expect(() => breaker.admit()).toThrow('failed 2 times in a row');
  at = 1000;
  breaker.admit();
  expect(() => breaker.admit()).toThrow('is left alone');
  breaker.heard('well');
  breaker.admit();
});

test.each([
  [['data: a', 'bc'], 'data: abc'],
  [['x key-0123', '456789a', 'z'], 'x key-0123456789az'],
  [['key-key-key-012345'], 'key-key-key-012345'],
])('a stream without the key passes whole, however it is cut: %j', (pieces, whole) => {
  const watch = createKeyWatch('key-0123456789abcdef');
  const passed = pieces.map((piece) => Buffer.from(watch.pass(Buffer.from(piece))).toString());
  expect(passed.join('') + Buffer.from(watch.rest()).toString()).toBe(whole);
});

test('a stream with the key passes no further, and a word that stands for no key is none', () => {
  const watch = createKeyWatch('key-0123456789abcdef');
  expect(Buffer.from(watch.pass(Buffer.from('say key-0123'))).toString()).toBe('say ');
  expect(() => watch.pass(Buffer.from('456789abcdef'))).toThrow(KeyEchoError);
  expect(Buffer.from(createKeyWatch('none').pass(Buffer.from('none'))).toString()).toBe('none');
});

test('what a stream states is read however it is cut, and what it does not state is estimated', () => {
  const meter = createMeter(400);
  const stream =
    'data: {"choices":[{"delta":{"content":"abcdefgh"}}]}\r\n\r\ndata: {"usage":{"prompt_tokens":9,"completion_tokens":4}}\n\ndata: [DONE]\n\n';
  for (const letter of stream.slice(0, 60)) meter.readEvents(letter);
  expect(meter.used(false)).toEqual({ promptTokens: 100, completionTokens: 2, estimated: true });
  for (const letter of stream.slice(60)) meter.readEvents(letter);
  expect(meter.used(true)).toEqual({ promptTokens: 9, completionTokens: 4 });
});

test.each([
  ['for five minutes', {}, 60 + 125 + 30],
  ['for an hour', { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 100 } }, 60 + 200 + 30],
  ['partly for an hour', { cache_creation: { ephemeral_1h_input_tokens: 40 } }, 60 + 75 + 80 + 30],
  ['in a form of its own', { cache_creation: 'much' }, 60 + 125 + 30],
])('what is kept %s counts as much as it costs', (_, kept, promptTokens) => {
  const meter = createMeter(400);
  const read = { input_tokens: 60, cache_creation_input_tokens: 100, cache_read_input_tokens: 30 };
  meter.readAnswer(JSON.stringify({ usage: { ...read, ...kept, output_tokens: 7 } }));
  expect(meter.used(true)).toEqual({ promptTokens, completionTokens: 7 });
});

test('a prompt of Chinese is expected to take most of a token for each character, one of English a quarter', () => {
  const of = (content: string) => {
    const body = JSON.stringify({ messages: [{ role: 'user', content }] });
    return prepared(body, DIALECTS.chat, 'm').expected.promptTokens / content.length;
  };
  expect(of('请为这个仓库编写测试'.repeat(1000))).toBeCloseTo(0.75, 1);
  expect(of('writes its tests'.repeat(1000))).toBeCloseTo(0.25, 1);
});

test('a stream that says something at thousands of places is kept in bounds', () => {
  const answer = createAnswerText();
  const meter = createMeter(400, answer.hear);
  for (let index = 0; index < 5000; index += 1)
    meter.readEvents(`data: {"type":"${'t'.repeat(index)}","index":${index},"delta":"word ${index} "}\n`);
  const text = answer.text();
  expect(text.split('\n').length).toBeLessThan(250);
  const [told = '', elsewhere = ''] = text.split('elsewhere:\n');
  expect(told).toContain('word 0 \n');
  expect(told.slice(-100)).toContain('word 63 \n');
  expect(elsewhere.slice(0, 20)).toContain('word 64 word 65 ');
  expect(elsewhere.slice(-20)).toContain('word 4999 \n');
  expect(Math.max(...text.split('\n').flatMap((line) => (line.endsWith(':') ? line.length : [])))).toBeLessThan(210);
});

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const log = pino({ level: 'silent' });
const COMPOSITION = {
  databaseUrl: MEMORY,
  workspaceDirectory: tmpdir(),
  publicUrl: 'https://loopwright.test',
  slug: 'loopwright',
  webhookSecret: 'hook-4b1f7c2d9e6a8053',
  github: { appId: 1, privateKey, apiUrl: 'https://api.github.test', fetch, log },
  model: { baseUrl: 'https://llm.test/v1', name: 'm', apiKey: 'none', scripted: false, price: undefined },
  log,
};

test('the App serves models to jobs where it is told whose, and not in local mode', async () => {
  for (const [gateway, status] of [
    [{ gateway: {} }, 401],
    [{ github: { ...COMPOSITION.github, apiUrl: 'http://127.0.0.1:1/api/v3' } }, 404],
  ] as const) {
    const { routes, close } = await compose({ ...COMPOSITION, ...gateway });
    onTestFinished(close);
    const response = await routes.request('/gateway/v1/chat/completions', { method: 'POST', body: '{}' });
    expect(response.status).toBe(status);
  }
});

test('the App does not start where jobs elsewhere could ask nobody', async () => {
  await expect(compose(COMPOSITION)).rejects.toThrow(
    new ConfigError('Jobs of api.github.test must ask for models by the App, and it serves none.'),
  );
});

test('the keys of all endpoints are secrets of the App', () => {
  const gateway = {
    LLM_ANTHROPIC_BASE_URL: 'https://ant.test?key=door-7a1c9e3f5b2d4860',
    LLM_ANTHROPIC_API_KEY: 'ant-9c3e5a7d1f2b4068',
    LLM_RESPONSES_API_KEY: 'res-9c3e5a7d1f2b4068',
  };
  expect(secretsOf({ ...COMPOSITION, gateway })).toEqual(
    expect.arrayContaining(['door-7a1c9e3f5b2d4860', 'ant-9c3e5a7d1f2b4068', 'res-9c3e5a7d1f2b4068']),
  );
});
