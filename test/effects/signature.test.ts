/** The same failure is known again, however long it took and wherever it listened. */
import { expect, test } from 'vitest';
import { signatureOf } from '../../src/effects/signature.ts';
import type { Defect } from '../../src/loop/measurement.ts';

const defect = (message: string, rule = 'suite'): Defect => ({
  id: 'suite',
  requirement: null,
  file: null,
  line: null,
  rule,
  severity: 'blocker',
  message,
  suggestion: null,
});
const of = (...defects: readonly Defect[]) => signatureOf('build', defects);

test.each([
  ['✖ open only (1.2ms)\nℹ duration_ms 43.1', '✖ open only (63 ms)\nℹ duration_ms 9'],
  ['Ran 3 tests in 0.012s', 'Ran 3 tests in 1.5s'],
  ['connect ECONNREFUSED 127.0.0.1:41617', 'connect ECONNREFUSED 127.0.0.1:8480'],
  ['at 2026-01-02T03:04:05.678Z', 'at 2026-01-02T03:04:06.001Z'],
])('%j is %j', (one, other) => {
  expect(of(defect(one))).toBe(of(defect(other)));
});

test.each([
  ['expected 1, got 2', 'expected 1, got 3'],
  ['src/items.js:4', 'src/items.js:5'],
  ['p95_ms 501', 'p95_ms 502'],
])('%j is not %j', (one, other) => {
  expect(of(defect(one))).not.toBe(of(defect(other)));
});

test('what a builder tried on frozen tests is no part of a failure', () => {
  expect(of(defect('a'), defect('b', 'frozen-test'))).toBe(of(defect('a')));
  expect(of(defect('b', 'frozen-test'))).toBe('');
});

test('their order does not matter, but the job and each defect do', () => {
  const [first, second] = [defect('a'), defect('b', 'test')];
  expect(of(first, second)).toBe(of(second, first));
  expect(of(first, second)).not.toBe(of(first));
  expect(signatureOf('verify', [first])).not.toBe(signatureOf('build', [first]));
  expect(of()).toBe('');
});
