import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openEngine } from '../../src/adapters/database/database.ts';
import { compose } from '../../src/compose.ts';
import { type RunningApp, type ServerSettings, startServer } from '../../src/server.ts';
import { freePort } from '../listening.ts';
import { MEMORY } from '../prepared.ts';

test('a start that fails leaves no door open', async () => {
  const settings = await settled();
  await settings.ports.queue.start(async () => undefined);
  await expect(startServer(settings)).rejects.toThrow('the queue is started already');
  await expect(fetch(`http://127.0.0.1:${settings.port}/healthz`)).rejects.toThrow('fetch failed');
});

test('a server tells by HTTP that it lives and can work', async () => {
  const app = await running();
  const ask = async (path: string) => {
    const response = await fetch(`${app.url}${path}`);
    return { status: response.status, told: await response.json() };
  };
  expect(await ask('/healthz')).toEqual({ status: 200, told: { status: 'alive' } });
  expect(await ask('/readyz')).toEqual({ status: 200, told: { status: 'ready' } });
});

test('a webhook that comes while the server ends is stored, and answered', async () => {
  const lines: string[] = [];
  const app = await running({ write: (line) => void lines.push(line) });
  const payload = JSON.stringify({ action: 'opened', installation: { id: 1 }, repository: { id: 7 } });
  const sent = request(`${app.url}/api/github/webhooks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': payload.length,
      'x-github-event': 'issues',
      'x-github-delivery': 'late',
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'secret').update(payload).digest('hex')}`,
    },
  });
  const answer = once(sent, 'response');
  sent.write(payload.slice(0, 20));
  await once(sent, 'socket');
  await sleep(200);
  const closing = app.close();
  await sleep(200);
  sent.end(payload.slice(20));
  const [{ statusCode }] = z.tuple([z.looseObject({ statusCode: z.int() })]).parse(await answer);
  expect(statusCode).toBe(200);
  await closing;
  expect(lines.join('')).not.toContain('could not be stored');
});

test('a sender that never ends does not keep the server from ending', async () => {
  const app = await running();
  const sent = request(`${app.url}/api/github/webhooks`, { method: 'POST', headers: { 'content-length': 100 } });
  sent.on('error', () => undefined);
  sent.write('{');
  await once(sent, 'socket');
  await sleep(200);
  await app.close();
  await expect(fetch(`${app.url}/healthz`)).rejects.toThrow('fetch failed');
});

/** Asks twice over one connection, the second time while the server stands still, and prints each status. */
const ASKER = `
const ask = async () => console.log(await fetch(process.argv[1]).then(async (answer) => (await answer.text(), answer.status), String));
await ask();
await new Promise((resolve) => setTimeout(resolve, 500));
await ask();
process.exit();
`;

test('what comes while the process stands still is answered afterwards', async () => {
  const app = await running();
  const asker = spawn(process.execPath, ['--input-type=module', '-e', ASKER, `${app.url}/healthz`]);
  const said = createInterface({ input: asker.stdout })[Symbol.asyncIterator]();
  expect((await said.next()).value).toBe('200');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8000);
  expect((await said.next()).value).toBe('200');
});

test('a composition that fails lets go of the database, so that the process can end and be started anew', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-compose-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const log = pino({ level: 'silent' });
  const databaseUrl = join(directory, 'database');
  const composition = {
    databaseUrl,
    workspaceDirectory: directory,
    publicUrl: 'http://127.0.0.1:9',
    slug: 'loopwright',
    webhookSecret: 'secret',
    github: { appId: 1, privateKey: 'none', apiUrl: 'no address', fetch, log },
    model: { baseUrl: 'http://127.0.0.1:9', name: 'none', apiKey: 'none', scripted: false, price: undefined },
    log,
  };
  await expect(compose(composition)).rejects.toThrow('Invalid URL');
  await (await openEngine({ url: databaseUrl, log })).close();
});

/** What a server is started with, until the test is over; what the App warns of is written there. */
async function settled(written: DestinationStream = { write: () => undefined }): Promise<ServerSettings> {
  const log = pino({ level: 'warn' }, written);
  const [port, directory] = [await freePort(), await mkdtemp(join(tmpdir(), 'loopwright-health-'))];
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const credentials = { appId: 1, privateKey: 'none', apiUrl: 'https://api.github.com', fetch };
  const { ports, routes, close } = await compose({
    databaseUrl: MEMORY,
    workspaceDirectory: directory,
    publicUrl: `http://127.0.0.1:${port}`,
    slug: 'loopwright',
    webhookSecret: 'secret',
    github: { ...credentials, log },
    gateway: {},
    model: { baseUrl: 'http://127.0.0.1:9', name: 'none', apiKey: 'none', scripted: false, price: undefined },
    log,
  });
  onTestFinished(close);
  return { ...credentials, webhookSecret: 'secret', host: '127.0.0.1', port, ports, routes, log };
}

async function running(written?: DestinationStream): Promise<RunningApp> {
  const app = await startServer(await settled(written));
  onTestFinished(() => app.close());
  return app;
}
