/** The real processes, as a deployment has them: the embedded GitHub and the App, each killable with SIGKILL and startable again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openEngine } from '../../src/adapters/engine.ts';
import { createStore } from '../../src/adapters/store.ts';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { readScript } from '../../src/demo/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../src/demo/scripted-model.ts';
import { type Loop, phaseName, type Verdict } from '../../src/loop/loop.ts';
import { packageFile } from '../../src/package-root.ts';

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
  startGitHub(): Promise<void>;
  startApp(): Promise<void>;
  kill(...names: readonly ('app' | 'github')[]): Promise<void>;
  /** A REST request as the maintainer, below the repository. */
  as(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export async function startProcesses({ delayMs = 0 }: { readonly delayMs?: number } = {}): Promise<Processes> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-processes-'));
  const source = await prepareDemoRepository(directory);
  const model = await startScriptedModel(await readScript(packageFile('src', 'demo', 'guestbook.yaml')), { delayMs });
  const [githubPort, appPort] = [await freePort(), await freePort()];
  const githubUrl = `http://127.0.0.1:${githubPort}`;
  const appUrl = `http://127.0.0.1:${appPort}`;
  const running: { app?: ChildProcess; github?: ChildProcess } = {};
  const processes: Processes = {
    directory,
    githubUrl,
    appUrl,
    async startGitHub() {
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
    async startApp() {
      running.app = await started(
        [packageFile('src', 'main.ts'), 'start'],
        await appEnvironment({ directory, githubUrl, appUrl, appPort, model }),
      );
    },
    async kill(...names) {
      for (const name of names) await killed(running[name]);
    },
    async as(method, path, body) {
      const response = await fetch(`${githubUrl}/api/v3/repos/${REPOSITORY}${path}`, {
        method,
        headers: { authorization: 'Bearer maria-token', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
    async close() {
      await killed(running.app);
      await killed(running.github);
      await model.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await processes.startGitHub();
  await processes.startApp();
  return processes;
}

interface AppPlace {
  readonly directory: string;
  readonly githubUrl: string;
  readonly appUrl: string;
  readonly appPort: number;
  readonly model: ScriptedModel;
}

/** The real App's environment: the embedded GitHub is a GitHub Enterprise Server to it. */
async function appEnvironment({
  directory,
  githubUrl,
  appUrl,
  appPort,
  model,
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
    PUBLIC_URL: appUrl,
    HOST: '127.0.0.1',
    PORT: String(appPort),
    DATABASE_URL: join(directory, 'database'),
    WORKSPACE_DIR: join(directory, 'clones'),
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'scripted',
    LLM_PRICE: '0/0',
    LOOPWRIGHT_SCRIPTED: 'true',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
  };
}

/** Starts a process and waits for its first line on standard output. */
async function started(argv: readonly string[], environment: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...argv], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${argv.join(' ')} ended with ${code}`))),
  ]);
  if (line === undefined) throw new Error(`${argv.join(' ')} said nothing`);
  child.stdout.resume();
  return child;
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

const issueNumber = z.object({ number: z.int() });
const commentRows = z.array(z.object({ id: z.int(), body: z.string(), user: z.object({ login: z.string() }) }));
const pullRows = z.array(z.object({ number: z.int(), draft: z.boolean(), head: z.object({ sha: z.string() }) }));
const runRows = z.object({
  workflow_runs: z.array(
    z.object({ id: z.int(), status: z.string(), conclusion: z.string().nullable(), path: z.string() }),
  ),
});
const checkRows = z.object({ check_runs: z.array(z.object({ name: z.string(), conclusion: z.string().nullable() })) });

export async function openLabelledIssue({ as }: Processes): Promise<number> {
  const { number } = issueNumber.parse(
    await as('POST', '/issues', { title: 'Let visitors search the guestbook', body: 'By name and message, please.' }),
  );
  await as('POST', `/issues/${number}/labels`, { labels: ['loop'] });
  return number;
}

export async function runsOf({ as }: Processes): Promise<z.infer<typeof runRows>['workflow_runs']> {
  return runRows.parse(await as('GET', '/actions/runs?per_page=100')).workflow_runs;
}

/** Says what a person would say until the pull request leaves draft; `meanwhile` is called on every look and may kill things. */
export async function finish(
  processes: Processes,
  issue: number,
  { meanwhile, seconds = 150 }: { readonly meanwhile?: () => Promise<void>; readonly seconds?: number } = {},
): Promise<void> {
  const said = new Set<string>();
  const endMs = Date.now() + seconds * 1000;
  while (Date.now() < endMs) {
    await meanwhile?.();
    const [pull] = pullRows.parse(await processes.as('GET', '/pulls?state=open'));
    if (pull !== undefined && !pull.draft) return;
    await speak(processes, { issue, pull: pull?.number, said });
    await sleep(200);
  }
  throw new Error(`the pull request did not leave draft within ${seconds} s`);
}

async function speak(
  processes: Processes,
  { issue, pull, said }: { readonly issue: number; readonly pull: number | undefined; readonly said: Set<string> },
): Promise<void> {
  if (!said.has('answers') && (await markersOn(processes, issue)).some((marker) => marker.startsWith('ask/'))) {
    said.add('answers');
    await processes.as('POST', `/issues/${issue}/comments`, { body: '/answer 1a 2a' });
  }
  if (
    pull !== undefined &&
    !said.has('approve') &&
    (await markersOn(processes, pull)).some((marker) => marker.startsWith('packet/'))
  ) {
    said.add('approve');
    await processes.as('POST', `/issues/${pull}/comments`, { body: '/approve' });
  }
}

async function markersOn({ as }: Processes, number: number): Promise<readonly string[]> {
  const rows = commentRows.parse(await as('GET', `/issues/${number}/comments?per_page=100`));
  return rows.flatMap(({ body }) => /<!-- loopwright:(\S+) -->/.exec(body)?.[1] ?? []);
}

/** What must be the same with and without a crash. */
export interface Fingerprint {
  readonly status: string;
  readonly phases: Readonly<Record<string, readonly string[]>>;
  readonly codeTree: string | undefined;
  readonly visible: readonly string[];
}

/** Stops the App and reads what it left: in its store, and on GitHub. */
export async function fingerprint(processes: Processes, issue: number): Promise<Fingerprint> {
  const visible = await visibleOf(processes, issue);
  await sleep(1500);
  await processes.kill('app');
  const engine = await openEngine({ url: join(processes.directory, 'database') });
  try {
    const [stored] = await createStore(engine).list({ open: false });
    if (stored === undefined) throw new Error('no loop is stored');
    const { loop } = stored;
    return { status: loop.status, phases: lastGates(loop), codeTree: loop.candidate?.codeTree, visible };
  } finally {
    await engine.close();
  }
}

async function visibleOf(processes: Processes, issue: number): Promise<readonly string[]> {
  const pulls = pullRows.parse(await processes.as('GET', '/pulls?state=all'));
  const comments = await Promise.all(
    [issue, ...pulls.map(({ number }) => number)].map((number) => markersOn(processes, number)),
  );
  const checks = await Promise.all(
    pulls.map(
      async ({ head }) =>
        checkRows.parse(await processes.as('GET', `/commits/${head.sha}/check-runs?per_page=100`)).check_runs,
    ),
  );
  return [
    ...pulls.map(() => 'pull'),
    ...comments.flat().map((marker) => `comment ${marker.replace(/\/\d+$/, '/n')}`),
    ...checks.flat().map(({ name, conclusion }) => `check ${name} ${conclusion}`),
  ].sort();
}

/** Verdicts of each phase's last entry; measured times differ, so only whether they passed is told. */
function lastGates(loop: Loop): Readonly<Record<string, readonly string[]>> {
  const gateText = ({ name, value, passed }: Verdict) => `${name} ${name === 'p95_ms' ? '' : value} ${passed}`;
  return Object.fromEntries(
    phaseName.options.map((phase) => [
      phase,
      (loop.entries.findLast((entry) => entry.phase === phase)?.gates ?? []).map((gate) =>
        gate.name === 'approval' ? `approval ${gate.passed}` : gateText(gate),
      ),
    ]),
  );
}
