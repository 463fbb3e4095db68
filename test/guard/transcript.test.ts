import { expect, test } from 'vitest';
import { keptText } from '../../src/guard/transcript.ts';

const HALF = 128 * 1024;
// Assembled, so that no scanner takes this file for a leak.
const TOKEN = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`;

test.each([
  ['before the middle', HALF - 10],
  ['behind it', HALF * 2 - 30],
])('of a long text nothing of a secret is kept that the cut %s goes through', (_, at) => {
  const words = 'word '.repeat(HALF);
  const length = HALF * 3;
  const text = `${words.slice(0, at)} ${TOKEN} ${words}`.slice(0, length);
  const kept = keptText(text, []);
  expect(kept).toContain(`[${length - 2 * HALF} characters left out]`);
  expect(kept).not.toMatch(/ghp_|[A-Z]\d[a-z]\d/);
  expect(kept.length).toBeGreaterThan(2 * HALF - 200);
});
