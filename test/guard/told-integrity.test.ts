import { expect, it } from 'vitest';
import { integrityDefects } from '../../src/guard/test-integrity.ts';
import type { RunnerName } from '../../src/runners/runners.ts';

function found(path: string, before: string | undefined, after: string, runner: RunnerName): readonly string[] {
  const defects = integrityDefects({
    trees: new Map(),
    ...{ runner, frozen: undefined, supersededTests: [], added: [] },
    base: new Map(before === undefined ? [] : [[path, before]]),
    head: new Map([[path, after]]),
    baseText: (file) => (file === path ? before : undefined),
    headText: (file) => (file === path ? after : undefined),
  });
  return defects.map(({ rule }) => rule);
}

it.each([
  ['vitest.config.ts', 'a', 'b', 'vitest'],
  ['packages/a/vite.config.mjs', undefined, 'b', 'vitest'],
  ['vitest.setup.js', undefined, 'b', 'vitest'],
  ['vitest.unit.config.ts', 'a', 'b', 'vitest'],
  ['jest.config.json', '{}', '{ "setupFiles": [] }', 'jest'],
  ['package.json', '{}', '{ "jest": { "setupFiles": ["./lenient.js"] } }', 'jest'],
  ['package.json', '{ "vitest": {} }', '{}', 'vitest'],
] as const)('what sets up the runner may not change with what it judges: %s', (path, before, after, runner) => {
  expect(found(path, before, after, runner)).toEqual(['test-runner']);
});

it.each([
  ['vite.config.ts', 'a', 'b', 'node-test'],
  ['src/vite.config.helper.ts', 'a', 'b', 'vitest'],
  ['package.json', '{ "jest": {}, "version": "1.0.0" }', '{ "version": "1.0.1", "jest": {} }', 'jest'],
] as const)('what another tool reads is no such thing: %s', (path, before, after, runner) => {
  expect(found(path, before, after, runner)).toEqual([]);
});

it.each([
  ['vitest.config.ts', "import plugin from './tools/plugin.ts';", 'vitest', ['test-runner tools/plugin.ts']],
  ['jest.config.js', "module.exports = { ...require('./tools/plugin') };", 'jest', ['test-runner tools/plugin.ts']],
  ['vite.config.ts', "import plugin from './tools/plugin.ts';", 'node-test', []],
  ['vitest.config.ts', "import plugin from 'tools/plugin';", 'vitest', []],
] as const)('what the settings of the runner load counts as them: %s, %s', (config, text, runner, expected) => {
  const tree = (id: string) =>
    new Map([
      [config, 'same'],
      ['tools/plugin.ts', id],
      ['package.json', id],
    ]);
  const textOf = (path: string) =>
    path === config ? `${text}\nimport { version } from './package.json';` : path === 'package.json' ? '{}' : undefined;
  const defects = integrityDefects({
    trees: new Map(),
    ...{ runner, frozen: undefined, supersededTests: [], added: [], base: tree('1'), head: tree('2') },
    ...{ baseText: textOf, headText: textOf },
  });
  expect(defects.map(({ rule, file }) => `${rule} ${file}`)).toEqual(expected);
});
