/** The door with a real store behind it, and a GitHub whose answers are set by hand. */
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { GoneError } from '../../src/errors.ts';
import type { ReviewComment, UnsentWebhook } from '../../src/github/github-port.ts';
import { meaningsOf, takeIn } from '../../src/intake/take-in.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { idOf, type LoopRef, type Role, type Withheld } from '../../src/loop/terms.ts';
import type { Ports, QueueItem } from '../../src/ports.ts';
import { refusingGitHub } from '../drafting/stage.ts';
import { GUARDRAILS } from '../guardrails.ts';
import { MEMORY } from '../prepared.ts';

export const REF: LoopRef = { installationId: 1, repositoryId: 7, owner: 'acme', repo: 'shop', issue: 12, n: 1 };
export const MARIA = { id: 1, login: 'maria', type: 'User' } as const;
export const STRANGER = { id: 2, login: 'stranger', type: 'User' } as const;
/** When webhooks arrive. */
export const AT = '2026-01-10T00:00:00.000Z';
export const BASE = 'a'.repeat(40);

/** What GitHub answers; tests change it. */
export interface World {
  roles: Record<string, Role>;
  heads: Record<string, string | undefined>;
  issue: { readonly state: 'open' | 'closed'; readonly labels: readonly string[] } | undefined;
  place: Pick<LoopRef, 'installationId' | 'owner' | 'repo'> | undefined;
  pull: 'open' | 'closed';
  /** What every review says line by line. */
  comments: readonly ReviewComment[];
  /** By the App's clock. */
  now: string;
  /** A place where GitHub answers no more: `acme/shop`. */
  gone: string | undefined;
  /** What the App may not do there for now. */
  withheld: Withheld | undefined;
  /** What its webhooks did not say. */
  unsent: readonly UnsentWebhook[];
  /** The last common commit of any two. */
  merged: string | undefined;
  /** By `base...head`. */
  paths: Record<string, readonly string[]>;
}

export interface Door {
  readonly ports: Ports;
  readonly world: World;
  /** Requests to GitHub, by method of the port, with owner and name of the repository. */
  readonly asked: string[];
  /** What was queued, beside what a save queues. */
  readonly queued: QueueItem[];
  /** Stores a loop as it is. */
  keep(loop: Loop): Promise<void>;
  loop(ref?: Partial<LoopRef>): Promise<Loop | undefined>;
  /** What was decided on for a loop, by type of event. */
  told(ref?: Partial<LoopRef>): Promise<readonly string[]>;
  /** What a webhook says, without taking it in: for each thing its ordinal, its loop and the event. */
  said(name: string, payload: object): Promise<unknown>;
  /** Takes a webhook in; the answer is why it was not read. */
  deliver(name: string, payload: object, receivedAt?: string): Promise<string | undefined>;
}

/** Opens doors for the tests of a file, each before a database without loops; the one of the test before is gone. */
export function doors(): () => Promise<Door> {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine({ url: MEMORY, log: pino({ level: 'silent' }) });
  });
  afterAll(() => engine.close());
  return () => openDoor(engine);
}

