import { beforeAll, describe, expect, it } from 'vitest';
import type { EvidenceRow } from '../../../src/loop/brief.ts';
import type { RequirementStrength } from '../../../src/loop/strength.ts';
import { type Claim, evidenceFor, NODE_BASE, NODE_HEAD, NODE_TEST, rowsFor } from '../../jobs/evidence-world.ts';

const GOOD_CHANGE = `${NODE_TEST}test('discounts', async () => {
  const { discounted } = await import('../src/price.js');
  assert.equal(typeof discounted, 'function');
  assert.equal(discounted(100), 90);
});\n`;
const DISCOUNTS = { kind: 'change', name: 'discounts', test: GOOD_CHANGE } as const;

/** Proves all claims at once, before the first test of its `describe`; gives back the row of each by its name. */
function proved(ground: Parameters<typeof rowsFor>[0], claims: Readonly<Record<string, Claim>>) {
  let rows: readonly EvidenceRow[] = [];
  beforeAll(async () => {
    rows = await rowsFor(ground, Object.values(claims));
  });
  return (name: string): EvidenceRow | undefined => rows[Object.keys(claims).indexOf(name)];
}

/** What is claimed, what its test shows, and why it proves nothing. */
const UNPROVEN: readonly [string, Partial<Claim> & Pick<Claim, 'test'>, Partial<EvidenceRow>, RegExp][] = [
  [
    'a hollow test',
    { test: `${NODE_TEST}test('discounts', () => assert.ok(true));` },
    { base: 'pass', head: 'pass' },
    /passes on the base already/,
  ],
  [
    'a test without assertion',
    { test: `${NODE_TEST}test('discounts', async () => { (await import('../src/price.js')).discounted(100); });` },
    { head: 'pass' },
    /asserts nothing/,
  ],
  [
    'behaviour that was there already',
    {
      test: `${NODE_TEST}import { total } from '../src/price.js'; test('discounts', () => assert.equal(total([1, 2]), 3));`,
    },
    { base: 'pass' },
    /passes on the base already/,
  ],
  [
    'a module that is missing on the base',
    {
      test: `${NODE_TEST}import { discounted } from '../src/discount.js'; test('discounts', () => assert.equal(discounted(100), 90));`,
      taskFiles: ['src/discount.js'],
    },
    { base: 'load-error', head: 'pass', reverted: 'load-error' },
    /load-error/,
  ],
  [
    'a test file with a syntax error',
    { test: `${NODE_TEST}test('discounts', () => assert.` },
    { base: 'load-error', head: 'load-error' },
    /load-error/,
  ],
  [
    'a file in which no test is collected',
    { test: `${NODE_TEST}// test('discounts') assert\n` },
    { base: 'load-error', head: 'load-error' },
    /load-error/,
  ],
  [
    'a test that is skipped',
    { test: `${NODE_TEST}test('discounts', { skip: true }, () => assert.ok(false));` },
    { base: 'not-run', head: 'not-run' },
    /did not run/,
  ],
  [
    'a product that does not do it',
    { test: GOOD_CHANGE.replace('90', '80') },
    { base: 'fail', head: 'fail' },
    /on the head it is fail.*90 !== 80/s,
  ],
  [
    'a test that passes although the planned files are taken back',
    { test: GOOD_CHANGE, taskFiles: ['README.md'] },
    { base: 'fail', head: 'pass', reverted: 'pass' },
    /still passes when the change is taken back/,
  ],
];

describe('a change', () => {
  const good = 'is proven';
  const nowhere = 'has no product files';
  const row = proved(
    { change: { ...NODE_HEAD, 'src/discount.js': 'export const discounted = (price) => price - 10;\n' } },
    {
      [good]: DISCOUNTS,
      [nowhere]: { ...DISCOUNTS, taskFiles: ['test/other.test.js'] },
      ...Object.fromEntries(UNPROVEN.map(([name, claim]) => [name, { ...DISCOUNTS, ...claim }])),
    },
  );

  it('is proven by a test that fails on the base by assertion, passes on the head and is red without the change', () => {
    expect(row(good)).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', proven: true });
    expect(row(good)?.reason).toMatch(/noticed: src\/price.js:\d/);
  });

  it.each(UNPROVEN)('is not proven by %s', (name, _claim, outcomes, reason) => {
    expect(row(name)).toMatchObject({ ...outcomes, proven: false });
    expect(row(name)?.reason).toMatch(reason);
  });

  it('is not proven when no task names product files, because nothing can be taken back', () => {
    expect(row(nowhere)).toMatchObject({ reverted: 'not-run', proven: false });
  });
});

