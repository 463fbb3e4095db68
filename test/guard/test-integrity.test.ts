import { describe, expect, it } from 'vitest';
import type { AddedLine } from '../../src/guard/added-lines.ts';
import { digestOfTests } from '../../src/guard/test-digest.ts';
import { integrityDefects } from '../../src/guard/test-integrity.ts';

type Files = Readonly<Record<string, string>>;
const FROZEN_FILES = [{ path: 'test/new.test.js', content: 'frozen' }];
const FROZEN = { files: FROZEN_FILES, tests: [], digest: digestOfTests(FROZEN_FILES) };
const BASE: Files = { 'src/a.js': '1', 'test/a.test.js': 'old', 'package.json': '{"scripts":{"test":"node --test"}}' };

function rulesOf(
  changes: Readonly<Record<string, string | undefined>>,
  added: readonly AddedLine[] = [],
  frozen = FROZEN,
  {
    base = BASE,
    supersededTests = [],
  }: { base?: Files; supersededTests?: readonly { file: string; name: string }[] } = {},
) {
  const head = Object.fromEntries(
    Object.entries({ ...base, 'test/new.test.js': 'frozen', ...changes }).flatMap(([path, text]) =>
      text === undefined ? [] : [[path, text]],
    ),
  );
  const read = (files: Files) => (path: string) => files[path];
  const maps = { base: new Map(Object.entries(base)), head: new Map(Object.entries(head)) };
  return integrityDefects({
    trees: new Map(),
    runner: 'node-test',
    ...maps,
    baseText: read(base),
    headText: read(head),
    frozen,
    supersededTests,
    added,
  }).map(({ rule, file }) => `${rule} ${file}`);
}

