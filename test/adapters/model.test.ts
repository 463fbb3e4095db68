import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createModel, type ModelOptions } from '../../src/adapters/model.ts';
import { IdentityError, ModelError } from '../../src/errors.ts';
import type { CallContext } from '../../src/loop/call-headers.ts';
import type { CallBook, ToolDefinition } from '../../src/ports.ts';
import { listening } from '../listening.ts';
import { RELEASE } from './release.ts';

const CONTEXT: CallContext = {
  loop: 'acme/shop#12',
  phase: 'SHIP',
  skill: 'shipping-and-launch',
  role: 'planner',
  attempt: 2,
};
const PROMPT = 'the secret plan for the moon base';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: z.infer<typeof requestBody>;
}
const requestBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
  response_format: z.unknown().optional(),
});
type Reply = (response: ServerResponse) => unknown;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A chat completions endpoint that gives the replies in order, the last one again and again. */
async function endpoint(...replies: readonly Reply[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    received.push({ headers: request.headers, body: requestBody.parse(JSON.parse(text)) });
    await replies[Math.min(received.length, replies.length) - 1]?.(response);
  });
  const url = `${await listening(server)}/v1`;
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const model = (options: Partial<ModelOptions> = {}) =>
    createModel({ baseUrl: url, apiKey: 'key', model: 'm', pauseMs: 1, ...options });
  return { received, model, url };
}

function json(value: unknown, status = 200): Reply {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function says(content: string | null, extra: object = {}): Reply {
  return json({
    choices: [{ index: 0, message: { role: 'assistant', content, ...extra }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 3 },
  });
}

const silent: Reply = () => {};
const stalls: Reply = (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices"');
const hangsUp: Reply = (response) => response.socket?.destroy();

function ask(model: ReturnType<typeof createModel>) {
  return model.answer({ name: 'release', context: CONTEXT, system: 'You release.', user: PROMPT });
}

async function errorOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

test('an answer comes back parsed, with the tokens that the endpoint counted', async () => {
  const { model } = await endpoint(says(JSON.stringify(RELEASE)));
  const { answer, calls } = await ask(model());
  expect(answer).toEqual(RELEASE);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    phase: 'SHIP',
    skill: 'shipping-and-launch',
    role: 'planner',
    attempt: 2,
    promptTokens: 10,
    completionTokens: 3,
  });
});

test('tokens that the endpoint does not state are estimated by the length of the texts, and the call says so', async () => {
  const text = JSON.stringify(RELEASE);
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] };
  for (const usage of [undefined, { prompt_tokens: 0, completion_tokens: 0 }]) {
    const { model } = await endpoint(json({ ...answer, ...(usage === undefined ? {} : { usage }) }));
    const { calls } = await ask(model());
    expect(calls[0]?.estimated).toBe(true);
    expect(calls[0]?.promptTokens).toBeGreaterThan(PROMPT.length / 5);
    expect(calls[0]?.completionTokens).toBeGreaterThan(text.length / 5);
  }
});

/** Events as an endpoint streams them, each written after a pause. */
function streams(events: readonly (object | string)[], pauseMs = 0): Reply {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of events) {
      await pause(pauseMs);
      response.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
}

const delta = (change: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: change, finish_reason: finish }],
});
const DONE = 'data: [DONE]\n\n';

