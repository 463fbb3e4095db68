/** A whole world in one process: the embedded GitHub, a scripted model and the App, over real HTTP and real git. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { pino } from 'pino';
import { z } from 'zod';
import { type Composed, compose } from '../../src/compose.ts';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { readScript, type Script } from '../../src/demo/script.ts';
import { startScriptedModel } from '../../src/demo/scripted-model.ts';
import { wire } from '../../src/github/wire.ts';
import { type LocalGitHub, startLocalGitHub } from '../../src/local/local-github.ts';
import type { Loop } from '../../src/loop/loop.ts';
import type { Price } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';
import { type RunningApp, startServer } from '../../src/server.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { freePort } from '../listening.ts';
import { executeHere } from '../local/workflow-kit.ts';
import { MEMORY } from '../prepared.ts';
import type { VirtualTime } from './virtual-time.ts';

export const REPOSITORY = 'acme/guestbook';
/** No measurement: the machine may be slow, and do much else. */
const PATIENCE_MS = 900_000;

/** People of every role; the token is `<login>-token`. */
const USERS = [
  { login: 'maria', role: 'admin' },
  { login: 'wout', role: 'write' },
  { login: 'tess', role: 'triage' },
  { login: 'noah', role: 'read' },
] as const;

export interface WorldOptions {
  /** Changes the repository before it is served; commits what it did. */
  readonly prepare?: (path: string) => Promise<void>;
  /** Answers instead of the demo's. */
  readonly script?: (script: Script) => Script;
  /** Endpoint instead of the scripted model. */
  readonly modelUrl?: string;
  readonly modelKey?: string;
  readonly modelSilenceMs?: number;
  /** Of the model, in USD per million tokens; it costs nothing unless told otherwise. */
  readonly price?: Price;
  /** Whether jobs ask models by the App's gateway, as on GitHub itself, instead of at the model's own address. */
  readonly gateway?: boolean;
  /** What the App believes about the model; true where answers are authored. */
  readonly scripted?: boolean;
  readonly skillsDirectory?: string;
  /** Where runners look for the App, instead of where it is. */
  readonly publicUrl?: string;
  /** Labels of the machines that new workflows run on. */
  readonly runsOn?: readonly string[];
  /** What runs the workflows, instead of a runner that is never busy. */
  readonly executeWorkflow?: typeof executeHere;
  /** Time that the test moves, instead of the machine's. */
  readonly time?: Pick<VirtualTime, 'now' | 'queue'>;
  /** Called after each save of a loop; what follows from it waits for it. */
  readonly watch?: (loop: Loop) => Promise<void>;
  /** Stands before the App's store. */
  readonly store?: (store: Store) => Store;
  /** How the App waits between tries, instead of by the machine's timer. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** Set where requests or webhooks break GitHub's description on purpose; otherwise `close` fails when any did. */
  readonly provokesProblems?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface World {
  readonly github: LocalGitHub;
  readonly app: RunningApp;
  readonly composed: Composed;
  readonly directory: string;
  /** A REST request as a person, below the repository: `as('maria', 'POST', '/issues', {…})`. */
  as(login: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Opens an issue and sets the label; returns its number. */
  labelled(issue?: {
    readonly title?: string;
    readonly body?: string;
    readonly by?: string;
    readonly labelBy?: string;
  }): Promise<number>;
  loop(issue: number): Promise<Loop | undefined>;
  /** Waits until the newest loop of the issue is as asked and nothing is pending; fails with the loop's state after a quarter of an hour, which no machine needs. */
  until(issue: number, isSo: (loop: Loop) => boolean): Promise<Loop>;
  /** Bodies of comments on an issue or pull request, oldest first, markers left out. */
  comments(number: number): Promise<readonly { readonly author: string; readonly body: string; readonly id: number }[]>;
  reactions(commentId: number): Promise<readonly string[]>;
  checks(sha: string): Promise<
    readonly {
      readonly name: string;
      readonly id: number;
      readonly status: string;
      readonly conclusion: string | null;
      readonly external_id: string;
      readonly output: { readonly title: string | null; readonly summary: string | null };
    }[]
  >;
  requests(): Promise<
    readonly {
      readonly id: number;
      readonly at: string;
      readonly actor: string;
      readonly method: string;
      readonly path: string;
      readonly status: number;
    }[]
  >;
  close(): Promise<void>;
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-world-'));
  const source = await prepareDemoRepository(directory);
  if (options.prepare !== undefined) await prepared(source, options.prepare);
  const { issue: _, ...forAnyIssue } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  const model = await startScriptedModel((options.script ?? ((script) => script))(forAnyIssue));
  const github = await startLocalGitHub({
    dataDirectory: join(directory, 'github'),
    port: 0,
    imports: [{ source, fullName: REPOSITORY }],
    users: USERS.map(({ login, role }) => ({ login, role, token: `${login}-token` })),
    executeWorkflow: options.executeWorkflow ?? executeHere,
  });
  const { app, composed } = await startApp(options, { directory, github, modelUrl: options.modelUrl ?? model.url });
  github.setWebhookUrl(`${app.url}/api/github/webhooks`);
  return {
    github,
    app,
    composed,
    directory,
    ...requestsOf(github, composed),
    async close() {
      const problems = await problemsOf(github);
      await app.close();
      await github.close();
      await composed.close();
      await model.close();
      await rm(directory, { recursive: true, force: true });
      if (options.provokesProblems !== true && problems.length > 0)
        throw new Error(`GitHub's description was broken: ${JSON.stringify(problems, undefined, 1)}`);
    },
  };
}

/** Where a request, an answer or a webhook broke GitHub's own description. */
export async function problemsOf({ url }: Pick<LocalGitHub, 'url'>): Promise<readonly unknown[]> {
  return z.array(z.unknown()).parse(await (await fetch(`${url}/_local/problems`)).json());
}

async function prepared(path: string, prepare: (path: string) => Promise<void>): Promise<void> {
  await prepare(path);
  const environment = { GIT_CONFIG_GLOBAL: '/dev/null' };
  await execa('git', ['add', '--all'], { cwd: path, env: environment });
  await execa(
    'git',
    ['-c', 'user.name=T', '-c', 'user.email=t@t.example', 'commit', '--quiet', '--allow-empty', '-m', 'Prepare'],
    { cwd: path, env: environment },
  );
}

interface AppStart {
  readonly directory: string;
  readonly github: LocalGitHub;
  readonly modelUrl: string;
}

async function startApp(options: WorldOptions, { directory, github, modelUrl }: AppStart) {
  const log = pino({ level: process.env.LOG_LEVEL ?? 'fatal' });
  const { appId, privateKey, webhookSecret, slug } = github.credentials;
  const apiUrl = `${github.url}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  // The App's address is part of what it composes, so a port is taken first.
  const port = await freePort();
  const { time, watch, pause } = options;
  const { ports: real, ...rest } = await compose({
    databaseUrl: MEMORY,
    workspaceDirectory: join(directory, 'clones'),
    publicUrl: options.publicUrl ?? `http://127.0.0.1:${port}`,
    slug,
    webhookSecret,
    github: { appId, privateKey, apiUrl, fetch, log, ...(time && { now: time.now }), ...(pause && { pause }) },
    model: {
      baseUrl: modelUrl,
      name: 'scripted',
      apiKey: options.modelKey ?? 'scripted',
      scripted: options.scripted ?? true,
      price: options.price ?? { prompt: 0, completion: 0 },
      ...(options.modelSilenceMs === undefined ? {} : { silenceMs: options.modelSilenceMs }),
    },
    ...(options.runsOn === undefined ? {} : { runsOn: options.runsOn }),
    ...(options.gateway === true ? { gateway: {} } : {}),
    ...(options.skillsDirectory === undefined ? {} : { skillsDirectory: options.skillsDirectory }),
    log,
  });
  const timed = time === undefined ? real : { ...real, clock: { now: time.now }, queue: time.queue(real.queue) };
  const before = options.store === undefined ? timed : { ...timed, store: options.store(timed.store) };
  const ports = watch === undefined ? before : { ...before, store: watched(before.store, watch) };
  const composed = { ...rest, ports };
  const app = await startServer({
    appId,
    privateKey,
    webhookSecret,
    apiUrl,
    host: '127.0.0.1',
    port,
    fetch,
    ports,
    routes: rest.routes,
    log,
  });
  return { app, composed };
}

