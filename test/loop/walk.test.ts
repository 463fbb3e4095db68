import { expect, test } from 'vitest';
import { type EntryRecord, type Loop, newLoop } from '../../src/loop/loop.ts';
import { buildTryOf } from '../../src/loop/walk.ts';

function loopAfter(
  iterations: number,
  ...ended: readonly (readonly [EntryRecord['phase'], EntryRecord['outcome']])[]
): Loop {
  const loop = newLoop({ installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', issue: 3, n: 1 });
  const entries = ended.map(([phase, outcome], index): EntryRecord => {
    const at = new Date(index * 1000).toISOString();
    return {
      entry: index + 1,
      phase,
      attempt: 1,
      startedAt: at,
      endedAt: at,
      outcome,
      gates: [],
      measurements: [],
      reason: '',
    };
  });
  return { ...loop, phase: 'BUILD', counters: { ...loop.counters, iterations }, entries };
}

test('a BUILD run that died with its machine is no try of the builder, so the next one starts as the first', () => {
  expect(buildTryOf(loopAfter(1, ['ARCH_REVIEW', 'passed']))).toBe(1);
  expect(buildTryOf(loopAfter(2, ['ARCH_REVIEW', 'passed'], ['BUILD', 'failed']))).toBe(2);
  expect(buildTryOf(loopAfter(2, ['ARCH_REVIEW', 'passed'], ['BUILD', 'cancelled']))).toBe(1);
  expect(buildTryOf(loopAfter(3, ['ARCH_REVIEW', 'passed'], ['BUILD', 'failed'], ['BUILD', 'cancelled']))).toBe(2);
});

test('what died under an earlier plan does not count for the new one', () => {
  const earlier = [
    ['ARCH_REVIEW', 'passed'],
    ['BUILD', 'cancelled'],
    ['BUILD', 'failed'],
    ['PLAN', 'passed'],
  ] as const;
  expect(buildTryOf(loopAfter(2, ...earlier, ['ARCH_REVIEW', 'passed'], ['BUILD', 'failed']))).toBe(2);
});
