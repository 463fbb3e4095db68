/** Tests that a change takes away. */
import { expect, test } from 'vitest';
import { withoutWaiver } from '../../src/guard/waivers.ts';
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
  ['a further test', passing('a::one'), passing('a::one', 'a::two')],
  ['nothing', new Map(), passing('a::one')],
  ['another file of its own', passing('a::one', 'a::two'), passing('b::one', 'b::two', 'b::three')],
])('%s is none of them', (_, base, head) => {
  expect(takenOut(base, head)).toEqual([]);
});

test('a test that another one stands for is only told: who reads it knows whether that asks the same', () => {
  const [found, ...more] = takenOut(passing('a::one'), passing('a::the one'));
  expect(found).toMatchObject({ rule: 'test-gone', severity: 'minor', file: 'a' });
  expect(found?.message).toBe('a has as many tests as before, but these are no longer there: one.');
  expect(more).toEqual([]);
});

test('a file that is gone is told with those of its tests that no new file has', () => {
  const [found] = takenOut(passing('a::one', 'a::two', 'c::two'), passing('b::one', 'c::two'));
  expect(found?.message).toContain('a has 1 tests instead of 2; no longer there: two.');
});

test('nobody is told to lift it by a command, where there is no loop', () => {
  const [found] = takenOut(passing('a::one', 'a::two'), passing('a::two'));
  expect(found?.message).toContain('/waive W-');
  expect(found && withoutWaiver(found).message).toBe('a has 1 tests instead of 2; no longer there: one.');
});

test('what did not pass on the base guarded nothing', () => {
  expect(takenOut(new Map([['a::one', { outcome: 'fail', message: '' }] as const]), new Map())).toEqual([]);
});
