/** The image: how it is made, what is in it, and the App in a container of it, with settings as deploy/compose.yaml has them. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { finish, openLabelledIssue } from '../e2e/journey.ts';
import { type Processes, startProcesses } from '../e2e/processes.ts';
import { freePort } from '../listening.ts';
import { type Container, type ContainerOptions, startContainer } from './container.ts';
import { asRoot, type BuiltImage, buildImage, lendCheckout } from './image-build.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const CANARY = 'canary-5f0c1d';
const USER = 10_001;
/** What the README promises, in MB. */
const MOST_MB = 300;
/** No measurement: the machine may do much else. */
const PATIENCE_MS = 900_000;

const service = z.object({
  read_only: z.literal(true),
  tmpfs: z.array(z.string()),
  volumes: z.tuple([z.literal('clones:/data')]),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  stop_grace_period: z.string().regex(/^\d+s$/),
  environment: z.record(z.string(), z.string()),
});
const { app: asComposed } = z
  .object({ services: z.object({ app: service }) })
  .parse(parse(await readFile(join(CHECKOUT, 'deploy', 'compose.yaml'), 'utf8'))).services;

let image: BuiltImage;
let checkout: string;
let postgres: PostgresServer | undefined;

beforeAll(async () => {
  // What lies around where somebody works, and must not come into an image.
  checkout = await lendCheckout(CHECKOUT, {
    '.env': `PRIVATE_KEY=${CANARY}`,
    'deploy/.env': `PRIVATE_KEY=${CANARY}`,
    'app.private-key.pem': CANARY,
    '.data/github/app.json': CANARY,
    '.git/config': CANARY,
    'node_modules/stray/index.js': CANARY,
    'dist/chunks/stray.js': CANARY,
  });
  image = await buildImage(checkout, CANARY);
  process.stdout.write(
    `image: ${image.size}, of which the base is ${image.baseSize}; built in ${image.seconds.toFixed(0)} s\n`,
  );
}, 2 * PATIENCE_MS);
afterAll(async () => {
  await stopPostgres();
  await image?.remove();
  if (checkout !== undefined) await rm(checkout, { recursive: true });
});

const HEALTH_CHECK = () => image.settings.Healthcheck.Test.slice(1);

async function stopPostgres(): Promise<void> {
  await postgres?.stop();
  postgres = undefined;
}

/** In a container as the compose file says, with a fresh volume. */
async function started({ binds = {}, ...options }: ContainerOptions = {}): Promise<Container> {
  const volume = await mkdtemp(join(tmpdir(), 'loopwright-volume-'));
  await asRoot('chown', `${USER}:${USER}`, volume);
  const container = startContainer(image, {
    tmpfs: asComposed.tmpfs,
    binds: { '/data': volume, ...binds },
    ...options,
  });
  onTestFinished(async () => {
    await container.end('SIGKILL');
    await asRoot('rm', '-rf', volume);
  });
  return container;
}

describe('the image', () => {
  test('runs the App as a user that is not root, and says how it is stopped, asked for its health, and where it writes', () => {
    expect(image.settings).toMatchObject({
      User: `${USER}:${USER}`,
      Entrypoint: ['node', '--max-semi-space-size=8', '/app/dist/loopwright.js'],
      Cmd: ['start'],
      StopSignal: 'SIGTERM',
      ExposedPorts: { '3000/tcp': {} },
      Volumes: { '/data': {} },
      Healthcheck: { Test: ['CMD', 'node', '/app/dist/health-check.js'] },
    });
  });

  test('has what the package ships and the packages that it needs, and neither tools of development nor tests', async () => {
    const { dependencies, devDependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')));
    const isInstalled = (name: string) => existsSync(join(image.root, 'app', 'node_modules', name));
    expect(Object.keys(dependencies).filter((name) => !isInstalled(name))).toEqual([]);
    expect(Object.keys(devDependencies).filter(isInstalled)).toEqual([]);
    expect((await readdir(join(image.root, 'app'))).sort()).toEqual(
      [
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'app.yml', 'config', 'dist', 'node_modules'],
        ...['package.json', 'skills', 'src'],
      ].sort(),
    );
    expect(await readdir(join(image.root, 'app', 'src'))).toEqual(['demo']);
  });

  test('has no secret of the build, and nothing of what lay around the checkout', async () => {
    const found = await asRoot(
      'grep',
      '-rlF',
      CANARY,
      ...['app', 'data', 'root', 'tmp'].map((name) => join(image.root, name)),
    ).catch(({ exitCode }) => exitCode);
    expect(found, 'grep finds nothing').toBe(1);
    expect([...image.history, ...image.settings.Env].filter((text) => text.includes(CANARY))).toEqual([]);
  });

  test('lets its user write below /data alone, where the root is not read-only too', async () => {
    const argv = ['find', '/', '-xdev', '-writable', '-not', '-type', 'l'];
    const container = startContainer(image, { argv, readOnly: false });
    await container.ended;
    // What it may not even look into, it cannot write: `find` complains of /root.
    expect(container.lines.filter((line) => line.startsWith('/')).toSorted()).toEqual(['/data', '/tmp']);
  });
});

