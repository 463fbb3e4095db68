import { expect, test } from 'vitest';
import { createGrowing, keptText } from '../../src/guard/transcript.ts';

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

test.each([
  ['the head ends in', HALF - 30],
  ['the tail begins in', HALF * 3 - 60_000],
])('a signed token longer than any margin is not kept where %s it', (_, at) => {
  const head = Buffer.from('{"alg":"HS256"}').toString('base64url');
  const token = `${head}.eyJ${'claim'.repeat(20_000)}.c2lnbmF0dXJl`;
  const text = `${' '.repeat(at)}${token}${' '.repeat(HALF * 5)}`.slice(0, HALF * 4 + 39_000);
  const kept = keptText(text, []);
  expect(kept).not.toMatch(/eyJ|claim/);
  expect(kept).toContain(' characters left out]');
});

test('a run without a space is left out where the cut goes through, and the words around it stay', () => {
  const kept = keptText(`${'first '.repeat(20_000)}${'x'.repeat(HALF)}${' last'.repeat(20_000)}`, []);
  expect(kept.startsWith(`${'first '.repeat(20_000)}\n[`)).toBe(true);
  expect(kept.endsWith(`]\n${' last'.repeat(20_000)}`)).toBe(true);
});

test('of a text that grows its beginning and its end are kept', () => {
  const growing = createGrowing();
  const words = Array.from({ length: 100_000 }, (_, index) => `word ${index} `);
  for (const word of words) growing.add(word);
  const whole = words.join('');
  expect(growing.text().slice(0, HALF)).toBe(whole.slice(0, HALF));
  expect(growing.text().slice(-HALF)).toBe(whole.slice(-HALF));
  expect(growing.text().length).toBeLessThanOrEqual(HALF * 6);
});

// What copies the end of it for each piece does not come to its end here.
test('a text grows by millions of pieces', () => {
  const growing = createGrowing();
  for (let piece = 0; piece < 3_000_000; piece += 1) growing.add('a word ');
  expect(growing.text().length).toBeGreaterThan(HALF * 4);
});