async function openDoor(engine: Engine): Promise<Door> {
  await engine.db.deleteFrom('loops').execute();
  await engine.db.deleteFrom('heard').execute();
  await engine.db.deleteFrom('deliveries').execute();
  await engine.db.deleteFrom('onboardings').execute();
  const store = createStore(engine);
  const world: World = {
    roles: { maria: 'write', ghost: 'admin' },
    heads: { 'refs/heads/main': BASE },
    issue: { state: 'open', labels: ['loop'] },
    place: { installationId: 1, owner: 'acme', repo: 'shop' },
    pull: 'closed',
    comments: [],
    now: '2026-01-10T00:01:00.000Z',
    gone: undefined,
    withheld: undefined,
    unsent: [],
    merged: undefined,
    paths: {},
  };
  const asked: string[] = [];
  const queued: QueueItem[] = [];
  const ask =
    <Rest extends readonly unknown[], Answer>(name: string, answer: (...rest: Rest) => Answer) =>
    async ({ owner, repo }: Pick<LoopRef, 'owner' | 'repo'>, ...rest: Rest): Promise<Answer> => {
      asked.push(`${name} ${owner}/${repo}`);
      if (world.gone === `${owner}/${repo}` && !['locate', 'withheld'].includes(name))
        throw new GoneError('GitHub answered 404', { status: 404 });
      return answer(...rest);
    };
  const ports: Ports = {
    self: 'loopwright[bot]',
    guardrails: GUARDRAILS,
    modelFacts: {
      name: 'none',
      scripted: true,
      price: undefined,
      jobUrl: 'http://127.0.0.1:1/v1',
      jobAudience: undefined,
    },
    github: {
      ...refusingGitHub,
      permission: ask('permission', (login: string) => world.roles[login] ?? 'none'),
      repository: ask('repository', () => ({
        defaultBranch: 'main',
        url: 'https://github.example/acme/shop',
        server: 'github.com' as const,
      })),
      head: ask('head', (ref: string) => world.heads[ref]),
      file: ask('file', () => "version: 1\ncommands: { test: 'true', runner: node-test }\n"),
      issueState: ask('issueState', () => {
        if (world.issue === undefined) throw new GoneError('GitHub answered 410', { status: 410 });
        return world.issue;
      }),
      locate: ask('locate', () => world.place),
      withheld: ask('withheld', () => world.withheld),
      unsent: ask('unsent', ({ since }: { readonly since: string }) =>
        world.unsent.filter(({ at }) => Date.parse(at) >= Date.parse(since)),
      ),
      changedPaths: ask('changedPaths', (base: string, head: string) => world.paths[`${base}...${head}`] ?? []),
      requiredChecks: ask('requiredChecks', () => ['loopwright / evidence']),
      addChecks: ask('addChecks', () => undefined),
      reviewComments: ask('reviewComments', () => world.comments),
      pull: ask('pull', () => ({
        state: world.pull,
        merged: false,
        draft: true,
        branch: undefined,
        headSha: BASE,
        baseSha: BASE,
        mergeable: undefined,
      })),
    },
    model: { answer: refuse, turn: refuse },
    store,
    queue: { start: refuse, send: async (item) => void queued.push(item), stop: refuse },
    workspace: {
      files: refuse,
      read: refuse,
      texts: refuse,
      codeTree: async () => 'f'.repeat(40),
      mergeBase: async (_, one) => (one === BASE ? BASE : world.merged),
      merge: refuse,
      forget: refuse,
    },
    gateway: { publish: refuse, jobDigest: '', url: '' },
    slots: { overall: 100, installation: 100, repository: 100 },
    keepDays: { deliveries: 4, logs: 90, blobs: 40, commits: 14 },
    clock: { now: () => new Date(world.now) },
    skills: new Map(),
  };
  let deliveries = 0;
  return {
    ports,
    world,
    asked,
    queued,
    async keep(loop) {
      await store.save({ loop, expectedVersion: 0, event: undefined, settled: undefined, wakes: [] });
    },
    loop: async (ref = {}) => (await store.load(idOf({ ...REF, ...ref })))?.loop,
    told: async (ref = {}) => (await store.log(idOf({ ...REF, ...ref }))).flatMap(({ event }) => event?.type ?? []),
    async said(name, payload) {
      const meanings = await meaningsOf({ id: 'guid', name, receivedAt: AT, payload }, ports);
      return typeof meanings === 'string'
        ? meanings
        : meanings.map(({ ordinal, ref, event }) => [ordinal, idOf(ref), event]);
    },
    deliver(name, payload, receivedAt = AT) {
      deliveries += 1;
      return takeIn({ id: `guid-${deliveries}`, name, receivedAt, payload }, ports);
    },
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('The door must not use this port.'));
}

/** The part that all webhooks of a repository share. */
export function from(sender: unknown, over: object = {}): object {
  return {
    repository: { id: REF.repositoryId, name: REF.repo, owner: { login: REF.owner } },
    installation: { id: REF.installationId },
    sender,
    ...over,
  };
}

export function issueOf(over: object = {}): object {
  return {
    number: REF.issue,
    title: 'Add search',
    body: 'Please.',
    user: MARIA,
    labels: [{ name: 'loop' }],
    updated_at: '2026-01-09T23:59:00Z',
    ...over,
  };
}

export function labelled(over: { readonly issue?: object; readonly sender?: unknown } = {}): object {
  return from(over.sender ?? MARIA, { action: 'labeled', label: { name: 'loop' }, issue: issueOf(over.issue) });
}

let comments = 0;

/** A comment of its own each time. */
export function commentOf(
  body: string,
  over: { readonly issue?: object; readonly sender?: unknown; readonly comment?: object } = {},
): object {
  comments += 1;
  const comment = { id: comments, body, created_at: '2026-01-10T00:00:00Z', ...over.comment };
  return from(over.sender === undefined ? MARIA : over.sender, {
    action: 'created',
    issue: issueOf(over.issue),
    comment,
  });
}
