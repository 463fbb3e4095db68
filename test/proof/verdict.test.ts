/** What the rows of a proof come to. */
import { describe, expect, test } from 'vitest';
import { defect } from '../../src/loop/defect.ts';
import type { Strength } from '../../src/loop/strength.ts';
import type { ProofRow } from '../../src/proof/proof.ts';
import { type Grounds, verdictOf } from '../../src/proof/verdict.ts';

const row = (role: ProofRow['role'], how: ProofRow['how'] = role === 'proves' ? 'assertion' : null): ProofRow => ({
  test: `a.test.js::${role}`,
  role,
  without: 'fail',
  head: ['pass'],
  how,
  said: 'what it said',
});
const strength = (made: number, noticed: number): Strength => ({
  made,
  noticed,
  unmeasured: 0,
  unreached: [],
  survivors: [],
});
const SOUND: Grounds = {
  onlyKeeps: false,
  product: ['a.js'],
  tests: ['a.test.js'],
  rows: [row('proves'), row('keeps')],
  lost: new Map(),
  broken: new Map(),
  findings: [],
  strength: strength(10, 9),
  readers: new Set(),
};

test('a change with a test that needs it, and nothing against it, is proved', () => {
  expect(verdictOf(SOUND)).toEqual({ verdict: 'proved', reasons: [] });
});

test.each([
  [strength(10, 8), 'proved'],
  [strength(10, 7), 'weakly proved'],
  [strength(1, 0), 'weakly proved'],
  [{ ...strength(0, 0), unreached: [{ file: 'a.js', line: 2 }] }, 'weakly proved'],
  [{ ...strength(2, 2), unreached: [1, 2, 3].map((line) => ({ file: 'a.js', line })) }, 'weakly proved'],
  [{ ...strength(3, 3), unreached: [1, 2, 3].map((line) => ({ file: 'a.js', line })) }, 'proved'],
  [strength(0, 0), 'proved'],
  [null, 'proved'],
])('with the strength %j it is %s', (found, verdict) => {
  expect(verdictOf({ ...SOUND, strength: found }).verdict).toBe(verdict);
});

test('a list that asks only that things stay needs no test that fails without the change', () => {
  const kept = { ...SOUND, rows: [row('keeps')], onlyKeeps: true };
  expect(verdictOf(kept)).toEqual({ verdict: 'proved', reasons: [] });
  expect(verdictOf({ ...kept, tests: [], rows: [] }).verdict).toBe('proved');
  expect(verdictOf({ ...kept, rows: [row('red')] }).verdict).toBe('not proved');
});

test('a test that reads the text of the change does not speak against it where another one needs the change', () => {
  const rows = [row('proves'), { ...row('proves'), test: 'a.test.js::reads' }];
  expect(verdictOf({ ...SOUND, rows, readers: new Set(['a.test.js::reads']) }).verdict).toBe('proved');
});

test('a test that was red on the base does not speak against it', () => {
  expect(verdictOf({ ...SOUND, rows: [row('proves'), row('red before')] }).verdict).toBe('proved');
});

test('where something else speaks against it, nothing is said of faults that nobody tried', () => {
  const { reasons } = verdictOf({ ...SOUND, rows: [row('proves', 'missing'), row('red')], strength: null });
  expect(reasons).toEqual([expect.stringContaining('does not pass on the head')]);
});

test('a file that misses what only a build makes says how to make it', () => {
  const why = "Error: Cannot find module '../dist/a.js'\nRequire stack:\n- /x";
  const { reasons } = verdictOf({ ...SOUND, broken: new Map([['b.test.js', why]]) });
  expect(reasons).toEqual([
    "b.test.js cannot be run on the head: Error: Cannot find module '../dist/a.js' (has it to be installed, or made by `--build CMD`? What git ignores is not there.)",
  ]);
});

const finding = defect({ rule: 'test-left-out', file: 'a.test.js', about: 'x', message: 'It leaves tests out.' });

test('what is only told does not speak against it', () => {
  expect(verdictOf({ ...SOUND, findings: [{ ...finding, severity: 'minor' }] }).verdict).toBe('proved');
});

describe('it is not proved, and says why, where', () => {
  test.each<[string, Partial<Grounds>, RegExp]>([
    ['nothing but tests changed', { product: [] }, /nothing but tests/],
    ['no test changed', { tests: [], rows: [] }, /No test was added or changed/],
    ['the runner finds no test', { rows: [] }, /^No test was found in what was changed of the tests/],
    [
      'no test needs the change',
      { rows: [row('keeps'), row('left out')] },
      /^No test in changed files fails without the change and passes with it \(2 run\)/,
    ],
    ['a test is red', { rows: [row('proves'), row('red')] }, /red does not pass on the head: what it said/],
    ['a test is flaky', { rows: [row('proves'), row('flaky')] }, /is not stable/],
    ['a file cannot be run', { broken: new Map([['b.test.js', 'no module']]) }, /b\.test\.js cannot be run/],
    ['another test passes no longer', { lost: new Map([['b::x', 'Error']]) }, /b::x passes on the base and no longer/],
    [
      'the tests that need the change read its text',
      { readers: new Set(['a.test.js::proves']) },
      /^The tests that need the change read its text.*: a\.test\.js::proves\.$/,
    ],
    ['tests are left out', { findings: [finding] }, /It leaves tests out/],
  ])('%s', (_, against, reason) => {
    const { verdict, reasons } = verdictOf({ ...SOUND, ...against });
    expect(verdict).toBe('not proved');
    expect(reasons).toEqual([expect.stringMatching(reason)]);
  });

  test.each([
    [null, 'no fault could be made'],
    [strength(3, 0), 'none of 3 faults was noticed'],
  ])('its tests only miss what is not there yet, and faults (%j) show nothing more', (found, said) => {
    const { verdict, reasons } = verdictOf({ ...SOUND, rows: [row('proves', 'missing')], strength: found });
    expect(verdict).toBe('not proved');
    expect(reasons.join()).toContain(said);
  });
});

test('tests that only miss what is not there yet prove it where they notice a fault in it', () => {
  expect(verdictOf({ ...SOUND, rows: [row('proves', 'missing')] }).verdict).toBe('proved');
});
