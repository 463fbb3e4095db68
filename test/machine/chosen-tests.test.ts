/** Some tests of a file without the others, by the runners that can choose. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunnerName } from '../../src/runners/runners.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { openPackageRoom, type PackageRoom } from './package-room.ts';

let room: PackageRoom;
beforeAll(async () => {
  room = await openPackageRoom(['vitest@4.0.17', 'jest@29.7.0']);
});
afterAll(() => room.close());

const SCRIPT = `
test('odd', () => wrong());
test('exit', () => process.exit(0));
test('is. one', () => process.exit(0));
describe('in (a)', () => {
  test('is. one', () => {});
  test('is, one', () => process.exit(0));
  describe('deep', () => { test('another', () => {}); test('anoth', () => process.exit(0)); });
});
`;
const SCRIPTS = {
  'node-test': `import test, { describe } from 'node:test'; import assert from 'node:assert';\nconst wrong = () => assert.equal(1, 2);${SCRIPT}`,
  vitest: `import { describe, expect, test } from 'vitest';\nconst wrong = () => expect(1).toBe(2);${SCRIPT}`,
  jest: `const wrong = () => expect(1).toBe(2);${SCRIPT}`,
};

/** What is not asked for would fail, and end the process. */
const CASES: readonly (readonly [RunnerName, string, string, readonly string[]])[] = [
  ...(['node-test', 'vitest', 'jest'] as const).map(
    (runner) =>
      [runner, 'it.test.js', SCRIPTS[runner], ['odd', 'in (a) > is. one', 'in (a) > deep > another']] as const,
  ),
  [
    'pytest',
    'test_it.py',
    'import os, pytest\n@pytest.mark.parametrize("n", [1, 2])\ndef test_even(n): assert n % 2 == 0\nclass TestIt:\n    def test_one(self): assert 1\n    def test_other(self): os._exit(0)\ndef test_exit(): os._exit(0)\n',
    ['test_even[1]', 'test_even[2]', 'TestIt.test_one'],
  ],
  [
    'unittest',
    'test_it.py',
    'import os, unittest\nclass A(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls): cls.made = True\n    def test_odd(self): self.assertTrue(self.made and False)\n    def test_even(self): self.assertTrue(self.made)\n    def test_exit(self): os._exit(0)\nclass B(unittest.TestCase):\n    def test_one(self): pass\n    def test_exit(self): os._exit(0)\n',
    ['A.test_odd', 'A.test_even', 'B.test_one'],
  ],
];

it.each(CASES)('%s', async (runner, file, text, names) => {
  const directory = await room.lay({ [file]: text, 'package.json': '{}' });
  await room.link(directory);
  const expected = names.map((name) => `${file}::${name}`);
  const run = await runTests({
    ...{ sandbox: room.sandbox, directory, commands: { runner }, files: [file], expected },
    ...{ onlyExpected: true, timeoutMs: 120_000, outputBytes: 1_000_000 },
  });
  expect({ problem: run.problem, broken: [...run.broken] }).toEqual({ problem: undefined, broken: [] });
  const [fails, ...pass] = expected;
  const told = [...run.results].filter(([, { outcome }]) => outcome !== 'not-run');
  expect(Object.fromEntries(told.map(([id, { outcome }]) => [id, outcome]))).toEqual(
    Object.fromEntries([[fails, 'fail'], ...pass.map((id) => [id, 'pass'])]),
  );
});

it('pytest, none after the first that does not pass', async () => {
  const directory = await room.lay({
    'test_it.py': 'import os\ndef test_one(): assert 1\ndef test_two(): assert 0\ndef test_exit(): os._exit(0)\n',
    'test_other.py': 'import os\ndef test_exit(): os._exit(0)\n',
  });
  const expected = [
    'test_it.py::test_one',
    'test_it.py::test_two',
    'test_it.py::test_exit',
    'test_other.py::test_exit',
  ];
  const run = await runTests({
    ...{
      sandbox: room.sandbox,
      directory,
      commands: { runner: 'pytest' },
      files: ['test_it.py', 'test_other.py'],
      expected,
    },
    ...{ onlyExpected: true, untilRed: true, tellsApart: false, timeoutMs: 120_000, outputBytes: 1_000_000 },
  });
  expect({ problem: run.problem, broken: [...run.broken] }).toEqual({ problem: undefined, broken: [] });
  expect([...run.results].map(([id, { outcome }]) => [id, outcome])).toEqual([
    [expected[0], 'pass'],
    [expected[1], 'fail'],
    [expected[2], 'not-run'],
    [expected[3], 'load-error'],
  ]);
});
