/** A wrong product that attacks the node:test that asks it: which attack meets which shape of a test. */
import { describe, expect, it } from 'vitest';
import { NODE_ATTACKS } from './node-attacks.ts';
import type { RunnerWorld } from './runner-world.ts';

const SAYS_ONE = 'let armed = false;\nexports.two = () => { armed = true; lie(); return 1; };\n';

/** Where the product is caught, or ends its own test; every other lets the test reach its end, or it would show nothing. */
const ENDS: Readonly<Record<string, string>> = {
  'writes results of its own and leaves': 'not-run',
  'opens the inspector': 'load-error',
};

export const NODE_TESTS: Readonly<Record<string, string>> = {
  'test.mjs': `import { two } from './product.cjs'; import test from 'node:test'; import assert from 'node:assert/strict';
    test('says two', async () => { assert.equal(two(), 2); });`,
  'test.cjs': `const { two } = require('./product.cjs'); const test = require('node:test'); const assert = require('node:assert');
    test('says two', () => { assert.equal(two(), 2); });`,
  'late.mjs': `const { two } = (await import('./product.cjs')).default; const { default: test } = await import('node:test');
    const { default: assert } = await import('node:assert/strict'); test('says two', async () => { assert.equal(two(), 2); });`,
  'context.cjs': `const { two } = require('./product.cjs'); const test = require('node:test');
    test('says two', async (context) => { const said = two(); await null; context.assert.equal(said, 2); });`,
};

/** What each shape of a test says of a wrong product and of a right one, and of the attacks that it is to meet. */
export function describeForgedResults(world: () => RunnerWorld, attacksOn: (shape: string) => readonly string[]): void {
  describe.each(Object.keys(NODE_TESTS))('a wrong product under node:test, asked by %s', (file) => {
    const attacked = (product: string) =>
      world().attack('node-test', { [file]: NODE_TESTS[file] ?? '', 'product.cjs': product }, `${file}::says two`);

    it('fails when the product attacks nothing, and passes when it is right', async () => {
      expect(await attacked(`function lie() {}\n${SAYS_ONE}`)).toMatchObject({ trusted: true, outcome: 'fail' });
      expect(await attacked('exports.two = () => 2;')).toMatchObject({ trusted: true, outcome: 'pass' });
    });

    it.each(attacksOn(file))('does not pass when it %s', async (name) => {
      expect(await attacked(`${NODE_ATTACKS[name]}\n${SAYS_ONE}`)).toMatchObject({ outcome: ENDS[name] ?? 'fail' });
    });
  });
}
