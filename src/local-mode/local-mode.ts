/** Local mode: the embedded GitHub and, without an endpoint of your own, the scripted model as processes beside the App. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type Engine, openEngine } from '../adapters/database/database.ts';
import { lockDirectory } from '../adapters/database/directory-lock.ts';
import { type Composition, compose } from '../compose.ts';
import { LoopError, StoreError } from '../errors.ts';
import { wire } from '../github/wire.ts';
import { RUNNER_SECRET } from '../local/actions/runner-secret.ts';
import { digestOfWorkflow } from '../local/actions/workflow-digest.ts';
import { install } from '../local/installing.ts';
import type { Ports } from '../ports.ts';
import { type RunningApp, startServer } from '../server.ts';
import { type ModelEnvironment, skillsDirectory } from '../settings/env.ts';
import { packageFile } from '../settings/package-root.ts';
import { SETUP_PATHS } from '../settings/setup-files.ts';
import { startChild } from './local-processes.ts';
import { type KeptPorts, keepAccess, keepServed, keptKey, keptPorts } from './local-settings.ts';

export interface LocalModeOptions {
  /** Keeps everything: the embedded GitHub, the database, the clones. */
  readonly dataDirectory: string;
  /** Port of the embedded GitHub's pages; 0 takes a free one, and keeps it for this data directory. */
  readonly port: number;
  readonly imports: readonly { readonly path: string; readonly fullName: string }[];
  readonly users: readonly { readonly login: string; readonly role: string; readonly token: string }[];
  readonly model: ModelEnvironment;
  /** Whether repository and script are the demo's, whose every line we wrote: only then code runs also where nothing keeps it in, and moves branches by itself. */
  readonly isDemo: boolean;
  /** Script of the scripted model, where no endpoint is given. */
  readonly script: string;
  /** Markdown for the first page of the embedded GitHub. */
  readonly welcome?: string;
  readonly log: Logger;
}

export interface LocalMode {
  readonly githubUrl: string;
  /** What a person opens: whoever knows it may act as everybody here. */
  readonly entrance: string;
  /** The secret in it, which also lets read what is under `/_local`. */
  readonly key: string;
  readonly appUrl: string;
  readonly scripted: boolean;
  readonly ports: Ports;
  /** Tells the App that it was installed on a repository, as GitHub does where somebody installs it: what it lacks is proposed then, and a base that lacks nothing is tried. */
  install(fullName: string): Promise<void>;
  close(): Promise<void>;
}

const credentialsFile = z.object({
  appId: z.number(),
  slug: z.string(),
  privateKey: z.string(),
  webhookSecret: z.string(),
});

