import { expect, test } from 'vitest';
import { proofLines } from '../../src/cli/proof-text.ts';
import { type Proof, proof } from '../../src/proof/proof.ts';

const SURVIVOR = {
  file: 'src/shop.js',
  line: 2,
  sentence: 'The condition is always true.',
  patch: '--- a/src/shop.js\n+++ b/src/shop.js\n@@ -2 +2 @@\n-  if (count > 9) {\n+  if (true) {\n',
};

function linesOf(over: Partial<Proof>): readonly string[] {
  return proofLines(
    proof.parse({
      ...{ version: 1, base: 'a'.repeat(40), head: 'b'.repeat(40), runner: 'jest', trust: 'told' },
      ...{ verdict: 'weakly proved', reasons: [], product: ['src/shop.js'], rows: [], strength: null, findings: [] },
      ...{ notAsked: 0, sandbox: 'bubblewrap', durationMs: 1 },
      ...over,
    }),
  );
}

const strength = { made: 2, noticed: 1, survivors: [SURVIVOR], unreached: [], unmeasured: 0 };

test('a fault that stays unnoticed is a patch at the margin, so that git takes what is copied', () => {
  const lines = linesOf({ strength });
  const from = lines.indexOf('--- a/src/shop.js');
  expect(`${lines.slice(from, from + 5).join('\n')}\n`).toBe(SURVIVOR.patch);
});

test('what no test reaches stands apart from the patch above it', () => {
  const unreached = [{ file: 'src/shop.js', line: 7 }];
  const said = 'No test reaches src/shop.js:7; what is changed there is not measured.';
  const lines = linesOf({ strength: { ...strength, unreached } });
  expect(lines.slice(lines.indexOf(said) - 2, lines.indexOf(said))).toEqual(['+  if (true) {', '']);
});

test.each([
  [true, 'here, with the change or without it'],
  [false, 'without the change'],
])('of a file that cannot be run it is told whether it can be with the change: %s', (alsoWith, where) => {
  expect(linesOf({ unrun: [{ file: 'test/a.js', reason: 'it ends', alsoWith }] })).toContain(
    `  unknown     test/a.js cannot be run to its end ${where}, so what it holds is not known: it ends`,
  );
});

test.each([
  [
    strength,
    '1 of 2 faults in the changed lines are noticed. 1 stays unnoticed: your tests are green with it (git apply).',
  ],
  [
    { ...strength, made: 3 },
    '1 of 3 faults in the changed lines are noticed. 2 stay unnoticed: your tests are green with each (git apply); they are in one line, and one is shown.',
  ],
  [{ ...strength, made: 1, survivors: [] }, '1 of 1 fault in the changed lines is noticed.'],
])('one fault is told as one, and several as several', (found, line) => {
  expect(linesOf({ strength: found })).toContain(line);
});

test('why nothing was judged is left to the error output', () => {
  const lines = linesOf({ verdict: 'not judged', reasons: ['jest is not installed.'] });
  expect(lines.at(-1)).toBe('Not judged.');
  expect(lines.join('\n')).not.toContain('installed');
});

const proves = (test: string): Proof['rows'][number] => ({
  ...{ test, role: 'proves', without: 'fail', head: ['pass'], how: 'assertion', said: '' },
});
const NEEDING = [proves('test/a.js::one'), proves('test/a.js::two')];

test.each<[string, Partial<Proof>, readonly string[]]>([
  [
    'all',
    { exchanged: ['test/a.js::one', 'test/a.js::two'] },
    ['  exchanged   2 of 2 tests that need the change are red with other expectations, as they have to be'],
  ],
  [
    'one',
    { exchanged: ['test/a.js::two'] },
    [
      '  exchanged   1 of 2 tests that need the change is red with other expectations, as it has to be',
      '  unknown     1 of 2 tests that need the change could not be asked with other expectations: test/a.js::one',
    ],
  ],
  [
    'none',
    {},
    [
      '  unknown     2 of 2 tests that need the change could not be asked with other expectations: test/a.js::one, test/a.js::two',
    ],
  ],
  [
    'the only one',
    { rows: NEEDING.slice(0, 1), exchanged: ['test/a.js::one'] },
    ['  exchanged   1 of 1 test that needs the change is red with other expectations, as it has to be'],
  ],
  ['none of what is refused', { verdict: 'not proved', reasons: ['A test is red.'] }, []],
])('which tests were asked with other expectations is part of the result: %s', (_, over, wanted) => {
  const lines = linesOf({ rows: NEEDING, ...over });
  expect(lines.filter((line) => /^ {2}(?:exchanged|unknown)/.test(line))).toEqual(wanted);
});

test('many tests of one file that show the same are told by the first ones and their number', () => {
  const rows = (count: number, how: 'assertion' | 'missing', file = 'test/a.js') =>
    Array.from({ length: count }, (_, at) => ({
      ...{ test: `${file}::${how} ${at}`, role: 'proves' as const, without: 'fail', head: ['pass'] },
      ...{ how, said: '' },
    }));
  const told = (...of: readonly (readonly unknown[])[]) =>
    linesOf({ rows: of.flat() as Proof['rows'] }).filter((line) => line.startsWith('  proves'));
  expect(told(rows(7, 'assertion'), rows(7, 'missing'))).toHaveLength(14);
  const many = told(rows(12, 'assertion'), rows(2, 'missing'), rows(1, 'assertion', 'test/b.js'));
  expect(many).toHaveLength(7 + 1 + 2 + 1);
  expect(many[6]).toContain('test/a.js::assertion 6');
  expect(many[7]).toBe(
    '  proves      and 5 more tests of test/a.js, each of which fails by assertion without the change (`--json` names them)',
  );
  expect(told(rows(8, 'missing'))[7]).toBe(
    '  proves      and 1 more test of test/a.js, which cannot be run to its end without the change (`--json` names it)',
  );
});