describe('a test of a change that does not look at what the change does', () => {
  const LEAD = `${NODE_TEST}import { existsSync } from 'node:fs';\ntest('searches', async () => {\n`;
  const EXISTS = `${LEAD}  assert.ok(existsSync(new URL('../src/search.js', import.meta.url)));\n});\n`;
  const READS = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('searches', () => {
  let text = '';
  try { text = readFileSync(new URL('../src/search.js', import.meta.url), 'utf8'); } catch {}
  assert.match(text, /KNOWN.length !== 1\\) throw new Error\\('broken'\\)/);
});\n`;
  const LOADS = `${LEAD}  let found;
  try { found = (await import('../src/search.js')).matching; } catch { assert.fail('no module'); }
  assert.ok(found);
});\n`;
  const HONEST = LOADS.replace(
    'assert.ok(found)',
    "assert.deepEqual(found([{ text: 'Tea' }, { text: 'Milk' }], 'tea'), [{ text: 'Tea' }])",
  );
  const SHOWN = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('searches', () => assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/));\n`;
  const SEARCH = `import {
  lower,
} from './lower.js';

const KNOWN = Object.freeze(['text']);
if (KNOWN.length !== 1) throw new Error('broken');

export function matching(entries, text) {
  return entries
    .filter((entry) => KNOWN.some((key) => lower(entry[key]).includes(lower(text))));
}
`;
  const change = { 'src/search.js': SEARCH, 'src/lower.js': 'export const lower = (text) => text.toLowerCase();\n' };
  const searches = { kind: 'change', name: 'searches', taskFiles: ['src/search.js'] } as const;
  const row = proved(
    {
      base: { ...NODE_BASE, 'index.html': '<p></p>\n' },
      change: { ...change, 'index.html': '<input name="search">\n' },
    },
    {
      'that the file is there': { ...searches, test: EXISTS },
      'what its text is': { ...searches, test: READS },
      'that the module loads': { ...searches, test: LOADS },
      honest: { ...searches, test: HONEST },
      shown: { ...searches, test: SHOWN, taskFiles: ['index.html'] },
    },
  );
  const inDist = (test: string) => test.replace('../src/', '../dist/');
  // Smaller, because each fault in it is built anew.
  const small =
    'export function matching(all, text) {\n  return all.filter((one) => one.text.toLowerCase().includes(text));\n}\n';
  const builtRow = proved(
    { change: { 'src/search.js': small }, build: 'rm -rf dist && cp -r src dist' },
    { honest: { ...searches, test: inDist(HONEST) }, loads: { ...searches, test: inDist(LOADS) } },
  );

  it('but at its text is refused, because spaces make it red too', () => {
    expect(row('what its text is')).toMatchObject({
      base: 'fail',
      head: 'pass',
      reverted: 'fail',
      mutated: 'pass',
      proven: false,
    });
    expect(row('what its text is')?.reason).toMatch(/they read the text of the source\)$/);
  });

  it.each(['that the file is there', 'that the module loads'])('but only %s is refused', (name) => {
    expect(row(name)).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'pass', proven: false });
    expect(row(name)?.reason).toMatch(
      /^no fault in the change makes a test of the requirement fail, so none looks at what the change does: assert on results \(/,
    );
  });

  it('is not that which looks at a result', () => {
    expect(row('honest')).toMatchObject({
      base: 'fail',
      head: 'pass',
      reverted: 'fail',
      mutated: 'fail',
      proven: true,
    });
  });

  it('is judged as the others when the product has to be built', () => {
    expect(builtRow('honest')).toMatchObject({ mutated: 'fail', proven: true });
    expect(builtRow('loads')).toMatchObject({ mutated: 'pass', proven: false });
  });

  it('is not found out where the change offers nothing to mutate', () => {
    const shown = row('shown');
    expect(shown).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'not-run', proven: true });
    expect(shown?.reason).toBe('fails on the base by assertion, passes on the head, red with the change taken back');
  });
});

describe('a page and code that change together', () => {
  const page = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('shows the field', () => assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/));\n`;
  const skipping = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('shows the field', async (t) => {
  assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/);
  const { discounted } = await import('../src/price.js');
  if (discounted === undefined) return t.skip();
  assert.ok(discounted);
});\n`;
  const shows = { kind: 'change', name: 'shows the field', taskFiles: ['index.html', 'src/price.js'] } as const;
  const row = proved(
    {
      base: { ...NODE_BASE, 'index.html': '<p></p>\n' },
      change: { ...NODE_HEAD, 'index.html': '<input name="search">\n' },
    },
    { page: { ...shows, test: page }, skipping: { ...shows, test: skipping } },
  );

  describe('a change of pages and code in one task', () => {
    it('is proven by a test of the page alone, in which no fault can be made', () => {
      expect(row('page')).toMatchObject({
        ...{ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'not-run', proven: true },
      });
    });
  });

  describe('a test that leaves itself out where the code is missing', () => {
    it('is asked for a fault all the same', () => {
      expect(row('skipping')).toMatchObject({
        ...{ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'pass', proven: false },
      });
    });
  });
});

