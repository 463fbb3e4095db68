/** Reading added lines out of real diffs. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addedLinesOf, newLinesOf } from '../../src/guard/added-lines.ts';

async function diffOf(before: string | undefined, after: string, name = 'x.txt'): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'loopwright-diff-'));
  await Promise.all(['a', 'b'].map((side) => mkdir(join(root, side))));
  if (before !== undefined) await writeFile(join(root, 'a', name), before);
  await writeFile(join(root, 'b', name), after);
  try {
    execFileSync('git', ['diff', '--no-index', '--no-prefix', 'a', 'b'], { cwd: root });
    return '';
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  } finally {
    await rm(root, { recursive: true });
  }
}

test('added and changed lines carry their place in the new file', async () => {
  expect(addedLinesOf(await diffOf('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\nTWO\n3\n4\n5\n6\n7\n8\n9\n10'))).toEqual([
    { file: 'x.txt', line: 2, text: 'TWO' },
    { file: 'x.txt', line: 10, text: '10' },
  ]);
});

test('a line that looks like a header inside a hunk does not move the rest to another file', async () => {
  const found = addedLinesOf(await diffOf(undefined, '++ b/other.txt\n@@ -1 +90 @@\nsecret\n'));
  expect(found).toEqual([
    { file: 'x.txt', line: 1, text: '++ b/other.txt' },
    { file: 'x.txt', line: 2, text: '@@ -1 +90 @@' },
    { file: 'x.txt', line: 3, text: 'secret' },
  ]);
});

test.each(['with space.txt', 'with"quote.txt'])('the name %s is read back', async (name) => {
  expect(addedLinesOf(await diffOf(undefined, 'x', name))).toEqual([{ file: name, line: 1, text: 'x' }]);
});

test('the lines that an earlier text does not have are new, as often as it does not have them, and moved ones are not', () => {
  const text = (lines: readonly { readonly line: number; readonly text: string }[]) =>
    lines.map((one) => `${one.line} ${one.text}`);
  expect(text(newLinesOf('a', 'one\ntwo\nthree', 'three\none\nnew\ntwo\none'))).toEqual(['3 new', '5 one']);
  expect(text(newLinesOf('a', undefined, 'one\ntwo'))).toEqual(['1 one', '2 two']);
});