function watched(store: Store, watch: (loop: Loop) => Promise<void>): Store {
  return {
    ...store,
    async save(change) {
      const answer = await store.save(change);
      if (answer === 'saved') await watch(change.loop);
      return answer;
    },
  };
}

const comments = z.array(z.object({ id: z.int(), body: z.string(), user: z.object({ login: z.string() }) }));
const reactions = z.array(z.object({ content: z.string() }));
const checks = z.object({
  check_runs: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullable(),
      external_id: z
        .string()
        .nullable()
        .transform((id) => id ?? ''),
      output: z.object({ title: z.string().nullable(), summary: z.string().nullable() }),
    }),
  ),
});
const rows = z.array(
  z.object({ id: z.int(), at: z.string(), actor: z.string(), method: z.string(), path: z.string(), status: z.int() }),
);

function requestsOf(
  github: LocalGitHub,
  { ports }: Composed,
): Omit<World, 'github' | 'app' | 'composed' | 'directory' | 'close'> {
  const as: World['as'] = async (login, method, path, body) => {
    const response = await fetch(`${github.url}/api/v3/repos/${REPOSITORY}${path}`, {
      method,
      headers: { authorization: `Bearer ${login}-token`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  let repositoryId: number | undefined;
  const loop: World['loop'] = async (issue) => {
    repositoryId ??= z.object({ id: z.int() }).parse((await as('maria', 'GET', '')).body).id;
    return (await ports.store.newest(repositoryId, issue))?.loop;
  };
  return {
    as,
    loop,
    async labelled({ title = 'Let visitors search', body = 'Please.', by = 'maria', labelBy = 'maria' } = {}) {
      const { number } = z.object({ number: z.int() }).parse((await as(by, 'POST', '/issues', { title, body })).body);
      await as(labelBy, 'POST', `/issues/${number}/labels`, { labels: ['loop'] });
      return number;
    },
    async until(issue, isSo) {
      const endMs = Date.now() + PATIENCE_MS;
      let state: Loop | undefined;
      while (Date.now() < endMs) {
        state = await loop(issue);
        if (state !== undefined && isSo(state) && state.pending.every(({ type }) => type === 'wait')) return state;
        await sleep(50);
      }
      throw new Error(
        `waited ${PATIENCE_MS / 1000} s; the loop is ${JSON.stringify({ status: state?.status, phase: state?.phase, waitingFor: state?.waitingFor, note: state?.note, entries: state?.entries.map(({ phase, outcome, reason }) => `${phase} ${outcome} ${reason}`), pending: state?.pending.map(({ key, type }) => `${type} ${key}`) }, null, 1)}`,
      );
    },
    async comments(number) {
      const found = comments.parse((await as('maria', 'GET', `/issues/${number}/comments?per_page=100`)).body);
      return found.map(({ id, body, user }) => ({
        id,
        author: user.login,
        body: body.replaceAll(/<!--[\s\S]*?-->/g, '').trim(),
      }));
    },
    async reactions(commentId) {
      return reactions
        .parse((await as('maria', 'GET', `/issues/comments/${commentId}/reactions`)).body)
        .map(({ content }) => content);
    },
    async checks(sha) {
      return checks.parse((await as('maria', 'GET', `/commits/${sha}/check-runs?per_page=100`)).body).check_runs;
    },
    async requests() {
      const found: z.infer<typeof rows> = [];
      for (;;) {
        const answer = await fetch(`${github.url}/_local/requests?after=${found.at(-1)?.id ?? 0}`);
        const more = rows.parse(await answer.json());
        if (more.length === 0) return found;
        found.push(...more);
      }
    },
  };
}

/** Writes a file below a path. */
export async function put(path: string, file: string, text: string): Promise<void> {
  await writeFile(join(path, file), text);
}
