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
