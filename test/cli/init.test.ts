/** `loopwright init`: what it writes, where, and what it leaves alone. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../src/cli/run-command.ts';
import { repositoryConfig } from '../../src/settings/config.ts';

let checkout: string;
beforeEach(async () => {
  checkout = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-init-')));
  await execa('git', ['init', '--quiet', checkout]);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(checkout, { recursive: true, force: true });
});

async function init(...argv: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(['init', ...argv], {
    out: (line) => void out.push(line),
    fail: (line) => err.push(line) && 1,
  });
  return { code, out, err };
}

const CONFIG = '.github/loopwright.yml';
const BUILD = '.github/workflows/loopwright-build.yml';
const VERIFY = '.github/workflows/loopwright-verify.yml';
const SETUP = '.github/actions/loopwright-setup/action.yml';
/** A line for a file, the states below one another. */
const row = (path: string, state: string) => `  ${path.padEnd(SETUP.length)}  ${state}`;
const text = (path: string) => readFile(join(checkout, path), 'utf8');

test('says what it wrote and where, and the second time that nothing is left to do', async () => {
  expect((await init(checkout)).out).toEqual([
    `In ${checkout}:`,
    row(BUILD, 'written'),
    row(VERIFY, 'written'),
    row(SETUP, 'written'),
    row(CONFIG, 'written'),
    'Look the commands in .github/loopwright.yml over, then commit and push these files to the default branch.',
  ]);
  const before = await text(BUILD);
  expect((await init(checkout)).out).toEqual([
    `In ${checkout}:`,
    row(BUILD, 'is as it should be'),
    row(VERIFY, 'is as it should be'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'is as it should be'),
    'Everything is there already.',
  ]);
  expect(await text(BUILD)).toBe(before);
});

test('without a directory it is about the current one, and says so', async () => {
  vi.spyOn(process, 'cwd').mockReturnValue(checkout);
  expect((await init()).out[0]).toBe(`In ${checkout}:`);
  expect(await text(CONFIG)).toContain('version: 1');
});

test('without a directory it does not take itself for the repository', async () => {
  const own = join(import.meta.dirname, '..', '..');
  vi.spyOn(process, 'cwd').mockReturnValue(own);
  expect(await init()).toEqual({
    code: 1,
    out: [],
    err: [
      `${own} is Loopwright's own checkout; name the one that it shall work on, as in \`npm run -s loopwright -- init ../shop\`.`,
    ],
  });
});

const scripts = (scripts: Readonly<Record<string, string>>) => JSON.stringify({ scripts });

test.each([
  ['pytest', 'pyproject.toml', '[tool.pytest.ini_options]\n', { test: 'python3 -m pytest', runner: 'pytest' }],
  ['vitest', 'package.json', '{ "scripts": { "test": "vitest run" } }', { test: 'npm test', runner: 'vitest' }],
  ['jest', 'package.json', '{ "devDependencies": { "jest": "30.0.0" } }', { test: 'npm test', runner: 'jest' }],
  ['node:test', 'package.json', '{ "scripts": { "test": "node --test" } }', { test: 'npm test', runner: 'node-test' }],
  [
    'vitest',
    'package.json',
    scripts({ test: 'pnpm lint && vitest run --coverage' }),
    { test: 'npx vitest run --coverage' },
  ],
  ['vitest', 'package.json', scripts({ dev: 'vitest', test: 'A=1 pnpm vitest run | tee log' }), { test: 'npm test' }],
  ['vitest', 'package.json', scripts({ test: 'A=1 pnpm vitest run && tsc' }), { test: 'A=1 npx vitest run' }],
  [
    'jest',
    'package.json',
    scripts({ test: 'npm run lint && npm run only', only: 'jest src' }),
    { test: 'npm run only' },
  ],
  [
    'jest',
    'package.json',
    scripts({ test: 'lint && node ./jest.js', watch: 'jest --watch' }),
    { test: 'node ./jest.js' },
  ],
  ['pytest', 'src/shop/__init__.py', '', { test: 'PYTHONPATH=src python3 -m pytest' }, 'conftest.py'],
  ['unittest', 'tests/test_shop.py', '', { test: 'python3 -m unittest discover', runner: 'unittest' }],
])(
  'a repository whose tests are those of %s gets its runner and its suite without what else is checked there',
  async (_name, file, content, wanted, beside?: string) => {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await writeFile(join(checkout, file), content);
    if (beside !== undefined) await writeFile(join(checkout, beside), '');
    await init(checkout);
    const { commands } = repositoryConfig.parse(parse(await text(CONFIG)));
    expect(commands).toMatchObject(wanted);
  },
);

test('what was changed stays, until --force', async () => {
  await init(checkout);
  const right = await text(VERIFY);
  await writeFile(join(checkout, CONFIG), 'version: 1\ncommands:\n  test: make test\n  runner: unittest\n');
  await writeFile(join(checkout, VERIFY), 'on: push\n');
  const { code, out } = await init(checkout);
  expect(code).toBe(0);
  expect(out.slice(2)).toEqual([
    row(VERIFY, 'differs, left as it is; --force overwrites it'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'differs, left as it is; --force overwrites it'),
    'Nothing was written.',
  ]);
  expect(await text(VERIFY)).toBe('on: push\n');
  expect((await init(checkout, '--force')).out.slice(1, 5)).toEqual([
    row(BUILD, 'is as it should be'),
    row(VERIFY, 'overwritten'),
    row(SETUP, 'is as it should be'),
    row(CONFIG, 'overwritten'),
  ]);
  expect(await text(VERIFY)).toBe(right);
});

test.each(['package-lock.json', 'pnpm-lock.yaml'])(
  'where there is a %s it has every working copy take what the set-up action has downloaded',
  async (lock) => {
    await writeFile(join(checkout, lock), '');
    await init(checkout);
    const { commands } = repositoryConfig.parse(parse(await text(CONFIG)));
    expect(commands).toMatchObject({ install: `cp -R "\${LOOPWRIGHT_SETUP:?}/." .`, test: 'npm test' });
  },
);

test('outside a git checkout it writes nothing and says so in one sentence', async () => {
  await rm(join(checkout, '.git'), { recursive: true });
  expect(await init(checkout)).toEqual({
    code: 1,
    out: [],
    err: [
      `${checkout} is no git checkout (no .git); run it in the root of the repository that Loopwright shall work on.`,
    ],
  });
  await expect(text(CONFIG)).rejects.toThrow('ENOENT');
});
