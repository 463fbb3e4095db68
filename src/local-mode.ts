/** Local mode: the embedded GitHub and, without an endpoint of your own, the scripted model as processes beside the App. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Logger } from 'pino';
import { z } from 'zod';
import { compose } from './compose.ts';
import { childEnvironment, type ModelEnvironment, skillsDirectory } from './env.ts';
import { LoopError } from './errors.ts';
import { packageFile } from './package-root.ts';
import type { Ports } from './ports.ts';
import { type RunningApp, startServer } from './server.ts';
import { wire } from './wire.ts';

export interface LocalModeOptions {
  /** Keeps everything: the embedded GitHub, the database, the clones. */
  readonly dataDirectory: string;
  /** Port of the embedded GitHub's pages; 0 takes a free one, and keeps it for this data directory. */
  readonly port: number;
  readonly imports: readonly { readonly path: string; readonly fullName: string }[];
  readonly users: readonly { readonly login: string; readonly role: string; readonly token: string }[];
  readonly model: ModelEnvironment;
  /** Script of the scripted model, where no endpoint is given. */
  readonly script: string;
  /** Markdown for the first page of the embedded GitHub. */
  readonly welcome?: string;
  readonly log: Logger;
}

export interface LocalMode {
  readonly githubUrl: string;
  readonly appUrl: string;
  readonly scripted: boolean;
  readonly ports: Ports;
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
  const ports = await keptPorts(options);
  const children: ChildProcess[] = [];
  const close = () => Promise.all(children.map(end));
  try {
    const model = await modelOf(options, children);
    const githubUrl = await startGitHub(options, ports, children);
    const { app, composed } = await startApp({ options, githubUrl, port: ports.app, model, log });
    return {
      githubUrl,
      appUrl: app.url,
      scripted: model.scripted,
      ports: composed.ports,
      async close() {
        await app.close();
        await composed.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface KeptPorts {
  readonly app: number;
  readonly github: number;
}

const portsFile = z.object({ app: z.int(), github: z.int() });

/** The same addresses for the same data, so that a restart finds runs, webhooks and links where they were. */
async function keptPorts({ dataDirectory, port }: LocalModeOptions): Promise<KeptPorts> {
  const file = join(dataDirectory, 'ports.json');
  const kept = await readFile(file, 'utf8').then(
    (text) => portsFile.parse(JSON.parse(text)),
    () => undefined,
  );
  const ports = {
    app: kept?.app ?? (await freePort()),
    github: port === 0 ? (kept?.github ?? (await freePort())) : port,
  };
  await writeFile(file, JSON.stringify(ports));
  return ports;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
}

interface LocalModel {
  readonly baseUrl: string;
  readonly name: string;
  readonly apiKey: string;
  readonly scripted: boolean;
  readonly price: Ports['modelFacts']['price'];
}

async function modelOf({ model, script }: LocalModeOptions, children: ChildProcess[]): Promise<LocalModel> {
  if (model.baseUrl !== undefined) {
    return {
      baseUrl: model.baseUrl,
      name: model.name ?? 'default',
      apiKey: model.apiKey ?? 'none',
      scripted: false,
      price: model.price,
    };
  }
  const { url, name } = z
    .object({ url: z.string(), name: z.string() })
    .parse(await startChild('scripted-model', ['--script', script], children));
  return { baseUrl: url, name, apiKey: 'scripted', scripted: true, price: { prompt: 0, completion: 0 } };
}

async function startGitHub(
  { dataDirectory, imports, users, welcome }: LocalModeOptions,
  ports: KeptPorts,
  children: ChildProcess[],
): Promise<string> {
  const argv = [
    ...['--data', join(dataDirectory, 'github'), '--port', String(ports.github)],
    ...['--webhook-url', `http://127.0.0.1:${ports.app}/api/github/webhooks`],
    ...imports.flatMap(({ path, fullName }) => ['--import', `${path}=${fullName}`]),
    ...users.flatMap(({ login, role, token }) => ['--user', `${login}:${role}:${token}`]),
    ...(welcome === undefined ? [] : ['--welcome', welcome]),
  ];
  return z.object({ url: z.string() }).parse(await startChild('local-github', argv, children)).url;
}

interface AppStart {
  readonly options: LocalModeOptions;
  readonly githubUrl: string;
  readonly port: number;
  readonly model: LocalModel;
  readonly log: Logger;
}

async function startApp({ options, githubUrl, port, model, log }: AppStart) {
  const { dataDirectory } = options;
  const credentials = credentialsFile.parse(
    JSON.parse(await readFile(join(dataDirectory, 'github', 'app.json'), 'utf8')),
  );
  const apiUrl = `${githubUrl}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  const composed = await compose({
    databaseUrl: join(dataDirectory, 'database'),
    workspaceDirectory: join(dataDirectory, 'clones'),
    publicUrl: `http://127.0.0.1:${port}`,
    slug: credentials.slug,
    github: { appId: credentials.appId, privateKey: credentials.privateKey, apiUrl, fetch, log },
    model,
    skillsDirectory: skillsDirectory(),
    log,
  });
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
  return { app, composed };
}

const ENTRIES = {
  'local-github': ['src', 'local', 'main.ts'],
  'scripted-model': ['src', 'demo', 'scripted-model-main.ts'],
} as const;

/** Starts a process of ours and reads the one JSON line that it prints when it listens. It ends when this process ends, however that happens. */
async function startChild(
  name: keyof typeof ENTRIES,
  argv: readonly string[],
  children: ChildProcess[],
): Promise<unknown> {
  const entry = import.meta.filename.endsWith('.ts')
    ? packageFile(...ENTRIES[name])
    : packageFile('dist', `${name}.js`);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...argv, '--with-parent'], {
    env: childEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout?.resume();
    return JSON.parse(line);
  }
  throw new LoopError(`${name} did not start: ${complaints.trim() || 'it ended without a word'}`);
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
