import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { prepareDemoRepository } from '../../../src/demo/demo-repository.ts';
import { processesOf, type Running, SOURCES, started, typed } from '../../cli/terminal.ts';
import { layDatabase } from '../../prepared.ts';

/** Two starts of everything; a few seconds each on a quiet machine. */
const TIMEOUT_MS = 600_000;

let root: string;
let running: Running;
let entrance: string;
let address: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-start-'));
  const shop = join(root, 'shop');
  const identity = ['-c', 'user.name=Wout', '-c', 'user.email=wout@shop.example', '-c', 'commit.gpgsign=false'];
  await mkdir(shop);
  await writeFile(join(shop, 'README.md'), 'A shop.\n');
  await execa('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: shop });
  await execa('git', ['add', '.'], { cwd: shop });
  await execa('git', [...identity, 'commit', '--quiet', '-m', 'Open the shop'], { cwd: shop });
});
afterAll(async () => {
  await running.end('SIGKILL');
  await rm(root, { recursive: true, force: true });
});

/** Starts, and follows what it says to open. */
async function start(...argv: readonly string[]): Promise<void> {
  const data = argv.includes('--data') ? [] : ['--data', join(root, 'kept')];
  running = started(['start', ...data, ...argv], { program: SOURCES });
  await running.until('Ctrl-C stops');
  entrance = /Open\s+(http:\S+)/.exec(running.printed())?.[1] ?? '';
  address = entrance === '' ? '' : new URL(entrance).origin;
}

async function as(token: string, path: string): Promise<unknown> {
  const response = await fetch(`${address}/api/v3${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return response.json();
}

test('start serves the named repository to the named person, and Ctrl-C ends all of it', {
  timeout: TIMEOUT_MS,
}, async () => {
  await start('--port', '0', '--import', `${join(root, 'shop')}=acme/shop`, '--user', 'wout:write:wout-token');
  expect(running.printed()).toContain('wout (write)');
  expect(running.printed()).toContain(
    `  acme/shop has no .github/loopwright.yml, .github/workflows/loopwright-build.yml, .github/workflows/loopwright-verify.yml, .github/actions/loopwright-job/action.yml yet, so no loop can start there. Its pull request “Set up Loopwright” brings what the App may write and links the rest: open it, add the two workflows, and merge it. Or run \`npm run -s loopwright -- init ${join(root, 'shop')}\`, commit, and push that to the branch \`main\` of \`${address.replace('://', '://wout:<token>@')}/acme/shop.git\` (the import happens once).\n`,
  );
  expect(running.printed()).toContain('Write an issue, and add the label `loop` to it.');
  await fetch(`${address}/api/v3/repos/acme/shop/issues`, {
    method: 'POST',
    headers: { authorization: 'Bearer wout-token' },
    body: JSON.stringify({ title: 'Sell tea' }),
  });
  expect(z.object({ login: z.string() }).parse(await as('wout-token', '/user'))).toEqual({ login: 'wout' });
  expect(z.looseObject({ private: z.boolean() }).parse(await as('wout-token', '/repos/acme/shop'))).toMatchObject({
    default_branch: 'main',
  });
  expect(await running.end('SIGINT')).toBe(0);
  expect(running.printed()).toContain('\nStopping…\n');
  expect(processesOf(root)).toEqual([]);
});

test('whoever interrupts while it starts reads that it stops, and not what to open', {
  timeout: TIMEOUT_MS,
}, async () => {
  const starting = started(['start', '--data', join(root, 'begun'), '--port', '0'], { program: SOURCES });
  await starting.until('Starting;');
  expect(await starting.end('SIGINT')).toBe(0);
  expect(starting.printed().split('Stopping…')[1]).toBe('\n');
});

test('a directory that runs already is refused in one sentence, by the demo and on another port', {
  timeout: TIMEOUT_MS,
}, async () => {
  await start();
  const kept = join(root, 'kept');
  const sentence = `${kept} is in use by another Loopwright on this machine; stop that one, or name another directory.`;
  expect(await typed(['demo', '--keep', kept])).toMatchObject({ code: 1, err: [sentence] });
  expect(await typed(['start', '--data', kept, '--port', '0'])).toMatchObject({ code: 1, err: [sentence] });
  await as('wout-token', '/repos/acme/shop');
  expect(await running.end('SIGINT')).toBe(0);
});

