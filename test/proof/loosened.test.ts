/** Tests that a change loosens. */
import { describe, expect, test } from 'vitest';
import { aboutIn, assertionsIn, loosened } from '../../src/proof/loosened.ts';
import type { ProofRow, Role } from '../../src/proof/proof.ts';
import type { TestResult } from '../../src/test-runs/test-run.ts';

type Tests = Readonly<Record<string, TestResult>>;

const PASS: TestResult = { outcome: 'pass', message: '' };
const FAIL: TestResult = { outcome: 'fail', message: 'AssertionError: 1 !== 2' };
const RAISED: TestResult = { outcome: 'load-error', message: 'RangeError: too large', isRaised: true };
const MISSING: TestResult = { outcome: 'load-error', message: 'TypeError: shop.add is not a function', isRaised: true };

const rowOf = ([test, role]: readonly [string, Role]): ProofRow => ({
  ...{ test, role, without: 'pass', head: ['pass'], how: role === 'proves' ? 'assertion' : null, said: '' },
});
const found = (
  base: Tests,
  asBefore: Tests,
  rows: Readonly<Record<string, Role>>,
  assertsAsBefore = () => false,
  isAbout: (before: string, now: string) => boolean = () => true,
  assertions = () => ({ before: 1, now: 1 }),
) =>
  loosened({
    base: new Map(Object.entries(base)),
    asBefore: new Map(Object.entries(asBefore)),
    rows: Object.entries(rows).map(rowOf),
    assertsAsBefore,
    isAbout,
    assertions,
  }).map(({ rule, severity, message }) => `${rule} ${severity} ${message.split(' ')[0]}`);

const LOOSENED = 'test-loosened blocker';

test('a test that was red with the change, and is now content with both, is one', () => {
  expect(found({ 'a::one': PASS }, { 'a::one': FAIL }, { 'a::one': 'keeps', 'a::two': 'proves' })).toEqual([
    `${LOOSENED} a::one`,
  ]);
});

test.each<[string, Tests, Tests, Readonly<Record<string, Role>>]>([
  ['that is still green as it was', { 'a::one': PASS }, { 'a::one': PASS }, { 'a::one': 'keeps' }],
  ['that was red on the base', { 'a::one': FAIL }, { 'a::one': FAIL }, { 'a::one': 'keeps' }],
  ['that asks for what is no longer there', { 'a::one': PASS }, { 'a::one': MISSING }, { 'a::one': 'keeps' }],
  [
    'in whose place one stands that needs the change',
    { 'a::one': PASS },
    { 'a::one': FAIL },
    { 'a::the one': 'proves' },
  ],
  ['whose case has another name now', { 'a::f[1-2]': PASS }, { 'a::f[1-2]': FAIL }, { 'a::f[1-3]': 'proves' }],
])('a test %s is none', (_, base, asBefore, rows) => {
  expect(found(base, asBefore, rows)).toEqual([]);
});

test('one that needs the change and was red with it as it was is told, whether it failed or something was thrown', () => {
  for (const before of [FAIL, RAISED])
    expect(found({ 'a::one': PASS }, { 'a::one': before }, { 'a::one': 'proves' })).toEqual([
      'test-loosened minor a::one',
    ]);
  expect(found({ 'a::one': PASS }, { 'a::one': MISSING }, { 'a::one': 'proves' })).toEqual([]);
});

test('one that cannot be asked as it was, because its names are others, is told where it asserts less often', () => {
  const told = (now: number) =>
    found({ 'a::one': PASS }, { 'a::one': MISSING }, { 'a::one': 'proves' }, undefined, undefined, () => ({
      before: 2,
      now,
    }));
  expect([told(1), told(2), told(3)]).toEqual([['test-loosened minor a::one'], [], []]);
});

test('a case that is exchanged for one that keeps is one, whatever else needs the change', () => {
  const rows = { 'a::f[12]': 'keeps', 'a::g': 'proves' } as const;
  expect(found({ 'a::f[11]': PASS }, { 'a::f[11]': FAIL }, rows)).toEqual([`${LOOSENED} a::f[11]`]);
});

