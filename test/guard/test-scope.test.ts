import { expect, test } from 'vitest';
import { isBelow, scopeOf } from '../../src/guard/test-scope.ts';

const FILES = ['test/guard/scan.test.ts', 'test/guard/deep/fold.test.ts', 'test/machine/kill.test.ts'];

test('without a glob every test file is asked', () => {
  expect(scopeOf(FILES, {})).toEqual({ asked: FILES, left: [] });
});

test('with globs the others are left, by name', () => {
  expect(scopeOf(FILES, { tests: ['test/guard/**', 'test/loop/**'] })).toEqual({
    asked: FILES.slice(0, 2),
    left: ['test/machine/kill.test.ts'],
  });
});

test.each(['test/guard', 'test/guard/'])(
  'with the folder %s only what lies in it is asked, and of that what the globs name',
  (directory) => {
    expect(scopeOf(FILES, { directory }).asked).toEqual(FILES.slice(0, 2));
    expect(scopeOf(FILES, { directory, tests: ['**/scan.test.ts', '**/kill.test.ts'] })).toEqual({
      asked: FILES.slice(0, 1),
      left: FILES.slice(1),
    });
    expect(isBelow('test/guarded/a.test.ts', directory)).toBe(false);
  },
);
