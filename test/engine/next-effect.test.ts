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

const WORK: readonly Effect[] = [
  { type: 'draft', key: 'w', phase: 'PLAN', entry: 1 },
  { type: 'dispatch', key: 'w', job: 'build', entry: 1 },
  { type: 'collect', key: 'w', phase: 'BUILD', report: 'build', entry: 1, runId: 5, because: 'ended' },
  ...(['publish', 'land', 'promote', 'inspect', 'ready', 'redraft'] as const).map((type) => ({
    type,
    key: 'w',
    entry: 1,
  })),
];

test.each(WORK)(
  'a state that the loop ends itself, by $type, is shown after thirty seconds, or two minutes of such states',
  (work) => {
    expect([keyAt(60, show(3, 30.1), work), keyAt(60, show(3, 30), work)]).toEqual(['rests', 'show/3']);
    expect([keyAt(120, show(3, 0.1), show(4, 119), work), keyAt(120, show(3, 0), show(4, 119), work)]).toEqual([
      ...['rests', 'show/4'],
    ]);
  },
);

test('a state that others end is shown as soon as the loop rests, whatever came before it', () => {
  const wait: Effect = { type: 'wait', key: 't', entry: 1, timer: 'run', seconds: 60 };
  expect([keyAt(60, show(3, 58.1), wait), keyAt(60, show(3, 58), wait)]).toEqual(['rests', 'show/3']);
  expect(keyAt(60, show(3, 40), show(4, 59.9), wait)).toBe('show/4');
});

test('a loop that is held does no work that would end its state', () => {
  const work: Effect = { type: 'dispatch', key: 'w', job: 'build', entry: 1 };
  const held = { ...building(), status: 'paused' as const, pending: [work, show(3, 57.9)] };
  expect(nextEffect(held, 'voice', () => at(60))).toMatchObject({ key: 'show/3' });
});

test('which checks are awaited is about to be known when they are looked at for the first time, and is shown once it is', () => {
  const shipping = {
    promotion: { by: 'auto', why: 'no secrets' },
    asked: 0,
    waitsFor: [],
    checks: [],
    timer: { key: 't', dueAt: '' },
  } as const;
  const shownAt = (second: number, waitsFor: readonly string[]) => {
    const loop = {
      ...building(),
      shipping: { ...shipping, checks: [], waitsFor: [...waitsFor] },
      pending: [show(3, 30.1)],
    };
    return nextEffect(loop, 'voice', () => at(second));
  };
  expect([shownAt(60, []), shownAt(60.1, []), shownAt(32.1, ['test'])]).toEqual([
    ...['rests', show(3, 30.1), show(3, 30.1)],
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