describe('tests that judge a change', () => {
  it('are intact when only the product and new tests changed', () => {
    expect(
      rulesOf({ 'src/a.js': '2', 'test/other.test.js': 'more', 'package.json': `${BASE['package.json']}\n` }),
    ).toEqual([]);
  });

  const TWO = "test('old', () => {});\ntest('kept', () => {});\n";
  const SUPERSEDED = [{ file: 'test/a.test.js', name: 'old' }];

  it.each<[string, string | undefined, readonly string[]]>([
    ['only it is gone', "test('kept', () => {});\n", []],
    ['it is there still', TWO, []],
    ['another test of its file is gone', "test('old', () => {});\n", ['test-changed test/a.test.js']],
    ['another test of its file is weaker', "test('kept', () => 1);\n", ['test-changed test/a.test.js']],
    ['both are gone', '', ['test-changed test/a.test.js']],
    ['its file is gone', undefined, ['test-deleted test/a.test.js']],
  ])('of a superseded test: %s', (_name, text, expected) => {
    const base = { ...BASE, 'test/a.test.js': TWO };
    expect(rulesOf({ 'test/a.test.js': text }, [], FROZEN, { base, supersededTests: SUPERSEDED })).toEqual(expected);
  });

  it('cannot be replaced by calling an existing test a frozen one', () => {
    const files = [{ path: 'test/a.test.js', content: 'hollow' }];
    const frozen = { files, tests: [], digest: digestOfTests(files) };
    expect(rulesOf({ 'test/a.test.js': 'hollow' }, [], frozen)).toEqual(['test-changed test/a.test.js']);
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['an existing test was changed', { 'test/a.test.js': 'weaker' }, 'test-changed test/a.test.js'],
    ['an existing test was deleted', { 'test/a.test.js': undefined }, 'test-deleted test/a.test.js'],
    ['a frozen test was changed', { 'test/new.test.js': 'weaker' }, 'frozen-test test/new.test.js'],
    ['a frozen test is missing', { 'test/new.test.js': undefined }, 'frozen-test test/new.test.js'],
    ['the test script was changed', { 'package.json': '{"scripts":{"test":"true"}}' }, 'test-runner package.json'],
    [
      'a script before the tests was added',
      { 'package.json': '{"scripts":{"test":"node --test","pretest":"x"}}' },
      'test-runner package.json',
    ],
    [
      'a script after the tests was added',
      { 'package.json': '{"scripts":{"test":"node --test","posttest":"x"}}' },
      'test-runner package.json',
    ],
    ['the scripts cannot be read any more', { 'package.json': '{"scripts":' }, 'test-runner package.json'],
    ['the scripts are no table of texts', { 'package.json': '{"scripts":7}' }, 'test-runner package.json'],
    ['the file with the test script was deleted', { 'package.json': undefined }, 'test-runner package.json'],
    ['the runner was given a configuration', { 'conftest.py': 'x' }, 'test-runner conftest.py'],
    ['pytest was given one as it reads it since 9', { 'pytest.toml': 'x' }, 'test-runner pytest.toml'],
    ['pytest was given a hidden one', { '.pytest.ini': 'x' }, 'test-runner .pytest.ini'],
    [
      'pytest finds a plugin that the repository claims to have installed',
      { 'shop-1.dist-info/entry_points.txt': '[pytest11]' },
      'test-runner shop-1.dist-info/entry_points.txt',
    ],
  ])('are not intact when %s', (_name, changes, expected) => {
    expect(rulesOf(changes)).toEqual([expected]);
  });

  it.each([
    ['vitest.config.ts', "test: { setupFiles: ['./scripts/setup.ts'] }"],
    ['vite.config.mjs', "test: {\n  globalSetup: 'scripts/setup',\n}"],
    ['jest.config.js', "module.exports = { setupFilesAfterEnv: ['<rootDir>/scripts/setup'] };"],
    ['package.json', '{"scripts":{"test":"node --import ./scripts/setup.ts --test"}}'],
    ['package.json', '{"scripts":{"test":"jest"},"jest":{"testEnvironment":"./scripts/setup.ts"}}'],
    ['vitest.config.ts', "test: { setupFiles: resolve(import.meta.dirname, 'scripts/setup.ts') }"],
    ['vitest.config.ts', "root: 'scripts', test: { setupFiles: 'setup.ts' }"],
    ['vitest.unit.config.mts', "test: { setupFiles: ['./scripts/setup'] }"],
    ['jest.config.js', "module.exports = { transform: { '^.+$': ['./scripts/setup.ts', {}] } };"],
    ['jest.config.js', "module.exports = { preset: './scripts/setup', resolver: './scripts/resolve.js' };"],
    ['package.json', '{"scripts":{"unit":"vitest run --config scripts/setup.ts"}}'],
    ['package.json', '{"scripts":{"test":"node --env-file=scripts/setup.ts --test"}}'],
    ['.github/loopwright.yml', 'commands:\n  test: node -r ./scripts/setup.ts --test'],
  ])('are not intact when a file changed that %s has loaded before them: %s', (config, text) => {
    const base = { ...BASE, [config]: text, 'scripts/setup.ts': '1', 'scripts/other.ts': '1' };
    expect(rulesOf({ 'scripts/setup.ts': '2' }, [], FROZEN, { base })).toEqual(['test-runner scripts/setup.ts']);
    expect(rulesOf({ 'scripts/other.ts': '2', 'src/a.js': '2' }, [], FROZEN, { base })).toEqual([]);
  });

  it('are intact when a file changed that only the product loads first', () => {
    const manifest = '{\n"scripts":{"test":"node --test",\n"start":"node --import ./src/a.js src/server.js"}}';
    expect(rulesOf({ 'src/a.js': '2' }, [], FROZEN, { base: { ...BASE, 'package.json': manifest } })).toEqual([]);
  });

  it('are not intact when a file changed that the settings name without a folder', () => {
    const base = { ...BASE, 'vitest.config.ts': "test: { globalSetup: ['setup.mjs'] }", 'setup.mjs': '1' };
    expect(rulesOf({ 'setup.mjs': '2' }, [], FROZEN, { base })).toEqual(['test-runner setup.mjs']);
  });

  it('are not intact when another script changed that runs them, or a new manifest stands above them', () => {
    const base = { ...BASE, 'package.json': '{"scripts":{"unit":"node --import a --test","build":"tsc"}}' };
    const changed = (text: string, path = 'package.json') => rulesOf({ [path]: text }, [], FROZEN, { base });
    expect(changed('{"scripts":{"unit":"node --import b --test","build":"tsc"}}')).toEqual([
      'test-runner package.json',
    ]);
    expect(changed('{"scripts":{"unit":"node --import a --test","build":"vite build"}}')).toEqual([]);
    expect(changed('{"scripts":{"test":"node --import b --test"}}', 'test/package.json')).toEqual([
      'test-runner test/package.json',
    ]);
    expect(changed('{"scripts":{"test":"node --import b --test"}}', 'packages/new/package.json')).toEqual([]);
    expect(changed('{"type":"module"}', 'test/package.json')).toEqual([]);
  });

  it('are intact when a file changed that the settings name for something else', () => {
    const config = "resolve: { alias: { '@': './src/a.js' } }, test: { environment: 'node' }";
    expect(rulesOf({ 'src/a.js': '2' }, [], FROZEN, { base: { ...BASE, 'vitest.config.ts': config } })).toEqual([]);
  });

  it.each<[string, Files, string, readonly string[]]>([
    ['.coveragerc', {}, 'fail_under = 1', ['coverage-settings .coveragerc']],
    ['.nycrc.json', { '.nycrc.json': '{"lines":90}' }, '{"lines":10}', ['coverage-settings .nycrc.json']],
    ['package.json', {}, '{"scripts":{"test":"node --test"},"c8":{"lines":1}}', ['coverage-settings package.json']],
    ['package.json', {}, '{"scripts":{"test":"node --test"},"version":"2"}', []],
    ['pyproject.toml', {}, '[tool.coverage.report]\nfail_under = 1\n', ['coverage-settings pyproject.toml']],
    ['setup.cfg', {}, '[coverage:run]\nomit = src/a.py\n', ['coverage-settings setup.cfg']],
    ['setup.cfg', { 'setup.cfg': '[metadata]\nname = a\n' }, '[metadata]\nname = b\n', []],
  ])('are told of what coverage has to reach: %s on %j as %j', (path, before, text, expected) => {
    expect(rulesOf({ [path]: text }, [], FROZEN, { base: { ...BASE, ...before } })).toEqual(expected);
  });

  it('are not asked of a package that is new', () => {
    expect(rulesOf({ 'packages/b/package.json': '{"scripts":{"test":"vitest"},"c8":{"lines":1}}' })).toEqual([]);
  });

  it('are not intact when the frozen digest is another one', () => {
    expect(rulesOf({}, [], { ...FROZEN, digest: `sha256:${'0'.repeat(64)}` })).toEqual([
      'frozen-test test/new.test.js',
    ]);
  });

  it.each([
    "test.skip('a', () => {});",
    "it.only('a', () => {});",
    "test('a', { skip: true }, () => {});",
    't.skip();',
    '@unittest.skip("later")',
    'self.skipTest("later")',
  ])('are not intact when a line leaves some out: %s', (text) => {
    expect(rulesOf({}, [{ file: 'test/x.test.js', line: 4, text }])).toEqual(['test-left-out test/x.test.js']);
    expect(rulesOf({}, [{ file: 'src/x.js', line: 4, text }])).toEqual([]);
  });
});
