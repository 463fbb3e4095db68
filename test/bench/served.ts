/**
 * What takes the webhooks, a process of its own: `served.ts bare` is Probot with an empty handler, `served.ts <database>` the whole App over it,
 * with a GitHub that cannot be reached. Prints its port; `known <prefix> <count>` on its input prints how many of those it has stored and taken in.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { Probot } from 'probot';
import { compose } from '../../src/compose.ts';
import { LoopError } from '../../src/errors.ts';
import { startServer } from '../../src/server.ts';
import { freePort } from '../listening.ts';
import { PATH, SECRET } from './webhook.ts';

const [database = 'bare'] = process.argv.slice(2);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const port = await freePort();
const say = (text: unknown): void => void process.stdout.write(`${String(text)}\n`);

if (database === 'bare') {
  const probot = new Probot({ appId: 1, privateKey, secret: SECRET, log: pino({ level: 'silent' }) });
  await probot.load((app) => void app.on('push', () => undefined));
  const middleware = await probot.getNodeMiddleware({ path: PATH });
  createServer((request, response) => void middleware(request, response)).listen(port, '127.0.0.1', () => say(port));
} else {
  const log = pino({ level: 'silent' });
  const unreachable = () => Promise.reject(new LoopError('GitHub is away'));
  const github = { appId: 1, privateKey, apiUrl: 'http://127.0.0.1:9', fetch: unreachable, log };
  const { ports, routes } = await compose({
    databaseUrl: database,
    workspaceDirectory: mkdtempSync(join(tmpdir(), 'loopwright-bench-')),
    publicUrl: `http://127.0.0.1:${port}`,
    slug: 'loopwright',
    webhookSecret: SECRET,
    github,
    model: { baseUrl: 'http://127.0.0.1:9', name: 'none', apiKey: 'none', scripted: false, price: undefined },
    log,
  });
  await startServer({ ...github, webhookSecret: SECRET, host: '127.0.0.1', port, ports, routes, log });
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const [, prefix = '', count = '0'] = line.split(' ');
    let [stored, taken] = [0, 0];
    for (let index = 0; index < Number(count); index += 1) {
      const delivery = await ports.store.delivery(`${prefix}-${index}`);
      if (delivery !== undefined) stored += 1;
      if (delivery !== undefined && delivery.payload === undefined) taken += 1;
    }
    say(JSON.stringify({ stored, taken }));
  });
  say(port);
}
process.on('SIGINT', () => process.exit(0));
