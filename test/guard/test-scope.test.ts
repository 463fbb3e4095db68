import { expect, test } from 'vitest';
import { scopeOf } from '../../src/guard/test-scope.ts';

const FILES = ['test/guard/scan.test.ts', 'test/guard/deep/fold.test.ts', 'test/machine/kill.test.ts'];

test('without a glob every test file is asked', () => {
  expect(scopeOf(FILES, [])).toEqual({ asked: FILES, left: [] });
});

test('with globs the others are left, by name', () => {
  expect(scopeOf(FILES, ['test/guard/**', 'test/loop/**'])).toEqual({
    asked: FILES.slice(0, 2),
    left: ['test/machine/kill.test.ts'],
  });
});
