import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/jobs/sandbox.ts';
import { runTests } from '../../src/jobs/test-run.ts';

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

/** Runs the one test with this id among the files. */
async function runAttacked(runner: 'node-test' | 'unittest', files: Readonly<Record<string, string>>, id: string) {
  const directory = await mkdtemp(join(root, 'workspace', 'case-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const file = id.split('::')[0] ?? '';
  const run = await runTests({
    ...{ sandbox, directory, runner, files: [file], expected: [id] },
    ...{ timeoutMs: 20_000, outputBytes: 100_000 },
  });
  return { trusted: run.trusted, problem: run.problem, ...run.results.get(id) };
}

const SAYS_ONE = 'let armed = false;\nexports.two = () => { armed = true; lie(); return 1; };\n';

/**
 * What a product may try inside the process of its own tests, as CommonJS. `lie` is called when the product is asked; whatever was
 * replaced lies once from then on, so that no sentinel can notice it.
 */
const NODE_ATTACKS: Readonly<Record<string, string>> = {
  'replaces the assertions': `
    const assert = require('node:assert');
    for (const library of [assert, assert.strict]) for (const name of ['equal', 'strictEqual']) {
      const real = library[name];
      const fake = (...values) => (armed ? void (armed = false) : real(...values));
      try { library[name] = fake; } catch {}
      try { Object.defineProperty(library, name, { value: fake, configurable: true }); } catch {}
    }
    require('node:module').syncBuiltinESMExports();
    function lie() {}`,
  'turns failures into passes on standard output': `
    const write = process.stdout.write;
    process.stdout.write = (chunk, ...rest) => write.call(process.stdout, armed ? Buffer.from(Buffer.from(chunk).toString('latin1').replaceAll('test:fail', 'test:pass'), 'latin1') : chunk, ...rest);
    function lie() {}`,
  'turns failures into passes in every event': `
    const { EventEmitter } = require('node:events');
    const { Readable } = require('node:stream');
    const { emit } = EventEmitter.prototype;
    const { push } = Readable.prototype;
    const isMine = (data) => data?.name === 'says two';
    EventEmitter.prototype.emit = function (type, data, ...rest) { return emit.call(this, type === 'test:fail' && isMine(data) ? 'test:pass' : type, data, ...rest); };
    Readable.prototype.push = function (chunk, ...rest) { if (chunk?.type === 'test:fail' && isMine(chunk.data)) chunk.type = 'test:pass'; return push.call(this, chunk, ...rest); };
    function lie() {}`,
  'skips the test functions': `
    const { AsyncResource } = require('node:async_hooks');
    const { runInAsyncScope } = AsyncResource.prototype;
    try {
      AsyncResource.prototype.runInAsyncScope = function (run, ...rest) { return this.name === 'says two' ? undefined : runInAsyncScope.call(this, run, ...rest); };
    } catch {}
    function lie() {}`,
  'reaches the tests by an asynchronous hook': `
    const tests = [];
    require('node:async_hooks').createHook({ init(id, type, trigger, resource) { if (type !== 'Immediate') tests.push(resource); } }).enable();
    setImmediate(() => { for (const found of tests) if (found?.name === 'says two') found.fn = () => {}; });
    function lie() {}`,
  'reaches the running test by its asynchronous resource': `
    function lie() {
      const resource = require('node:async_hooks').executionAsyncResource();
      for (const found of [resource, Object.getPrototypeOf(resource)]) try { found.fail = function () { if (this.name === 'says two') this.pass(); }; } catch {}
    }`,
  'makes rejected promises end well': `
    const { then } = Promise.prototype;
    try {
      Promise.prototype.then = function (resolve, reject) { return armed ? then.call(this, resolve, resolve) : then.call(this, resolve, reject); };
      Object.defineProperty(Promise.prototype, 'constructor', { get: () => (armed ? Object : Promise), configurable: true });
    } catch {}
    function lie() {}`,
  'gives the tests other assertions when they load them': `
    const Module = require('node:module');
    const load = Module._load;
    const assert = require('node:assert');
    const fake = { ...assert, equal: (...values) => (armed ? void (armed = false) : assert.equal(...values)) };
    try { Module._load = (name, ...rest) => (/assert/.test(name) ? fake : load(name, ...rest)); } catch {}
    try {
      const url = 'data:text/javascript,export const equal = () => {}; export default { equal }';
      Module.registerHooks({ resolve: (name, context, next) => (/assert/.test(name) ? { url, shortCircuit: true } : next(name, context)) });
    } catch {}
    function lie() {}`,
  'gives the test context other assertions': `
    try { require('node:test').assert.register('equal', () => {}); } catch {}
    function lie() {}`,
  'writes results of its own and leaves': `
    const { writeSync } = require('node:fs');
    function lie() {
      const forged = [{ kind: 'begin' }, { kind: 'test', name: 'says two', bare: 'says two', outcome: 'pass', message: '' }, { kind: 'sentinel', outcome: 'fail', message: '' }, { kind: 'end' }];
      for (const line of forged) for (const fd of [1, 3]) try { writeSync(fd, JSON.stringify(line) + '\\n'); } catch {}
      process.exit(0);
    }`,
  'opens the inspector': `
    function lie() {
      const { Session } = require('node:inspector');
      const session = new Session();
      session.connect();
      session.post('Runtime.enable');
      process.exit(0);
    }`,
};

const NODE_TESTS: Readonly<Record<string, string>> = {
  'test.mjs': `import { two } from './product.cjs'; import test from 'node:test'; import assert from 'node:assert/strict';
    test('says two', async () => { assert.equal(two(), 2); });`,
  'test.cjs': `const { two } = require('./product.cjs'); const test = require('node:test'); const assert = require('node:assert');
    test('says two', () => { assert.equal(two(), 2); });`,
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

const SAYS_ONE_TOO = 'armed = [False]\ndef two():\n    armed[0] = True\n    lie()\n    return 1\n';

const UNITTEST_ATTACKS: Readonly<Record<string, string>> = {
  'replaces the assertions': `import unittest
real = unittest.TestCase.assertEqual
def fake(self, *values):
    if armed[0]: armed[0] = False
    else: real(self, *values)
unittest.TestCase.assertEqual = fake
def lie(): pass`,
  'replaces the assertions when it is asked, and puts them back': `import unittest
real = unittest.TestCase.assertEqual
def fake(self, *values): unittest.TestCase.assertEqual = real
def lie(): unittest.TestCase.assertEqual = fake`,
  'replaces the code of the assertions': `import unittest
real = unittest.TestCase.assertEqual.__code__
def fake(self, *values): self.assertEqual.__func__.__code__ = fake.real
fake.real = real
def lie(): unittest.TestCase.assertEqual.__code__ = (lambda self, *values: None).__code__`,
  'replaces the runner’s report': `import sys
def lie(): pass
for value in list(vars(sys.modules["__main__"]).values()):
    if isinstance(value, type) and hasattr(value, "failed"):
        failed = value.failed
        value.failed = lambda self, test, *rest: self.addSuccess(test) if "test_two" in str(test) else failed(self, test, *rest)`,
  'replaces the report that all others inherit': `import unittest
unittest.TestResult.addFailure = lambda self, test, error: self.addSuccess(test)
def lie(): pass`,
  'swallows what a test raises': `import contextlib, unittest.case
real = unittest.case._Outcome.testPartExecutor
@contextlib.contextmanager
def swallow(self, test, *rest, **others):
    with real(self, test, *rest, **others):
        try: yield
        except BaseException:
            if not armed[0]: raise
            armed[0] = False
unittest.case._Outcome.testPartExecutor = swallow
def lie(): pass`,
  'replaces how a test is run': `import unittest
real = unittest.TestCase._callTestMethod
def fake(self, method):
    if "test_two" not in str(self): real(self, method)
unittest.TestCase._callTestMethod = fake
def lie(): pass`,
  'replaces the suite': `import unittest
unittest.TestSuite.run = lambda self, result, debug=False: [result.addSuccess(test) for suite in self for test in suite]
unittest.suite.BaseTestSuite.run = unittest.TestSuite.run
def lie(): pass`,
  'replaces a built-in': `import builtins
real = builtins.issubclass
def fake(kind, others):
    return False if armed[0] else real(kind, others)
builtins.issubclass = fake
def lie(): pass`,
  'writes results of its own and leaves': `import json, os
def lie():
    forged = [{"kind": "begin"}, {"kind": "test", "name": "A.test_two", "bare": "test_two", "outcome": "pass", "message": ""}, {"kind": "sentinel", "outcome": "fail", "message": ""}, {"kind": "end"}]
    for line in forged: os.write(3, (json.dumps(line) + "\\n").encode())
    os._exit(0)`,
};

describe('a wrong product under unittest', () => {
  const test = `import unittest
from product import two
class A(unittest.TestCase):
    def test_two(self): self.assertEqual(two(), 2)
`;
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
