/** What the composition knows to be secret must be known wherever text leaves or comes in. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { compose, secretsOf } from '../../src/compose.ts';
import { listening } from '../listening.ts';
import { MEMORY } from '../prepared.ts';

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
/** The private key by one of its lines: no text holds all of them. */
const SECRETS = {
  'the private key': privateKey.split('\n')[3] ?? '',
  'the webhook secret': 'hook-4b1f7c2d9e6a8053',
  "the model's key": 'key-9c3e5a7d1f2b4068',
};
const REPOSITORY = { installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop' };

/** GitHub as far as one comment needs it; `sent` are the bodies of what was written. */
function fakeGitHub() {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith('/access_tokens'))
      return Response.json({ token: 'ghs_x', expires_at: '2999-01-01T00:00:00Z' }, { status: 201 });
    if (pathname.endsWith('/app')) return Response.json({ id: 1, slug: 'loopwright' });
    if (request.method !== 'POST') return Response.json([]);
    sent.push(await request.text());
    return Response.json({ id: 1, created_at: '2026-01-01T00:00:00Z' }, { status: 201 });
  };
  return { sent, fetch };
}

/** An endpoint that always answers with the same title. */
async function echo(title: string): Promise<string> {
  const release = { title, notes: ['a'], checklist: [{ item: 'a', owner: 'b' }], rollback: 'c', tag: '1.0.0' };
  const message = { role: 'assistant', content: JSON.stringify(release) };
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
  });
  onTestFinished(() => void server.close());
  return `${await listening(server)}/v1`;
}

function composition(baseUrl: string, fetch: typeof globalThis.fetch) {
  const log = pino({ level: 'silent' });
  return {
    databaseUrl: MEMORY,
    workspaceDirectory: tmpdir(),
    publicUrl: 'http://127.0.0.1:9',
    slug: 'loopwright',
    webhookSecret: SECRETS['the webhook secret'],
    github: { appId: 1, privateKey, apiUrl: 'https://api.github.test', fetch, log },
    gateway: {},
    model: { baseUrl, name: 'm', apiKey: SECRETS["the model's key"], scripted: false, price: undefined },
    log,
  };
}

test.each(Object.entries(SECRETS))('%s leaves in no comment and comes in with no answer', async (_, secret) => {
  const { sent, fetch } = fakeGitHub();
  const { ports, close } = await compose(composition(await echo(`say ${secret}`), fetch));
  onTestFinished(close);
  await ports.github.comment(REPOSITORY, 12, { marker: 'board/1', body: `It is ${secret}.` });
  expect(sent.join()).toContain('[secret removed]');
  expect(sent.join()).not.toContain(secret);
  const context = { loop: 'acme/shop#12', phase: 'SHIP', skill: 's', role: 'planner', attempt: 1 };
  const asked = ports.model.answer({ name: 'release', context, system: '', user: '' });
  await expect(asked).rejects.toThrow('an answer with a secret in title');
});

test('credentials in the addresses of the database and of the model are among them', () => {
  const databaseUrl = 'postgres://app:base-2f8d6b4a1c9e7035@db/loops';
  const secrets = secretsOf({ ...composition('https://door-7a1c9e3f5b2d4860@llm.test/v1', fetch), databaseUrl });
  expect(secrets).toEqual(expect.arrayContaining(['base-2f8d6b4a1c9e7035', 'door-7a1c9e3f5b2d4860']));
});
