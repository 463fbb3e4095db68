import { expect, test } from 'vitest';
import { type Proof, proof } from '../../src/proof/proof.ts';
import { proofCheck } from '../../src/render/proof-check.ts';

const ASKED = { repositoryId: 1, pull: 2, serial: 3 } as Parameters<typeof proofCheck>[0];

const row = (name: string) => ({
  ...{ test: `test/a.js::${name}`, role: 'proves' as const, without: 'fail' as const, head: ['pass' as const] },
  ...{ how: 'assertion' as const, said: '' },
});

function summaryOf(over: Partial<Proof>): string {
  const told = proof.parse({
    ...{ version: 1, base: 'a'.repeat(40), head: 'b'.repeat(40), runner: 'node-test', trust: 'sealed' },
    ...{ verdict: 'proved', reasons: [], product: ['src/shop.js'], rows: [], strength: null, findings: [] },
    ...{ notAsked: 0, sandbox: 'bubblewrap', durationMs: 1 },
    ...over,
  });
  return proofCheck(ASKED, told).summary;
}

test.each([
  [[row('one')], ['test/a.js::one'], '1 of 1 test that needs the change is red, as it has to be.'],
  [
    [row('one'), row('two')],
    ['test/a.js::one'],
    '1 of 2 tests that need the change is red, as it has to be; 1 could not be asked that way.',
  ],
  [
    [row('one'), row('two')],
    ['test/a.js::one', 'test/a.js::two'],
    '2 of 2 tests that need the change are red, as they have to be.',
  ],
])('how many tests were asked with other expectations is told: %#', (rows, exchanged, wanted) => {
  expect(summaryOf({ rows, exchanged })).toContain(`Asked with other expectations, ${wanted}`);
});

test('of a change that is not proved nothing is told of other expectations, for the reasons say more', () => {
  const reasons = ['a test is red'];
  expect(summaryOf({ verdict: 'not proved', reasons, rows: [row('one')] })).not.toContain('other expectations');
});
