import { expect, test } from 'vitest';
import { endingOf } from '../../src/loop/judging.ts';
import { buildingLoop } from '../render/loops.ts';
import { measured } from './world.ts';

const loop = { ...buildingLoop(), phase: 'BUILD' as const };
const reasonFor = (measurements: ReturnType<typeof measured>) =>
  endingOf(loop, { at: '2026-01-02T03:04:05.000Z', measurements, defects: [], signature: '' }).reason;

test('an entry of which nothing was measured says so in one sentence', () => {
  expect(reasonFor([])).toBe('BUILD: it ended before anything was measured, so no gate passed.');
});

test('numbers come first, and then the names of what was not measured', () => {
  const numbers = measured('BUILD', true)
    .filter(({ name }) => !['suite_failures', 'review_revisions'].includes(name))
    .map((one) => (one.name === 'test_failures' ? { ...one, value: 2 } : one));
  expect(reasonFor(numbers)).toBe(
    'BUILD: test_failures 2 (needs <= 0); not measured: suite_failures, review_revisions.',
  );
});