test('starting again with nothing but the directory is the same place, person and repository', {
  timeout: TIMEOUT_MS,
}, async () => {
  const before = entrance;
  await rm(join(root, 'shop'), { recursive: true });
  await start();
  expect(entrance).toBe(before);
  expect(entrance).toMatch(/\/_local\/enter\/[\w-]{32}$/);
  expect(running.printed()).toContain('acme/shop#1 “Sell tea”: add the label `loop` to it.');
  expect(running.printed()).toContain('wout (write)');
  await as('wout-token', '/repos/acme/shop');
  expect((await fetch(`${address}/api/v3/repos/acme/guestbook`)).status).toBe(404);
  expect(await running.end('SIGTERM')).toBe(0);
});

test('a repository that lacks nothing has its base tried before anybody sets a label', {
  timeout: TIMEOUT_MS,
}, async () => {
  const shop = await prepareDemoRepository(join(root, 'whole'));
  await start(
    '--data',
    join(root, 'tried'),
    '--port',
    '0',
    '--import',
    `${shop}=acme/whole`,
    '--user',
    'wout:write:wout-token',
  );
  const checks = z.object({
    check_runs: z.array(
      z.object({
        name: z.string(),
        conclusion: z.string().nullable(),
        output: z.object({ title: z.string().nullable() }),
      }),
    ),
  });
  const setup = async () =>
    checks
      .parse(await as('wout-token', '/repos/acme/whole/commits/main/check-runs'))
      .check_runs.find(({ name }) => name === 'loopwright / setup');
  await vi.waitUntil(async () => (await setup())?.conclusion, { timeout: 300_000, interval: 500 });
  expect(await setup()).toEqual({
    name: 'loopwright / setup',
    conclusion: 'success',
    output: { title: "All is there: the base's tests are green twice" },
  });
  expect(await running.end('SIGINT')).toBe(0);
});

test('what fails after everything started is said in its sentence, and ends all of it', {
  timeout: TIMEOUT_MS,
}, async () => {
  const data = join(root, 'twice');
  const [first, second] = ['one', 'two'].map((token) => ({ login: 'wout', role: 'write', token }));
  const [repository] = z
    .object({ imports: z.array(z.object({ path: z.string(), fullName: z.string() })) })
    .parse(JSON.parse(await readFile(join(root, 'kept', 'served.json'), 'utf8'))).imports;
  await cp(join(root, 'kept'), data, { recursive: true });
  await writeFile(join(data, 'served.json'), JSON.stringify({ imports: [repository], users: [first, second] }));
  const { code, err } = await typed(['start', '--data', data, '--port', '0']);
  expect({ code, err }).toEqual({
    code: 1,
    err: ['GET /repos/acme/shop of the embedded GitHub was answered 401.'],
  });
  expect(processesOf(data)).toEqual([]);
});

test('the real App on a port that is taken says so with the remedy, and ends', { timeout: TIMEOUT_MS }, async () => {
  const taken = createServer();
  await layDatabase(join(root, 'real', 'database'));
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(taken.address());
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ended = await typed(['start'], {
    APP_ID: '1',
    PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    WEBHOOK_SECRET: 'secret',
    PUBLIC_URL: 'http://127.0.0.1:1',
    GITHUB_API_URL: 'http://127.0.0.1:1',
    HOST: '127.0.0.1',
    PORT: String(port),
    LLM_BASE_URL: 'http://127.0.0.1:1/v1',
    LLM_MODEL: 'some',
    LOG_LEVEL: 'error',
    DATABASE_URL: join(root, 'real', 'database'),
    WORKSPACE_DIR: join(root, 'real', 'clones'),
  });
  taken.close();
  expect({ code: ended.code, err: ended.err }).toEqual({
    code: 1,
    err: [`127.0.0.1:${port} cannot be listened on (EADDRINUSE); name another HOST or PORT, or stop what uses it.`],
  });
});
