import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ANSWERS } from '../../src/loop/answers.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');
const MINUTES = 60_000;

let root: string;
let installed: string;
let packed: readonly string[];

/** What npm and git need, and nothing that a script of ours was started with. */
function environment(): Record<string, string> {
  const passed =
    /^(?:HOME|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|npm_config_(?:registry|userconfig|cache)|https?_proxy|no_proxy)$/i;
  const kept = Object.entries(process.env).filter(([name]) => passed.test(name));
  return { ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])), PATH: pathWithNode24() };
}

function pathWithNode24(): string {
  return [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
}

function run(program: string, argv: readonly string[], cwd: string) {
  return execa(program, argv, { cwd, extendEnv: false, env: environment(), reject: false });
}

/** Runs a command of the installed package, as its reader types it. */
function npx(...argv: readonly string[]) {
  return run('npx', ['loopwright', ...argv], installed);
}

/** A copy of what git knows or would take in: no earlier build, nothing that lies around. */
async function copyOfCheckout(): Promise<string> {
  const copy = join(root, 'checkout');
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], CHECKOUT);
  for (const file of stdout.split('\n').filter((name) => existsSync(join(CHECKOUT, name)))) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(CHECKOUT, file), join(copy, file));
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

const packReport = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-package-'));
  const { stdout, stderr } = await run(
    'npm',
    ['pack', '--json', '--silent', '--pack-destination', root],
    await copyOfCheckout(),
  );
  const [{ filename, files }] = packReport.parse(JSON.parse(stdout.slice(stdout.indexOf('[')) || stderr));
  packed = files.map(({ path }) => path);
  installed = join(root, 'elsewhere');
  await mkdir(installed);
  const install = await run(
    'npm',
    ['install', '--no-fund', '--no-audit', '--prefer-offline', join(root, filename)],
    installed,
  );
  expect(install.exitCode, install.stderr).toBe(0);
  // The registry is asked for each of some hundred packages.
}, 15 * MINUTES);
afterAll(() => rm(root, { recursive: true, force: true }));

describe('the package', () => {
  test('has what it needs at run time, dotfiles of the demo repository included, and no source or test of ours', () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        'dist/loopwright.js',
        'dist/job.mjs',
        'dist/assets/pages.css',
        'config/guardrails.yaml',
        'config/workflows/loopwright-build.yml',
        'skills/ground-rules/SKILL.md',
        'src/demo/guestbook.yaml',
        'src/demo/repository/.github/workflows/ci.yml',
      ]),
    );
    expect(packed.filter((path) => path.endsWith('.ts'))).toEqual([]);
  });

  test('explains itself', async () => {
    const { exitCode, stdout } = await npx('--help');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('npx loopwright <command> [options]');
  });

  test('prints the schema of every artifact', async () => {
    const { exitCode, stdout } = await npx('schemas', '--json');
    expect(exitCode).toBe(0);
    const schemas = z.record(z.string(), z.looseObject({ schema: z.looseObject({ type: z.literal('object') }) }));
    expect(Object.keys(schemas.parse(JSON.parse(stdout)))).toEqual(Object.keys(ANSWERS));
    expect(Object.keys(ANSWERS)).toHaveLength(13);
  });

  test('writes its files into a checkout', async () => {
    const checkout = join(root, 'fresh');
    await run('git', ['init', '--quiet', checkout], root);
    const { exitCode, stderr } = await npx('init', checkout);
    expect({ exitCode, stderr: ours(stderr) }).toEqual({ exitCode: 0, stderr: '' });
    expect((await readdir(join(checkout, '.github'), { recursive: true })).sort()).toEqual([
      'actions',
      'actions/loopwright-job',
      'actions/loopwright-job/action.yml',
      'actions/loopwright-setup',
      'actions/loopwright-setup/action.yml',
      'loopwright.yml',
      'workflows',
      'workflows/loopwright-build.yml',
      'workflows/loopwright-verify.yml',
    ]);
  });

  test('says in one line what it needs on an older Node, and ends with 1', async () => {
    const node = await olderNode();
    const { exitCode, stdout, stderr } = await run(
      node.path,
      [join('node_modules', '.bin', 'loopwright'), 'demo'],
      installed,
    );
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `loopwright needs Node 24 or newer, and this is ${node.version}; install it and run the command again.`,
    });
  });
});

describe('the demo of the installed package, kept', () => {
  const summary = z.looseObject({ status: z.string(), loop: z.string(), pull: z.looseObject({ url: z.string() }) });
  let first: string;

  test('succeeds, and prints one line', async () => {
    const { exitCode, stdout, stderr } = await npx('demo', '--json', '--keep', join(root, 'kept'));
    expect({ exitCode, stderr: ours(stderr) }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(1);
    expect(summary.parse(JSON.parse(stdout))).toMatchObject({ status: 'succeeded', loop: 'acme/guestbook#1' });
    first = stdout;
  });

  test('gives the same result again, and opens no second issue', async () => {
    expect(await npx('demo', '--json', '--keep', join(root, 'kept'))).toMatchObject({ exitCode: 0, stdout: first });
    const { stdout } = await npx('demo', '--keep', join(root, 'kept'));
    expect(stdout).toContain(`This loop ended already; ${join(root, 'kept')} keeps it.`);
    expect(stdout).toContain(`npx loopwright start --data ${join(root, 'kept')}`);
  });

  test('is there to look at where it was, and one issue is all there is', async () => {
    const bin = join(installed, 'node_modules', '.bin', 'loopwright');
    const start = execa(bin, ['start', '--data', join(root, 'kept')], {
      extendEnv: false,
      env: environment(),
      reject: false,
    });
    const { pull } = summary.parse(JSON.parse(first));
    await vi.waitFor(async () => expect((await fetch(pull.url)).status).toBe(200), {
      timeout: 5 * MINUTES,
      interval: 200,
    });
    const { origin } = new URL(pull.url);
    const rows = await (await fetch(`${origin}/api/v3/repos/acme/guestbook/issues?state=all`)).json();
    expect(z.array(z.object({ number: z.int() })).parse(rows)).toEqual([{ number: 2 }, { number: 1 }]);
    start.kill('SIGINT');
    expect((await start).exitCode).toBe(0);
  });
});

/** npm itself may have something to say about its own configuration. */
function ours(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('npm '))
    .join('\n');
}

/** The first Node of the PATH that is older than 24. @throws {Error} when there is none, as then nothing is shown. */
async function olderNode(): Promise<{ readonly path: string; readonly version: string }> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, 'node');
    if (!existsSync(path)) continue;
    const { stdout } = await execa(path, ['--version']);
    const version = stdout.slice(1);
    if (Number(version.split('.')[0]) < 24) return { path, version };
  }
  throw new Error(
    'no Node older than 24 is on the PATH, so that nothing shows what the package says there; install Node 20, for example',
  );
}
