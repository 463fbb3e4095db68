/** How honest repositories are laid out, by runner, in the real sandbox: languages, modules, aliases, environments, `src` layouts. */
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunnerName } from '../../src/runners/runners.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { runTests } from '../../src/test-runs/test-run.ts';

const PACKAGES = ['jest@29.7.0', 'jest-environment-jsdom@29.7.0', 'jsdom@26.1.0', 'vitest@3.2.4'];

let root: string;
let sandbox: Sandbox;
let packages: string;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'layouts-')));
  const folder = join(root, 'packages');
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  for (const place of [folder, workspace, scratch]) await mkdir(place);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await execa('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES], { cwd: folder });
  packages = join(folder, 'node_modules');
  sandbox = await openSandbox({ workspace, scratch, readOnly: [packages], scripted: false });
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** Where two tests are expected, one fails: a layout in which all is lost would fail it too, one in which nothing runs would not pass the other. */
const CASES: readonly (readonly [string, RunnerName, string, Files])[] = [
  [
    'TypeScript in modules, without a build',
    'node-test',
    'test/it.test.ts',
    {
      'package.json': '{"type":"module"}',
      'src/shop.ts': 'export const two = (): number => 2;\n',
      'test/it.test.ts':
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { two } from '../src/shop.ts';\ntest('right', () => assert.equal(two(), 2));\ntest('wrong', () => assert.equal(two(), 3));\n",
    },
  ],
  [
    'modules of the old kind',
    'node-test',
    'test/it.test.js',
    {
      'package.json': '{}',
      'shop.js': 'exports.two = () => 2;\n',
      'test/it.test.js':
        "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { two } = require('../shop');\ntest('right', () => assert.equal(two(), 2));\ntest('wrong', () => assert.equal(two(), 3));\n",
    },
  ],
  [
    'TypeScript with an alias of its configuration, in a document',
    'vitest',
    'test/it.test.ts',
    {
      'package.json': '{"type":"module","scripts":{"test":"TZ=Asia/Tokyo vitest run"}}',
      'vitest.config.ts':
        "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } }, test: { environment: 'jsdom', globals: true } });\n",
      'src/shop.ts': 'export const two = (): number => 2;\n',
      'test/it.test.ts':
        "import { two } from '@/shop';\ntest('right', () => { expect(process.env.TZ).toBe('Asia/Tokyo'); document.title = String(two()); expect(document.title).toBe('2'); });\ntest('wrong', () => { expect(two()).toBe(3); });\n",
    },
  ],
  [
    'an alias of its configuration, in a document',
    'jest',
    'test/it.test.js',
    {
      'package.json':
        '{"scripts":{"test":"NODE_ENV=production jest"},"jest":{"testEnvironment":"jsdom","moduleNameMapper":{"^@/(.*)$":"<rootDir>/src/$1"}}}',
      'src/shop.js': 'exports.two = () => 2;\n',
      'test/it.test.js':
        "const { two } = require('@/shop');\ntest('right', () => { expect(process.env.NODE_ENV).toBe('production'); document.title = String(two()); expect(document.title).toBe('2'); });\ntest('wrong', () => { expect(two()).toBe(3); });\n",
    },
  ],
  [
    'modules that Node knows by an option',
    'jest',
    'test/it.test.js',
    {
      'package.json':
        '{"type":"module","scripts":{"test":"NODE_OPTIONS=--experimental-vm-modules jest"},"jest":{"transform":{}}}',
      'shop.js': 'export const two = () => 2;\n',
      'test/it.test.js':
        "import { two } from '../shop.js';\ntest('right', () => { expect(two()).toBe(2); });\ntest('wrong', () => { expect(two()).toBe(3); });\n",
    },
  ],
  [
    'a src layout that nothing names',
    'unittest',
    'tests/test_it.py',
    {
      'src/shop/__init__.py': 'def two():\n    return 2\n',
      'tests/test_it.py':
        'import unittest\nfrom shop import two\n\n\nclass Case(unittest.TestCase):\n    def test_right(self):\n        self.assertEqual(two(), 2)\n\n    def test_wrong(self):\n        self.assertEqual(two(), 3)\n',
    },
  ],
  [
    'a plugin of its own, fixtures, and names of values',
    'pytest',
    'tests/test_it.py',
    {
      'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["lib"]\n',
      // Not by `-p plugin`: before 8.4 pytest loads those before it reads `pythonpath`.
      'conftest.py': 'pytest_plugins = ["plugin"]\n',
      'lib/plugin.py':
        'import pytest\n\n\n@pytest.fixture(autouse=True)\ndef marked(monkeypatch):\n    monkeypatch.setenv("MARKED", "yes")\n',
      'src/shop.py': 'def two():\n    return 2\n',
      'tests/test_it.py':
        'import os\nimport pytest\nfrom shop import two\n\n\n@pytest.mark.parametrize("value", [2, 3], ids=["right", "wrong"])\ndef test_it(value):\n    assert os.environ["MARKED"] == "yes"\n    assert two() == value\n',
    },
  ],
];

test.each(CASES)('%s: %s', async (_layout, runner, path, files) => {
  const directory = await mkdtemp(join(treesDirectory(sandbox.scratch), 'case-'));
  for (const [place, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, place)), { recursive: true });
    await writeFile(join(directory, place), text);
  }
  await mkdir(join(directory, 'node_modules'));
  for (const name of await readdir(packages))
    if (!name.startsWith('.')) await symlink(join(packages, name), join(directory, 'node_modules', name));
  const limits = { timeoutMs: 120_000, outputBytes: 1_000_000 };
  const { results, problem, broken } = await runTests({
    ...{ sandbox, directory, commands: { runner }, files: [path], expected: [], ...limits },
  });
  expect({ problem, broken: [...broken] }).toEqual({ problem: undefined, broken: [] });
  expect([...results.values()].map(({ outcome }) => outcome).sort()).toEqual(['fail', 'pass']);
});
