import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createWebhooks, WEBHOOK_PATH } from '../../src/intake/webhooks.ts';
import type { Delivery } from '../../src/ports.ts';
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
async function door(receive: (delivery: Delivery) => Promise<boolean>) {
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
    log: pino({ level: 'debug', base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  });
  const server = createServer(listener);
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
  return { post, url, lines: () => lines.map((line): unknown => JSON.parse(line)) };
}

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
  const received = Promise.withResolvers<void>();
  const { post } = await door(() => {
    received.resolve();
    return new Promise(() => undefined);
  });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answered = post(PAYLOAD);
  await received.promise;
  // GitHub waits 10 s.
  vi.advanceTimersByTime(9500);
  expect(await answered).toBe(503);
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
