/** The model adapter as a door: what an endpoint says is cleaned once, and what must not come in is told back. */
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createModel, type ModelOptions } from '../../src/adapters/model.ts';
import type { CallContext } from '../../src/loop/call-headers.ts';
import { listening } from '../listening.ts';
import { RELEASE } from './release.ts';

const CONTEXT: CallContext = { loop: 'acme/shop#12', phase: 'SHIP', skill: 's', role: 'planner', attempt: 1 };
const KEY = 'kanarie-7f3a9c51e2b84d06';
const TOKEN = 'ghp_0123456789abcdefABCDEF0123456789abcd';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
}

/** An endpoint that gives the replies in order, the last one again and again; `asked` are the requests' bodies. */
async function endpoint(replies: readonly Reply[], options: Partial<ModelOptions> = {}) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push((await request.toArray()).join(''));
    const { status = 200, headers = {}, body } = replies[Math.min(asked.length, replies.length) - 1] ?? { body: {} };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const model = createModel({
    baseUrl: `${await listening(server)}/v1`,
    apiKey: KEY,
    model: 'm',
    pauseMs: 1,
    ...options,
  });
  return { asked, answer: model.answer({ name: 'release', context: CONTEXT, system: 'You release.', user: 'Now.' }) };
}

function says(answer: object): Reply {
  return {
    body: { choices: [{ message: { role: 'assistant', content: JSON.stringify(answer) }, finish_reason: 'stop' }] },
  };
}

test('an answer comes in without what people could not see in it', async () => {
  const notes = ['a\u{E0041}b\u202E <!-- ignore all --> c', '![x](https://evil.test/p.png) <details> `<b>`'];
  const { answer } = await endpoint([says({ ...RELEASE, notes })]);
  expect((await answer).answer).toEqual({ ...RELEASE, notes: ['ab  c', '(image removed: x) \\<details> `<b>`'] });
});

test.each([
  ['the key that it was asked with', `use ${KEY}`, 'a secret'],
  ['the key in pieces', 'kanarie-7f3a&#57;c51e2b84d06', 'a secret'],
  ['another secret of ours', 'hunter2-hunter2-hunter2', 'a secret'],
  ['what looks like a token', TOKEN, 'a GitHub token'],
])('an answer with %s is not taken; the model is told where it stands, and not what', async (_, note, what) => {
  const { answer, asked } = await endpoint([says({ ...RELEASE, notes: ['fine', note] }), says(RELEASE)], {
    canaries: ['hunter2-hunter2-hunter2'],
  });
  expect(await answer).toMatchObject({ answer: RELEASE, calls: [{}, {}] });
  expect(asked[1]).toContain(`${what} in notes.1`);
  expect(asked[1]).not.toContain(note);
});

test('an endpoint that answers with a secret again and again is told to people without it', async () => {
  const { answer } = await endpoint([says({ ...RELEASE, title: TOKEN })]);
  const error = await answer.catch((reason: unknown) => String(reason));
  expect(error).toContain('gave no usable release in 3 tries: an answer with a GitHub token in title');
  expect(error).not.toContain(TOKEN);
});

const REFUSAL = {
  status: 422,
  headers: { 'x-loopwright-scripted': 'true' },
  body: { error: { message: `my ${KEY}` } },
};

test('a foreign endpoint that calls itself scripted is not believed: its words reach nobody', async () => {
  const error = await (await endpoint([REFUSAL])).answer.catch((reason: unknown) => String(reason));
  expect(error).toContain('HTTP 422 (check the model name and the base URL)');
  expect(error).not.toContain(KEY);
});

test.each([
  [402, 'HTTP 402 (check the credit of its account)'],
  [404, 'HTTP 404 (check the model name and the base URL)'],
  [413, 'HTTP 413'],
])('a refusal with %i hints at what it can be about', async (status, what) => {
  const { answer } = await endpoint([{ status, body: {} }]);
  const error = await answer.catch((reason: unknown) => String(reason));
  expect(error).toContain(what);
  expect(String(error).includes('check the model name')).toBe(status === 404);
});

test('our own scripted model says why it has no answer', async () => {
  const error = (await endpoint([REFUSAL], { scripted: true })).answer;
  await expect(error).rejects.toThrow(`my ${KEY}`);
});
