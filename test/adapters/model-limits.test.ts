import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createModel, type ModelOptions } from '../../src/adapters/model.ts';
import { ModelError } from '../../src/errors.ts';
import { listening } from '../listening.ts';

const PROMPT = 'the secret plan for the moon base';
const MIB = 1024 * 1024;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Serves until the test ends; returns host and port. */
async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return new URL(await listening(server)).host;
}

async function failureOf(host: string, options: Partial<ModelOptions> = {}): Promise<ModelError> {
  const model = createModel({ baseUrl: `http://${host}/v1`, apiKey: 'key', model: 'm', pauseMs: 1, ...options });
  const error = await model
    .turn({
      context: { loop: 'acme/shop#12', phase: 'SHIP', skill: 's', role: 'planner', attempt: 1 },
      tools: [],
      messages: [{ role: 'user', content: PROMPT }],
    })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  return error;
}

/** Writes as long as the other side reads. */
const endless: RequestListener = (_, response) => {
  const chunk = Buffer.alloc(MIB, ' ');
  const write = (): void => {
    while (!response.destroyed && response.write(chunk)) {}
  };
  response.writeHead(200, { 'content-type': 'application/json' }).on('drain', write);
  write();
};

test('an answer that never ends is cut at 16 MiB, and each try is counted', async () => {
  let closed = 0;
  const host = await serve((request, response) => {
    response.on('close', () => {
      closed += 1;
    });
    endless(request, response);
  });
  const error = await failureOf(host, { silenceMs: 10_000 });
  expect(error.message).toBe(
    `The model at http://${host}/v1 gave no usable next step in 3 tries: an answer larger than 16 MiB; an answer larger than 16 MiB; an answer larger than 16 MiB.`,
  );
  expect(error.calls).toHaveLength(3);
  await expect.poll(() => closed).toBe(3);
});

test('an answer that announces more than 16 MiB is not read at all', async () => {
  const host = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 600 * MIB }).write('{');
  });
  const error = await failureOf(host, { silenceMs: 2000, tries: 1 });
  expect(error.message).toContain('in 1 try: an answer larger than 16 MiB.');
});

test('an error that nobody foresaw is a counted try, told by its code and never by its words', async () => {
  const broken = () => Object.assign(new Error(PROMPT), { code: 'ERR_STRING_TOO_LONG' });
  const fetch = () =>
    Promise.resolve(
      new Response(new ReadableStream({ pull: (controller) => controller.error(broken()) }), {
        headers: { 'content-type': 'application/json' },
      }),
    );
  const error = await failureOf('127.0.0.1:1', { fetch });
  expect(error.message).toContain('in 3 tries: an unexpected error (ERR_STRING_TOO_LONG);');
  expect(error.message).not.toContain(PROMPT);
  expect(error.calls).toHaveLength(3);
});

test('a redirect is not followed: the other host gets nothing, and the error says what to set', async () => {
  const elsewhere: unknown[] = [];
  const other = await serve((request, response) => {
    elsewhere.push(request.url);
    response.end();
  });
  let asked = 0;
  const host = await serve((_, response) => {
    asked += 1;
    response.writeHead(307, { location: `http://${other}/v1/chat/completions?token=hunter2` }).end();
  });
  const error = await failureOf(host);
  expect(error.message).toBe(
    `The model at http://${host}/v1 gave no usable next step in 1 try: LLM_BASE_URL answered with a redirect to ${other}; set LLM_BASE_URL to the address that answers itself.`,
  );
  expect(error.calls).toHaveLength(1);
  expect({ asked, elsewhere }).toEqual({ asked: 1, elsewhere: [] });
});

test('a redirect to the same host names that host, and one to nowhere says so', async () => {
  const same = await serve((_, response) => response.writeHead(308, { location: '/v2/' }).end());
  expect((await failureOf(same)).message).toContain(`a redirect to ${same};`);
  const nowhere = await serve((_, response) => response.writeHead(302, { location: 'http://' }).end());
  expect((await failureOf(nowhere)).message).toContain('a redirect to an address that cannot be read;');
});
