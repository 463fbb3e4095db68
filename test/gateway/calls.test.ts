/** What a job that may ask a model gets by the App's gateway, and what it costs. */
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import type { Store } from '../../src/ports.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../listening.ts';
import { MEMORY } from '../prepared.ts';
import { building, events, json, KEY, openStage, SECOND, type Stage, sentenceOf } from './stage.ts';

const CHAT = '/gateway/v1/chat/completions';
const RESPONSES = '/gateway/v1/responses';
const MESSAGES = '/gateway/anthropic/v1/messages';
const ASKED = { model: 'dearest-model', messages: [{ role: 'user', content: 'Hello.' }] };
const USAGE = { prompt_tokens: 100, completion_tokens: 7 };
const ARGUMENTS = '{"path":"a\\u00e9\\n", "n": 1.0}';

let engine: Engine;
let store: Store;
beforeAll(async () => {
  engine = await openEngine({ url: MEMORY });
  store = createStore(engine);
});
afterAll(() => engine.close());

const sse = (value: object, event?: string) =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(value)}\n\n`;
const word = (content: string) => sse({ choices: [{ index: 0, delta: { content } }] });
const CHAT_STREAM = [word('Hel'), word('lo'), sse({ choices: [], usage: USAGE }), 'data: [DONE]\n\n'];

/** What each dialect is answered, whole and streamed, and what that took: 100 tokens in and 7 out. */
const DIALECTS = [
  {
    path: CHAT,
    upstreamPath: '/v1/chat/completions',
    whole: { choices: [{ message: { tool_calls: [{ function: { arguments: ARGUMENTS } }] } }], usage: USAGE },
    stream: CHAT_STREAM,
    key: ['authorization', `Bearer ${KEY}`],
  },
  {
    path: RESPONSES,
    upstreamPath: '/v1/responses',
    whole: {
      output: [{ type: 'function_call', arguments: ARGUMENTS }],
      usage: { input_tokens: 100, output_tokens: 7 },
    },
    stream: [
      sse({ type: 'response.created', response: { usage: null } }, 'response.created'),
      sse({ type: 'response.output_text.delta', delta: 'Hello' }, 'response.output_text.delta'),
      sse(
        { type: 'response.completed', response: { usage: { input_tokens: 100, output_tokens: 7 } } },
        'response.completed',
      ),
    ],
    key: ['authorization', `Bearer ${KEY}`],
  },
  {
    path: MESSAGES,
    upstreamPath: '/v1/messages',
    whole: {
      content: [{ type: 'tool_use', input: { path: 'é' } }],
      usage: { input_tokens: 60, cache_creation_input_tokens: 8, cache_read_input_tokens: 30, output_tokens: 7 },
    },
    stream: [
      sse(
        {
          type: 'message_start',
          message: { usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 1 } },
        },
        'message_start',
      ),
      sse({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } }, 'content_block_delta'),
      sse({ type: 'message_delta', delta: {}, usage: { output_tokens: 7 } }, 'message_delta'),
      sse({ type: 'message_stop' }, 'message_stop'),
    ],
    key: ['x-api-key', KEY],
  },
] as const;

const TOOK = { phase: 'BUILD', skill: 'agent', role: 'builder', attempt: 1, promptTokens: 100, completionTokens: 7 };

describe.each(DIALECTS)('a call to $path', ({ path, upstreamPath, whole, stream, key: [keyName, key] }) => {
  test('is answered byte for byte, by the configured model and with the key of the App', async () => {
    const stage = await openStage(store, {
      replies: [json(whole, 200, { 'x-request-id': 'r1', 'set-cookie': 'a=b' })],
    });
    const body = { ...ASKED, tools: [{ type: 'function', function: { name: 'write' } }] };
    const response = await stage.call(path, body, {
      'x-secret': 'mine',
      cookie: 'a=b',
      'openai-organization': 'theirs',
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(JSON.stringify(whole));
    expect([response.headers.get('x-request-id'), response.headers.get('set-cookie')]).toEqual(['r1', null]);
    const [asked] = stage.upstream.asked;
    expect(asked?.path).toBe(upstreamPath);
    expect(asked?.body).toEqual({ ...body, model: 'the-model' });
    expect(asked?.headers[keyName]).toBe(key);
    for (const name of ['x-secret', 'cookie', 'openai-organization']) expect(asked?.headers[name]).toBeUndefined();
    expect(JSON.stringify(asked?.headers)).not.toContain('eyJ');
    expect(await stage.calls()).toEqual([{ ...TOOK, id: expect.any(String), durationMs: expect.any(Number) }]);
  });

  test('is streamed byte for byte, and what it took is read from the stream', async () => {
    const stage = await openStage(store, { replies: [events(stream)] });
    const response = await stage.call(path, { ...ASKED, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe(stream.join(''));
    expect(await stage.calls()).toEqual([expect.objectContaining(TOOK)]);
    expect((await stage.calls())[0]?.estimated).toBeUndefined();
  });
});

test('the answer of a chat is asked for with its usage', async () => {
  const stage = await openStage(store, { replies: [events(CHAT_STREAM)] });
  await (await stage.call(CHAT, { ...ASKED, stream: true, stream_options: { include_usage: false, x: 1 } })).text();
  expect(stage.upstream.asked[0]?.body.stream_options).toEqual({ include_usage: true, x: 1 });
});

test('a name that stands twice in a request is one', async () => {
  const stage = await openStage(store, { replies: [json({ usage: USAGE })] });
  await stage.call(CHAT, '{"model":"a","mod\\u0065l":"b","messages":[],"model":"c"}');
  expect(stage.upstream.asked[0]?.text).toBe('{"model":"the-model","messages":[]}');
});

test("OpenAI's SDK takes the gateway for its base URL, and the token for its key", async () => {
  const stage = await openStage(store, { replies: [events(CHAT_STREAM)] });
  const client = new OpenAI({ baseURL: `${stage.url}/gateway/v1`, apiKey: await stage.token(), maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  });
  let said = '';
  for await (const { choices } of stream) said += choices[0]?.delta.content ?? '';
  expect(said).toBe('Hello');
});

test("Anthropic's SDK sends the token as its key, and its version and betas pass", async () => {
  const stage = await openStage(store, { replies: [json(DIALECTS[2].whole)] });
  const headers = {
    authorization: '',
    'x-api-key': await stage.token(),
    'anthropic-version': '2024-01-01',
    'anthropic-beta': 'b-1',
  };
  expect((await stage.call(`${MESSAGES}?beta=true`, ASKED, headers)).status).toBe(200);
  const [asked] = stage.upstream.asked;
  expect(asked?.headers).toMatchObject({
    'x-api-key': KEY,
    'anthropic-version': '2024-01-01',
    'anthropic-beta': 'b-1',
  });
});

test('a call is named as the job says it, where that is a name', async () => {
  const stage = await openStage(store, { replies: [json({ usage: USAGE })] });
  const said = {
    'x-loopwright-phase': 'SEED_DATA',
    'x-loopwright-skill': 'ai-workflow',
    'x-loopwright-role': 'a b',
    'x-loopwright-attempt': '2',
  };
  await stage.call(CHAT, ASKED, said);
  expect(await stage.calls()).toEqual([
    expect.objectContaining({ phase: 'SEED_DATA', skill: 'ai-workflow', role: 'builder', attempt: 2 }),
  ]);
});

test('keys that the issuer rotates are found', async () => {
  const stage = await openStage(store, { replies: [json({ usage: USAGE })] });
  expect((await stage.call(CHAT, ASKED)).status).toBe(200);
  stage.issuer.held.keys = [SECOND];
  const token = await stage.token({ header: { kid: SECOND.kid }, key: SECOND.privateKey });
  const { requests } = stage.issuer.held;
  for (const _ of [1, 2, 3])
    expect((await stage.call(CHAT, ASKED, { authorization: `Bearer ${token}` })).status).toBe(200);
  expect(stage.issuer.held.requests).toBe(requests + 1);
});

describe('an upstream that fails', () => {
  test('is asked again, as late as it says, and paid once', async () => {
    const stage = await openStage(store, {
      replies: [json({}, 429, { 'retry-after': '1' }), json({}, 503), json({ usage: USAGE })],
    });
    const began = Date.now();
    expect((await stage.call(CHAT, ASKED)).status).toBe(200);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000);
    expect(stage.upstream.asked).toHaveLength(3);
    expect(await stage.calls()).toEqual([expect.objectContaining(TOOK)]);
  });

  test('and wants a longer pause than anybody waits is not asked again: the job is told', async () => {
    const stage = await openStage(store, {
      replies: [json({ error: { message: 'slow down' } }, 429, { 'retry-after': '3600' })],
    });
    const response = await stage.call(CHAT, ASKED);
    expect([response.status, response.headers.get('retry-after'), await sentenceOf(response)]).toEqual([
      429,
      '3600',
      'slow down',
    ]);
    expect(stage.upstream.asked).toHaveLength(1);
    expect(await stage.calls()).toEqual([expect.objectContaining({ promptTokens: 0, completionTokens: 0 })]);
  });

  test('says what is wrong with a request in its own words, without our key', async () => {
    const stage = await openStage(store, { replies: [json({ error: { message: `too long for ${KEY}` } }, 400)] });
    const response = await stage.call(CHAT, ASKED);
    expect([response.status, await sentenceOf(response)]).toEqual([400, 'too long for [model key removed]']);
    expect(response.headers.get('x-loopwright-refusal')).toBe('false');
    expect(stage.upstream.asked).toHaveLength(1);
  });

  test.each([
    [json({ error: { message: `bad key ${KEY}` } }, 401), "refused the App's own key (HTTP 401); set LLM_API_KEY anew"],
    [json({}, 302, { location: 'https://evil.test' }), 'answered with a redirect'],
    [json({ choices: [{ message: { content: `you sent ${KEY}` } }] }), 'an answer with a secret of the App in it'],
  ])('at the App is no fault of the job, and is said without the key', async (reply, sentence) => {
    const stage = await openStage(store, { replies: [reply] });
    const response = await stage.call(CHAT, ASKED);
    expect([response.status, response.headers.get('x-loopwright-refusal')]).toEqual([502, 'true']);
    const text = await response.text();
    expect(text).toContain(sentence);
    expect(text + stage.kept.join() + stage.logged.join()).not.toContain(KEY);
  });

  test('with its address is paid nothing, and is left alone after a while', async () => {
    const upstreams = { chat: { baseUrl: `http://127.0.0.1:${await freePort()}/v1`, apiKey: KEY, model: 'm' } };
    const stage = await openStage(store, { options: { upstreams } });
    const sentences: string[] = [];
    for (const _ of [1, 2, 3, 4]) sentences.push(await sentenceOf(await stage.call(CHAT, ASKED)));
    expect(sentences[0]).toBe("The model's endpoint gave no answer in 3 tries (ECONNREFUSED).");
    expect(sentences[3]).toBe('The endpoint of LLM_BASE_URL failed 8 times in a row, so it is left alone for a while.');
    for (const call of await stage.calls()) expect(call).toMatchObject({ promptTokens: 0, completionTokens: 0 });
  });

  test('by silence is given up', async () => {
    const stage = await openStage(store, { replies: [() => {}], options: { silenceMs: 50 } });
    const response = await stage.call(CHAT, ASKED);
    expect([response.status, await sentenceOf(response)]).toEqual([
      504,
      'The endpoint of LLM_BASE_URL is silent: nothing came for 0.05 s.',
    ]);
    // It has the prompt, and may have thought as long as it was waited for.
    const [{ promptTokens = 0, completionTokens = 0 } = {}] = await stage.calls();
    expect([promptTokens, completionTokens > 0 && completionTokens < 1000]).toEqual([18, true]);
  });

  test('in the midst of a stream breaks it off, and is paid what came', async () => {
    const stage = await openStage(store, {
      replies: [
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(word('x'.repeat(400)), () => response.destroy());
        },
      ],
    });
    const response = await stage.call(CHAT, { ...ASKED, stream: true });
    await expect(response.text()).rejects.toThrow();
    expect(await stage.calls()).toEqual([expect.objectContaining({ completionTokens: 100, estimated: true })]);
    expect(stage.kept.join()).toContain('"ending": "broken"');
  });
});