describe('an answer that is streamed', () => {
  const parts = JSON.stringify(RELEASE).match(/[\s\S]{1,6}/g) ?? [];
  const spoken = [...parts.map((content) => delta({ content })), delta({}, 'stop')];
  const usage = { choices: [], usage: { prompt_tokens: 21, completion_tokens: 8 } };

  test('is asked for, with its tokens, and comes back whole', async () => {
    const { model, received } = await endpoint(streams([': ping\n\n', ...spoken, usage, DONE]));
    const { answer, calls } = await ask(model());
    expect(received[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(answer).toEqual(RELEASE);
    expect(calls).toMatchObject([{ promptTokens: 21, completionTokens: 8 }]);
    expect(calls[0]).not.toHaveProperty('estimated');
  });

  test('without its tokens has them estimated', async () => {
    const { model } = await endpoint(streams([...spoken, DONE]));
    const { calls } = await ask(model());
    expect(calls[0]).toMatchObject({ estimated: true, completionTokens: expect.toSatisfy((count) => count > 20) });
  });

  test('may take many times as long as the model may be silent', async () => {
    const { model } = await endpoint(streams([...spoken, DONE], 40));
    expect((await ask(model({ silenceMs: 500 }))).answer).toEqual(RELEASE);
    expect(parts.length * 40).toBeGreaterThan(2 * 500);
  });

  test('that falls silent is a try that failed', async () => {
    const { model } = await endpoint((response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: ${JSON.stringify(delta({ content: '{' }))}\n\n`);
    });
    const error = await errorOf(ask(model({ silenceMs: 1000, tries: 1 })));
    expect(error.message).toContain('in 1 try: an answer that fell silent for 1 s.');
  });

  test.each([
    ['ends before it is done', streams(spoken.slice(0, -1)), 'an answer that broke off'],
    [
      'is cut off at its length',
      streams([...spoken.slice(0, -1), delta({}, 'length'), DONE]),
      'an answer cut off at its length limit',
    ],
    ['tells an error instead', streams([{ error: { message: PROMPT } }, DONE]), 'an answer that broke off'],
    ['is no JSON', streams(['data: {"choices"\n\n', DONE]), 'an answer that is no JSON'],
  ])('that %s is a try that failed', async (_, reply, what) => {
    const { model } = await endpoint(reply);
    const error = await errorOf(ask(model({ tries: 1 })));
    expect(error.message).toContain(`in 1 try: ${what}.`);
    expect(error.message).not.toContain(PROMPT);
  });

  test('has its tool calls put together from their pieces', async () => {
    const call = (index: number, change: object) => delta({ tool_calls: [{ index, ...change }] });
    const { model } = await endpoint(
      streams([
        call(0, { id: 'a', function: { name: 'read', arguments: '{"pa' } }),
        call(0, { function: { arguments: 'th":"x"}' } }),
        call(1, { id: 'b', function: { name: 'submit', arguments: '{}' } }),
        delta({}, 'tool_calls'),
        DONE,
      ]),
    );
    const { toolCalls } = await model().turn({ context: CONTEXT, messages: [], tools: [] });
    expect(toolCalls).toEqual([
      { id: 'a', name: 'read', arguments: '{"path":"x"}' },
      { id: 'b', name: 'submit', arguments: '{}' },
    ]);
  });
});

describe('a check of the asker', () => {
  const check = ({ tag }: { readonly tag: string }) =>
    tag === RELEASE.tag ? [] : [`${tag} is older than the last tag`];
  const release = { name: 'release', context: CONTEXT, system: 's', user: 'u', check } as const;
  const older = says(JSON.stringify({ ...RELEASE, tag: '0.0.1' }));

  test('tells the model in its own words what is wrong, within the same call', async () => {
    const { model, received } = await endpoint(older, says(JSON.stringify(RELEASE)));
    expect(await model().answer(release)).toMatchObject({ answer: RELEASE, calls: [{}, {}] });
    expect(received[1]?.body.messages.slice(2)).toMatchObject([
      { role: 'assistant', content: expect.stringContaining('"0.0.1"') },
      { role: 'user', content: expect.stringContaining('- 0.0.1 is older than the last tag\n') },
    ]);
  });

  test('that is never content gives the last answer to the asker, who judges it', async () => {
    const { model, received } = await endpoint(older);
    expect(await model().answer(release)).toMatchObject({ answer: { tag: '0.0.1' }, calls: [{}, {}, {}] });
    expect(received).toHaveLength(3);
  });

  test('is not asked about an answer that breaks its schema', async () => {
    const { model } = await endpoint(says('{}'));
    await expect(model().answer(release)).rejects.toThrow('in 3 tries: an answer with 5 problems;');
  });
});

describe('a purse', () => {
  const price = { prompt: 1000, completion: 1000 };
  const poor = says(JSON.stringify({ ...RELEASE, tag: 'soon' }));

  test.each([0, -1])('with %s USD makes no call at all', async (usd) => {
    const { model, received } = await endpoint(poor);
    const asked = model().answer({
      name: 'release',
      context: CONTEXT,
      system: 's',
      user: 'u',
      purse: { money: { usd, price } },
    });
    await expect(asked).rejects.toMatchObject({ name: 'BudgetError', calls: [] });
    expect(received).toHaveLength(0);
  });

  test('is looked into before each try, so that it is passed by one call at the most', async () => {
    const { model, received } = await endpoint(poor, poor, poor);
    const purse = { money: { usd: 0.02, price } };
    const asked = model().answer({ name: 'release', context: CONTEXT, system: 's', user: 'u', purse });
    await expect(asked).rejects.toMatchObject({ name: 'BudgetError', calls: [{ promptTokens: 10 }, {}] });
    expect(received).toHaveLength(2);
  });

  test('has a book beside it: each try is reserved before it is made, and settled with what it took', async () => {
    const { model, received } = await endpoint(poor, says(JSON.stringify(RELEASE)));
    const booked: unknown[] = [];
    const book: CallBook = {
      async reserve({ estimated, completionTokens }) {
        booked.push(['reserved', received.length, estimated, completionTokens]);
        return `call ${received.length}`;
      },
      async settle(id, { promptTokens, completionTokens }, { ending }) {
        booked.push([id, received.length, promptTokens, completionTokens, ending]);
      },
    };
    const { calls } = await model().answer({ name: 'release', context: CONTEXT, system: 's', user: 'u', book });
    expect(booked).toEqual([
      ['reserved', 0, true, 4000],
      ['call 0', 1, 10, 3, 'whole'],
      ['reserved', 1, true, 4000],
      ['call 1', 2, 10, 3, 'whole'],
    ]);
    expect(calls).toMatchObject([{ id: 'call 0' }, { id: 'call 1' }]);
  });

  test('is told of a try without an answer as one, with why', async () => {
    const { model } = await endpoint((response) => void response.writeHead(500).end('down'));
    const told: unknown[] = [];
    const book: CallBook = {
      reserve: async () => 'call',
      async settle(_id, _call, { ending, answer }) {
        told.push([ending, answer]);
      },
    };
    const asked = model({ tries: 1 }).answer({ name: 'release', context: CONTEXT, system: 's', user: 'u', book });
    await expect(asked).rejects.toThrow('1 try');
    expect(told).toEqual([['broken', expect.stringContaining('500')]]);
  });

  test('is looked into before a turn of a conversation, too', async () => {
    const { model, received } = await endpoint(poor);
    const asked = model().turn({ context: CONTEXT, messages: [], tools: [], purse: { money: { usd: 0, price } } });
    await expect(asked).rejects.toMatchObject({ name: 'BudgetError' });
    expect(received).toHaveLength(0);
  });
});

test('every call says for whom it is made and asks for the artifact by name, strictly', async () => {
  const { model, received } = await endpoint(says('{}'), says(JSON.stringify(RELEASE)));
  await ask(model());
  expect(received).toHaveLength(2);
  for (const { headers, body } of received) {
    expect(headers).toMatchObject({
      'x-loopwright-loop': 'acme/shop#12',
      'x-loopwright-phase': 'SHIP',
      'x-loopwright-skill': 'shipping-and-launch',
      'x-loopwright-role': 'planner',
      'x-loopwright-attempt': '2',
    });
    expect(body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'release', strict: true, schema: { type: 'object', additionalProperties: false } },
    });
  }
});

test('an artifact is described as strict mode knows it: unions with anyOf, every field required, no defaults', async () => {
  const { model, received } = await endpoint(json({}, 400));
  await errorOf(model().answer({ name: 'plan', context: CONTEXT, system: 's', user: 'u' }));
  const text = JSON.stringify(received[0]?.body.response_format);
  expect(text).toContain('anyOf');
  expect(text).not.toContain('oneOf');
  expect(text).not.toContain('"default"');
  expect(text).toContain('"required":["exitCode","contains","equals","matches","stderr"]');
});

test('a malformed answer is told to the model, and every try is counted', async () => {
  const { model, received } = await endpoint(
    says(JSON.stringify({ ...RELEASE, tag: 'soon' })),
    says(JSON.stringify(RELEASE)),
  );
  const { calls } = await ask(model());
  expect(calls).toHaveLength(2);
  const [, , said, told] = received[1]?.body.messages ?? [];
  expect(said).toEqual({ role: 'assistant', content: JSON.stringify({ ...RELEASE, tag: 'soon' }) });
  expect(told?.role).toBe('user');
  expect(told?.content).toContain('- tag:');
});

test.each([
  ['a code fence', (json: string) => `\`\`\`json\n${json}\n\`\`\``],
  ['a code fence without a language, and space around it', (json: string) => `\n\`\`\`\n${json}\n  \`\`\`  \n`],
])('JSON in %s is taken: a call for nothing more than that is wasted', async (_, around) => {
  const { model, received } = await endpoint(says(around(JSON.stringify(RELEASE))));
  expect((await ask(model())).answer).toEqual(RELEASE);
  expect(received).toHaveLength(1);
});

test('JSON with words around it is refused, and the model is told to answer with bare JSON', async () => {
  const wordy = `Here it is:\n\`\`\`json\n${JSON.stringify(RELEASE)}\n\`\`\``;
  const { model, received } = await endpoint(says(wordy), says(JSON.stringify(RELEASE)));
  await ask(model());
  expect(received[1]?.body.messages.at(-1)?.content).toContain('no code fence');
});

test('three bad tries end in an error that says what happened on each, and never holds the prompt', async () => {
  const { model, url } = await endpoint(json({ error: { message: PROMPT } }, 500), json({}, 503), silent);
  const error = await errorOf(ask(model({ silenceMs: 200 })));
  expect(error.message).toBe(
    `The model at ${url} gave no usable release in 3 tries: HTTP 500; HTTP 503; no answer within 0.2 s.`,
  );
  expect(error.calls).toHaveLength(3);
  expect(JSON.stringify([error, error.message, String(error.cause), error.stack])).not.toContain(PROMPT);
});

test('an answer that stalls half-way is a try that ran out of time', async () => {
  const { model } = await endpoint(stalls);
  const error = await errorOf(ask(model({ silenceMs: 1000, tries: 1 })));
  expect(error.message).toContain('in 1 try: an answer that fell silent for 1 s.');
});

test.each([
  ['an empty answer', says('')],
  ['an empty answer', says(null)],
  ['an answer that is no bare JSON', says('I would rather not')],
  ['a refusal', says(null, { refusal: 'no' })],
  ['an answer that is no chat completion', json({ choices: [] })],
  ['an answer that is no chat completion', (response: ServerResponse) => response.end('<html>')],
  [
    'an answer that is no JSON',
    (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choi'),
  ],
  ['no connection', hangsUp],
  ['HTTP 429', json({}, 429)],
  ['an answer with 5 problems', says('{}')],
  [
    'an answer cut off at its length limit',
    json({ choices: [{ message: { content: '{"title"' }, finish_reason: 'length' }] }),
  ],
])('%s counts as a try', async (what, reply) => {
  const { model, received } = await endpoint(reply);
  const error = await errorOf(ask(model()));
  expect(error.message).toContain(`in 3 tries: ${what}`);
  expect(received).toHaveLength(3);
});

test('a refused request is not repeated, and the error says what to check', async () => {
  const { model, received } = await endpoint(json({ error: { message: 'bad key' } }, 401));
  const error = await errorOf(ask(model()));
  expect(error.message).toContain('in 1 try: HTTP 401 (check the API key).');
  expect(received).toHaveLength(1);
});

test('an account without credit is told of as one, and not asked for again as a rate limit is', async () => {
  const error = { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' };
  const { model, received } = await endpoint(json({ error }, 429));
  const told = await errorOf(ask(model()));
  expect(told.message).toContain('in 1 try: HTTP 429 (check the credit of its account).');
  expect(received).toHaveLength(1);
});

test('credentials in the base address stay out of the error', async () => {
  const { model, url } = await endpoint(json({}, 404));
  const error = await errorOf(ask(model({ baseUrl: url.replace('http://', 'http://user:hunter2@') })));
  expect(error.message).not.toContain('hunter2');
});

const READ: ToolDefinition = {
  name: 'read',
  description: 'Reads a file',
  parameters: { type: 'object', properties: {} },
};

test('a turn passes tools and tool results and gives tool calls back unparsed', async () => {
  const call = { id: 'c2', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } };
  const { model, received } = await endpoint(says(null, { tool_calls: [call] }));
  const turn = await model().turn({
    context: CONTEXT,
    tools: [READ],
    messages: [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }] },
      { role: 'tool', toolCallId: 'c1', content: 'text of a' },
    ],
  });
  expect(turn.toolCalls).toEqual([{ id: 'c2', name: 'read', arguments: '{"path":"b"}' }]);
  expect(received[0]?.body).toMatchObject({
    tools: [{ type: 'function', function: { name: 'read' } }],
    messages: [{}, { tool_calls: [{ id: 'c1', type: 'function' }] }, { role: 'tool', tool_call_id: 'c1' }],
  });
});

test('a turn with neither words nor tool calls is tried again', async () => {
  const { model } = await endpoint(says(' '), says('done'));
  const turn = await model().turn({ context: CONTEXT, tools: [], messages: [{ role: 'user', content: 'go' }] });
  expect(turn).toMatchObject({ content: 'done', toolCalls: [] });
  expect(turn.calls).toHaveLength(2);
});

describe('the gateway of the App', () => {
  const refuses =
    (status: number, headers: Record<string, string> = {}): Reply =>
    (response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-loopwright-refusal': 'true', ...headers })
        .end(JSON.stringify({ error: { message: 'The loop acme/shop#12 is stopped, so its runs may ask no model.' } }));
  const passed =
    (status: number): Reply =>
    (response) =>
      response.writeHead(status, { 'content-type': 'application/json', 'x-loopwright-refusal': 'false' }).end('{}');
  const breaksOff: Reply = (response) => response.destroy();
  const tokens = (count = { of: 0 }) => ({
    apiKey: async () => {
      count.of += 1;
      return `token-${count.of}`;
    },
  });

  test('is told with each try who asks', async () => {
    const { model, received } = await endpoint(passed(503), says(JSON.stringify(RELEASE)));
    await ask(model(tokens()));
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  test('says itself why it refuses, and is not asked again', async () => {
    const { model, received } = await endpoint(refuses(403));
    const { message } = await errorOf(ask(model(tokens())));
    expect(message).toMatch(/ in 1 try: The loop acme\/shop#12 is stopped, so its runs may ask no model\.$/);
    expect(received).toHaveLength(1);
  });

  test('that says when is asked again, and no sooner', async () => {
    const { model, received } = await endpoint(refuses(425, { 'retry-after': '1' }), says(JSON.stringify(RELEASE)));
    const startedMs = performance.now();
    await ask(model(tokens()));
    expect(performance.now() - startedMs).toBeGreaterThan(900);
    expect(received).toHaveLength(2);
  });

  test.each([
    ['another endpoint that calls itself so', refuses(403), { apiKey: 'key' }],
    ['an endpoint behind it', json({ error: { message: 'told by somebody' } }, 403), tokens()],
  ])('is not believed to have spoken where it is %s', async (_, reply, options) => {
    const { model } = await endpoint(reply);
    const { message } = await errorOf(ask(model(options)));
    expect(message).toContain('HTTP 403');
    expect(message).not.toMatch(/stopped|somebody/);
  });

  test.each([
    ['it is being restarted', breaksOff],
    ['a proxy before it finds nobody', json({}, 502)],
  ])('is waited for where %s, however many tries that takes, and the log says so once', async (_, reply) => {
    const log: string[] = [];
    const { model, received } = await endpoint(reply, reply, reply, reply, says(JSON.stringify(RELEASE)));
    const { calls } = await ask(model({ ...tokens(), log: (line) => log.push(line) }));
    expect(received).toHaveLength(5);
    expect(calls).toHaveLength(1);
    expect(log).toEqual(['the App is away; waiting for it, up to 10 minutes']);
  });

  test('that stays away is waited for no longer than that, and the error says how it was away', async () => {
    const { model, received } = await endpoint(breaksOff);
    const { message } = await errorOf(ask(model({ ...tokens(), absenceMs: 0 })));
    expect(message).toMatch(/ in 1 try: no connection \(UND_ERR_SOCKET\)\.$/);
    expect(received).toHaveLength(1);
  });

  test.each([
    ['an endpoint behind the gateway that is away', passed(502), tokens()],
    ['an endpoint without a gateway that is away', json({}, 502), { apiKey: 'key' }],
  ])('is not waited for instead of %s', async (_, reply, options) => {
    const { model, received } = await endpoint(reply);
    const { message } = await errorOf(ask(model(options)));
    expect(message).toMatch(/ in 3 tries: HTTP 502; HTTP 502; HTTP 502\.$/);
    expect(received).toHaveLength(3);
  });

  test('is not asked where GitHub does not say who asks', async () => {
    const { model, received } = await endpoint(says(JSON.stringify(RELEASE)));
    const apiKey = () =>
      Promise.reject(new IdentityError('GitHub gave the job no identity in 5 tries: it answered 500.'));
    const { message } = await errorOf(ask(model({ apiKey })));
    expect(message).toMatch(/ in 1 try: GitHub gave the job no identity in 5 tries: it answered 500\.$/);
    expect(received).toEqual([]);
  });
});
