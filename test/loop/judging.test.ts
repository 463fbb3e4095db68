import { expect, test } from 'vitest';
import { defect, TEST_DESIGN } from '../../src/loop/defect.ts';
import { endingOf } from '../../src/loop/judging.ts';
import type { Defect } from '../../src/loop/measurement.ts';
import { buildingLoop } from '../render/loops.ts';
import { measured } from './world.ts';

const loop = { ...buildingLoop(), phase: 'BUILD' as const };
const reasonFor = (measurements: ReturnType<typeof measured>, defects: readonly Defect[] = []) =>
  endingOf(loop, { at: '2026-01-02T03:04:05.000Z', measurements, defects, signature: '' }).reason;

test('an entry of which nothing was measured says so in one sentence', () => {
  expect(reasonFor([])).toBe('BUILD: it ended before anything was measured, so no gate passed.');
});

test('a build whose tests could not be designed says that', () => {
  expect(reasonFor([], [defect({ rule: TEST_DESIGN, message: 'test/a.test.js has no assertion.' })])).toBe(
    'BUILD: no draft of the tests was right, so nothing was built and no gate passed.',
  );
});

test('numbers come first, and then the names of what was not measured', () => {
  const numbers = measured('BUILD', true)
    .filter(({ name }) => !['suite_failures', 'review_revisions'].includes(name))
    .map((one) => (one.name === 'test_failures' ? { ...one, value: 2 } : one));
  expect(reasonFor(numbers)).toBe(
    'BUILD: test_failures 2 (needs <= 0); not measured: suite_failures, review_revisions.',
  );
});

test('where all that was measured passed, the others have their names all the same', () => {
  const numbers = measured('BUILD', true).filter(({ name }) => !['health_failures', 'review_revisions'].includes(name));
  expect(reasonFor(numbers)).toBe('BUILD: not measured: health_failures, review_revisions.');
});