test('a stream with the key in it is broken off before the key is whole', async () => {
  const half = KEY.length / 2;
  const stage = await openStage(store, {
    replies: [events([`data: ${KEY.slice(0, half)}`, `${KEY.slice(half)}\n\n`])],
  });
  const response = await stage.call(CHAT, { ...ASKED, stream: true });
  await expect(response.text()).rejects.toThrow();
  expect(stage.kept.join()).not.toContain(KEY);
});

test('a stream comes piece by piece, and one that the job leaves ends at the upstream and is settled', async () => {
  let closed = false;
  const stage = await openStage(store, {
    replies: [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(word('x'.repeat(400)));
        response.on('close', () => {
          closed = true;
        });
      },
    ],
  });
  const leaving = new AbortController();
  const response = await stage.call(CHAT, { ...ASKED, stream: true }, {}, leaving.signal);
  const { value } = (await response.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toContain('xxxx');
  expect(await stage.calls()).toEqual([expect.objectContaining({ completionTokens: 32_000, estimated: true })]);
  leaving.abort();
  await eventually(() => closed && stage.kept.length === 1, 'the upstream is let go and the call kept');
  expect(await stage.calls()).toEqual([expect.objectContaining({ completionTokens: 100, estimated: true })]);
  expect(stage.kept.join()).toContain('"ending": "gone"');
});

