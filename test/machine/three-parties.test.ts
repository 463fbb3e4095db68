/** App, GitHub and runner on networks of their own, with TLS between them by a certificate authority of one's own, on PostgreSQL. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { RUNNER_SECRET } from '../../src/local/actions/runner-secret.ts';
import type { ProfileName } from '../../src/local/profile.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { eventually } from '../e2e/acts.ts';
import { commentOn, finish, openLabelledIssue } from '../e2e/journey.ts';
import { checksOn, pullsOf, runsOf } from '../e2e/seen.ts';
import { COMMAND, LOCAL_GITHUB, LOCAL_RUNNER } from '../prepared.ts';
import { createNamespaces, type Namespaces } from './namespaces.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const REPOSITORY = 'acme/guestbook';
const PATIENCE_MS = 900_000;
const PORTS = { github: 4000, app: 3000, model: 5000 } as const;
const SCRIPTED_MODEL = packageFile('dist', 'scripted-model.js');

let directory: string;
let spaces: Namespaces;
let postgres: PostgresServer;
/** The head of the pull request when it was ready first. */
let readyAt: string;
const children: ChildProcess[] = [];
const file = (name: string) => join(directory, name);

/** A certificate for each name, by an authority that only those know who are told. */
async function certify(names: readonly string[]): Promise<void> {
  const openssl = (...argv: readonly string[]) => execa('openssl', argv, { cwd: directory });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Own CA');
  for (const name of names) {
    const own = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}.test`];
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', `subjectAltName=DNS:${name}.test`];
    await openssl('req', '-x509', ...fresh, ...own, ...by, '-addext', 'basicConstraints=critical,CA:FALSE');
  }
}

/** Starts a program in a party's network, and waits for its first line. */
async function startIn(party: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program, ...words] = spaces.within(party, argv);
  const trust = { NODE_EXTRA_CA_CERTS: file('ca.pem'), GIT_SSL_CAINFO: file('ca.pem') };
  const child = spawn(program, words, {
    env: { ...childEnvironment(), ...trust, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${argv.join(' ')} ended with ${code}`)));
  ended.catch(() => undefined);
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  child.stdout.resume();
  return String(line);
}

async function startFront(party: keyof typeof PORTS): Promise<void> {
  const program = join(import.meta.dirname, 'tls-front.mjs');
  await startIn(party, [process.execPath, program, file(`${party}.key`), file(`${party}.pem`), String(PORTS[party])]);
}

async function startGitHub(source: string, profile: ProfileName): Promise<void> {
  const place = [
    '--profile',
    profile,
    '--data',
    file('github'),
    '--port',
    String(PORTS.github),
    '--public-url',
    'https://github.test',
  ];
  const webhooks = ['--webhook-url', 'https://app.test/api/github/webhooks'];
  const content = ['--import', `${source}=${REPOSITORY}`, '--user', 'maria:admin:maria-token'];
  await startIn('github', [process.execPath, LOCAL_GITHUB, ...place, ...webhooks, ...content]);
  await startFront('github');
}

async function startRunner(): Promise<void> {
  const place = ['--url', 'https://github.test', '--secret', file(`github/${RUNNER_SECRET}`)];
  await startIn('runner', [process.execPath, LOCAL_RUNNER, ...place, '--folder', file('runner')]);
}

async function startModel(): Promise<void> {
  const script = packageFile('src', 'demo', 'guestbook.yaml');
  await startIn('model', [process.execPath, SCRIPTED_MODEL, '--script', script, '--port', String(PORTS.model)]);
  await startFront('model');
}

async function startApp(): Promise<void> {
  const credentials = z
    .object({ appId: z.number(), slug: z.string(), privateKey: z.string(), webhookSecret: z.string() })
    .parse(JSON.parse(await readFile(file('github/app.json'), 'utf8')));
  await startIn('app', [process.execPath, COMMAND, 'start'], {
    APP_ID: String(credentials.appId),
    APP_SLUG: credentials.slug,
    PRIVATE_KEY: credentials.privateKey,
    WEBHOOK_SECRET: credentials.webhookSecret,
    GITHUB_API_URL: 'https://github.test/api/v3',
    PUBLIC_URL: 'https://app.test',
    HOST: '127.0.0.1',
    PORT: String(PORTS.app),
    DATABASE_URL: await postgres.createDatabase(),
    WORKSPACE_DIR: file('clones'),
    LLM_BASE_URL: 'https://model.test/v1',
    LLM_API_KEY: KEY,
    LLM_MODEL: 'scripted',
    LLM_PRICE: '0/0',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  });
  await startFront('app');
}

const KEY = 'sk-canary-of-the-model';