describe('behaviour that stays', () => {
  const adds = (body: string): Claim => ({
    kind: 'keep',
    name: 'adds',
    test: `${NODE_TEST}import { total } from '../src/price.js';\ntest('adds', () => { ${body} });\n`,
  });
  const EQUALS = adds('assert.equal(total([1, 2]), 3);');
  const row = proved(
    { change: NODE_HEAD },
    { equals: EQUALS, hollow: adds("assert.equal(typeof total, 'function');") },
  );
  const brokenRow = proved(
    { change: { 'src/price.js': NODE_BASE['src/price.js'].replace('sum + price', 'sum - price') } },
    { equals: EQUALS },
  );

  it('is proven by a test that passes on both and notices a mutation', () => {
    expect(row('equals')).toMatchObject({
      ...{ base: 'pass', head: 'pass', reverted: 'not-run', mutated: 'fail', proven: true },
    });
    expect(row('equals')?.reason).toMatch(/noticed: src\/price.js:\d/);
  });

  it('is not proven by a test that no mutation turns red', () => {
    expect(row('hollow')).toMatchObject({ base: 'pass', head: 'pass', mutated: 'not-run', proven: false });
    expect(row('hollow')?.reason).toMatch(/^no fault in the product makes it fail, .*reaches no place for a fault/);
  });

  it('is asked for faults where its own tests come to, however much the others of their file come to', async () => {
    const indexes = Array.from({ length: 60 }, (_, index) => index);
    const product = indexes.map((index) => `def step_${index}(value):\n    return value + ${index}\n`).join('\n');
    const asks = indexes.map(
      (index) => `    def test_${index}(self):\n        self.assertEqual(steps.step_${index}(1), ${index + 1})\n`,
    );
    const test = `import unittest\nimport steps\nclass Steps(unittest.TestCase):\n${asks.join('')}`;
    const base = { 'steps.py': product, 'other.py': '' };
    const change = { 'other.py': 'OTHER = 1\n' };
    const claim = { kind: 'keep', name: 'Steps.test_59', test, taskFiles: ['other.py'] } as const;
    const [row] = await rowsFor({ base, change, runner: 'unittest' }, [claim]);
    expect(row).toMatchObject({ base: 'pass', head: 'pass', mutated: 'fail', proven: true });
    expect(row?.reason).toContain('noticed: steps.py:179 ');
  });

  it('is not proven when the change broke it, and the row says expected and actual', () => {
    expect(brokenRow('equals')).toMatchObject({ base: 'pass', head: 'fail', mutated: 'not-run', proven: false });
    expect(brokenRow('equals')?.reason).toMatch(/-3 !== 3/);
  });
});