/** Starts everything on loopback. Closing ends every process that was started. */
export async function startLocalMode(options: LocalModeOptions): Promise<LocalMode> {
  const { dataDirectory, log } = options;
  await mkdir(dataDirectory, { recursive: true });
  const opened = new AsyncDisposableStack();
  try {
    opened.defer(lockedAlone(dataDirectory));
    const ports = await keptPorts(dataDirectory, options.port);
    const database = databaseIn(dataDirectory, log, opened);
    const key = await keptKey(dataDirectory);
    const starting = [modelOf(options, opened), startGitHub({ options, key, ports }, opened)] as const;
    // Where one fails the other is waited for too: it must not start when everything is closed already.
    await Promise.allSettled(starting);
    const [model, githubUrl] = await Promise.all(starting);
    await startRunner(options, githubUrl, opened);
    const { app, composed } = await startApp({ options, githubUrl, port: ports.app, model, database, log }, opened);
    await keepServed(dataDirectory, { imports: options.imports, users: options.users });
    return {
      githubUrl,
      entrance: `${githubUrl}/_local/enter/${key}`,
      key,
      appUrl: app.url,
      scripted: model.scripted,
      ports: composed.ports,
      install: (fullName) => install({ githubUrl, key, fullName }),
      close: () => opened.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Before anything is touched: two embedded GitHubs would overwrite each other's files. */
function lockedAlone(directory: string): () => void {
  try {
    return lockDirectory(directory);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new LoopError(
      `${directory} is in use by another Loopwright on this machine; stop that one, or name another directory.`,
      { cause },
    );
  }
}

/** Its first start takes seconds, in which the other processes start. */
function databaseIn(directory: string, log: Logger, opened: AsyncDisposableStack): Promise<Engine> {
  const opening = openEngine({ url: join(directory, DATABASE), log });
  // Whoever waits for it says what is wrong with it; nobody waits where something else fails before.
  const settled = opening.catch(() => undefined);
  opened.defer(async () => (await settled)?.close());
  return opening;
}

const DATABASE = 'database';

interface LocalModel {
  readonly baseUrl: string;
  readonly name: string;
  readonly apiKey: string;
  readonly scripted: boolean;
  readonly price: Ports['modelFacts']['price'];
}

async function modelOf({ model, script }: LocalModeOptions, opened: AsyncDisposableStack): Promise<LocalModel> {
  if (model.baseUrl !== undefined) {
    return {
      baseUrl: model.baseUrl,
      name: model.name,
      apiKey: model.apiKey ?? 'none',
      scripted: false,
      price: model.price,
    };
  }
  const { url, name } = z
    .object({ url: z.string(), name: z.string() })
    .parse(await startChild('scripted-model', ['--script', script], opened));
  return { baseUrl: url, name, apiKey: 'scripted', scripted: true, price: { prompt: 0, completion: 0 } };
}

interface GitHubStart {
  readonly options: LocalModeOptions;
  readonly key: string;
  readonly ports: KeptPorts;
}

async function startGitHub({ options, key, ports }: GitHubStart, opened: AsyncDisposableStack): Promise<string> {
  const { dataDirectory, imports, users, welcome } = options;
  const argv = [
    ...['--data', join(dataDirectory, 'github'), '--port', String(ports.github)],
    ...['--webhook-url', `http://127.0.0.1:${ports.app}/api/github/webhooks`],
    ...imports.flatMap(({ path, fullName }) => ['--import', `${path}=${fullName}`]),
    ...['--access', await keepAccess(dataDirectory, { key, users })],
    ...(welcome === undefined ? [] : ['--welcome', welcome]),
  ];
  return z.object({ url: z.string() }).parse(await startChild('local-github', argv, opened)).url;
}

/** One that performs two jobs at a time, and keeps in what is not ours. */
async function startRunner(
  { dataDirectory, isDemo }: LocalModeOptions,
  githubUrl: string,
  opened: AsyncDisposableStack,
): Promise<void> {
  const known = isDemo ? [await digestOfDemoCi()] : [];
  const argv = [
    ...['--url', githubUrl, '--secret', join(dataDirectory, 'github', RUNNER_SECRET)],
    ...['--folder', join(dataDirectory, 'runner'), '--confine'],
    ...OWN_WORKFLOWS.flatMap((path) => ['--own', path]),
    ...known.flatMap((digest) => ['--known', digest]),
  ];
  await startChild('local-runner', argv, opened);
}

/** They run a sandbox of their own, and need the App, which only what is not confined reaches. */
const OWN_WORKFLOWS = SETUP_PATHS.filter((path) => path.startsWith('.github/workflows/'));

/** The demo's own checks run what its script wrote. */
async function digestOfDemoCi(): Promise<string> {
  return digestOfWorkflow(
    await readFile(packageFile('src', 'demo', 'repository', '.github', 'workflows', 'ci.yml'), 'utf8'),
  );
}

interface AppStart {
  readonly options: LocalModeOptions;
  readonly githubUrl: string;
  readonly port: number;
  readonly model: LocalModel;
  readonly database: Promise<Engine>;
  readonly log: Logger;
}

async function startApp({ options, githubUrl, port, model, database, log }: AppStart, opened: AsyncDisposableStack) {
  const { dataDirectory } = options;
  const credentials = credentialsFile.parse(
    JSON.parse(await readFile(join(dataDirectory, 'github', 'app.json'), 'utf8')),
  );
  const apiUrl = `${githubUrl}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  const composition: Composition = {
    databaseUrl: join(dataDirectory, DATABASE),
    workspaceDirectory: join(dataDirectory, 'clones'),
    publicUrl: `http://127.0.0.1:${port}`,
    slug: credentials.slug,
    webhookSecret: credentials.webhookSecret,
    github: { appId: credentials.appId, privateKey: credentials.privateKey, apiUrl, fetch, log },
    model,
    skillsDirectory: skillsDirectory(),
    ...(options.isDemo ? {} : { promotesBy: 'person' as const }),
    log,
  };
  const composed = await compose(composition, database);
  opened.defer(() => composed.close());
  const app: RunningApp = await startServer({
    ...credentials,
    apiUrl,
    host: '127.0.0.1',
    port,
    fetch,
    ports: composed.ports,
    routes: composed.routes,
    log,
  });
  opened.defer(() => app.close());
  return { app, composed };
}
