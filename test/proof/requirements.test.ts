/** What a list of requirements comes to. */
import { describe, expect, test } from 'vitest';
import { checkedYaml } from '../../src/context/checked-yaml.ts';
import type { ProofRow } from '../../src/proof/proof.ts';
import { meantBy, requirementList, requirementProofs, withRequirements } from '../../src/proof/requirements.ts';

const row = (name: string, over: Partial<ProofRow> = {}): ProofRow => ({
  test: `test/a.js::${name}`,
  role: 'proves',
  without: 'fail',
  head: ['pass'],
  how: 'assertion',
  said: '',
  ...over,
});
const KNOWN = {
  rows: [row('new'), row('red', { role: 'red', how: null, said: '1 == 2' }), row('lost', { how: 'missing' })],
  kept: ['test/old.js::stays'],
  lost: new Map([['test/old.js::gone', 'it broke']]),
};
const strength = (made: number, noticed: number) => ({ made, noticed, unmeasured: 0, unreached: [], survivors: [] });
const listed = (text: string) => checkedYaml(requirementList, text, 'list.yml');
const proofsOf = (text: string, found: ReturnType<typeof strength> | null = strength(5, 5)) =>
  requirementProofs(listed(text), KNOWN, () => Promise.resolve(found));
const verdictOf = async (text: string, found?: ReturnType<typeof strength> | null) => {
  const [proof] = await proofsOf(text, found);
  return proof && [proof.verdict, ...proof.reasons];
};

describe('a list of requirements', () => {
  test.each([
    ['', 'list.yml, line 1, column 1: the file is null, and must be a group of keys; correct it.'],
    ['{}', 'list.yml, line 1, column 1: The list names no requirement; write `R-1: [test/file.test.js]`.'],
    ['R-1: []\n', /^list\.yml, line 1, column 6: "R-1" .*must be a test as `file` or `file::name`/],
    ['R-1: 7\n', /^list\.yml, line 1, column 6: "R-1" .*must be a test as `file` or `file::name`/],
    ['R-1:\n  kept: [a]\n', /^list\.yml, line 2/],
    ['R-1: [a\n', /^list\.yml, line \d, column \d: .* Correct the YAML\.$/],
  ])('that is none says where and what: %j', (text, said) => {
    expect(() => listed(text)).toThrow(said);
  });

  test('names single tests, or files with all that they hold', () => {
    expect(meantBy('test/a.js::new', KNOWN)).toEqual(['test/a.js::new']);
    expect(meantBy('test/old.js', KNOWN)).toEqual(['test/old.js::stays', 'test/old.js::gone']);
    expect(meantBy('test/a', KNOWN)).toEqual([]);
  });
});

describe('a requirement', () => {
  test.each([
    ['proved', "R-1: 'test/a.js::new'", strength(5, 4)],
    ['weakly proved', "R-1: ['test/a.js::new']", strength(5, 3)],
    ['proved', "R-1: ['test/a.js::new']", null],
    ['proved', "R-1: ['test/a.js::lost']", strength(1, 1)],
    ['kept', "R-1: { keep: ['test/old.js::stays'] }", null],
  ])('is %s: %s', async (verdict, text, found) => {
    expect(await verdictOf(text, found)).toEqual([verdict]);
  });

  test.each([
    ["R-1: [test/b.js, 'test/a.js::new']", 'no test `test/b.js` was run'],
    ["R-1: ['test/a.js::new', 'test/a.js::red']", 'test/a.js::red is red: 1 == 2'],
    ["R-1: ['test/old.js::stays']", 'none of its tests fails without the change'],
    ['R-1: { keep: test/old.js }', 'test/old.js::gone is red: it broke'],
    ["R-1: { keep: 'test/a.js::new' }", 'test/a.js::new fails without the change, so it shows nothing that was kept'],
  ])('is not proved by %s', async (text, reason) => {
    expect(await verdictOf(text)).toEqual(['not proved', reason]);
  });

  test('is not proved where its tests notice nothing, or assert what nobody can tell', async () => {
    expect(await verdictOf("R-1: 'test/a.js::new'", strength(4, 0))).toEqual([
      'not proved',
      'none of its tests notices a fault in the changed lines',
    ]);
    expect(await verdictOf("R-1: 'test/a.js::lost'", null)).toMatchObject(['not proved', /^its tests fail without/]);
  });

  test('makes the verdict worse where it is worse, and never better', async () => {
    const red = await proofsOf('R-2: test/b.js');
    expect(withRequirements({ verdict: 'proved', reasons: [] }, red)).toEqual({
      verdict: 'not proved',
      reasons: ['R-2: no test `test/b.js` was run.'],
    });
    const weak = await proofsOf("R-1: 'test/a.js::new'", strength(5, 1));
    expect(withRequirements({ verdict: 'proved', reasons: [] }, weak).verdict).toBe('weakly proved');
    const good = await proofsOf("R-1: 'test/a.js::new'");
    expect(withRequirements({ verdict: 'weakly proved', reasons: [] }, good).verdict).toBe('weakly proved');
    expect(withRequirements({ verdict: 'not judged', reasons: ['x'] }, []).verdict).toBe('not judged');
  });
});
