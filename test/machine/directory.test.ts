/** A package in a folder of its own, whose tests run there: by each runner in the real sandbox, and by `loopwright prove`. */
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RunnerCommands } from '../../src/runners/runner.ts';
import { runTests, suiteCommand } from '../../src/test-runs/test-run.ts';
import { checkoutsIn, proved } from './checkouts.ts';
import { openPackageRoom, type PackageRoom } from './package-room.ts';

let room: PackageRoom;
beforeAll(async () => {
  room = await openPackageRoom(['jest@29.7.0', 'vitest@3.2.4']);
});
afterAll(() => room.close());

type Files = Readonly<Record<string, string>>;

/** The packages are at the root, as in a workspace. */
async function laid(files: Files): Promise<string> {
  const directory = await room.lay(files);
  await room.link(directory);
  return directory;
}

const LIMITS = { timeoutMs: 120_000, outputBytes: 1_000_000 };
/** What is read by its path is found from the folder alone. */
const TESTS = `import { readFileSync } from 'node:fs';\ntest('right', () => { expect(readFileSync('price.txt', 'utf8')).toBe('2'); });\ntest('wrong', () => { expect(readFileSync('price.txt', 'utf8')).toBe('3'); });\n`;
const REQUIRED = TESTS.replace("import { readFileSync } from 'node:fs'", "const { readFileSync } = require('node:fs')");
const PYTHON: Files = { 'packages/shop/shop.py': 'def two():\n    return 2\n' };
const TAPE = `import test from 'node:test';\nimport assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\n`;
const NODE = `${TAPE}test('right', () => assert.equal(readFileSync('price.txt', 'utf8'), '2'));\ntest('wrong', () => assert.equal(readFileSync('price.txt', 'utf8'), '3'));\n`;

const CASES: readonly (readonly [RunnerCommands['runner'], string, Files])[] = [
  [
    'unittest',
    'packages/shop/tests/test_it.py',
    {
      ...PYTHON,
      'packages/shop/tests/test_it.py':
        'import unittest\nfrom shop import two\n\n\nclass Case(unittest.TestCase):\n    def test_right(self):\n        self.assertEqual(two(), 2)\n\n    def test_wrong(self):\n        self.assertEqual(two(), 3)\n',
    },
  ],
  [
    'pytest',
    'packages/shop/tests/test_it.py',
    {
      ...PYTHON,
      'packages/shop/tests/test_it.py':
        'from shop import two\n\n\ndef test_right():\n    assert two() == 2\n\n\ndef test_wrong():\n    assert two() == 3\n',
    },
  ],
  ['node-test', 'packages/shop/test/it.test.mjs', { 'packages/shop/test/it.test.mjs': NODE }],
  [
    'vitest',
    'packages/shop/test/it.test.mjs',
    { 'packages/shop/test/it.test.mjs': `import { expect, test } from 'vitest';\n${TESTS}` },
  ],
  [
    'jest',
    'packages/shop/test/it.test.js',
    { 'packages/shop/test/it.test.js': REQUIRED, 'packages/shop/package.json': '{"scripts":{"test":"jest"}}' },
  ],
  ['junit', 'packages/shop/test/it.test.mjs', { 'packages/shop/test/it.test.mjs': NODE }],
];
const JUNIT = {
  run: 'node --test --test-reporter=junit --test-reporter-destination={report} {files}',
  sentinel: `${TAPE}test('{name} passes', () => assert.equal(1, 1));\ntest('{name} fails', () => assert.equal(1, 2));\n`,
};

test.each(CASES)(
  '%s runs tests in the folder that is named, and tells them by their paths from the root',
  async (runner, path, files) => {
    const directory = await laid({ 'packages/shop/price.txt': '2', ...files });
    const junit = runner === 'junit' ? JUNIT : undefined;
    const commands = { runner, junit, directory: 'packages/shop' };
    const run = await runTests({ sandbox: room.sandbox, directory, commands, files: [path], expected: [], ...LIMITS });
    expect({ problem: run.problem, broken: [...run.broken] }).toEqual({ problem: undefined, broken: [] });
    expect([...run.results.values()].map(({ outcome }) => outcome).sort()).toEqual(['fail', 'pass']);
    expect([...run.results.keys()].every((id) => id.startsWith(`${path}::`))).toBe(true);
  },
);

test('the whole suite runs in that folder too', async () => {
  const directory = await laid({ 'packages/shop/price.txt': '2' });
  const suite = { sandbox: room.sandbox, directory, folder: 'packages/shop/', command: 'cat price.txt', ...LIMITS };
  expect(await suiteCommand(suite)).toMatchObject({ exitCode: 0, stdout: '2' });
});

test.each(['nowhere', 'link', 'link/shop', 'price.txt'])(
  'where the folder %s is none of its own, nothing runs, and that is said',
  async (folder) => {
    const directory = await laid({ 'packages/shop/test_it.py': '', 'price.txt': '2' });
    await symlink('packages', join(directory, 'link'));
    const suite = { sandbox: room.sandbox, directory, folder, command: 'true', ...LIMITS };
    expect(await suiteCommand(suite)).toMatchObject({
      exitCode: 127,
      stderr: `there is no folder "${folder}" here to run tests in\n`,
    });
    const files = [`${folder}/test_it.py`];
    const commands = { runner: 'unittest', directory: folder } as const;
    const run = await runTests({ sandbox: room.sandbox, directory, commands, files, expected: [], ...LIMITS });
    expect(run.problem).toBe(
      `the test runner did not start ${folder}/test_it.py: there is no folder "${folder}" here to run tests in`,
    );
  },
);

test('a change in a package of its own is proved there, and tests elsewhere are not asked', async () => {
  const testOf = (name: string, call: string, value: number) =>
    `import unittest\nfrom shop import ${call}\n\n\nclass ${name}(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(${call}(), ${value})\n`;
  const shop = (price: number) => `def price():\n    return ${price}\n\n\ndef one():\n    return 1\n`;
  const root = await mkdtemp(join(tmpdir(), 'directory-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const directory = await checkoutsIn(root)(
    {
      'packages/shop/shop.py': shop(2),
      'packages/shop/tests/test_one.py': testOf('One', 'one', 1),
      'packages/bar/tests/test_bar.py': 'raise SystemExit("must not be run")\n',
    },
    { 'packages/shop/shop.py': shop(3), 'packages/shop/tests/test_price.py': testOf('Price', 'price', 3) },
  );
  const told = await proved(directory, '--directory', 'packages/shop', '--faults', '4');
  expect(told).toMatchObject({ code: 0, verdict: 'proved', runner: 'unittest', notAsked: 1 });
  expect(told.rows.map(({ test: id, role }) => `${role} ${id}`)).toEqual([
    'proves packages/shop/tests/test_price.py::Price.test_it',
  ]);
});
