/** One small repository per test runner, with a file for each kind of outcome that a test can have. */
import type { Commands } from '../../src/loop/brief.ts';
import type { RunnerName } from '../../src/runners/runners.ts';

export interface Kinds {
  readonly runner: RunnerName;
  readonly junit?: Commands['junit'];
  /** What is told in another way than by the other runners, because the tool knows no better. */
  readonly instead?: Readonly<Partial<Record<Kind, Partial<Told>>>>;
  /** What lies beside the tests. */
  readonly beside: Readonly<Record<string, string>>;
  /** A test file's path by its kind. */
  readonly path: (kind: string) => string;
  /** Its text, one test named `it`, by the lines of its kind. */
  readonly text: (lines: Lines) => string;
  readonly kinds: Readonly<Record<Kind, Lines>>;
}

export interface Told {
  readonly outcome: string;
  readonly isRaised: boolean;
  readonly message: string | RegExp;
}

/** What happens while the file is loaded, and what happens in its test; without the second it holds no test. */
export interface Lines {
  readonly load?: string;
  readonly test?: string;
  readonly skipped?: true;
}

export type Kind = 'right' | 'wrong' | 'raises' | 'unloadable' | 'hangs' | 'skipped' | 'empty' | 'killed' | 'flooded';

const PRODUCT_JS = 'exports.two = () => 1;\nexports.boom = () => { throw new RangeError("out of it"); };\n';
const FLOOD_JS = 'for (let line = 0; line < 400; line += 1) process.stdout.write("x".repeat(100_000) + "\\n");';

const javascript: Kinds['kinds'] = {
  right: { test: 'check(two(), 1);' },
  wrong: { test: 'check(two(), 2);' },
  raises: { test: 'boom();' },
  unloadable: { load: "require('./nowhere.cjs');", test: 'check(two(), 1);' },
  hangs: { test: 'return new Promise((done) => setTimeout(done, 1e8));' },
  skipped: { test: 'check(two(), 1);', skipped: true },
  empty: {},
  killed: { test: "process.kill(process.pid, 'SIGKILL'); return new Promise((done) => setTimeout(done, 1e8));" },
  flooded: { test: `${FLOOD_JS} check(two(), 2);` },
};

function inJavaScript(runner: RunnerName, head: string, extension = 'js'): Kinds {
  return {
    runner,
    beside: { 'package.json': '{}', 'product.cjs': PRODUCT_JS },
    path: (kind) => `test/${kind}.test.${extension}`,
    text: ({ load = '', test, skipped }) =>
      [head, load, test === undefined ? '' : `test${skipped ? '.skip' : ''}('it', () => { ${test} });`, ''].join('\n'),
    kinds: javascript,
  };
}

const python: Kinds['kinds'] = {
  right: { test: 'self.check(two(), 1)' },
  wrong: { test: 'self.check(two(), 2)' },
  raises: { test: 'boom()' },
  unloadable: { load: 'import nowhere', test: 'self.check(two(), 1)' },
  hangs: { test: 'time.sleep(10_000)' },
  skipped: { test: 'self.check(two(), 1)', skipped: true },
  empty: {},
  killed: { test: 'os.kill(os.getpid(), 9)' },
  flooded: { test: 'for _ in range(400): print("x" * 100_000)\n        self.check(two(), 2)' },
};

const HEAD_PY = 'import os, time, unittest\nfrom product import two, boom';

function inPython(runner: RunnerName, text: (lines: Required<Pick<Lines, 'test'>> & Lines) => string): Kinds {
  return {
    runner,
    beside: { 'product.py': 'def two():\n    return 1\n\n\ndef boom():\n    raise KeyError("out of it")\n' },
    path: (kind) => `tests/test_${kind}.py`,
    text: ({ load = '', test, ...rest }) =>
      [HEAD_PY, load, test === undefined ? '' : text({ ...rest, test }), ''].join('\n'),
    kinds: python,
  };
}

const CHECK = 'const check = (value, wanted) => assert.strictEqual(value, wanted);';
const PRODUCT = "require('../product.cjs');";
const ESM = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const NODE_HEAD = `const test = require('node:test'); const assert = require('node:assert'); ${CHECK}\nconst { two, boom } = ${PRODUCT}`;

/** Tools that tell by a report in JUnit's XML; `cases` is a test that passes and one that fails, of the sentinel. */
function byReport(kinds: Kinds, run: string, cases: string): Kinds {
  return { ...kinds, runner: 'junit', junit: { run, sentinel: `${cases}\n` } };
}

const twoCases = (call: (name: string, wanted: string) => string) =>
  [call('{name} passes', '{name}'), call('{name} fails', 'not {name}')].join('\n');

const TAPE: Kinds = {
  ...inJavaScript('junit', ''),
  text: ({ load = '', test, skipped }) =>
    [
      `const test = require('tape');\nconst { two, boom } = ${PRODUCT}`,
      load,
      test === undefined
        ? ''
        : `test('it', async (t) => { const check = (value, wanted) => t.equal(value, wanted, 'is it', { skip: ${skipped === true} }); ${test} });`,
      '',
    ].join('\n'),
};

export const RUNNER_KINDS = {
  'node-test': inJavaScript('node-test', NODE_HEAD, 'cjs'),
  vitest: inJavaScript(
    'vitest',
    `import { expect, test } from 'vitest'; ${ESM}\nconst check = (value, wanted) => expect(value).toBe(wanted);\nconst { two, boom } = ${PRODUCT}`,
  ),
  jest: inJavaScript(
    'jest',
    `const check = (value, wanted) => expect(value).toBe(wanted);\nconst { two, boom } = ${PRODUCT}`,
  ),
  unittest: inPython('unittest', ({ test, skipped }) =>
    [
      'class Case(unittest.TestCase):',
      '    check = unittest.TestCase.assertEqual',
      ...(skipped ? ['    @unittest.skip("not now")'] : []),
      `    def test_it(self):\n        ${test}`,
    ].join('\n'),
  ),
  pytest: inPython('pytest', ({ test, skipped }) =>
    [
      'import pytest\nclass TestCase:\n    def check(self, value, wanted): assert value == wanted',
      ...(skipped ? ['    @pytest.mark.skip("not now")'] : []),
      `    def test_it(self):\n        ${test}`,
    ].join('\n'),
  ),
  'junit by node': byReport(
    // Its reports do not say what a process printed.
    { ...inJavaScript('junit', NODE_HEAD, 'cjs'), instead: { unloadable: { message: /test failed/ } } },
    'node --test --test-timeout=5000 --test-reporter=junit --test-reporter-destination={report} {files}',
    `const test = require('node:test'); const assert = require('node:assert');\n${twoCases((name, wanted) => `test('${name}', () => assert.equal('{name}', '${wanted}'));`)}`,
  ),
  'junit by mocha': byReport(
    inJavaScript(
      'junit',
      `const test = it; const assert = require('node:assert'); ${CHECK}\nconst { two, boom } = ${PRODUCT}`,
    ),
    'node_modules/.bin/mocha --exit --reporter xunit --reporter-option output={report} {files}',
    `const assert = require('node:assert');\n${twoCases((name, wanted) => `it('${name}', () => assert.equal('{name}', '${wanted}'));`)}`,
  ),
  'junit by tape': byReport(
    TAPE,
    'node_modules/.bin/tape {files} | node_modules/.bin/tap-xunit > {report}',
    `const test = require('tape');\n${twoCases((name, wanted) => `test('${name}', (t) => { t.equal('{name}', '${wanted}'); t.end(); });`)}`,
  ),
} as const satisfies Readonly<Record<string, Kinds>>;
