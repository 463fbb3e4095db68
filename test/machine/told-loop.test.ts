/** Loops on a repository whose tool tells its outcomes itself: with the Vitest of this project, and with a command that writes JUnit's XML. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Claim, evidenceFor, NODE_BASE, NODE_HEAD, NODE_TEST } from '../jobs/evidence-world.ts';

const OURS = join(import.meta.dirname, '..', '..', 'node_modules');
/** An own folder in which tools may write, with a link to each package. */
const INSTALL = `mkdir node_modules && for package in ${OURS}/*; do ln -s "$package" node_modules/; done`;
const BASE = {
  'package.json': '{ "type": "module", "scripts": { "test": "vitest run" } }',
  'src/price.ts': `${NODE_BASE['src/price.js'].replace('(prices)', '(prices: readonly number[]): number')}`,
};
const HEAD = {
  'src/price.ts': `${BASE['src/price.ts']}
export function discounted(price: number): number {
  return price >= 100 ? price - 10 : price;
}
`,
};
const testOf = (name: string, ...body: readonly string[]) => `import { expect, test } from 'vitest';
import * as price from '../src/price.ts';
test('${name}', () => {
  expect(price.discounted).toBeTypeOf('function');
${body.map((line) => `  ${line}\n`).join('')}});
`;
const claim = (change: Partial<Claim> & Pick<Claim, 'test' | 'name'>): Claim => ({
  ...{ kind: 'change', taskFiles: ['src/price.ts'] },
  ...change,
});

test('a change is proved by a test that misses it by assertion and notices faults in it; one that only sees it there is not', async () => {
  const { rows, strengths } = await evidenceFor(
    { base: BASE, change: HEAD, runner: 'vitest', install: INSTALL, readable: OURS },
    [
      claim({
        name: 'discounts',
        test: testOf('discounts', 'expect([99, 100].map((one) => price.discounted(one))).toEqual([99, 90]);'),
      }),
      claim({ name: 'is there', test: testOf('is there') }),
      claim({
        kind: 'keep',
        name: 'sums > adds',
        test: `import { describe, expect, test } from 'vitest';
import { total } from '../src/price.ts';
describe('sums', () => {
  test('adds', () => expect(total([1, 2])).toBe(3));
});
`,
      }),
    ],
  );
  const told = rows.map(({ base, head, reverted, mutated, proven, trust }) =>
    [base, head, reverted, mutated, proven, trust].join(' '),
  );
  expect(told).toEqual([
    'fail pass fail fail true told',
    'fail pass fail pass false told',
    'pass pass not-run fail true told',
  ]);
  expect(strengths[0]).toMatchObject({ requirement: 'R-1', weak: false, unmeasured: 0, survivors: [] });
});

test('a command that writes JUnit’s XML proves a change as the others do', async () => {
  const assertion = 'assert.deepEqual([99, 100].map((one) => price.discounted(one)), [99, 90])';
  const text = (name: string, line: string) =>
    `import * as price from '../src/price.js';\n${NODE_TEST}test('${name}', () => { assert.equal(typeof price.discounted, 'function'); ${line}; });\n`;
  const { rows } = await evidenceFor(
    {
      ...{ change: NODE_HEAD, runner: 'junit' },
      junit: {
        run: 'node --test --test-reporter=junit --test-reporter-destination={report} {files}',
        sentinel:
          "import test from 'node:test';\nimport assert from 'node:assert';\ntest('{name} passes', () => {});\ntest('{name} fails', () => assert.equal(1, 2));\n",
      },
    },
    [
      { kind: 'change', taskFiles: ['src/price.js'], name: 'discounts', test: text('discounts', assertion) },
      { kind: 'change', taskFiles: ['src/price.js'], name: 'is there', test: text('is there', '') },
    ],
  );
  const told = rows.map(({ base, head, reverted, mutated, proven, trust }) =>
    [base, head, reverted, mutated, proven, trust].join(' '),
  );
  expect(told).toEqual(['fail pass fail fail true told', 'fail pass fail pass false told']);
});
