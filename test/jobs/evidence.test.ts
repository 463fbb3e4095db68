import { describe, expect, it } from 'vitest';
import type { EvidenceRow } from '../../src/loop/brief.ts';
import { type Case, NODE_BASE, NODE_HEAD, NODE_TEST, rowFor } from './evidence-world.ts';

const GOOD_CHANGE = `${NODE_TEST}test('discounts', async () => {
  const { discounted } = await import('../src/price.js');
  assert.equal(typeof discounted, 'function');
  assert.equal(discounted(100), 90);
});\n`;

describe('a change', () => {
  it('is proven by a test that fails on the base by assertion, passes on the head and is red without the change', async () => {
    const row = await rowFor({ change: NODE_HEAD, kind: 'change', name: 'discounts', test: GOOD_CHANGE });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', proven: true });
    expect(row.reason).toMatch(/noticed: src\/price.js:\d/);
  });

  it.each<[string, Partial<Case> & Pick<Case, 'test'>, Partial<EvidenceRow>, RegExp]>([
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
        change: { 'src/discount.js': 'export const discounted = (price) => price - 10;\n' },
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
  ])('is not proven by %s', async (_name, given, outcomes, reason) => {
    const row = await rowFor({ change: NODE_HEAD, kind: 'change', name: 'discounts', ...given });
    expect(row).toMatchObject({ ...outcomes, proven: false });
    expect(row.reason).toMatch(reason);
  });

  it('is not proven when no task names product files, because nothing can be taken back', async () => {
    const row = await rowFor({
      change: NODE_HEAD,
      kind: 'change',
      name: 'discounts',
      test: GOOD_CHANGE,
      taskFiles: ['test/other.test.js'],
    });
    expect(row).toMatchObject({ reverted: 'not-run', proven: false });
  });
});

describe('a test of a change that does not look at what the change does', () => {
  const LEAD = `${NODE_TEST}import { existsSync } from 'node:fs';\ntest('searches', async () => {\n`;
  const EXISTS = `${LEAD}  assert.ok(existsSync(new URL('../src/search.js', import.meta.url)));\n});\n`;
  const LOADS = `${LEAD}  let found;
  try { found = (await import('../src/search.js')).matching; } catch { assert.fail('no module'); }
  assert.ok(found);
});\n`;
  const HONEST = LOADS.replace(
    'assert.ok(found)',
    "assert.deepEqual(found([{ text: 'Tea' }, { text: 'Milk' }], 'tea'), [{ text: 'Tea' }])",
  );
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
  const given = { change, kind: 'change', name: 'searches', taskFiles: ['src/search.js'] } as const;

  it.each([
    ['that the file is there', EXISTS],
    ['that the module loads', LOADS],
  ])('but only %s is refused', async (_name, test) => {
    const row = await rowFor({ ...given, test });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'pass', proven: false });
    expect(row.reason).toMatch(
      /^no mutation of the change turns its test red, so it does not look at what the change does: assert on results \(/,
    );
  });

  it('is not that which looks at a result', async () => {
    const row = await rowFor({ ...given, test: HONEST });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', proven: true });
  });

  it('is judged as the others when the product has to be built', async () => {
    const built = { ...given, build: 'rm -rf dist && cp -r src dist' };
    const inDist = (test: string) => test.replace('../src/', '../dist/');
    expect(await rowFor({ ...built, test: inDist(HONEST) })).toMatchObject({ mutated: 'fail', proven: true });
    expect(await rowFor({ ...built, test: inDist(LOADS) })).toMatchObject({ mutated: 'pass', proven: false });
  });

  it('is not found out where the change offers nothing to mutate', async () => {
    const test = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('searches', () => assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/));\n`;
    const row = await rowFor({
      ...given,
      test,
      base: { ...NODE_BASE, 'index.html': '<p></p>\n' },
      change: { ...change, 'index.html': '<input name="search">\n' },
      taskFiles: ['index.html'],
    });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'not-run', proven: true });
    expect(row.reason).toBe('fails on the base by assertion, passes on the head, red with the change taken back');
  });
});

describe('a change of pages and code in one task', () => {
  it('is proven by a test of the page alone, in which no fault can be made', async () => {
    const test = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('shows the field', () => assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/));\n`;
    const row = await rowFor({
      kind: 'change',
      name: 'shows the field',
      test,
      base: { ...NODE_BASE, 'index.html': '<p></p>\n' },
      change: { ...NODE_HEAD, 'index.html': '<input name="search">\n' },
      taskFiles: ['index.html', 'src/price.js'],
    });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'not-run', proven: true });
  });
});

describe('a test that leaves itself out where the code is missing', () => {
  it('is asked for a fault all the same', async () => {
    const test = `${NODE_TEST}import { readFileSync } from 'node:fs';
test('shows the field', async (t) => {
  assert.match(readFileSync(new URL('../index.html', import.meta.url), 'utf8'), /search/);
  const { discounted } = await import('../src/price.js');
  if (discounted === undefined) return t.skip();
  assert.ok(discounted);
});\n`;
    const row = await rowFor({
      kind: 'change',
      name: 'shows the field',
      test,
      base: { ...NODE_BASE, 'index.html': '<p></p>\n' },
      change: { ...NODE_HEAD, 'index.html': '<input name="search">\n' },
      taskFiles: ['index.html', 'src/price.js'],
    });
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'pass', proven: false });
  });
});

describe('behaviour that stays', () => {
  const keep = (body: string) =>
    `${NODE_TEST}import { total } from '../src/price.js';\ntest('adds', () => { ${body} });\n`;

  it('is proven by a test that passes on both and notices a mutation', async () => {
    const row = await rowFor({
      change: NODE_HEAD,
      kind: 'keep',
      name: 'adds',
      test: keep('assert.equal(total([1, 2]), 3);'),
    });
    expect(row).toMatchObject({ base: 'pass', head: 'pass', reverted: 'not-run', mutated: 'fail', proven: true });
    expect(row.reason).toMatch(/noticed: src\/price.js:\d/);
  });

  it('is not proven by a test that no mutation turns red', async () => {
    const row = await rowFor({
      change: NODE_HEAD,
      kind: 'keep',
      name: 'adds',
      test: keep("assert.equal(typeof total, 'function');"),
    });
    expect(row).toMatchObject({ base: 'pass', head: 'pass', mutated: 'pass', proven: false });
    expect(row.reason).toMatch(/no mutation of the product turned it red.*mutations tried/);
  });

  it('is not proven when the change broke it, and the row says expected and actual', async () => {
    const broken = { 'src/price.js': NODE_BASE['src/price.js'].replace('sum + price', 'sum - price') };
    const row = await rowFor({
      change: broken,
      kind: 'keep',
      name: 'adds',
      test: keep('assert.equal(total([1, 2]), 3);'),
    });
    expect(row).toMatchObject({ base: 'pass', head: 'fail', mutated: 'not-run', proven: false });
    expect(row.reason).toMatch(/-3 !== 3/);
  });
});
