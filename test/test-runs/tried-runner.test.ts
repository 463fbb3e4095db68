import { expect, test } from 'vitest';
import type { TestResult, TestRun } from '../../src/test-runs/test-run.ts';
import { filesToTry, remedyFor, seenIn } from '../../src/test-runs/tried-runner.ts';

test('what is named as a test is tried before what only lies there, the smallest first, and empty files never', () => {
  const files = Object.entries({
    'src/shop.py': 1,
    'tests/__init__.py': 0,
    'tests/tools.py': 10,
    'tests/test_long.py': 900,
    'tests/test_short.py': 90,
    'tests/fixtures/test_odd.py': 5,
  }).map(([path, bytes]) => ({ path, bytes }));
  expect(filesToTry(files, 'pytest')).toEqual([
    'tests/test_short.py',
    'tests/test_long.py',
    'tests/tools.py',
    'tests/fixtures/test_odd.py',
  ]);
});

const run = (over: Partial<TestRun>): TestRun => ({
  results: new Map(),
  broken: new Map(),
  stoppedMs: new Map(),
  trusted: true,
  isLate: false,
  problem: undefined,
  raw: '',
  durationMs: 1,
  ...over,
});
const pass: TestResult = { outcome: 'pass', message: '' };
const fail: TestResult = { outcome: 'fail', message: 'AssertionError: 1\nis not 2' };

test.each([
  [
    'a test that passes',
    {
      results: new Map([
        ['a::one', pass],
        ['a::two', fail],
      ]),
    },
    { tests: 2, passing: 1 },
  ],
  ['no test', {}, 'no test was found'],
  ['only red ones', { results: new Map([['a::two', fail]]) }, '1 test, and none passes: AssertionError: 1'],
  [
    'a file that does not load',
    { broken: new Map([['a', "Error: No module named 'shop'\nmore"]]) },
    "No module named 'shop'",
  ],
  [
    'a run that cannot be believed',
    { trusted: false, problem: 'the test runner did not start a: pytest is not installed here: No module named' },
    'pytest is not installed here: No module named',
  ],
])('%s in a file is told', (_, over, wanted) => {
  expect(seenIn('a', run(over))).toEqual(wanted);
});

test.each([
  ['vitest is not installed in node_modules', 'install what is missing'],
  ["Error: Cannot find package 'tea' imported from /x", 'install what is missing'],
  ['no test was found', 'add a test'],
  ['1 test, and none passes: AssertionError', 'make one pass'],
])('%s: the remedy is to %s', (reason, remedy) => {
  expect(remedyFor(reason)).toContain(remedy);
});
