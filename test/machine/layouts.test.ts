/** How honest repositories are laid out, by runner, in the real sandbox: languages, modules, aliases, environments, `src` layouts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunnerName } from '../../src/runners/runners.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { openPackageRoom, type PackageRoom } from './package-room.ts';

let room: PackageRoom;
beforeAll(async () => {
  room = await openPackageRoom(['jest@29.7.0', 'jest-environment-jsdom@29.7.0', 'jsdom@26.1.0', 'vitest@3.2.4']);
});
afterAll(() => room.close());

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
    'TypeScript that a package of its script loads, in the way of tsx',
    'node-test',
    'test/it.test.ts',
    {
      'package.json': '{"type":"module","scripts":{"test":"TZ=Asia/Tokyo node --import loads --test test/*.test.ts"}}',
      'node_modules/loads/package.json': '{"name":"loads","type":"module","exports":"./index.js"}',
      'node_modules/loads/index.js':
        "import { readFileSync } from 'node:fs';\nimport { registerHooks, stripTypeScriptTypes } from 'node:module';\nregisterHooks({\n  resolve: (name, context, next) => next(/^\\..*\\/\\w+$/.test(name) ? name + '.ts' : name, context),\n  load: (url, context, next) => (url.endsWith('.ts') ? { format: 'module', shortCircuit: true, source: stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'), { mode: 'transform' }) } : next(url, context)),\n});\n",
      'src/shop.ts': 'export enum Count { Two = 2 }\nexport const two = (): number => Count.Two;\n',
      'test/it.test.ts':
        "import test from 'node:test';\nimport assert from 'node:assert';\nimport { two } from '../src/shop';\ntest('right', () => { assert.equal(process.env.TZ, 'Asia/Tokyo'); assert.equal(two(), 2); });\ntest('wrong', () => assert.equal(two(), 3));\n",
    },
  ],
  [
    'modules of the old kind that a file of its script knows to load, and a condition',
    'node-test',
    'test/it.test.ts',
    {
      'package.json':
        '{"scripts":{"test":"node -r ./test/setup.cjs --conditions=shop --test"},"imports":{"#shop":{"shop":"./src/shop.ts"}}}',
      'test/setup.cjs':
        "const { readFileSync } = require('node:fs');\nconst { stripTypeScriptTypes } = require('node:module');\nrequire.extensions['.ts'] = (module, path) => module._compile(stripTypeScriptTypes(readFileSync(path, 'utf8'), { mode: 'transform' }), path);\n",
      'src/shop.ts': 'enum Count { Two = 2 }\nexports.two = (): number => Count.Two;\n',
      'test/it.test.ts':
        "enum Wrong { Three = 3 }\nconst test = require('node:test');\nconst assert = require('node:assert');\nconst { two } = require('#shop');\ntest('right', () => assert.equal(two(), 2));\ntest('wrong', () => assert.equal(two(), Wrong.Three));\n",
    },
  ],
  [
    'snapshots beside the test, which is the file that was started',
    'node-test',
    'test/it.test.mjs',
    {
      'package.json': '{}',
      'test/it.test.mjs.snapshot': 'exports[`right 1`] = `\n2\n`;\n\nexports[`wrong 1`] = `\n2\n`;\n',
      'test/it.test.mjs':
        "import test from 'node:test';\nimport assert from 'node:assert';\nassert.equal(process.argv[1], import.meta.filename);\ntest('right', (t) => t.assert.snapshot(2));\ntest('wrong', (t) => t.assert.snapshot(3));\n",
    },
  ],
  [
    'a file loaded first that would take the judges away',
    'node-test',
    'test/it.test.mjs',
    {
      'package.json':
        '{"scripts":{"test":"node --experimental-test-module-mocks --import ./evil.mjs --test"},"imports":{"#judge":"node:assert"}}',
      'src/shop.mjs': 'export default 1;\n',
      'evil.mjs':
        "import assert from 'node:assert';\nimport module, { createRequire } from 'node:module';\nimport test, { mock } from 'node:test';\nconst tried = (attack) => { try { attack(); } catch {} };\nfor (const library of [assert, assert.strict]) tried(() => { library.equal = () => {}; });\nfor (const name of ['node:assert', 'assert', '#judge', { href: 'x', protocol: 'node:', toString: () => 'node:assert' }]) tried(() => mock.module(name, { defaultExport: { equal() {} }, namedExports: { equal() {} } }));\ntried(() => module.registerHooks({ load: (url, context, next) => (url === 'node:assert' ? { format: 'module', source: 'export default { equal() {} }', shortCircuit: true } : next(url, context)) }));\ntried(() => { createRequire(import.meta.url)('node:assert').equal = () => {}; });\n",
      'test/it.test.mjs':
        "import test, { mock } from 'node:test';\nimport assert from 'node:assert';\nimport { createRequire } from 'node:module';\nconst later = (await import('node:assert')).default;\nconst old = createRequire(import.meta.url)('assert');\nmock.module('../src/shop.mjs', { defaultExport: 2 });\nconst two = (await import('../src/shop.mjs')).default;\ntest('right', () => assert.equal(two, 2));\ntest('wrong', () => { for (const one of [assert, later, old]) { try { one.equal(1, 2); } catch { continue; } return; } assert.fail('all of them judge'); });\n",
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
  const directory = await room.lay(files);
  await room.link(directory);
  const limits = { timeoutMs: 120_000, outputBytes: 1_000_000 };
  const { results, problem, broken } = await runTests({
    ...{ sandbox: room.sandbox, directory, commands: { runner }, files: [path], expected: [], ...limits },
  });
  expect({ problem, broken: [...broken] }).toEqual({ problem: undefined, broken: [] });
  expect([...results.values()].map(({ outcome }) => outcome).sort()).toEqual(['fail', 'pass']);
});
