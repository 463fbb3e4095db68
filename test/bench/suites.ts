/** Suites of two hundred small tests, one for each runner that this machine has, with the plain command that runs them. */
import type { RunnerName } from '../../src/runners/runners.ts';

export interface Suite {
  readonly runner: RunnerName;
  readonly plain: readonly [string, ...string[]];
  /** Texts by path, tests and what they need. */
  readonly files: Readonly<Record<string, string>>;
}

export const FILES = 20;
export const TESTS_PER_FILE = 10;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const lines = (line: (test: number) => string) => numbers(TESTS_PER_FILE).map(line).join('\n');

function testsAt(path: (file: number) => string, head: string, line: (test: number) => string) {
  return Object.fromEntries(numbers(FILES).map((file) => [path(file), `${head}\n${lines(line)}\n`]));
}

const javascript = (test: number) => `test('sums ${test}', () => { expect(sum(${test}, 1)).toBe(${test + 1}); });`;
const PRODUCT = 'export const sum = (left, right) => left + right;\n';
const PYTHON = 'def total(left, right):\n    return left + right\n';

export const SUITES: readonly Suite[] = [
  {
    runner: 'node-test',
    plain: ['node', '--test'],
    files: {
      'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
      'sum.js': PRODUCT,
      ...testsAt(
        (file) => `test/sum-${file}.test.js`,
        "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { sum } from '../sum.js';",
        (test) => `test('sums ${test}', () => { assert.equal(sum(${test}, 1), ${test + 1}); });`,
      ),
    },
  },
  {
    runner: 'vitest',
    plain: ['node', 'node_modules/vitest/vitest.mjs', 'run'],
    files: {
      'package.json': '{"type":"module","scripts":{"test":"vitest run"}}',
      'sum.js': PRODUCT,
      ...testsAt(
        (file) => `test/sum-${file}.test.js`,
        "import { expect, test } from 'vitest';\nimport { sum } from '../sum.js';",
        javascript,
      ),
    },
  },
  {
    runner: 'unittest',
    plain: ['python3', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'],
    files: {
      'total.py': PYTHON,
      'tests/__init__.py': '',
      ...testsAt(
        (file) => `tests/test_total_${file}.py`,
        'import unittest\nfrom total import total\n\nclass TestTotal(unittest.TestCase):',
        (test) => `    def test_${test}(self):\n        self.assertEqual(total(${test}, 1), ${test + 1})`,
      ),
    },
  },
  {
    runner: 'pytest',
    plain: ['python3', '-m', 'pytest', '-q'],
    files: {
      'total.py': PYTHON,
      'conftest.py': '',
      ...testsAt(
        (file) => `tests/test_total_${file}.py`,
        'from total import total\n',
        (test) => `def test_${test}():\n    assert total(${test}, 1) == ${test + 1}\n`,
      ),
    },
  },
];
