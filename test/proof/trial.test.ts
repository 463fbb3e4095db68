import { describe, expect, it } from 'vitest';
import { timeFor } from '../../src/proof/trial.ts';

describe('the time for a run of test files', () => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => `test/${index}.test.js`);

  it.each([
    [0, 60_000],
    [1, 60_000],
    [25, 60_000],
    [26, 120_000],
    [110, 300_000],
  ])(
    'is, with %i files, %i ms of a minute for a few: a large suite on a slow machine is none that hangs',
    (count, ms) => {
      expect(timeFor(files(count), 60_000)).toBe(ms);
    },
  );
});
