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
import { readScript, type Script } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { openState } from '../../src/local/state.ts';
import type { Loop, Verdict } from '../../src/loop/loop.ts';
import { phaseName } from '../../src/loop/terms.ts';
import { packageFile } from '../../src/package-root.ts';
import { type Gate, startGate } from './gate.ts';

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
  startApp(): Promise<void>;
  /** With SIGKILL, all at once. GitHub's jobs end when it starts again. */
  kill(...names: readonly ('app' | 'github')[]): Promise<void>;
  /** With SIGTERM: what it has begun it finishes. */
  stopApp(): Promise<void>;
  /** Waits until GitHub has given up telling the App that a run whose title begins so has ended. */
  untilUntold(title: string): Promise<void>;
  /** A REST request as the maintainer, below the repository. */
  as(method: string, path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export async function startProcesses(): Promise<Processes> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-processes-'));
  const source = await prepareDemoRepository(directory);
  const script = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const model = await startScriptedModel(withoutMistake(script));
  const [githubPort, appPort] = [await freePort(), await freePort()];
  const githubUrl = `http://127.0.0.1:${githubPort}`;
  const appUrl = `http://127.0.0.1:${appPort}`;
  const toGitHub = await startGate(githubUrl);
  const toModel = await startGate(new URL(model.url).origin);
  const running: { app?: ChildProcess; github?: ChildProcess } = {};
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
    async startApp() {
      if (closed) return;
      running.app = await started(
        [packageFile('src', 'main.ts'), 'start'],
        await appEnvironment({ directory, githubUrl: toGitHub.url, appUrl, appPort, modelUrl: toModel.url }),
      );
    },
    async kill(...names) {
      await Promise.all(names.map((name) => ended(running[name], 'SIGKILL')));
    },
    stopApp: () => ended(running.app, 'SIGTERM'),
    async untilUntold(title) {
      const state = openState(join(directory, 'github'));
      try {
        while (
          !state.deliveries.find({ event: 'workflow_run', action: 'completed', state: 'failed' }).some(isOf(title))
        )
          await sleep(100);
      } finally {
        state.close();
      }
    },
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
      await ended(running.app, 'SIGKILL');
      await ended(running.github, 'SIGTERM');
      await Promise.all([toGitHub.close(), toModel.close(), model.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
  await processes.startGitHub();
  await processes.startApp();
  return processes;
}

const toldRun = z.object({ workflow_run: z.object({ display_title: z.string() }) });

function isOf(title: string): (delivery: { readonly payload: string }) => boolean {
  return ({ payload }) => toldRun.parse(JSON.parse(payload)).workflow_run.display_title.startsWith(title);
}

/** The demo's first tries have a mistake on purpose; its last ones stand alone, so that one iteration is enough. */
function withoutMistake(script: Script): Script {
  const lastTries = Object.entries(script.tasks).map(([id, tries]) => [id, tries.slice(-1)]);
  return { ...script, tasks: Object.fromEntries(lastTries) };
}

interface AppPlace {
  readonly directory: string;
  readonly githubUrl: string;
  readonly appUrl: string;
  readonly appPort: number;
  readonly modelUrl: string;
}

/** The real App's environment: the embedded GitHub is a GitHub Enterprise Server to it. */
async function appEnvironment({
  directory,
  githubUrl,
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
    PUBLIC_URL: appUrl,
    HOST: '127.0.0.1',
    PORT: String(appPort),
    DATABASE_URL: join(directory, 'database'),
    WORKSPACE_DIR: join(directory, 'clones'),
    LLM_BASE_URL: `${modelUrl}/v1`,
    LLM_MODEL: 'scripted',
    LLM_PRICE: '0/0',
    LOOPWRIGHT_SCRIPTED: 'true',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
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

async function ended(child: ChildProcess | undefined, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
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
const pullRow = z.object({
  number: z.int(),
  draft: z.boolean(),
  body: z.string(),
  head: z.object({ sha: z.string() }),
});
const runRows = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.int(),
      status: z.string(),
      conclusion: z.string().nullable(),
      display_title: z.string(),
      head_branch: z.string(),
      event: z.string(),
    }),
  ),
});
const jobRows = z.object({
  jobs: z.array(z.object({ steps: z.array(z.object({ name: z.string(), status: z.string() })) })),
});
const checkRows = z.object({
  check_runs: z.array(
    z.object({ name: z.string(), conclusion: z.string().nullable(), app: z.object({ slug: z.string() }) }),
  ),
});
const reactionRows = z.array(z.object({ content: z.string() }));

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

/** Waits until a run whose title begins so is done with this step. */
export async function stepDone(processes: Processes, title: string, step: string): Promise<void> {
  for (;;) {
    for (const { id } of (await runsOf(processes)).filter((run) => run.display_title.startsWith(title))) {
      const { jobs } = jobRows.parse(await processes.as('GET', `/actions/runs/${id}/jobs`));
      if (jobs.some(({ steps }) => steps.some(({ name, status }) => name === step && status === 'completed'))) return;
    }
    await sleep(50);
  }
}

