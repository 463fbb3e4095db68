import { describe, expect, test } from 'vitest';
import { isTestFile, isTestPath } from '../../src/guard/test-paths.ts';
import { detectRunner, RUNNER_NAMES, RUNNERS } from '../../src/runners/runners.ts';

const detected = (files: readonly string[], manifests: Readonly<Record<string, unknown>> = {}) =>
  detectRunner(
    { files, manifests: new Map(Object.entries(manifests).map(([path, value]) => [path, JSON.stringify(value)])) },
    RUNNER_NAMES,
  );

describe('the runner of a repository', () => {
  test.each([
    ['node-test', [], { 'package.json': { scripts: { test: 'node --test' }, devDependencies: { jest: '29' } } }],
    ['vitest', [], { 'package.json': { scripts: { test: 'pnpm lint && vitest run --coverage' } } }],
    [
      'vitest',
      [],
      { 'package.json': { scripts: { test: 'tox' } }, 'web/package.json': { devDependencies: { vitest: '4' } } },
    ],
    ['jest', [], { 'package.json': { scripts: { test: 'NODE_OPTIONS=--experimental-vm-modules jest' } } }],
    ['jest', [], { 'package.json': { scripts: { test: 'node node_modules/jest/bin/jest.js' } } }],
    [
      'vitest',
      ['fixtures/shop/conftest.py'],
      {
        'fixtures/shop/package.json': { scripts: { test: 'node --test' } },
        'package.json': { scripts: { test: 'vitest run' } },
      },
    ],
    ['pytest', ['conftest.py'], {}],
    ['unittest', ['tests/test_it.py'], {}],
  ] as const)('is %s', (name, files, manifests) => {
    expect(detected(files, manifests)?.name).toBe(name);
  });

  test.each([
    ['pytest', 'def test_it():\n    assert True\n'],
    ['pytest', 'class TestIt(object):\n    def test_it(self):\n        assert True\n'],
    ['pytest', 'from pytest import raises\n'],
    ['unittest', 'import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        pass\n'],
  ] as const)('is %s where its tests are written so', (name, text) => {
    const facts = { files: ['tests/test_it.py'], manifests: new Map(), tests: new Map([['tests/test_it.py', text]]) };
    expect(detectRunner(facts, RUNNER_NAMES)?.name).toBe(name);
  });

  test('is not named by a word that only holds its name', () => {
    expect(detected([], { 'package.json': { scripts: { test: 'jester && vitestify' } } })).toBeUndefined();
  });

  test('is sealed or told', () => {
    expect(RUNNER_NAMES.filter((name) => RUNNERS[name].trust === 'told')).toEqual(['vitest', 'jest', 'junit']);
  });
});

describe('what lies with tests and holds none', () => {
  test.each([
    ['pytest', 'conftest.py', 'sub/conftest.py', 'tests/data/a.json'],
    ['unittest', 'tests/data.txt'],
    ['node-test', 'test/fixtures/a.json', 'lib/__tests__/a.snap'],
    ['vitest', 'test/fixtures/a.json', 'src/__snapshots__/a.test.ts.snap'],
    ['jest', '__mocks__/fs.js', 'tests/data.txt'],
  ] as const)('%s: is no product, and is not run', (runner, ...paths) => {
    for (const path of paths) expect([isTestPath(path, runner), isTestFile(path, runner)]).toEqual([true, false]);
  });
});