describe('a job that does not wait for the end of an answer pays for what may have been made of it', () => {
  const WAITED_MS = 600;
  /** Leaves after a while, and gives the one call. */
  const left = async (stage: Stage, body: object, isBegun = false) => {
    const leaving = new AbortController();
    const called = stage.call(CHAT, { ...ASKED, ...body }, {}, leaving.signal);
    await eventually(() => stage.upstream.asked.length === 1, 'the upstream is asked');
    if (isBegun) await (await called).body?.getReader().read();
    await sleep(WAITED_MS);
    leaving.abort();
    await called.catch(() => undefined);
    await eventually(() => stage.kept.length === 1, 'the call is kept');
    const [call] = await stage.calls();
    return call;
  };
  const FEW = 120;

  test('before it begins, by the time that it had', async () => {
    const stage = await openStage(store, { replies: [() => {}] });
    const { promptTokens, completionTokens = 0, estimated } = (await left(stage, {})) ?? {};
    expect([promptTokens, estimated]).toEqual([Math.ceil((stage.upstream.asked[0]?.text.length ?? 0) / 4), true]);
    expect(completionTokens).toBeGreaterThanOrEqual(FEW);
    expect(completionTokens).toBeLessThan(4000);
  });

  test('after its first words, which is all that it read', async () => {
    const begins = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(word('tea'));
    };
    const stage = await openStage(store, { replies: [begins] });
    expect((await left(stage, { stream: true }, true))?.completionTokens).toBeGreaterThanOrEqual(FEW);
  });

  test('up to the bound that it stated, of each answer', async () => {
    const stage = await openStage(store, { replies: [() => {}] });
    const { completionTokens } = (await left(stage, { n: 3, max_tokens: 10 })) ?? {};
    expect(completionTokens).toBe(30);
  });
});

