import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, StoreError } from '../../src/errors.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { Brief } from '../../src/loop/brief.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { idOf } from '../../src/loop/terms.ts';
import { PROBE_BRIEF_DIGEST } from '../../src/probe/runner-report.ts';
import type { PullProof } from '../../src/proof/pull-proof.ts';
import { loopOf } from '../adapters/loops.ts';
import { PLAIN_BRIEF } from '../jobs/plain-brief.ts';

const CODE = 'export const job = "build";\n';
const SHA = 'a'.repeat(40);
const BRIEF: Brief = {
  ...PLAIN_BRIEF,
  loop: { id: '1/12/1', owner: 'acme', repo: 'shop', issue: 12, title: 'Faster basket' },
  phase: 'BUILD',
  entry: 5,
  candidate: SHA,
  base: SHA,
  policy: { protectedPaths: [], maxFiles: 30, maxBytes: 1_000_000 },
  limits: {
    agentSteps: 40,
    modelSilenceMs: 1000,
    commandTimeoutMs: 1000,
    suiteTimeoutMs: 1000,
    outputBytes: 1000,
    designAttempts: 2,
    reviewRevisions: 2,
  },
};

/** The blobs of a store, kept in memory. */
function memoryStore() {
  const blobs = new Map<string, Uint8Array>();
  const jobs = new Set<string>();
  return {
    async offerJob(content: Uint8Array) {
      const digest = await this.putBlob(content);
      jobs.add(digest);
      return digest;
    },
    job: async (digest: string) => (jobs.has(digest) ? blobs.get(digest) : undefined),
    async putBlob(content: string | Uint8Array) {
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      blobs.set(digest, typeof content === 'string' ? new TextEncoder().encode(content) : content);
      return digest;
    },
    async blob(digest: string) {
      const found = blobs.get(digest);
      if (!found) throw new StoreError(`nothing is stored under ${digest}`);
      return found;
    },
    loops: new Map<string, Loop>(),
    async load(id: string) {
      const loop = this.loops.get(id);
      return loop && { loop, version: 1 };
    },
    proofs: [] as PullProof[],
    async onboarding() {
      return undefined;
    },
    async pullProof(repositoryId: number, pull: number) {
      const proof = this.proofs.find((one) => one.repositoryId === repositoryId && one.pull === pull);
      return proof && { proof, version: 1 };
    },
  };
}

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  await writeFile(join(directory, 'job.mjs'), CODE);
});
afterAll(() => rm(directory, { recursive: true }));

async function gateway(store = memoryStore(), bundle = 'job.mjs') {
  const served = await createGateway({ url: 'http://app.test/', store, jobBundle: join(directory, bundle) });
  return { ...served, store };
}

test('the job bundle is served under its own digest and may be cached for ever', async () => {
  const { app, jobDigest, url } = await gateway();
  expect(url).toBe('http://app.test');
  expect(jobDigest).toBe(createHash('sha256').update(CODE).digest('hex'));
  const response = await app.request(`/jobs/job-${jobDigest}.mjs`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/javascript');
  expect(response.headers.get('cache-control')).toContain('immutable');
  expect(await response.text()).toBe(CODE);
});

test('a run that waited takes the job that it was started with from the next version, and from a replica that is another', async () => {
  const next = 'export const job = "of the next version";\n';
  await writeFile(join(directory, 'next.mjs'), next);
  const old = await gateway();
  const other = await gateway(old.store, 'next.mjs');
  const codes = [old.jobDigest, other.jobDigest].map((digest) => `/jobs/job-${digest}.mjs`);
  for (const { app } of [old, other])
    expect(await Promise.all(codes.map(async (path) => (await app.request(path)).text()))).toEqual([CODE, next]);
});

test('the brief of probes is served to anybody under its own digest, and is in no store', async () => {
  const { app, store } = await gateway();
  const response = await app.request(`/briefs/brief-${PROBE_BRIEF_DIGEST}.json`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, '{"kind":"probe","version":2}']);
  expect(createHash('sha256').update(text).digest('hex')).toBe(PROBE_BRIEF_DIGEST);
  await expect(store.blob(`sha256:${PROBE_BRIEF_DIGEST}`)).rejects.toThrow(StoreError);
});

test('what is stored but was never offered as a job is not served as one, and a sentence says what to do', async () => {
  const { app, store, jobDigest } = await gateway();
  const digest = (await store.putBlob('a document')).slice('sha256:'.length);
  const response = await app.request(`/jobs/job-${digest}.mjs`);
  expect([response.status, await response.text()]).toEqual([
    404,
    `This App keeps no such job, its own is job-${jobDigest}.mjs; dispatch the workflow again.\n`,
  ]);
});

