/** Which deleted lines are put back, and what the text is with them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { withFault } from '../../src/syntax/faults.ts';
import { installedParsers, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';
import { deletionsIn, putBacks, readablePutBacks } from '../../src/syntax/put-back.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

/** The texts with each piece put back; `now` is `before` without the lines. */
function restored(file: string, before: string, gone: readonly number[], added: readonly string[] = []) {
  const lines = before.split('\n');
  const now = lines.filter((_, index) => !gone.includes(index + 1)).join('\n');
  const [line = 1] = gone;
  const deletions = [{ line, count: gone.length, after: line - 1 }];
  const pieces = putBacks(parsers, { file, before, now }, deletions, new Set(added));
  return readablePutBacks(parsers, new Map([[file, now]]), pieces, 8).map((piece) => withFault(now, piece));
}

const GUARDED = [
  "import { tax } from './tax.js';",
  'app.use(limit(9));',
  'function twice(count) {',
  '  return count * 2;',
  '}',
  'export function price(count) {',
  '  // Nobody sells less than nothing.',
  '  if (count < 0) throw new Error("less than nothing");',
  '  return tax(count);',
  '}',
].join('\n');

describe('deletions in a diff without context', () => {
  test('are the hunks in whose place nothing came, wherever they are', () => {
    const diff = [
      'diff --git a/a.js b/a.js',
      '--- a/a.js',
      '+++ b/a.js',
      '@@ -1 +0,0 @@',
      '-@@ -7 +7,0 @@',
      '@@ -4,2 +3 @@',
      '-a',
      '-b',
      '+c',
      '@@ -9,3 +7,0 @@ function x() {',
      '-d',
      '-e',
      '-f',
      '',
    ].join('\n');
    expect(deletionsIn(diff)).toEqual([
      { line: 1, count: 1, after: 0 },
      { line: 9, count: 3, after: 7 },
    ]);
  });
});

describe('a deleted piece is put back', () => {
  test('where it guarded a function that stays', () => {
    expect(restored('a.js', GUARDED, [7, 8])).toEqual([GUARDED]);
  });
  test('where it called something while the file is loaded', () => {
    expect(restored('a.js', GUARDED, [2])).toEqual([GUARDED]);
  });
  test('in Python, at the end of a text whose last line has no end', () => {
    const text = 'def pay(sum):\n    book(sum)\n    notify(sum)';
    expect(restored('a.py', text, [3])).toEqual([text]);
  });
});

describe('a deleted piece is left out', () => {
  test.each([
    ['that is a comment', [7]],
    ['that is an import', [1]],
    ['that is a whole function, which nobody may call any more', [3, 4, 5]],
    ['whose text has an error with it', [6]],
  ])('%s', (_, gone) => {
    expect(restored('a.js', GUARDED, gone)).toEqual([]);
  });
  test('whose lines the change adds elsewhere', () => {
    const moved = 'if (count < 0) throw new Error("less than nothing");';
    expect(restored('a.js', GUARDED, [8], [moved])).toEqual([]);
  });
  test('of a language that no table knows', () => {
    expect(restored('a.rb', GUARDED, [8])).toEqual([]);
  });
});