test('of two that are gone one new test stands for one', () => {
  const base = { 'a::one': PASS, 'a::two': PASS };
  expect(found(base, { 'a::one': FAIL, 'a::two': FAIL }, { 'a::new': 'proves' })).toEqual([`${LOOSENED} a::two`]);
});

test('a new test that asks something else stands for none', () => {
  const base = { 'a::one': PASS, 'a::two': PASS };
  const isAbout = (before: string, now: string) => before === 'a::two' && now === 'a::new';
  expect(found(base, { 'a::one': FAIL, 'a::two': FAIL }, { 'a::new': 'proves' }, () => false, isAbout)).toEqual([
    `${LOOSENED} a::one`,
  ]);
});

test.each([
  ['that calls the same', "test('new', () => { assert.equal(shout('b'), 'B'); });", true],
  ['that calls something else', "test('new', () => { assert.equal(slug('b'), 'b'); });", false],
])('a test %s', (_, text, isIt) => {
  const before = new Map([['a', "test('old', () => { assert.equal(shout('a'), 'A'); });"]]);
  expect(aboutIn(before, new Map([['a', text]]))('a::old', 'a::new')).toBe(isIt);
});

test('a test is read in its own class or suite, also where another one has it by the same name', () => {
  const python = (first: string, second: string) =>
    `class One(TestCase):\n    def test_it(self):\n        ${first}\n\n\nclass Two(TestCase):\n    def test_it(self):\n        ${second}\n`;
  const before = new Map([['a', python('gray()', 'part()')]]);
  const about = aboutIn(before, new Map([['a', python('gray()', 'part(1)')]]));
  expect([about('a::Two.test_it', 'a::Two.test_it'), about('a::Two.test_it', 'a::One.test_it')]).toEqual([true, false]);
  const script = (first: string, second: string) =>
    `describe('one', () => {\n  test('it', () => { ${first}; });\n});\ndescribe('two', () => {\n  test('it', () => { ${second}; });\n});\n`;
  const old = new Map([['a', script('gray()', 'part()')]]);
  expect(aboutIn(old, old)('a::two > it', 'a::one > it')).toBe(false);
});

test('a test that asks through a helper of its file is about what that calls', () => {
  const helped = 'def check(n, wanted):\n    assert tier(n) == wanted\n\ndef test_new():\n    check(200, "gold")\n';
  const before = new Map([['a', 'def test_old():\n    assert tier(100) == "gold"\n']]);
  expect(aboutIn(before, new Map([['a', helped]]))('a::test_old', 'a::test_new')).toBe(true);
});

test('a test that calls nothing of its own may be about anything', () => {
  const before = new Map([['a', "test('old', () => { assert.equal(total, 1); });"]]);
  expect(aboutIn(before, new Map())('a::old', 'a::new')).toBe(true);
});

test.each([['a::one'], ['b::one']])(
  'a test that needs the change now is told: it may have lost what it asked (%s)',
  (id) => {
    expect(found({ 'a::one': PASS }, { 'a::one': FAIL }, { [id]: 'proves' })).toEqual(['test-loosened minor a::one']);
  },
);

test('an exception with the change is only told', () => {
  expect(found({ 'a::one': PASS }, { 'a::one': RAISED }, { 'a::one': 'keeps' })).toEqual([
    'test-loosened minor a::one',
  ]);
});

test('a test with another set-up and the same assertions is only told', () => {
  const rows = { 'a::one': 'keeps', 'a::two': 'proves' } as const;
  expect(found({ 'a::one': PASS }, { 'a::one': FAIL }, rows, () => true)).toEqual(['test-loosened minor a::one']);
});

