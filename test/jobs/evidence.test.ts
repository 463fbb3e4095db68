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
    expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'not-run', proven: true });
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