test('a published brief is served byte for byte under the digest that publishing gave', async () => {
  const { app, publish } = await gateway();
  const text = JSON.stringify(BRIEF);
  const digest = await publish(text);
  expect(digest).toBe(createHash('sha256').update(text).digest('hex'));
  const response = await app.request(`/briefs/brief-${digest}.json`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(text);
});

describe('a brief', () => {
  const run = { id: 900, entry: 5 };
  const loop = loopOf({ issue: 12 }, { status: 'working', phase: 'BUILD', entry: 5, built: { reports: {}, run } });
  const dispatching = { type: 'dispatch', key: '5/dispatch', job: 'build', entry: 5 } as const;
  const ofLoop = { ...BRIEF, key: idOf(loop.ref) };
  const asked = async (text: string, change: (store: ReturnType<typeof memoryStore>) => void) => {
    const { app, publish, store } = await gateway();
    change(store);
    return app.request(`/briefs/brief-${await publish(text)}.json`);
  };
  const withLoop = (changed: Partial<Loop>) =>
    asked(JSON.stringify(ofLoop), ({ loops }) => loops.set(idOf(loop.ref), { ...loop, ...changed } as Loop));

  test.each<[string, Partial<Loop>]>([
    ['awaited', {}],
    ['being dispatched', { pending: [dispatching], built: { reports: {} } }],
    ['awaited by a paused loop', { status: 'paused' }],
    ['asked for its second report', { phase: 'SEED_DATA', entry: 6 }],
  ])('is handed out while its run is %s, and kept by nothing on the way', async (_, changed) => {
    const response = await withLoop(changed);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(await response.json()).toEqual(ofLoop);
  });

  test.each<[string, Partial<Loop>]>([
    ['whose loop was stopped', { status: 'stopped' }],
    ['whose loop has succeeded', { status: 'succeeded', built: { reports: {} } }],
    ['that is over', { phase: 'VERIFY', entry: 7, built: { reports: {}, run: { id: 901, entry: 7 } } }],
    ['of an entry that comes again', { entry: 6, built: { reports: {}, run: { id: 901, entry: 6 } } }],
    ['that nobody has dispatched', { pending: [], built: { reports: {} } }],
  ])('is for nobody where its run is one %s', async (_, changed) => {
    const response = await withLoop(changed);
    expect(response.status).toBe(410);
    expect(await response.text()).toMatch(
      /^This brief is for the BUILD run of entry 5 of .*, which is not awaited any more/,
    );
  });

  test('is for nobody where its loop is gone', async () => {
    expect((await asked(JSON.stringify(ofLoop), () => undefined)).status).toBe(410);
  });

  test('of a version that said not for whom it is goes to the run that waited', async () => {
    expect((await asked(JSON.stringify(BRIEF), () => undefined)).status).toBe(200);
  });

  test.each([
    ['running', 3, 200],
    ['asked', 3, 200],
    ['ended', 3, 410],
    ['running', 4, 410],
  ] as const)('of a proof that is %s, the newest one being %d, answers with %d', async (stage, serial, status) => {
    const of = { repositoryId: 7, pull: 5 };
    const text = JSON.stringify({
      ...{ kind: 'proof', version: 1, ...of, serial: 3, base: SHA, head: SHA },
      commands: { install: null, build: null, runner: 'node-test', test: 'npm test' },
      limits: { commandTimeoutMs: 1, suiteTimeoutMs: 1, outputBytes: 1, faults: 1 },
    });
    const proof = { ...of, installationId: 1, owner: 'acme', repo: 'shop', serial, stage, at: '2026-08-01T00:00:00Z' };
    const by = { login: 'maria', id: 1 };
    const response = await asked(text, ({ proofs }) => proofs.push({ ...proof, by } as PullProof));
    expect(response.status).toBe(status);
  });
});

test('what is stored but is no brief stays inside', async () => {
  const { app, store } = await gateway();
  for (const content of ['a document', '{"secret":1}']) {
    const digest = (await store.putBlob(content)).slice('sha256:'.length);
    expect((await app.request(`/briefs/brief-${digest}.json`)).status).toBe(404);
  }
});

test.each([
  `/jobs/job-${'0'.repeat(64)}.mjs`,
  '/jobs/../package.json',
  '/jobs/job-x.mjs',
  `/briefs/brief-${'0'.repeat(64)}.json`,
  '/briefs/',
])('%s is not found, and a sentence says so', async (path) => {
  const { app } = await gateway();
  const response = await app.request(path);
  expect(response.status).toBe(404);
  expect(response.headers.get('cache-control')).toBeNull();
});

test('only GET is answered', async () => {
  const { app, jobDigest } = await gateway();
  for (const method of ['POST', 'PUT', 'DELETE']) {
    expect((await app.request(`/jobs/job-${jobDigest}.mjs`, { method })).status).toBe(405);
  }
});

test('a missing bundle is said with the command that makes it', async () => {
  const missing = createGateway({ url: 'http://app.test', store: memoryStore(), jobBundle: join(directory, 'no.mjs') });
  await expect(missing).rejects.toThrow(ConfigError);
  await expect(missing).rejects.toThrow('npm run build');
});