test('an answer that is too long to be handed on is paid all the same', async () => {
  const answer = { choices: [{ logprobs: 'x'.repeat(17 * 1024 * 1024) }], usage: USAGE };
  const stage = await openStage(store, { replies: [json(answer)] });
  expect((await stage.call(CHAT, { ...ASKED, logprobs: true })).status).toBe(502);
  expect((await stage.calls())[0]?.completionTokens).toBeGreaterThan(0);
});

test("a job that leaves within its request is no failure of the App's", async () => {
  const stage = await openStage(store);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await stage.token()}` };
  const leaving = request(`${stage.url}${CHAT}`, { method: 'POST', headers: { ...headers, 'content-length': 5000 } });
  const left = once(leaving, 'error');
  leaving.write('{');
  await sleep(200);
  leaving.destroy(new Error('gone'));
  await left;
  await sleep(200);
  expect(stage.logged).toEqual([]);
  expect([stage.upstream.asked, await stage.calls()]).toEqual([[], []]);
});

test('an upstream is held back by a job that reads slowly', async () => {
  let written = 0;
  const piece = word('x'.repeat(64 * 1024));
  const stage = await openStage(store, {
    replies: [
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const closed = once(response, 'close');
        for (; written < 2000 && !response.destroyed; written += 1)
          if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
      },
    ],
  });
  const leaving = new AbortController();
  const response = await stage.call(CHAT, { ...ASKED, stream: true }, {}, leaving.signal);
  await response.body?.getReader().read();
  let before = -1;
  for (; before !== written; await sleep(300)) before = written;
  expect(written).toBeLessThan(1000);
  leaving.abort();
  await eventually(() => stage.kept.length === 1, 'the call is kept');
});

test('calls that state no bound are made at the same time only while what is left holds long answers to all of them', async () => {
  const stage = await openStage(store, { replies: [events(CHAT_STREAM)] });
  const statuses = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const response = await stage.call(CHAT, { ...ASKED, stream: true });
      await response.text();
      return response.status;
    }),
  );
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});

test('twenty streams at the same time are each answered, and each paid', async () => {
  const stage = await openStage(store, { replies: [events(CHAT_STREAM)] });
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () =>
      (await stage.call(CHAT, { ...ASKED, stream: true, max_tokens: 500 })).text(),
    ),
  );
  expect(new Set(answers)).toEqual(new Set([CHAT_STREAM.join('')]));
  const calls = await stage.calls();
  expect(calls).toHaveLength(20);
  for (const call of calls) expect(call).toMatchObject(TOOK);
});

describe('a budget', () => {
  test('is passed by one call at most, however many come at the same time', async () => {
    // 100 tokens in and 100,000 out are 2.001 USD, of 3.
    const dear = { usage: { prompt_tokens: 100, completion_tokens: 100_000 } };
    const stage = await openStage(store, { replies: [json(dear)] });
    const once = async () => (await stage.call(CHAT, { ...ASKED, max_tokens: 100_000 })).status;
    const statuses = await Promise.all(Array.from({ length: 8 }, once));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    while ((await stage.calls()).length < 2) await once();
    expect(await once()).toBe(402);
    expect(await stage.calls()).toHaveLength(2);
  });

  const picture = { type: 'image_url', image_url: { url: 'https://shop.example/a.png' } };
  test.each([
    ['several answers', { n: 128, max_tokens: 1000 }, { prompt_tokens: 100, completion_tokens: 128_000 }],
    [
      'two bounds',
      { max_completion_tokens: 1, max_tokens: 128_000 },
      { prompt_tokens: 100, completion_tokens: 128_000 },
    ],
    [
      'pictures',
      { max_tokens: 1, messages: [{ role: 'user', content: [picture, picture] }] },
      { prompt_tokens: 160_000, completion_tokens: 1 },
    ],
  ])('is passed by one call at most where a request has %s', async (_, more, usage) => {
    // Each is more than half of 3 USD, and none is answered before all are asked.
    const asked = Promise.withResolvers<void>();
    const stage = await openStage(store, {
      replies: [async (...reply) => asked.promise.then(() => json({ usage })(...reply))],
    });
    const calls = Array.from({ length: 8 }, async () => stage.call(CHAT, { ...ASKED, ...more }));
    const refused = await Promise.race([...calls.map(async (call) => (await call).status), sleep(3000)]);
    asked.resolve();
    await Promise.all(calls);
    expect(refused).toBe(429);
    expect((await stage.calls()).length).toBeLessThanOrEqual(2);
  });

  test.each([
    [CHAT, 'max_tokens'],
    [CHAT, 'max_completion_tokens'],
    [RESPONSES, 'max_output_tokens'],
    [MESSAGES, 'max_tokens'],
  ])('holds of calls to %s what they state as %s, however much that is', async (path, name) => {
    // Twelve calls that write 400,000 tokens are 96 USD; seven are less than 60, and an eighth might be more.
    const asked = Promise.withResolvers<void>();
    const usage = { prompt_tokens: 100, completion_tokens: 400_000, input_tokens: 100, output_tokens: 400_000 };
    const stage = await openStage(store, {
      loop: building({}, { usd: 60 }),
      replies: [async (...reply) => asked.promise.then(() => json({ usage })(...reply))],
    });
    const calls = Array.from(
      { length: 12 },
      async () => (await stage.call(path, { ...ASKED, [name]: 400_000 })).status,
    );
    await eventually(() => stage.upstream.asked.length >= 7, 'seven are asked');
    expect((await stage.calls()).map(({ completionTokens }) => completionTokens)).toContain(400_000);
    asked.resolve();
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 200)).toHaveLength(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });

  test('is passed by one call whose bound is the largest there is, and others are asked to wait for it', async () => {
    const asked = Promise.withResolvers<void>();
    const stage = await openStage(store, {
      replies: [async (...reply) => asked.promise.then(() => json({ usage: USAGE })(...reply))],
    });
    const once = () => stage.call(CHAT, { ...ASKED, max_tokens: Number.MAX_SAFE_INTEGER });
    const first = once();
    await eventually(() => stage.upstream.asked.length === 1, 'the first is asked');
    expect((await stage.calls()).map(({ completionTokens }) => completionTokens)).toEqual([Number.MAX_SAFE_INTEGER]);
    expect((await once()).status).toBe(429);
    asked.resolve();
    expect((await first).status).toBe(200);
    expect((await once()).status).toBe(200);
  });

  test('of tokens counts too, and without a price only that', async () => {
    const loop = building({}, { tokens: 150 });
    const stage = await openStage(store, { loop, replies: [json({ usage: USAGE })] });
    const statuses: number[] = [];
    for (const _ of [1, 2, 3]) statuses.push((await stage.call(CHAT, ASKED)).status);
    expect(statuses).toEqual([200, 200, 402]);
  });
});

test('of each call what was asked and answered is kept, without secrets', async () => {
  const secret = 'ghp_0123456789abcdefABCDEF0123456789abcd';
  const stage = await openStage(store, {
    replies: [json({ choices: [{ message: { content: `use ${secret}` } }], usage: USAGE })],
  });
  const messages = [{ role: 'user', content: 'What is app-secret-9d2e4f6a8b1c3057 for?' }];
  const response = await stage.call(CHAT, { ...ASKED, messages });
  expect(await response.text()).toContain(secret);
  const [kept = ''] = stage.kept;
  expect(JSON.parse(kept)).toMatchObject({
    version: 1,
    loop: expect.stringMatching(/^acme\/shop#/),
    dialect: 'chat',
    model: 'the-model',
    status: 200,
    ending: 'whole',
    request: expect.stringContaining('What is [secret removed] for?'),
    answer: expect.stringContaining('use [GitHub token removed]'),
  });
  const [line = ''] = stage.logged;
  const { transcript, costUsd, call } = JSON.parse(line);
  expect(new TextDecoder().decode(await store.blob(transcript))).toBe(kept);
  expect([costUsd, call]).toEqual([0.00114, JSON.parse(kept).call]);
  expect(line).not.toContain('What is');
});

const STREAMED = [
  {
    path: CHAT,
    said: (text: string, index: number) => sse({ choices: [{ index, delta: { role: 'assistant', content: text } }] }),
    shown: (text: string) => `choices[0].delta.content:\n${text}\n\nchoices[1].delta.content:\n${text}\n`,
  },
  {
    path: CHAT,
    said: (text: string, index: number) =>
      sse({ choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: text } }] } }] }),
    shown: (text: string) =>
      [0, 1].map((index) => `choices[0].delta.tool_calls[${index}].function.arguments:\n${text}\n`).join('\n'),
  },
  {
    path: RESPONSES,
    said: (text: string, index: number) =>
      sse({ type: 'response.output_text.delta', output_index: index, content_index: 0, delta: text }, 'delta'),
    shown: (text: string) =>
      [0, 1].map((index) => `response.output_text.delta[${index}][0].delta:\n${text}\n`).join('\n'),
  },
  {
    path: MESSAGES,
    said: (text: string, index: number) =>
      sse({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } }, 'content_block_delta'),
    shown: (text: string) => [0, 1].map((index) => `content_block_delta[${index}].delta.text:\n${text}\n`).join('\n'),
  },
];

test.each(STREAMED)('of a stream to $path is kept what its words come to, without secrets', async (streamed) => {
  const { path, said, shown } = streamed;
  const text = 'the token\nghp_0123456789abcdefABCDEF0123456789abcd of app-secret-9d2e4f6a8b1c3057 is it';
  const last = `${sse({ usage: USAGE, error: 'none\n' })}data: [DONE]\n\n`;
  // Two are said at the same time.
  const parts = [...text.matchAll(/[\s\S]{1,4}/g)].flatMap(([part]) => [said(part, 0), said(part, 1)]);
  const stage = await openStage(store, { replies: [events([...parts, ': still there\n\n', last])] });
  const response = await stage.call(path, { ...ASKED, stream: true });
  expect(await response.text()).toContain(parts.join(''));
  const { answer } = JSON.parse(stage.kept[0] ?? '');
  expect(answer).toBe(
    `${shown('the token\n[GitHub token removed] of [secret removed] is it')}\n${last.replaceAll('\n\n', '\n')}`,
  );
});

test('of a stream that breaks off the event that had only begun is kept too', async () => {
  const stage = await openStage(store, {
    replies: [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`${word('Hello')}data: {"choices":[{"delta":{"cont`, () => response.destroy());
      },
    ],
  });
  const response = await stage.call(CHAT, { ...ASKED, stream: true });
  await expect(response.text()).rejects.toThrow();
  expect(JSON.parse(stage.kept[0] ?? '').answer).toBe(
    'choices[0].delta.content:\nHello\n\ndata: {"choices":[{"delta":{"cont',
  );
});
