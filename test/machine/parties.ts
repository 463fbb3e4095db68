/**
 * App, GitHub, runner and model as processes on networks of their own, with TLS between them by a certificate authority of one's own, on PostgreSQL; a registry,
 * where the repository has packages, which only the runner reaches; and the world, which only the test reaches.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { z } from 'zod';
import { RUNNER_SECRET } from '../../src/local/actions/runner-secret.ts';
import type { ProfileName } from '../../src/local/profile.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { COMMAND, LOCAL_GITHUB, LOCAL_RUNNER } from '../prepared.ts';
import { createNamespaces, type Link, type Namespaces } from './namespaces.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const PORTS = { github: 4000, app: 3000, model: 5000, registry: 6000 } as const;
type Fronted = keyof typeof PORTS;
const SCRIPTED_MODEL = packageFile('dist', 'scripted-model.js');
const REGISTRY = join(import.meta.dirname, 'registry-main.ts');
export const MODEL_KEY = 'sk-canary-of-the-model';

export interface Wanted {
  readonly profile: ProfileName;
  /** `owner/name` of the repository. */
  readonly repository: string;
  /** Makes the repository in a folder, and gives its path; where there is a registry, that listens already. */
  readonly source: (directory: string, stand: Stand) => Promise<string>;
  /** Authored answers. */
  readonly script: string;
  /** A file with the packages of a registry, `https://registry.test`. */
  readonly packages?: string;
}

/** What is there before the repository is. */
export interface Stand {
  /** A program in a party's network, with its trust, to its end. */
  readonly within: (party: string, argv: readonly string[], directory: string) => Promise<unknown>;
  readonly spaces: Namespaces;
}

