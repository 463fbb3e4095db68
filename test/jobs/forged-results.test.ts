import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/jobs/sandbox.ts';
import { runTests } from '../../src/jobs/test-run.ts';
import { NODE_ATTACKS } from './node-attacks.ts';
import { UNITTEST_ATTACKS } from './unittest-attacks.ts';

let root: string;
let sandbox: Sandbox;

beforeAll(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'forged-')));
  await mkdir(join(root, 'scratch'));
  await mkdir(join(root, 'workspace'));
  sandbox = await openSandbox({
    workspace: join(root, 'workspace'),
    readOnly: [],
    scripted: true,
    scratch: join(root, 'scratch'),
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs the one test with this id among the files, after those test files that come before it. */
async function runAttacked(
  runner: 'node-test' | 'unittest',
  files: Readonly<Record<string, string>>,
  id: string,
  before: readonly string[] = [],
) {
  const directory = await mkdtemp(join(root, 'workspace', 'case-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const file = id.split('::')[0] ?? '';
  const run = await runTests({
    ...{ sandbox, directory, runner, files: [...before, file], expected: [id] },
    ...{ timeoutMs: 20_000, outputBytes: 100_000 },
  });
  return { trusted: run.trusted, problem: run.problem, ...run.results.get(id) };
}

const SAYS_ONE = 'let armed = false;\nexports.two = () => { armed = true; lie(); return 1; };\n';

const NODE_TESTS: Readonly<Record<string, string>> = {
  'test.mjs': `import { two } from './product.cjs'; import test from 'node:test'; import assert from 'node:assert/strict';
    test('says two', async () => { assert.equal(two(), 2); });`,
  'test.cjs': `const { two } = require('./product.cjs'); const test = require('node:test'); const assert = require('node:assert');
    test('says two', () => { assert.equal(two(), 2); });`,
  'late.mjs': `const { two } = (await import('./product.cjs')).default; const { default: test } = await import('node:test');
    const { default: assert } = await import('node:assert/strict'); test('says two', async () => { assert.equal(two(), 2); });`,
  'context.cjs': `const { two } = require('./product.cjs'); const test = require('node:test');
    test('says two', async (context) => { const said = two(); await null; context.assert.equal(said, 2); });`,
};

describe.each(Object.keys(NODE_TESTS))('a wrong product under node:test, asked by %s', (file) => {
  it('fails when the product attacks nothing, and passes when it is right', async () => {
    const wrong = { [file]: NODE_TESTS[file] ?? '', 'product.cjs': `function lie() {}\n${SAYS_ONE}` };
    expect(await runAttacked('node-test', wrong, `${file}::says two`)).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
    const right = { ...wrong, 'product.cjs': 'exports.two = () => 2;' };
    expect(await runAttacked('node-test', right, `${file}::says two`)).toMatchObject({
      trusted: true,
      outcome: 'pass',
    });
  });

  it.each(Object.keys(NODE_ATTACKS))('does not pass when it %s', async (name) => {
    const files = { [file]: NODE_TESTS[file] ?? '', 'product.cjs': `${NODE_ATTACKS[name]}\n${SAYS_ONE}` };
    const result = await runAttacked('node-test', files, `${file}::says two`);
    expect(['fail', 'load-error', 'not-run']).toContain(result.outcome);
  });
});

/** Each tries to get at the debugger of the main thread, and says what it got. */
const SPY = `const { Session } = require('node:inspector'); try { new Session().connectToMainThread(); say('connected'); } catch (error) { say(error.message); }`;
const IN_WORKER = `const { Worker } = require('node:worker_threads');
  const code = ${JSON.stringify(`const say = (text) => require('node:worker_threads').parentPort.postMessage(text); ${SPY}`)};
  const ask = (Thread, options) => new Promise((resolve) => new Thread(code, { eval: true, ...options }).on('message', resolve));`;
const DEBUGGERS: Readonly<Record<string, string>> = {
  'in a worker': `${IN_WORKER} exports.ask = () => ask(Worker);`,
  'in a worker with options of its own': `${IN_WORKER} exports.ask = () => ask(class extends Worker.prototype.constructor {}, { execArgv: [], env: {} });`,
  'in the thread of the loader': `const fs = require('node:fs');
    const code = ${JSON.stringify(`import fs from 'node:fs'; import { createRequire } from 'node:module'; const require = createRequire('/'); const say = (text) => fs.writeFileSync(new URL('said.txt', PLACE), text); ${SPY}`)};
    const place = require('node:url').pathToFileURL(__dirname + '/').href;
    exports.ask = async () => { require('node:module').register('data:text/javascript,' + encodeURIComponent(code.replace('PLACE', JSON.stringify(place)))); return fs.readFileSync(__dirname + '/said.txt', 'utf8'); };`,
  'by a signal': `exports.ask = async () => {
      process.kill(process.pid, 'SIGUSR1');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return fetch('http://127.0.0.1:9229/json').then(() => 'connected', () => 'is not there for code under test');
    };`,
};

it.each(Object.keys(DEBUGGERS))('refuses the debugger to a product that asks for it %s', async (name) => {
  const test = `import test from 'node:test'; import assert from 'node:assert'; import { ask } from './product.cjs';
    test('asks', async () => { assert.match(await ask(), /is not there for code under test/); });`;
  const files = { 'test.mjs': test, 'product.cjs': DEBUGGERS[name] ?? '' };
  expect(await runAttacked('node-test', files, 'test.mjs::asks')).toMatchObject({ trusted: true, outcome: 'pass' });
});

it('lets nothing that it starts open the memory of the test runner, unless there is no sandbox', async () => {
  const test = `import test from 'node:test'; import assert from 'node:assert'; import { ask } from './product.cjs';
    test('asks', () => { assert.equal(ask(), ${JSON.stringify(sandbox.kind === 'none' ? 'open' : '')}); });`;
  const product = `const { spawnSync } = require('node:child_process');
    exports.ask = () => spawnSync('bash', ['-c', ': 2>/dev/null < /proc/$PPID/mem && echo open'], { encoding: 'utf8' }).stdout.trim();`;
  const result = await runAttacked('node-test', { 'test.mjs': test, 'product.cjs': product }, 'test.mjs::asks');
  expect(result).toMatchObject({ trusted: true, outcome: 'pass' });
});

describe('a product that changes the tests which come after', () => {
  const one = `import './product.cjs'; import test from 'node:test'; test('one', () => {});`;
  const two = `import test from 'node:test'; import assert from 'node:assert'; import { two } from './product.cjs'; import { check } from './test/check.mjs';
    test('says two', () => { assert.equal(two(), 2); check(two()); });`;
  const check = `import assert from 'node:assert'; export const check = (value) => assert.equal(value, 2);`;

  it.each([
    [
      'their files',
      `fs.writeFileSync(__dirname + '/two.test.mjs', "import test from 'node:test'; test('says two', () => {});");`,
    ],
    [
      'their folder for a link',
      `fs.cpSync(__dirname + '/test', __dirname + '/other', { recursive: true }); fs.rmSync(__dirname + '/test', { recursive: true }); fs.symlinkSync('other', __dirname + '/test'); fs.writeFileSync(__dirname + '/two.test.mjs', "import test from 'node:test'; test('says two', () => {});");`,
    ],
  ])('does not pass when it exchanges %s', async (_name, attack) => {
    const product = `const fs = require('node:fs'); try { ${attack} } catch {} exports.two = () => 1;`;
    const files = { 'one.test.mjs': one, 'two.test.mjs': two, 'test/check.mjs': check, 'product.cjs': product };
    const id = 'two.test.mjs::says two';
    expect(await runAttacked('node-test', files, id, ['one.test.mjs'])).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
  });

  it('does not pass when it leaves other compiled code for a test', async () => {
    const compile = `import importlib.util, marshal, os, pathlib
code = compile("import unittest\\nclass A(unittest.TestCase):\\n    def test_two(self): pass", "test_a.py", "exec")
place = pathlib.Path(__file__).parent / "__pycache__" / pathlib.Path(importlib.util.cache_from_source("test_a.py")).name
place.parent.mkdir(parents=True, exist_ok=True)
place.write_bytes(importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code))
`;
    const files = {
      'test_0.py': 'import product, unittest\n',
      'test_a.py':
        'import unittest\nfrom product import two\nclass A(unittest.TestCase):\n    def test_two(self): self.assertEqual(two(), 2)\n',
      'product.py': `${compile}def two(): return 1\n`,
    };
    expect(await runAttacked('unittest', files, 'test_a.py::A.test_two', ['test_0.py'])).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
  });
});

const SAYS_ONE_TOO = 'armed = [False]\ndef two():\n    armed[0] = True\n    lie()\n    return 1\n';

const unittestOf = (base: string, method: string) =>
  `import unittest\nfrom product import two\nclass A(unittest.${base}):\n    ${method} test_two(self): self.assertEqual(two(), 2)\n`;

describe.each([
  ['a test case', unittestOf('TestCase', 'def')],
  ['an asynchronous test case', unittestOf('IsolatedAsyncioTestCase', 'async def')],
])('a wrong product under unittest, asked by %s', (_name, test) => {
  it('fails when the product attacks nothing, and passes when it is right', async () => {
    const wrong = { 'test_a.py': test, 'product.py': `def lie(): pass\n${SAYS_ONE_TOO}` };
    expect(await runAttacked('unittest', wrong, 'test_a.py::A.test_two')).toMatchObject({
      trusted: true,
      outcome: 'fail',
    });
    const right = { ...wrong, 'product.py': 'def two(): return 2\n' };
    expect(await runAttacked('unittest', right, 'test_a.py::A.test_two')).toMatchObject({
      trusted: true,
      outcome: 'pass',
    });
  });

  it.each(Object.keys(UNITTEST_ATTACKS))('does not pass when it %s', async (name) => {
    const files = { 'test_a.py': test, 'product.py': `${UNITTEST_ATTACKS[name]}\n${SAYS_ONE_TOO}` };
    const result = await runAttacked('unittest', files, 'test_a.py::A.test_two');
    expect(['fail', 'load-error', 'not-run']).toContain(result.outcome);
  });
});