describe('a test asserts all that it did', () => {
  const script = (set: string, asks: string) =>
    `test('one', () => {\n  ${set}\n  ${asks}\n});\ntest('two', () => {});\n`;
  const python = (set: string, asks: string) => `def test_one(case):\n    ${set}\n    ${asks}\n`;
  test.each([
    [
      'with more set up',
      script('const a = f();', 'expect(a).toBe(1);'),
      script('const a = f(2);', 'expect(a).toBe(1);'),
    ],
    [
      'with an assertion more',
      script('', 'expect(f()).toBe(1);'),
      script('expect(g()).toBe(2);', 'expect(f()).toBe(1);'),
    ],
    ['in Python', python('a = f()', 'assert a == 1'), python('a = f(2)', 'assert a == 1')],
    [
      'with one more argument for the product',
      script('', 'assert.equal(f([1, 2]), 3);'),
      script('', "assert.equal(f([1, 2], { code: 'EUR' }), 3);"),
    ],
    ['with its first argument', script('', 'expect(f()).toBe(1);'), script('', 'expect(f(3)).toBe(1);')],
    ['with a named one in Python', python('', 'assert f(1) == 2'), python('', 'assert f(1, rate=1) == 2')],
  ])('%s', (_, before, now) => {
    const id = before.startsWith('def') ? 'a::test_one[x-1]' : 'a::one';
    expect(assertionsIn(new Map([['a', before]]), new Map([['a', now]]), new Set('a'))(id, id)).toBe(true);
  });

  test.each([
    ['with another value', script('', 'expect(f()).toBe(1);'), script('', 'expect(f()).toBe(2);')],
    [
      'with more arguments in a line that nobody has written',
      script('', `expect(f(${'1, '.repeat(400)}1)).toBe(1);`),
      script('', `expect(f(${'1, '.repeat(400)}1, 1)).toBe(1);`),
    ],
    ['with less precision', script('', 'expect(f()).toBeCloseTo(1);'), script('', 'expect(f()).toBeCloseTo(1, -5);')],
    [
      'with a wide delta',
      python('', 'self.assertAlmostEqual(f(), 1)'),
      python('', 'self.assertAlmostEqual(f(), 1, delta=9)'),
    ],
    ['with a way out', script('', 'assert.equal(f(1), 2);'), script('', 'assert.equal(f(1) || 2, 2);')],
    [
      'with another argument in place of one',
      script('', 'expect(f(1)).toBe(1);'),
      script('', 'expect(f(10)).toBe(1);'),
    ],
    [
      'with two calls where there was one',
      script('', 'assert.equal(f(1), 2);'),
      script('', 'assert.equal(f(1), f(1), 2);'),
    ],
    [
      'in the place of two',
      script('assert.equal(f(1), 2);', 'assert.equal(f(1), 2);'),
      script('', 'assert.equal(f(1, 1), 2);'),
    ],
    [
      'with another matcher at its end',
      script('expect(() => {', '}).not.toThrow();'),
      script('expect(() => {', '}).toThrow();'),
    ],
    [
      'without one of two',
      script('assert.equal(f(), 1);', 'assert.equal(f(), 1);'),
      script('', 'assert.equal(f(), 1);'),
    ],
    ['without any that can be read', script('', 'check(f());'), script('', 'check(f());')],
    ['in Python with another one', python('a = f()', 'assert a == 1'), python('a = f()', 'assert a > 0')],
  ])('not %s', (_, before, now) => {
    const id = before.startsWith('def') ? 'a::test_one' : 'a::one';
    expect(assertionsIn(new Map([['a', before]]), new Map([['a', now]]), new Set('a'))(id, id)).toBe(false);
  });
});

test('a test whose helper asserts something else does not assert all that it did', () => {
  const asking = "test('one', () => {\n  check(f(), 1);\n  expect(1).toBe(1);\n});\n";
  const helper = (line: string) => `exports.check = (got, wanted) => {\n  ${line}\n};\n`;
  const holds = (before: string, now: string) =>
    assertionsIn(
      new Map([
        ['a', asking],
        ['help/check.js', helper(before)],
      ]),
      new Map([
        ['a', asking],
        ['help/check.js', helper(now)],
      ]),
      new Set('a'),
    )('a::one', 'a::one');
  const exact = 'assert.equal(got, wanted);';
  expect(holds(exact, `log(got);\n  ${exact}`)).toBe(true);
  expect(holds(exact, 'assert.equal(lower(got), lower(wanted));')).toBe(false);
});
