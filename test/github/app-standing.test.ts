import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { createGitHub, type GitHubOptions } from '../../src/github/github.ts';
import { keyRefusal } from '../../src/github/key-refusal.ts';
import { wire } from '../../src/github/wire.ts';
import { type Stage, startStage } from '../local/server.ts';
import { MEMORY } from '../prepared.ts';

const DECODED =
  "PRIVATE_KEY is no key of the App with this APP_ID. Make a private key on the App's page, and set PRIVATE_KEY to its text; look whether APP_ID is that App's.";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());

const { privateKey: another } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

function optionsWith(more: Partial<GitHubOptions>): GitHubOptions {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  return { appId, privateKey, apiUrl, fetch, pauseMs: 1, log: pino({ level: 'silent' }), ...more };
}

test('a key that GitHub refuses is known once it was asked, and forgotten once it is accepted', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  let clockMs = 0;
  const github = createGitHub(optionsWith({ log, now: () => new Date(Date.now() - clockMs) }));
  expect(github.obstacle()).toBeUndefined();
  clockMs = 3600_000;
  await expect(github.failedDeliveries()).rejects.toThrow("'Expiration time' claim ('exp')");
  await expect(github.failedDeliveries()).rejects.toThrow("'Expiration time' claim ('exp')");
  expect(github.obstacle()).toBe(
    'GitHub does not accept APP_ID and PRIVATE_KEY: the clock of this machine is wrong. Set the clock; GitHub allows for a minute.',
  );
  clockMs = 0;
  await github.failedDeliveries();
  expect(github.obstacle()).toBeUndefined();
  expect(lines.filter((line) => line.includes('APP_ID'))).toEqual([
    'GitHub does not accept APP_ID and PRIVATE_KEY: the clock of this machine is wrong. Set the clock; GitHub allows for a minute.',
    'GitHub accepts APP_ID and PRIVATE_KEY',
  ]);
});

test('an App whose key GitHub refuses is not ready, and says what to do', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-key-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const { routes, ports, close } = await compose({
    databaseUrl: MEMORY,
    workspaceDirectory: directory,
    publicUrl: 'http://127.0.0.1:9',
    slug: 'loopwright',
    webhookSecret: 'secret',
    github: optionsWith({ privateKey: another }),
    gateway: {},
    model: { baseUrl: 'http://127.0.0.1:9', name: 'none', apiKey: 'none', scripted: false, price: undefined },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(close);
  await expect(ports.github.failedDeliveries()).rejects.toThrow('could not be decoded');
  const answer = await routes.request('/readyz');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    status: 'not ready',
    reason: `GitHub does not accept APP_ID and PRIVATE_KEY: ${DECODED}`,
  });
});

test('an answer about something else, or by nobody, says nothing against the key', () => {
  expect(keyRefusal({ status: 404, message: 'Not Found' })).toBeUndefined();
  expect(keyRefusal({ status: 403, message: 'could not be decoded' })).toBeUndefined();
  expect(keyRefusal({ message: 'fetch failed' })).toBeUndefined();
  expect(keyRefusal({ status: 404, message: 'Integration not found' })?.remedy).toContain('APP_ID');
});

test('a GitHub that fails leaves what was known of the key', async () => {
  let fails = false;
  const options = optionsWith({ privateKey: another });
  const failing: typeof fetch = async (input, init) =>
    fails ? new Response('{}', { status: 502 }) : options.fetch(input, init);
  const github = createGitHub({ ...options, fetch: failing });
  await expect(github.failedDeliveries()).rejects.toThrow('could not be decoded');
  fails = true;
  await expect(github.failedDeliveries()).rejects.toThrow();
  expect(github.obstacle()).toContain('PRIVATE_KEY');
});

describe('a GitHub that is not there', () => {
  const page = new Response('<html>', { status: 404, headers: { 'content-type': 'text/html' } });
  test.each<[string, typeof fetch]>([
    ['does not answer', () => Promise.reject(new TypeError('fetch failed'))],
    ['is another server', async () => page.clone()],
    ['fails', async () => new Response('{}', { status: 503, headers: { 'content-type': 'application/json' } })],
  ])('from the start, because it %s, is an obstacle until it is; later it is none', async (_, broken) => {
    let isBroken = true;
    const options = optionsWith({});
    const sometimes: typeof fetch = (input, init) => (isBroken ? broken : options.fetch)(input, init);
    const github = createGitHub({ ...options, fetch: sometimes });
    await expect(github.failedDeliveries()).rejects.toThrow();
    expect(github.obstacle()).toBe(
      'Nobody has answered as GitHub does at GITHUB_API_URL since this process started; `npm run -s loopwright -- doctor` says why.',
    );
    isBroken = false;
    await github.failedDeliveries();
    expect(github.obstacle()).toBeUndefined();
    isBroken = true;
    await expect(github.failedDeliveries()).rejects.toThrow();
    expect(github.obstacle()).toBeUndefined();
  });
});
