/** Tests that a change takes out of files that it keeps. */
import { expect, test } from 'vitest';
import { takenOut } from '../../src/proof/taken-out.ts';

const passing = (...ids: readonly string[]) =>
  new Map(ids.map((id) => [id, { outcome: 'pass', message: '' }] as const));

test('a file with fewer tests than on the base is told, with those that are gone', () => {
  const [found, ...more] = takenOut(passing('a::one', 'a::two', 'b::x'), passing('a::two', 'b::x'));
  expect(found).toMatchObject({ rule: 'test-deleted', file: 'a' });
  expect(found?.message).toContain('a has 1 tests instead of 2; no longer there: one.');
  expect(more).toEqual([]);
});

test.each([
  ['another name', passing('a::one'), passing('a::the one')],
  ['a further test', passing('a::one'), passing('a::one', 'a::two')],
  ['nothing', new Map(), passing('a::one')],
])('%s is none of them', (_, base, head) => {
  expect(takenOut(base, head)).toEqual([]);
});

test('what did not pass on the base guarded nothing', () => {
  expect(takenOut(new Map([['a::one', { outcome: 'fail', message: '' }] as const]), new Map())).toEqual([]);
});