/** A REST request as the maintainer, below the repository: from the test, which reaches GitHub alone. */
async function as(method: string, path: string, body?: unknown): Promise<unknown> {
  const sent = request({
    ...{ host: spaces.addressOf('github'), servername: 'github.test', ca: await readFile(file('ca.pem')), method },
    path: `/api/v3/repos/${REPOSITORY}${path}`,
    headers: { host: 'github.test', authorization: 'Bearer maria-token', 'content-type': 'application/json' },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = await once(sent, 'response');
  const said = await text(answer);
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${said}`);
  return said === '' ? undefined : JSON.parse(said);
}

const GITHUB = { as };

// Networks are root's to make.
describe.skipIf(process.getuid?.() !== 0).each([
  ['github.com as it is now', 'newest', 'github.com'],
  ['a GitHub Enterprise Server', 'enterprise-server', 'enterprise-server'],
] as const)('App, GitHub and runner on networks of their own, with %s', (_, profile, server) => {
  beforeAll(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), 'three-parties-')));
    spaces = await createNamespaces(
      ['github', 'app', 'runner', 'model'],
      [
        ['app', 'github'],
        ['runner', 'github'],
        ['runner', 'app'],
        ['app', 'model'],
        ['github', undefined],
      ],
    );
    postgres = await startPostgres();
    await certify(['github', 'app', 'model']);
    const source = await prepareDemoRepository(directory, server);
    await startGitHub(source, profile);
    await Promise.all([startModel(), startRunner(), startApp()]);
  });

  afterAll(async () => {
    for (const child of children.splice(0).toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await postgres?.stop();
    await spaces?.close();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  test('the whole journey comes to a ready pull request', { timeout: PATIENCE_MS + 60_000 }, async () => {
    const issue = await openLabelledIssue(GITHUB);
    await finish(GITHUB, issue, PATIENCE_MS);
    readyAt = (await pullsOf(GITHUB)).at(0)?.head.sha ?? '';
    const [pull] = await pullsOf(GITHUB);
    expect(pull?.draft).toBe(false);
    const runs = await runsOf(GITHUB);
    expect(runs.filter(({ conclusion }) => conclusion !== 'success')).toEqual([]);
    const dispatched = runs.filter(({ event }) => event === 'workflow_dispatch');
    expect(new Set(dispatched.map(({ display_title: title }) => title.split(' ')[0]))).toEqual(
      new Set(['loopwright-build', 'loopwright-verify']),
    );
  });

  test('a base that moves after VERIFY is merged and proved again', { timeout: PATIENCE_MS }, async () => {
    const [pull] = await pullsOf(GITHUB);
    const path = '/contents/src/store.js';
    const { content, sha } = z.object({ content: z.string(), sha: z.string() }).parse(await as('GET', path));
    const text = `${Buffer.from(content, 'base64').toString('utf8')}// Kept in memory.\n`;
    await as('PUT', path, { message: 'Say where', sha, branch: 'main', content: Buffer.from(text).toString('base64') });
    const evidence = async () =>
      (await checksOn(GITHUB, (await pullsOf(GITHUB)).at(0)?.head.sha ?? '', 'latest')).find(
        ({ name }) => name === 'loopwright / evidence',
      )?.conclusion;
    await eventually(async () => (await evidence()) === 'neutral', 'void evidence', PATIENCE_MS);
    await commentOn(GITHUB, pull?.number ?? 0, '/rerun VERIFY');
    const isProved = async () => {
      const now = (await pullsOf(GITHUB)).at(0);
      return now?.draft === false && now.head.sha !== readyAt && (await evidence()) === 'success';
    };
    await eventually(isProved, 'evidence on the merge', PATIENCE_MS);
    const { behind_by: behind } = z
      .object({ behind_by: z.int() })
      .parse(await as('GET', `/compare/main...${(await pullsOf(GITHUB)).at(0)?.head.sha}`));
    expect(behind).toBe(0);
  });

  /** Who answers whom, on the ports that anything listens on. */
  const REACHED = {
    app: { github: true, runner: false, model: true },
    runner: { github: true, app: true, model: false },
    github: { app: true, runner: false, model: false },
    model: { app: true, github: false, runner: false },
  } as const;

  test.each(Object.entries(REACHED))(
    'the network of the %s reaches nothing but what it must',
    async (party, wanted) => {
      const asks = `const [host] = process.argv.slice(1);
      require('node:net').connect(443, host).setTimeout(3000, () => process.exit(1)).on('error', () => process.exit(1)).on('connect', () => process.exit(0));`;
      const found: Record<string, boolean> = {};
      for (const other of Object.keys(wanted)) {
        const [program, ...argv] = spaces.within(party, [process.execPath, '-e', asks, `${other}.test`]);
        found[other] = (await execa(program, argv, { reject: false })).exitCode === 0;
      }
      const world = await execa(...split(spaces.within(party, [process.execPath, '-e', asks, '192.0.2.1'])), {
        reject: false,
      });
      expect({ ...found, world: world.exitCode === 0 }).toEqual({ ...wanted, world: false });
    },
  );

  test("the model's key is with the App alone", async () => {
    const holds = async (name: string) =>
      (await execa('grep', ['-rlaF', KEY, file(name)], { reject: false })).stdout.split('\n').filter(Boolean);
    expect(await holds('github')).toEqual([]);
    expect(await holds('runner')).toEqual([]);
  });
});

function split([program, ...argv]: readonly [string, ...string[]]): [string, string[]] {
  return [program, argv];
}
