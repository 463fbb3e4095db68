import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/adapters/database.ts';
import { compose } from '../../src/compose.ts';
import { startServer } from '../../src/server.ts';
import { freePort } from '../listening.ts';
import { MEMORY } from '../prepared.ts';

test('a start that fails leaves no door open', async () => {
  const log = pino({ level: 'silent' });
  const port = await freePort();
  const credentials = { appId: 1, privateKey: 'none', apiUrl: 'https://api.github.com', fetch };
  const { ports, routes, close } = await compose({
    databaseUrl: MEMORY,
    workspaceDirectory: tmpdir(),
    publicUrl: `http://127.0.0.1:${port}`,
    slug: 'loopwright',
    webhookSecret: 'secret',
    github: { ...credentials, log },
    gateway: {},
    model: { baseUrl: 'http://127.0.0.1:9', name: 'none', apiKey: 'none', scripted: false, price: undefined },
    log,
  });
  onTestFinished(close);
  await ports.queue.start(async () => undefined);
  const settings = { ...credentials, webhookSecret: 'secret', host: '127.0.0.1', port, ports, routes, log };
  await expect(startServer(settings)).rejects.toThrow('the queue is started already');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
});

test('a server tells by HTTP that it lives and can work', async () => {
  const log = pino({ level: 'silent' });
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
  const app = await startServer({
    ...credentials,
    webhookSecret: 'secret',
    host: '127.0.0.1',
    port,
    ports,
    routes,
    log,
  });
  onTestFinished(() => app.close());
  const ask = async (path: string) => {
    const response = await fetch(`${app.url}${path}`);
    return { status: response.status, told: await response.json() };
  };
  expect(await ask('/healthz')).toEqual({ status: 200, told: { status: 'alive' } });
  expect(await ask('/readyz')).toEqual({ status: 200, told: { status: 'ready' } });
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