export interface Parties {
  readonly spaces: Namespaces;
  /** A path in the folder of all parties. */
  readonly file: (name: string) => string;
  /** A REST request as the maintainer, below the repository: from the test, which reaches GitHub alone. */
  readonly as: (method: string, path: string, body?: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const LINKS: readonly Link[] = [
  ['app', 'github'],
  ['runner', 'github'],
  ['runner', 'app'],
  ['app', 'model'],
  ['github', undefined],
  ['world', undefined],
];
/** What the registry was asked for, a path a line, in the folder of all parties. */
export const ASKED = 'registry-asked';

/** Starts them all. */
export async function startParties(wanted: Wanted): Promise<Parties> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'parties-')));
  const started = new AsyncDisposableStack();
  started.defer(() => rm(directory, { recursive: true, force: true }));
  try {
    const names = ['github', 'app', 'model', ...(wanted.packages === undefined ? [] : ['registry'])];
    const links: readonly Link[] = wanted.packages === undefined ? LINKS : [...LINKS, ['runner', 'registry']];
    const spaces = await createNamespaces([...names, 'runner', 'world'], links, ['runner']);
    started.defer(() => spaces.close());
    const postgres = await startPostgres();
    started.defer(() => postgres.stop());
    await mkdir(join(directory, 'home'));
    await certify(directory, names);
    const stage = { directory, spaces, postgres, started };
    await startAll(stage, wanted);
    const file = (name: string) => join(directory, name);
    return { spaces, file, as: asMaintainer(stage, wanted.repository), close: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

interface Stage {
  readonly directory: string;
  readonly spaces: Namespaces;
  readonly postgres: PostgresServer;
  readonly started: AsyncDisposableStack;
}

async function startAll(stage: Stage, { profile, repository, source, script, packages }: Wanted): Promise<void> {
  const { directory, spaces } = stage;
  if (packages !== undefined) await startRegistry(stage, packages);
  const within: Stand['within'] = (party, argv, cwd) => {
    const [program, ...words] = spaces.within(party, argv);
    return execa(program, words, { cwd, env: environmentOf(directory), extendEnv: false });
  };
  await startGitHub(stage, { profile, repository, source: await source(directory, { within, spaces }) });
  await Promise.all([startModel(stage, script), startRunner(stage), startApp(stage)]);
}

/** A certificate for each name, by an authority that only those know who are told. */
async function certify(directory: string, names: readonly string[]): Promise<void> {
  const openssl = (...argv: readonly string[]) => execa('openssl', argv, { cwd: directory });
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Own CA');
  for (const name of names) {
    const own = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2', '-subj', `/CN=${name}.test`];
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', `subjectAltName=DNS:${name}.test`];
    await openssl('req', '-x509', ...fresh, ...own, ...by, '-addext', 'basicConstraints=critical,CA:FALSE');
  }
}

/** With a home of their own: in the machine's are its own settings of npm, and packages kept under the same addresses by an earlier stage. */
function environmentOf(directory: string): Readonly<Record<string, string>> {
  const authority = join(directory, 'ca.pem');
  const trust = { NODE_EXTRA_CA_CERTS: authority, GIT_SSL_CAINFO: authority };
  return { ...childEnvironment(), HOME: join(directory, 'home'), ...trust };
}

/** Starts a program in a party's network, and waits for its first line. */
async function startIn(
  { directory, spaces, started }: Stage,
  party: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [program, ...words] = spaces.within(party, argv);
  const child = spawn(program, words, {
    env: { ...environmentOf(directory), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.defer(() => stopped(child));
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${argv.join(' ')} ended with ${code}`)));
  ended.catch(() => undefined);
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  child.stdout.resume();
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function startFront(stage: Stage, party: Fronted): Promise<void> {
  const program = join(import.meta.dirname, 'tls-front.mjs');
  const [key, certificate] = [`${party}.key`, `${party}.pem`].map((name) => join(stage.directory, name));
  await startIn(stage, party, [process.execPath, program, key ?? '', certificate ?? '', String(PORTS[party])]);
}

async function startRegistry(stage: Stage, packages: string): Promise<void> {
  const place = [String(PORTS.registry), 'https://registry.test', packages, join(stage.directory, ASKED)];
  await startIn(stage, 'registry', [process.execPath, REGISTRY, ...place]);
  await startFront(stage, 'registry');
}

async function startGitHub(
  stage: Stage,
  { profile, repository, source }: Pick<Wanted, 'profile' | 'repository'> & { readonly source: string },
): Promise<void> {
  const data = join(stage.directory, 'github');
  const port = String(PORTS.github);
  const place = ['--profile', profile, '--data', data, '--port', port, '--public-url', 'https://github.test'];
  const webhooks = ['--webhook-url', 'https://app.test/api/github/webhooks'];
  const content = ['--import', `${source}=${repository}`, '--user', 'maria:admin:maria-token'];
  await startIn(stage, 'github', [process.execPath, LOCAL_GITHUB, ...place, ...webhooks, ...content]);
  await startFront(stage, 'github');
}

async function startRunner(stage: Stage): Promise<void> {
  const secret = join(stage.directory, 'github', RUNNER_SECRET);
  const place = ['--url', 'https://github.test', '--secret', secret, '--folder', join(stage.directory, 'runner')];
  await startIn(stage, 'runner', [process.execPath, LOCAL_RUNNER, ...place]);
}

async function startModel(stage: Stage, script: string): Promise<void> {
  const place = ['--script', script, '--port', String(PORTS.model)];
  await startIn(stage, 'model', [process.execPath, SCRIPTED_MODEL, ...place]);
  await startFront(stage, 'model');
}

async function startApp(stage: Stage): Promise<void> {
  const credentials = z
    .object({ appId: z.number(), slug: z.string(), privateKey: z.string(), webhookSecret: z.string() })
    .parse(JSON.parse(await readFile(join(stage.directory, 'github/app.json'), 'utf8')));
  await startIn(stage, 'app', [process.execPath, COMMAND, 'start'], {
    APP_ID: String(credentials.appId),
    APP_SLUG: credentials.slug,
    PRIVATE_KEY: credentials.privateKey,
    WEBHOOK_SECRET: credentials.webhookSecret,
    GITHUB_API_URL: 'https://github.test/api/v3',
    PUBLIC_URL: 'https://app.test',
    HOST: '127.0.0.1',
    PORT: String(PORTS.app),
    DATABASE_URL: await stage.postgres.createDatabase(),
    WORKSPACE_DIR: join(stage.directory, 'clones'),
    LLM_BASE_URL: 'https://model.test/v1',
    LLM_API_KEY: MODEL_KEY,
    LLM_MODEL: 'scripted',
    LLM_PRICE: '0/0',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  });
  await startFront(stage, 'app');
}

function asMaintainer({ directory, spaces }: Stage, repository: string): Parties['as'] {
  return async (method, path, body) => {
    const ca = await readFile(join(directory, 'ca.pem'));
    const sent = request({
      // One that was kept may be closed in the moment in which it is used again.
      agent: false,
      ...{ host: spaces.addressOf('github'), servername: 'github.test', ca, method },
      path: `/api/v3/repos/${repository}${path}`,
      headers: { host: 'github.test', authorization: 'Bearer maria-token', 'content-type': 'application/json' },
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = await once(sent, 'response');
    const said = await text(answer);
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${said}`);
    return said === '' ? undefined : JSON.parse(said);
  };
}