describe('how much the tests of a change notice', () => {
  const SHIPPING = `export function shipping(weight, country) {
  if (weight <= 0) throw new RangeError('weight');
  if (country === 'DE') return weight > 30 ? 17 : 5;
  return weight > 30 ? 40 : 12;
}
export function label(weight) {
  return weight > 30 ? 'freight' : 'parcel';
}
`;
  const lookUp = "const { shipping, label } = await import('../src/shipping.js').catch(() => ({}));";
  const testOf = (name: string, body: string) =>
    `${NODE_TEST}test('${name}', async () => {\n  ${lookUp}\n  assert.ok(shipping);\n  ${body}\n});\n`;
  const files = { kind: 'change', taskFiles: ['src/shipping.js'] } as const;
  const weak = { ...files, name: 'ships', test: testOf('ships', "assert.equal(shipping(1, 'DE'), 5);") };
  const strong = testOf(
    'ships',
    `for (const [weight, country, wanted] of [[1, 'DE', 5], [30, 'DE', 5], [31, 'DE', 17], [1, 'FR', 12], [30, 'FR', 12], [31, 'FR', 40]])
    assert.equal(shipping(weight, country), wanted);
  assert.throws(() => shipping(0, 'DE'), RangeError);`,
  );
  const blind = { ...files, name: 'is there', test: testOf('is there', "assert.equal(typeof shipping, 'function');") };
  const strengthIn = async (text: string, ...claims: readonly Claim[]) => {
    const { rows, strengths } = await evidenceFor({ change: { 'src/shipping.js': text } }, claims);
    const [first] = strengths;
    if (first === undefined) throw new Error('no faults were made');
    return { rows, ...first };
  };
  const strengthOf = (...claims: readonly Claim[]) => strengthIn(SHIPPING, ...claims);
  const shareOf = ({ noticed, made }: RequirementStrength) => noticed / made;

  it('tells weak tests from strong ones, names what they do not come to, and is the same every time', async () => {
    const few = await strengthOf(weak);
    const all = await strengthOf({ ...weak, test: strong });
    expect(shareOf(few)).toBeLessThan(0.75);
    expect(few.weak).toBe(true);
    expect(few.survivors.map(({ line }) => line)).toEqual(expect.arrayContaining([3]));
    expect(few.survivors[0]?.patch).toMatch(/^diff --git a\/src\/shipping.js /);
    expect(few.unreached.map(({ line }) => line)).toEqual([2, 4, 7]);
    expect([shareOf(all), all.weak, all.survivors]).toEqual([1, false, []]);
    expect(all.unreached.map(({ line }) => line)).toEqual([7]);
    expect(await strengthOf(weak)).toEqual(few);
  });

  it('is measured where its tests come to, however much of it they do not', async () => {
    const other = (index: number) => `export function other${index}(value) {\n  return value > ${index};\n}\n`;
    const others = Array.from({ length: 60 }, (_, index) => other(index)).join('');
    const [alone, among] = [
      await strengthOf({ ...weak, test: strong }),
      await strengthIn(SHIPPING + others, { ...weak, test: strong }),
    ];
    expect([among.made, among.noticed]).toEqual([alone.made, alone.noticed]);
    expect(among.unreached.length).toBeGreaterThan(60);
  });

  it('is that of the existing tests too, where the change keeps them', async () => {
    const label = `${NODE_TEST}import { label } from '../src/shipping.js';
test('labels', () => assert.deepEqual([30, 31].map((weight) => label(weight)), ['parcel', 'freight']));
`;
    const before = SHIPPING.slice(SHIPPING.indexOf('export function label')).replace('weight > 30', '30 < weight');
    const { rows, strengths, raw } = await evidenceFor(
      {
        base: { ...NODE_BASE, 'src/shipping.js': before, 'test/label.test.js': label },
        change: { 'src/shipping.js': SHIPPING },
      },
      [{ ...weak, test: strong }],
    );
    expect(rows).toMatchObject([{ proven: true }]);
    expect(strengths).toMatchObject([{ weak: false, unreached: [], survivors: [] }]);
    expect(strengths[0]?.noticed).toBeGreaterThan((await strengthOf({ ...weak, test: strong })).noticed);
    expect(raw).toMatch(/^--- fault src\/shipping\.js:7 .* noticed by existing tests$/m);
  });

  it('asks existing tests of no fault to which none of them comes', async () => {
    const total = `${NODE_TEST}import { total } from '../src/price.js';\ntest('adds', () => assert.equal(total([1, 2]), 3));\n`;
    const base = { ...NODE_BASE, 'test/price.test.js': total };
    const { strengths, raw } = await evidenceFor({ base, change: { 'src/shipping.js': SHIPPING } }, [weak]);
    expect(strengths[0]?.survivors.map(({ line }) => line)).toContain(3);
    expect(raw).toContain('--- fault src/shipping.js:3 ');
    expect(raw).not.toContain('by existing tests');
  });

  it('is of all tests of a requirement together: one that notices nothing takes nothing from them', async () => {
    const { rows, ...together } = await strengthOf({ ...weak, test: strong }, { ...blind, sharesRequirement: true });
    expect(rows.map(({ mutated, proven }) => [mutated, proven])).toEqual([
      ['fail', true],
      ['fail', true],
    ]);
    expect(shareOf(together)).toBe(1);
  });
});

describe('behaviour that stays, in another file of many functions', () => {
  const many = Array.from(
    { length: 150 },
    (_, index) => `export function part${index}(value) {\n  return value === ${index} ? value + 1 : value - 1;\n}\n`,
  ).join('');
  const row = proved(
    { base: { ...NODE_BASE, 'src/parts.js': many }, change: NODE_HEAD },
    {
      careful: {
        ...{ kind: 'keep', name: 'parts', taskFiles: [] },
        test: `${NODE_TEST}import { part140 } from '../src/parts.js';\ntest('parts', () => assert.equal(part140(140), 141));\n`,
      },
    },
  );

  it('is asked for faults where its test comes to, wherever that is', () => {
    expect(row('careful')).toMatchObject({ mutated: 'fail', proven: true });
    expect(row('careful')?.reason).toMatch(/noticed: src\/parts.js:42\d/);
  });
});