describe('a container', () => {
  test('without settings says what the first one is, and ends', async () => {
    const container = await started({ environment: { APP_ID: '1' } });
    expect(await container.ended).toBe(1);
    expect(container.lines.join('\n')).toContain('The environment variable PRIVATE_KEY is not set');
  });

  test('has a health check that fails where nothing listens', async () => {
    const container = await started({ argv: HEALTH_CHECK(), environment: { PORT: '9' } });
    expect(await container.ended).toBe(1);
    expect(container.lines.join('\n')).toContain('http://127.0.0.1:9/readyz does not answer');
  });
});

describe('the App in a container, without a database of its own choice', () => {
  test('keeps the embedded one on its volume, says that GitHub alone is not there, and ends when it is stopped', async () => {
    const [port, { privateKey }] = [await freePort(), generateKeyPairSync('rsa', { modulusLength: 2048 })];
    const container = await started({
      environment: {
        APP_ID: '1',
        PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        WEBHOOK_SECRET: 'secret',
        GITHUB_API_URL: 'http://127.0.0.1:9',
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        PORT: String(port),
        LLM_BASE_URL: 'http://127.0.0.1:9',
        LLM_MODEL: 'none',
        LOG_LEVEL: 'error',
      },
    });
    await container.until('Loopwright listens on');
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
    await expect
      .poll(ready, { timeout: 60_000 })
      .toEqual({ status: 'not ready', reason: expect.stringMatching(/^Nobody has answered as GitHub does at /) });
    process.stdout.write(`idle with the embedded database: ${(await container.residentMb()).toFixed(0)} MB resident\n`);
    expect(await container.end('SIGTERM')).toMatchObject({ code: 0 });
  });
});

describe('the App in a container, with PostgreSQL', () => {
  let processes: Processes;
  let container: Container;
  let end: Awaited<ReturnType<Container['end']>> | undefined;

  beforeAll(async () => {
    postgres = await startPostgres();
    const databaseUrl = await postgres.createDatabase();
    const volume = await mkdtemp(join(tmpdir(), 'loopwright-volume-'));
    await asRoot('chown', `${USER}:${USER}`, volume);
    const binds = { '/data': volume, ...(await socketOf(databaseUrl)) };
    processes = await startProcesses({
      startApp: async (environment) => {
        const { WORKSPACE_DIR: _, ...given } = environment;
        container = startContainer(image, {
          tmpfs: asComposed.tmpfs,
          binds,
          environment: { ...given, DATABASE_URL: databaseUrl },
        });
        await container.until('Loopwright listens on');
        return async (signal) => {
          end = await container.end(signal);
        };
      },
    });
    return async () => {
      await processes.close();
      await asRoot('rm', '-rf', volume);
    };
  });

  const ask = async (path: string) => {
    const response = await fetch(`${processes.appUrl}${path}`);
    return { status: response.status, told: await response.json() };
  };
  /** As a neighbour with the same network, which is this machine's. */
  const checkHealth = async () => {
    const check = startContainer(image, {
      argv: HEALTH_CHECK(),
      environment: { PORT: new URL(processes.appUrl).port },
    });
    return { code: await check.ended, lines: check.lines };
  };

  test('is alive, ready and healthy', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, told: { status: 'alive' } });
    expect(await ask('/readyz')).toEqual({ status: 200, told: { status: 'ready' } });
    expect(await checkHealth()).toEqual({ code: 0, lines: ['{"status":"ready"}'] });
  });

  test(`takes at most ${MOST_MB} MB while it has nothing to do`, async () => {
    await sleep(5000);
    const residentMb = await container.residentMb();
    process.stdout.write(`idle: ${residentMb.toFixed(0)} MB resident\n`);
    expect(residentMb).toBeLessThanOrEqual(MOST_MB);
  });

  test('takes an issue to a pull request that is ready', async () => {
    await finish(processes, await openLabelledIssue(processes), PATIENCE_MS);
    process.stdout.write(`after a loop: ${(await container.residentMb()).toFixed(0)} MB resident\n`);
  });

  test('ends within the time that the compose file gives it, when it is stopped', async () => {
    await processes.stopApp();
    expect(end?.code).toBe(0);
    expect(end?.seconds).toBeLessThan(Number.parseInt(asComposed.stop_grace_period, 10));
    expect(container.lines).toContain('Stopping…');
    process.stdout.write(`stopped in ${end?.seconds.toFixed(1)} s\n`);
  });

  test('starts again on what it left, and lives without its database, but is not ready', async () => {
    await processes.startApp();
    expect(await ask('/readyz')).toMatchObject({ status: 200 });
    await stopPostgres();
    await vi.waitFor(async () => expect(await ask('/readyz')).toMatchObject({ status: 503 }), {
      timeout: 60_000,
      interval: 500,
    });
    const { told } = await ask('/readyz');
    expect(told).toEqual({
      status: 'not ready',
      reason: expect.stringMatching(/^The database cannot be asked \(\w+\)/),
    });
    expect(await ask('/healthz')).toMatchObject({ status: 200 });
    expect(await checkHealth()).toEqual({ code: 1, lines: [JSON.stringify(told)] });
  });
});

/** The directory of the server's socket, into which the container's user may look. Nothing, where the server is asked by TCP. */
async function socketOf(databaseUrl: string): Promise<Readonly<Record<string, string>>> {
  const directory = new URL(databaseUrl).searchParams.get('host');
  if (directory?.startsWith('/') !== true) return {};
  await chmod(directory, 0o711);
  return { [directory]: directory };
}
