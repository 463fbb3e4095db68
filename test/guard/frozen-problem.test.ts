import { describe, expect, test } from 'vitest';
import { digestOfTests, frozenProblem } from '../../src/guard/test-digest.ts';
import type { FrozenTests } from '../../src/loop/brief.ts';

function frozen(files: Readonly<Record<string, string>>, names: readonly string[]): FrozenTests {
  const list = Object.entries(files).map(([path, content]) => ({ path, content }));
  const tests = names.map((name) => ({ requirement: 'R-1', kind: 'change' as const, file: 'test/a.test.js', name }));
  return { files: list, tests, digest: digestOfTests(list) };
}

const EARLIER = frozen({ 'test/a.test.js': 'one' }, ['one', 'two']);
const MORE = frozen({ 'test/a.test.js': 'one', 'test/b.test.js': 'three' }, ['one', 'two', 'three']);
const OTHERS = /are not those that an earlier iteration of this plan froze/;

describe('frozen tests are believed', () => {
  test.each([
    ['the first time', EARLIER, undefined, false],
    ['as they were', EARLIER, EARLIER, false],
    ['with others beside them, where these were asked for', MORE, EARLIER, true],
  ])('%s', (_, tests, earlier, mayAdd) => {
    expect(frozenProblem(tests, { earlier, mayAdd })).toBeUndefined();
  });
});

describe('frozen tests are not believed', () => {
  test.each([
    ['with others beside them, where nobody asked', MORE, false, OTHERS],
    [
      'with another text',
      frozen({ 'test/a.test.js': 'none', 'test/b.test.js': 'three' }, ['one', 'two', 'three']),
      true,
      OTHERS,
    ],
    ['without one of the files', frozen({ 'test/b.test.js': 'three' }, ['one', 'two', 'three']), true, OTHERS],
    [
      'where a test is not named any more',
      frozen({ 'test/a.test.js': 'one', 'test/b.test.js': 'three' }, ['one', 'three']),
      true,
      OTHERS,
    ],
    [
      'where a test is not named any more, and the files are the same',
      frozen({ 'test/a.test.js': 'one' }, ['one']),
      false,
      OTHERS,
    ],
    ['under a digest that is not theirs', { ...EARLIER, digest: MORE.digest }, true, /do not have the digest/],
  ])('%s', (_, tests, mayAdd, sentence) => {
    expect(frozenProblem(tests, { earlier: EARLIER, mayAdd })).toMatch(sentence);
  });
});
