import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BodyLimits } from '../../src/intake/request-body.ts';
import { createWebhooks, PATIENCE_MS, WEBHOOK_PATH } from '../../src/intake/webhooks.ts';
import type { Delivery } from '../../src/ports.ts';
import { eventually } from '../eventually.ts';
import { listening } from '../listening.ts';

const SECRET = 'a secret of the webhook';
const SHA = 'a'.repeat(40);
const account = { id: 7, login: 'maria', type: 'User' };
const push = {
  ref: 'refs/heads/main',
  before: SHA,
  after: SHA,
  repository: { id: 5, name: 'shop', owner: { login: 'acme' }, default_branch: 'main' },
  installation: { id: 1 },
  sender: account,
};
const PAYLOAD = JSON.stringify({ ...push, password: 'hunter2' });

/** The door with a store that does as it is told. */
async function door(receive: (delivery: Delivery) => Promise<boolean>, limits?: BodyLimits, patienceMs?: number) {
  const lines: string[] = [];
  const listener = await createWebhooks({
    appId: 1,
    privateKey: 'none',
    webhookSecret: SECRET,
    apiUrl: 'https://api.github.com',
    fetch: () => Promise.reject(new Error('nothing is asked of GitHub')),
    ports: {
      self: 'loopwright[bot]',
      clock: { now: () => new Date(0) },
      store: { receive },
    },
    ...(limits === undefined ? {} : { limits }),
    ...(patienceMs === undefined ? {} : { patienceMs }),
    log: pino({ level: 'debug', base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  });
  const server = createServer(listener).on('checkContinue', listener);
  const url = `${await listening(server)}${WEBHOOK_PATH}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const post = async (body: string, signature = signed(body)) => {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': 'guid-1',
      'x-hub-signature-256': signature,
    };
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  /** Speaks over a connection of its own: gives the head of a request, with a signature that looks like one. */
  const spoken = (headers: readonly string[]) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    const signature = headers.some((header) => /^x-hub-signature-256:/i.test(header)) ? [] : [UNSIGNED];
    const head = [`POST ${WEBHOOK_PATH} HTTP/1.1`, 'host: app', ...WEBHOOK, ...signature, ...headers, '', ''];
    socket.write(head.join('\r\n'));
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes;
    });
    const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)));
    return { socket, answer, say: (bytes: string) => void socket.write(bytes) };
  };
  return { post, spoken, url, lines: () => lines.map((line): unknown => JSON.parse(line)) };
}

const WEBHOOK = ['content-type: application/json', 'x-github-event: push', 'x-github-delivery: guid-1'];
const UNSIGNED = `x-hub-signature-256: sha256=${'0'.repeat(64)}`;
const NOTHING_STORED = () => Promise.reject(new Error('nothing is to be stored'));

function signed(body: string): string {
  return `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
}

test('a webhook is acknowledged when what it decides is stored, and nothing is said', async () => {
  const stored: Delivery[] = [];
  const { post, lines } = await door(async (delivery) => stored.push(delivery) > 0);
  expect(await post(PAYLOAD)).toBe(200);
  expect(stored).toEqual([
    {
      id: 'guid-1',
      name: 'push',
      payload: expect.objectContaining({ ref: push.ref, after: SHA, repository: expect.anything(), sender: account }),
      repositoryId: 5,
      receivedAt: '1970-01-01T00:00:00.000Z',
      note: undefined,
    },
  ]);
  expect(JSON.stringify(stored)).not.toContain('hunter2');
  expect(lines()).toEqual([]);
});

test('a webhook that cannot be read is stored by its id, with one line that says why', async () => {
  const stored: Delivery[] = [];
  const { post, lines } = await door(async (delivery) => stored.push(delivery) > 0);
  expect(await post(JSON.stringify({ ...push, after: null }))).toBe(200);
  const note = 'push cannot be read: after: Invalid input: expected string, received null';
  expect(stored).toMatchObject([{ id: 'guid-1', payload: undefined, repositoryId: undefined, note }]);
  expect(lines()).toEqual([
    { level: 40, delivery: 'guid-1', webhook: 'push', msg: `a webhook is left unread: ${note}` },
  ]);
});

test.each([
  ['a forged signature', PAYLOAD, `sha256=${'0'.repeat(64)}`, 'signature does not match event payload and secret'],
  ['no JSON', '{"ref":', undefined, 'Invalid JSON'],
])('%s is refused with one warning, without a stack and without the payload', async (_, body, signature, reason) => {
  const { post, lines } = await door(() => Promise.reject(new Error('nothing is to be stored')));
  expect(await post(body, signature)).toBe(400);
  expect(lines()).toEqual([{ level: 40, msg: `a webhook was refused: ${reason}` }]);
});

test('a webhook that could not be stored has failed, which one line says', async () => {
  const { post, lines } = await door(() => Promise.reject(new Error('the database is away')));
  expect(await post(PAYLOAD)).toBe(500);
  expect(lines()).toEqual([
    {
      level: 50,
      msg: 'a webhook could not be stored, so GitHub will be asked for it again: the database is away',
    },
  ]);
});

test('a webhook that is not stored in time is not acknowledged', async () => {
  const { post } = await door(() => new Promise(() => undefined), undefined, 300);
  expect(await post(PAYLOAD)).toBe(503);
  // Which is said while GitHub, which waits for 10 s, still listens.
  expect(PATIENCE_MS).toBeLessThan(10_000);
});

test('another path behind that of webhooks is not there', async () => {
  const { url } = await door(async () => true);
  expect((await fetch(`${url}/other`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(url)).status).toBe(404);
});

test.each([
  [
    { 'content-type': 'text/plain' },
    415,
    'The content type must be application/json; set it so in the settings of the App.',
  ],
  [
    { 'content-type': 'application/json', 'x-github-event': 'push' },
    400,
    'These headers are missing: x-github-delivery, x-hub-signature-256.',
  ],
])('what is no webhook (%j) is refused with %i and a reason', async (headers, status, reason) => {
  const { url } = await door(() => Promise.reject(new Error('nothing is to be stored')));
  const answer = await fetch(url, { method: 'POST', headers, body: PAYLOAD });
  expect([answer.status, await answer.text()]).toEqual([status, `${reason}\n`]);
});

describe('a body', () => {
  test('that says it has more than 25 MB is refused before it is sent', async () => {
    const { spoken } = await door(NOTHING_STORED);
    const { answer } = spoken([`content-length: ${25 * 1024 * 1024 + 1}`]);
    expect(await answer).toMatch(/^HTTP\/1.1 413 .*A body has at most 26214400 bytes\.\n$/s);
  });

  test('without a length is refused when more than 25 MB of it have come', async () => {
    const { spoken } = await door(NOTHING_STORED);
    const { socket, answer } = spoken(['transfer-encoding: chunked']);
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 27; count += 1) socket.write(`${megabyte.length.toString(16)}\r\n${megabyte}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test('of 25 MB that is signed is stored', async () => {
    const { post } = await door(async () => true);
    const whole = JSON.stringify({ ...push, text: '' }).length;
    expect(await post(JSON.stringify({ ...push, text: 'x'.repeat(25 * 1024 * 1024 - whole) }))).toBe(200);
  });

  test('is not read where its signature cannot be one', async () => {
    const { spoken } = await door(NOTHING_STORED);
    const { answer } = spoken(['x-hub-signature-256: sha256=no', 'content-length: 1000000']);
    expect(await answer).toMatch(
      /^HTTP\/1.1 400 .*These headers are none that GitHub sends: x-hub-signature-256\.\n$/s,
    );
  });

  test('is waited for so long and no longer', async () => {
    const { spoken } = await door(NOTHING_STORED, { most: 1000, mostHeld: 9000, withinMs: 100 });
    const { answer, say } = spoken(['content-length: 100']);
    say('{"a":');
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*The body did not come in time\.\n$/s);
  });

  test('that is cut holds nothing, and nobody hears of it', async () => {
    const { spoken, post, lines } = await door(async () => true, { most: 3000, mostHeld: 3000, withinMs: 9000 });
    for (let count = 0; count < 20; count += 1) {
      const { socket, say } = spoken(['content-length: 2000']);
      await new Promise((resolve) => socket.once('connect', resolve));
      say('x'.repeat(1900));
      socket.destroySoon();
      await new Promise((resolve) => socket.once('close', resolve));
    }
    await eventually(async () => (await post(PAYLOAD)) === 200, 'room');
    expect(lines()).toEqual([]);
  });

  test('is the one to go where too many come at once, if it is the largest', async () => {
    const { spoken, post } = await door(async () => true, { most: 999_999, mostHeld: 135_000, withinMs: 9000 });
    const large = spoken(['content-length: 190000']);
    large.say('x'.repeat(90_000));
    const middling = spoken(['connection: close', 'content-length: 20000']);
    middling.say('x'.repeat(9000));
    expect(await large.answer).toMatch(/^HTTP\/1.1 503 .*Too much arrives at the same time; send it again later\.\n$/s);
    expect(await post(PAYLOAD)).toBe(200);
    middling.say('x'.repeat(11_000));
    expect(await middling.answer).toMatch(/^HTTP\/1.1 400 /);
  });

  test('costs what it has, in however many pieces it comes', async () => {
    const { spoken, post } = await door(async () => true, { most: 99_999, mostHeld: 99_999, withinMs: 9000 });
    const { say, socket } = spoken(['transfer-encoding: chunked']);
    say(`40\r\n${'x'.repeat(64)}\r\n`.repeat(700));
    expect(await post(PAYLOAD)).toBe(200);
    socket.destroy();
  });

  test('in pieces of a byte is cut at once', async () => {
    const { spoken } = await door(NOTHING_STORED);
    const { answer, say } = spoken(['transfer-encoding: chunked']);
    say('1\r\nx\r\n'.repeat(1000));
    expect(await answer).toBe('');
  });

  test('is asked for only where it will be read', async () => {
    const { spoken } = await door(async () => true);
    const refused = spoken(['expect: 100-continue', 'content-length: 99999999']);
    expect(await refused.answer).toMatch(/^HTTP\/1.1 413 /);
    const wanted = spoken(['expect: 100-continue', 'connection: close', `content-length: ${PAYLOAD.length}`]);
    wanted.say(PAYLOAD);
    expect(await wanted.answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 400 /);
  });
});

test.each(['5', '"x"', 'null', 'true', '[]', '[{}]', '', ' '])('a signed %j is no webhook', async (body) => {
  const { post, lines } = await door(NOTHING_STORED);
  expect(await post(body)).toBe(400);
  expect(lines()).toEqual([{ level: 40, msg: 'a webhook was refused: the payload is no JSON object' }]);
});

const COSTLY = 'the payload is nested deeper, or has more parts, than any that GitHub sends';

test.each([
  ['lists', `{"issue":${'['.repeat(1e6)}${']'.repeat(1e6)}}`],
  ['objects where they are looked at', `{"pull_request":${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}}`],
  [
    'lists behind a text with quotes and backslashes',
    `{"a":"\\"]]${'-'.repeat(2e5)}\\\\","b":${'['.repeat(300)}${']'.repeat(300)}}`,
  ],
  ['parts beyond any number', `{"issue":[${'0,'.repeat(3e6)}0]}`],
])('a webhook that costs too much to parse, of %s, is refused before it is parsed', async (_, body) => {
  const { post, lines } = await door(NOTHING_STORED);
  expect(await post(body)).toBe(400);
  expect(lines()).toEqual([{ level: 40, msg: `a webhook was refused: ${COSTLY}` }]);
});

test.each([
  ['has as many brackets in a text', `{"issue":"\\"${'['.repeat(1e6)}",`],
  ['is nested deep and short', `{"issue":${'['.repeat(3e4)}${']'.repeat(3e4)},`],
  ['has lists beside each other', `{"issue":[${'[],'.repeat(1e5)}[]],`],
  ['has keys of every object', '{"__proto__":{"ref":1},"constructor":1,"toString":1,"then":1,'],
])('a webhook that %s is stored like any other', async (_, start) => {
  const stored: Delivery[] = [];
  const { post } = await door(async (delivery) => stored.push(delivery) > 0);
  expect(await post(start + JSON.stringify(push).slice(1))).toBe(200);
  expect(stored).toMatchObject([{ repositoryId: 5, payload: { ref: push.ref } }]);
});

test('bytes that are no text have no signature that counts', async () => {
  const { url } = await door(NOTHING_STORED);
  const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': 'guid-1',
    'x-hub-signature-256': signature,
  };
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(400);
});
