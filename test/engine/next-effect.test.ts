/** Which pending effect of a loop comes next. */
import { expect, test } from 'vitest';
import { nextEffect } from '../../src/engine/next-effect.ts';
import type { Effect } from '../../src/loop/effect.ts';
import { building } from '../loop/stands.ts';

const REACT: Effect = { type: 'react', key: 'r', commentId: 99, content: '+1' };
const CANCEL: Effect = { type: 'cancel', key: 'c', runId: 505 };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * second);
const show = (key: number, second: number): Effect => ({
  ...{ type: 'show', key: `show/${key}`, since: at(second).toISOString() },
});
const keyAt = (second: number, ...pending: readonly Effect[]) => {
  const next = nextEffect({ ...building(), pending: [...pending] }, 'voice', () => at(second));
  return typeof next === 'object' ? next.key : next;
};

test('of several boards the newest is shown, when the loop has rested for two seconds', () => {
  expect(keyAt(60, show(3, 58.2), show(4, 58.5))).toBe('rests');
  expect(keyAt(60.5, show(3, 58.2), show(4, 58.5))).toBe('show/4');
});

test('a loop that never rests is shown after five seconds', () => {
  expect([keyAt(60, show(3, 55.1), show(4, 59.9)), keyAt(60.1, show(3, 55.1), show(4, 59.9))]).toEqual([
    ...['rests', 'show/4'],
  ]);
});

test('the first board comes at once, and so does one of which nobody knows when it changed', () => {
  expect([keyAt(60, show(1, 59.9)), keyAt(60, { type: 'show', key: 'show/3' }), keyAt(60, show(3, 90))]).toEqual([
    'show/1',
    'show/3',
    'show/3',
  ]);
});

test('nobody waits for an answer because of a board', () => {
  expect([keyAt(60, show(3, 59.9), REACT), keyAt(62, show(3, 59.9), REACT)]).toEqual(['r', 'show/3']);
  expect(keyAt(60, REACT, show(3, 59.9))).toBe('r');
});

test('nothing is next in a lane that has nothing', () => {
  expect(keyAt(60, CANCEL)).toBeUndefined();
});
