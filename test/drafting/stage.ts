/** A stage for phases: a real git repository, a real model endpoint with authored answers, blobs in memory. */
import { createServer } from 'node:http';
import { z } from 'zod';
import { createModel } from '../../src/adapters/model.ts';
import { loadSkills } from '../../src/adapters/skills.ts';
import { StoreError } from '../../src/errors.ts';
import { digestOf } from '../../src/guard/digest.ts';
import { newLoop } from '../../src/loop/loop.ts';
import type { StartedLoop } from '../../src/loop/stages.ts';
import type { Ports, Store } from '../../src/ports.ts';
import { GUARDRAILS } from '../guardrails.ts';
import { listening } from '../listening.ts';
import { createDatabase } from '../simulation/app/database.ts';
import { createCallRows } from '../simulation/app/memory-calls.ts';
import { once, refuse, repositoryOf } from './repository.ts';

export interface Asked {
  readonly name: string;
  readonly system: string;
  readonly user: string;
  /** What was said of the answer before this one, in the same call. */
  readonly correction: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Stage {
  readonly ports: Ports;
  readonly loop: StartedLoop;
  /** What the model was asked, in order. */
  readonly asked: readonly Asked[];
  /** Authored answers by schema name; each is given once, the last one again and again. A string is sent as it is. */
  readonly answers: Record<string, unknown[]>;
  blob(digest: string | undefined): Promise<string>;
  close(): Promise<void>;
}

const request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  response_format: z.object({ json_schema: z.object({ name: z.string() }) }),
});

/** Opens the stage with one commit that holds the files. */
export async function openStage(files: Readonly<Record<string, string>>): Promise<Stage> {
  const { sha, workspace } = await repositoryOf(files);
  const asked: Asked[] = [];
  const answers: Record<string, unknown[]> = {};
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
    const { messages, response_format } = request.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const { name } = response_format.json_schema;
    const textOf = (role: string): string => messages.find((message) => message.role === role)?.content ?? '';
    const headers = Object.fromEntries(Object.entries(incoming.headers).map(([key, value]) => [key, String(value)]));
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    asked.push({ name, system: textOf('system'), user: textOf('user'), correction: said[1], headers });
    const queue = answers[name] ?? [];
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer ?? 'nothing authored');
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
        usage: { prompt_tokens: 100, completion_tokens: 10 },
      }),
    );
  });
  const baseUrl = `${await listening(server)}/v1`;
  const blobs = new Map<string, string>();
  const kept = blobStore(blobs);
  const ports: Ports = {
    self: 'loopwright[bot]',
    modelFacts: {
      name: 'authored',
      scripted: true,
      price: undefined,
      jobUrl: 'http://127.0.0.1:1/v1',
      jobAudience: undefined,
    },
    github: {
      ...refusingGitHub,
      tags: async () => ['1.0.3', 'nightly', '0.9.1'],
      file: async (_, path, ref) => workspace.text(ref, path),
    },
    model: createModel({ baseUrl, apiKey: 'none', model: 'authored', pauseMs: 1 }),
    store: { ...refusingStore, ...kept, ...createCallRows(createDatabase(), kept.putBlob) },
    queue: { start: refuse, send: refuse, stop: refuse },
    workspace: workspace.port,
    gateway: { publish: refuse, jobDigest: '', url: '' },
    slots: { overall: 1, installation: 1, repository: 1 },
    guardrails: GUARDRAILS,
    keepDays: { deliveries: 4, logs: 90, blobs: 40, commits: 14 },
    clock: { now: () => new Date('2026-01-02T03:04:05.000Z') },
    skills: await texts(),
  };
  return {
    ports,
    loop: loopAt(sha),
    asked,
    answers,
    blob: async (digest) => blobs.get(digest ?? '') ?? '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function loopAt(sha: string): StartedLoop {
  const author = { id: 7, login: 'alice', type: 'User' as const };
  return {
    ...newLoop({ installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', issue: 12, n: 1 }),
    status: 'working',
    entry: 1,
    entryStartedAt: '2026-01-02T03:04:00.000Z',
    started: {
      at: '2026-01-02T03:04:00.000Z',
      by: author,
      issue: { title: 'Filter items by state', body: 'People want to see open items only.', author },
      base: { branch: 'main', sha },
      config: { digest: digestOf('config') },
      lane: 'feature',
      branch: 'loopwright/12',
      limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
      thresholds: GUARDRAILS.thresholds,
    },
    counters: {
      ...newLoop({ installationId: 1, repositoryId: 2, owner: 'a', repo: 'b', issue: 1, n: 1 }).counters,
      drafts: { DISCOVER: 1 },
    },
  };
}

/** Of the skills, read once. */
const texts = once(async () => new Map([...(await loadSkills('skills'))].map(([name, { text }]) => [name, text])));
function blobStore(blobs: Map<string, string>): Pick<Store, 'putBlob' | 'blob'> {
  return {
    async putBlob(content) {
      const digest = digestOf(content);
      blobs.set(digest, typeof content === 'string' ? content : Buffer.from(content).toString('utf8'));
      return digest;
    },
    async blob(digest) {
      const text = blobs.get(digest);
      if (text === undefined) throw new StoreError(`Nothing is stored under ${digest}.`);
      return Buffer.from(text);
    },
  };
}

const refusingStore: Store = {
  receive: refuse,
  delivery: refuse,
  load: refuse,
  newest: refuse,
  byPull: refuse,
  byBranch: refuse,
  byRun: refuse,
  unread: refuse,
  unreadRepositories: refuse,
  markRead: refuse,
  postpone: refuse,
  awaitingChecks: refuse,
  awaitingMerge: refuse,
  onBase: refuse,
  overview: refuse,
  unfinished: refuse,
  nextQueued: refuse,
  askLimits: refuse,
  noteMissed: refuse,
  dueMissed: refuse,
  askedFor: refuse,
  leads: refuse,
  forget: refuse,
  save: refuse,
  log: refuse,
  reserve: refuse,
  release: refuse,
  settle: refuse,
  untold: refuse,
  reserveFor: refuse,
  calls: refuse,
  takeShown: refuse,
  keepShown: refuse,
  begins: refuse,
  pullProof: refuse,
  pullProofByRun: refuse,
  openPullProofs: refuse,
  savePullProof: refuse,
  onboarding: async () => undefined,
  openOnboardings: refuse,
  saveOnboarding: refuse,
  putBlob: refuse,
  blob: refuse,
  offerJob: refuse,
  job: refuse,
};

/** A GitHub that is not there. */
export const refusingGitHub: Ports['github'] = {
  permission: refuse,
  repository: refuse,
  locate: refuse,
  withheld: refuse,
  head: refuse,
  tags: refuse,
  file: refuse,
  newestIssue: refuse,
  unsent: refuse,
  environment: refuse,
  issueState: refuse,
  comment: refuse,
  showComment: refuse,
  react: refuse,
  removeLabel: refuse,
  openPull: refuse,
  showPull: refuse,
  pull: refuse,
  markReady: refuse,
  markDraft: refuse,
  reviewComments: refuse,
  checks: refuse,
  addChecks: refuse,
  requiredChecks: refuse,
  commit: refuse,
  moveRef: refuse,
  dispatch: refuse,
  run: refuse,
  cancelRun: refuse,
  artifact: refuse,
  headChecks: refuse,
  checkDetails: refuse,
  failedLogEnd: refuse,
  changedPaths: refuse,
  failedDeliveries: refuse,
  redeliver: refuse,
};
