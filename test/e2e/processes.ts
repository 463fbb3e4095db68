/** The real processes, as a deployment has them: the embedded GitHub, its runner and the App, each killable with SIGKILL and startable again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { readScript } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { RUNNER_SECRET } from '../../src/local/actions/runner-secret.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { freePort } from '../listening.ts';
import { layDatabase } from '../prepared.ts';
import { type Gate, startGate } from './gate.ts';
import { withoutMistake } from './without-mistake.ts';

const REPOSITORY = 'acme/guestbook';
const credentialsFile = z.object({
  appId: z.number(),
  slug: z.string(),
  privateKey: z.string(),
  webhookSecret: z.string(),
});

export interface Processes {
  readonly directory: string;
  readonly githubUrl: string;
  readonly appUrl: string;
  /** Between the App and GitHub; jobs and people do not pass it. */
  readonly toGitHub: Gate;
  /** Between App, jobs and the model. */
  readonly toModel: Gate;
  startGitHub(): Promise<void>;
  startRunner(): Promise<void>;
  startApp(): Promise<void>;
  /** With SIGKILL, all at once. A runner's jobs end when it starts again, and those of GitHub's when it hears of that. */
  kill(...names: readonly ('app' | 'github' | 'runner')[]): Promise<void>;
  /** With SIGTERM: what it has begun it finishes. */
  stopApp(): Promise<void>;
  /** A REST request as the maintainer, below the repository. */
  as(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** What was started; ends it, with SIGTERM or at once, and returns when it is gone. */
export type End = (signal: 'SIGKILL' | 'SIGTERM') => Promise<void>;

export interface ProcessesOptions {
  /** Starts the App somewhere else than on this machine's Node, and returns when it listens. */
  readonly startApp?: (environment: Readonly<Record<string, string>>) => Promise<End>;
}

export async function startProcesses({ startApp = startedHere }: ProcessesOptions = {}): Promise<Processes> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-processes-'));
  const source = await prepareDemoRepository(directory);
  await layDatabase(join(directory, 'database'));
  const script = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const model = await startScriptedModel(withoutMistake(script));
  const [githubPort, appPort] = [await freePort(), await freePort()];
  const githubUrl = `http://127.0.0.1:${githubPort}`;
  const appUrl = `http://127.0.0.1:${appPort}`;
  const toGitHub = await startGate(githubUrl);
  const toModel = await startGate(new URL(model.url).origin);
  const running: { app?: End | undefined; github?: End | undefined; runner?: End | undefined } = {};
  const end = async (name: keyof typeof running, signal: Parameters<End>[0]): Promise<void> => {
    await running[name]?.(signal);
    running[name] = undefined;
  };
  let closed = false;
  const processes: Processes = {
    directory,
    githubUrl,
    appUrl,
    toGitHub,
    toModel,
    async startGitHub() {
      if (closed) return;
      running.github = await started(
        [
          packageFile('src', 'local', 'main.ts'),
          '--data',
          join(directory, 'github'),
          '--port',
          String(githubPort),
          '--webhook-url',
          `${appUrl}/api/github/webhooks`,
          '--import',
          `${source}=${REPOSITORY}`,
          '--user',
          'maria:admin:maria-token',
        ],
        {},
      );
    },
    async startRunner() {
      if (closed) return;
      const secret = join(directory, 'github', RUNNER_SECRET);
      const place = ['--url', githubUrl, '--secret', secret, '--folder', join(directory, 'runner')];
      running.runner = await started([packageFile('src', 'local', 'runner', 'main.ts'), ...place], {});
    },
    async startApp() {
      if (closed) return;
      running.app = await startApp(
        await appEnvironment({
          directory,
          githubUrl: toGitHub.url,
          issuer: githubUrl,
          appUrl,
          appPort,
          modelUrl: toModel.url,
        }),
      );
    },
    async kill(...names) {
      await Promise.all(names.map((name) => end(name, 'SIGKILL')));
    },
    stopApp: () => end('app', 'SIGTERM'),
    async as(method, path, body) {
      const response = await patientFetch(`${githubUrl}/api/v3/repos/${REPOSITORY}${path}`, {
        method,
        headers: { authorization: 'Bearer maria-token', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    async close() {
      closed = true;
      await end('app', 'SIGKILL');
      await end('runner', 'SIGTERM');
      await end('github', 'SIGTERM');
      await Promise.all([toGitHub.close(), toModel.close(), model.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  await processes.startGitHub();
  await processes.startRunner();
  await processes.startApp();
  return processes;
}

interface AppPlace {
  readonly directory: string;
  readonly githubUrl: string;
  /** As GitHub names itself in the tokens of its jobs, which pass no gate. */
  readonly issuer: string;
  readonly appUrl: string;
  readonly appPort: number;
  readonly modelUrl: string;
}

/** The real App's environment: the embedded GitHub is a GitHub Enterprise Server to it. */
async function appEnvironment({
  directory,
  githubUrl,
  issuer,
  appUrl,
  appPort,
  modelUrl,
}: AppPlace): Promise<Record<string, string>> {
  const { appId, slug, privateKey, webhookSecret } = credentialsFile.parse(
    JSON.parse(await readFile(join(directory, 'github', 'app.json'), 'utf8')),
  );
  return {
    APP_ID: String(appId),
    APP_SLUG: slug,
    PRIVATE_KEY: privateKey,
    WEBHOOK_SECRET: webhookSecret,
    GITHUB_API_URL: `${githubUrl}/api/v3`,
    OIDC_ISSUER: `${issuer}/_services/token`,
    PUBLIC_URL: appUrl,
    HOST: '127.0.0.1',
    PORT: String(appPort),
    DATABASE_URL: join(directory, 'database'),
    WORKSPACE_DIR: join(directory, 'clones'),
    LLM_BASE_URL: `${modelUrl}/v1`,
    LLM_MODEL: 'scripted',
    LLM_PRICE: '0/0',
    LOOPWRIGHT_SCRIPTED: 'true',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  };
}

/** People look again when GitHub is away; what they write they write once. */
async function patientFetch(url: string, init: RequestInit): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (init.method !== 'GET' || tries === 300) throw error;
      await sleep(200);
    }
  }
}

const startedHere = (environment: Readonly<Record<string, string>>): Promise<End> =>
  started([packageFile('src', 'main.ts'), 'start'], environment);

/** Starts a process and waits for its first line on standard output. */
export async function started(argv: readonly string[], environment: Readonly<Record<string, string>>): Promise<End> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...argv], {
    env: { ...childEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${argv.join(' ')} ended with ${code}`))),
  ]);
  if (line === undefined) throw new Error(`${argv.join(' ')} said nothing`);
  child.stdout.resume();
  return (signal) => ended(child, signal);
}

async function ended(child: ChildProcess, signal: Parameters<End>[0]): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