/** Says what a person would say until the pull request is ready and tells that the loop has succeeded. */
export async function finish(processes: Processes, issue: number, patienceMs: number): Promise<void> {
  const said = new Set<string>();
  const endMs = Date.now() + patienceMs;
  while (Date.now() < endMs) {
    const [pull] = z.array(pullRow).parse(await processes.as('GET', '/pulls?state=open'));
    if (pull?.draft === false && pull.body.includes('All gates passed.') && (await isEvident(processes, pull))) return;
    await speak(processes, { issue, pull: pull?.number, said });
    await sleep(200);
  }
  const [pull] = z.array(pullRow).parse(await processes.as('GET', '/pulls?state=all'));
  const runs = (await runsOf(processes)).map((run) => `${run.display_title} ${run.status} ${run.conclusion}`);
  throw new Error(`the loop did not succeed within ${patienceMs / 1000} s:\n${[pull?.body, ...runs].join('\n')}`);
}

/** The last check run is written after the pull request's text. */
async function isEvident({ as }: Processes, { head }: z.infer<typeof pullRow>): Promise<boolean> {
  const { check_runs } = checkRows.parse(await as('GET', `/commits/${head.sha}/check-runs?per_page=100`));
  return check_runs.some(({ name, conclusion }) => name === 'loopwright / evidence' && conclusion === 'success');
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

async function commentsOn({ as }: Processes, number: number): Promise<z.infer<typeof commentRows>> {
  return commentRows.parse(await as('GET', `/issues/${number}/comments?per_page=100`));
}

async function markersOn(processes: Processes, number: number): Promise<readonly string[]> {
  return (await commentsOn(processes, number)).flatMap(({ body }) => markerOf(body) ?? []);
}

function markerOf(body: string): string | undefined {
  return /<!-- loopwright:(\S+) -->/.exec(body)?.[1];
}

/** What a loop left behind, in the App's store and for people to see: the same with and without a crash. */
export interface Remains {
  readonly status: string;
  /** Verdicts of each phase's last entry. */
  readonly phases: Readonly<Record<string, readonly string[]>>;
  readonly codeTree: string | undefined;
  /** Everything on GitHub that anybody sees, as kind and key. */
  readonly visible: readonly string[];
  /** Of all entries, in their order. */
  readonly serials: readonly number[];
  readonly iterations: number;
  /** Entries that died with their machine. */
  readonly cancelled: number;
}

/** Stops the App and reads what it left. */
export async function remainsOf(processes: Processes, issue: number): Promise<Remains> {
  await processes.stopApp();
  const loop = await storedLoop(processes);
  return {
    status: loop.status,
    phases: lastGates(loop),
    codeTree: loop.candidate?.codeTree,
    visible: await visibleOf(processes, issue),
    serials: loop.entries.map(({ entry }) => entry),
    iterations: loop.counters.iterations,
    cancelled: loop.entries.filter(({ outcome }) => outcome === 'cancelled').length,
  };
}

async function storedLoop({ directory }: Processes): Promise<Loop> {
  const engine = await openEngine({ url: join(directory, 'database') });
  try {
    const [stored, ...more] = await createStore(engine).list({ open: false });
    if (stored === undefined || more.length > 0) throw new Error(`${more.length} more loops are stored than one`);
    return stored.loop;
  } finally {
    await engine.close();
  }
}

async function visibleOf(processes: Processes, issue: number): Promise<readonly string[]> {
  const { as } = processes;
  const pulls = z.array(pullRow).parse(await as('GET', '/pulls?state=all'));
  const comments = (
    await Promise.all([issue, ...pulls.map(({ number }) => number)].map((number) => commentsOn(processes, number)))
  ).flat();
  const reactions = comments.map(async ({ id, body, user }) =>
    reactionRows
      .parse(await as('GET', `/issues/comments/${id}/reactions`))
      .map(({ content }) => `reaction ${content} to ${markerOf(body) ?? `${user.login}: ${body}`}`),
  );
  const checks = pulls.map(async ({ head }) =>
    checkRows
      .parse(await as('GET', `/commits/${head.sha}/check-runs?filter=all&per_page=100`))
      .check_runs.map(({ name, conclusion, app }) => `check ${app.slug} ${name} ${conclusion}`),
  );
  return [
    ...pulls.map(({ draft }) => `pull ${draft ? 'draft' : 'ready'}`),
    ...comments.map(({ body, user }) => `comment ${markerOf(body) ?? `${user.login}: ${body}`}`),
    ...(await Promise.all(reactions)).flat(),
    ...(await Promise.all(checks)).flat(),
    ...(await runsOf(processes)).map(
      ({ event, head_branch, display_title, conclusion }) =>
        `run ${display_title} ${event} ${head_branch} ${conclusion}`,
    ),
  ].sort();
}

/** Measured times differ, so only whether they passed is told. */
function lastGates(loop: Loop): Readonly<Record<string, readonly string[]>> {
  const gateText = ({ name, value, passed }: Verdict) =>
    ['p95_ms', 'approval'].includes(name) ? `${name} ${passed}` : `${name} ${value} ${passed}`;
  return Object.fromEntries(
    phaseName.options.map((phase) => [
      phase,
      (loop.entries.findLast((entry) => entry.phase === phase)?.gates ?? []).map(gateText),
    ]),
  );
}
