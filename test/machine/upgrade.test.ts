/** Two versions of the App: one after the other while a run waits for a runner, and as replicas behind one address. */
import { createHash } from 'node:crypto';
import { appendFile, cp, glob, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { packageFile } from '../../src/settings/package-root.ts';
import { eventually } from '../e2e/acts.ts';
import { finish, openLabelledIssue } from '../e2e/journey.ts';
import { type End, type Processes, started, startProcesses } from '../e2e/processes.ts';
import { pullsOf, runsOf } from '../e2e/seen.ts';
import { freePort } from '../listening.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const PATIENCE_MS = 600_000;
type Version = 'this' | 'next';

let directory: string;
let roots: Readonly<Record<Version, string>>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-versions-'));
  roots = { this: packageFile(), next: await layNext(join(directory, 'next')) };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The package as it is installed, with another job: that has another digest. */
async function layNext(root: string): Promise<string> {
  const manifest = await readFile(packageFile('package.json'), 'utf8');
  const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(manifest));
  for (const path of ['package.json', ...files]) await cp(packageFile(path), join(root, path), { recursive: true });
  await symlink(packageFile('node_modules'), join(root, 'node_modules'));
  await appendFile(join(root, 'dist', 'job.mjs'), '\n// Of the next version.\n');
  return root;
}

async function digestOf(version: Version): Promise<string> {
  const job = await readFile(join(roots[version], 'dist', 'job.mjs'));
  return createHash('sha256').update(job).digest('hex');
}

const start = (version: Version, environment: Readonly<Record<string, string>>): Promise<End> =>
  started([join(roots[version], 'dist', 'loopwright.js'), 'start'], environment);

/** Which job a workflow's run took from the App, as its log says. */
async function jobsOf(processes: Processes, name: 'build' | 'verify'): Promise<readonly (Version | undefined)[]> {
  const digests = new Map([
    [await digestOf('this'), 'this' as const],
    [await digestOf('next'), 'next' as const],
  ]);
  const logs = await Array.fromAsync(glob(`github/runs/*/logs/${name}.log`, { cwd: processes.directory }));
  const texts = await Promise.all(logs.map((path) => readFile(join(processes.directory, path), 'utf8')));
  return texts.map((text) => digests.get(/"job": "([0-9a-f]{64})"/.exec(text)?.[1] ?? ''));
}

async function expectReady(processes: Processes): Promise<void> {
  expect((await pullsOf(processes)).map(({ draft, state }) => ({ draft, state }))).toEqual([
    { draft: false, state: 'open' },
  ]);
  expect((await runsOf(processes)).filter(({ conclusion }) => conclusion !== 'success')).toEqual([]);
}

describe.each([
  ['an upgrade', 'this', 'next'],
  ['a step back', 'next', 'this'],
] as const)('a run that waits for a runner over %s', (_, before, after) => {
  test('takes the job that it was started with from the App that is there now, and the next run takes that App’s own', {
    timeout: PATIENCE_MS + 60_000,
  }, async () => {
    let version: Version = before;
    const processes = await startProcesses({ startApp: (environment) => start(version, environment) });
    try {
      await processes.kill('runner');
      const issue = await openLabelledIssue(processes);
      const finished = finish(processes, issue, PATIENCE_MS);
      finished.catch(() => undefined);
      // Nobody is there to take it.
      const isAskedFor = async () =>
        (await runsOf(processes)).some(({ display_title: title }) => title.startsWith('loopwright-build'));
      await eventually(isAskedFor, 'a build that was asked for', PATIENCE_MS);
      await processes.stopApp();
      version = after;
      await processes.startApp();
      await processes.startRunner();
      await finished;
      expect(await jobsOf(processes, 'build')).toEqual([before]);
      expect(await jobsOf(processes, 'verify')).toEqual([after]);
      await expectReady(processes);
    } finally {
      await processes.close();
    }
  });
});

describe('replicas of both versions behind one address', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  test('bring one loop to its end together', { timeout: PATIENCE_MS + 60_000 }, async () => {
    const asked: Record<Version, number> = { this: 0, next: 0 };
    const startBoth = async ({ PORT = '', ...environment }: Readonly<Record<string, string>>): Promise<End> => {
      const url = await postgres.createDatabase();
      const ports: Record<Version, number> = { this: await freePort(), next: await freePort() };
      const run = (version: Version) =>
        start(version, {
          ...{ ...environment, DATABASE_URL: url, PORT: String(ports[version]) },
          WORKSPACE_DIR: `${environment.WORKSPACE_DIR}-${version}`,
        });
      const ends = [await run('this'), await run('next')];
      let turn = 0;
      const front = createServer((client) => {
        turn += 1;
        const version: Version = turn % 2 === 0 ? 'this' : 'next';
        asked[version] += 1;
        const replica = connect(ports[version], '127.0.0.1');
        for (const socket of [client, replica]) socket.on('error', () => undefined);
        client.pipe(replica).pipe(client);
      });
      await new Promise<void>((resolve) => front.listen(Number(PORT), '127.0.0.1', resolve));
      return async (signal) => {
        front.close();
        await Promise.all(ends.map((end) => end(signal)));
      };
    };
    const processes = await startProcesses({ startApp: startBoth });
    try {
      await finish(processes, await openLabelledIssue(processes), PATIENCE_MS);
      expect(Math.min(asked.this, asked.next)).toBeGreaterThan(3);
      await expectReady(processes);
    } finally {
      await processes.close();
    }
  });
});
