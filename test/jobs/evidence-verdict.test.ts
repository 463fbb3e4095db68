import { describe, expect, it } from 'vitest';
import { changeVerdict, keepVerdict, metricVerdict, type Outcomes } from '../../src/jobs/verify/evidence-verdict.ts';
import type { Outcome } from '../../src/loop/brief.ts';
import { hasAssertion } from '../../src/rules/assertions.ts';

describe('the rules of proof', () => {
  const OUTCOMES: readonly Outcome[] = ['pass', 'fail', 'load-error', 'not-run'];
  /** All 512 combinations. */
  const every = OUTCOMES.flatMap((base) =>
    OUTCOMES.flatMap((head) =>
      OUTCOMES.flatMap((reverted) =>
        OUTCOMES.flatMap((mutated) => [true, false].map((asserts) => ({ base, head, reverted, mutated, asserts }))),
      ),
    ),
  );
  const PROVEN: Outcomes = { base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', asserts: true };
  const KEPT: Outcomes = { ...PROVEN, base: 'pass', reverted: 'not-run' };
  const LOAD_ERROR = 'on the base it breaks before it can assert (load-error), which any test does';
  const UNSEEN =
    'no fault in the change makes a test of the requirement fail, so none looks at what the change does: assert on results';

  it('prove a change in exactly four combinations of outcomes', () => {
    for (const all of every) {
      const isRed = all.reverted === 'fail' || all.reverted === 'load-error';
      const isLookedAt = all.mutated === 'fail' || all.mutated === 'not-run';
      const isRight = all.asserts && all.base === 'fail' && all.head === 'pass' && isRed;
      expect([all, changeVerdict(all).proven]).toEqual([all, isRight && isLookedAt]);
      expect(changeVerdict(all).reason).not.toBe('');
    }
    expect(every.filter((all) => changeVerdict(all).proven)).toHaveLength(4);
  });

  it('prove behaviour that stays in exactly one', () => {
    for (const all of every) {
      const isGreen = all.base === 'pass' && all.head === 'pass';
      expect([all, keepVerdict(all).proven]).toEqual([all, all.asserts && isGreen && all.mutated === 'fail']);
      expect(keepVerdict(all).reason).not.toBe('');
    }
  });

  it.each<[Partial<Outcomes>, string]>([
    [{}, 'fails on the base by assertion, passes on the head, red with the change taken back'],
    [{ asserts: false, base: 'pass' }, 'the test asserts nothing'],
    [{ base: 'pass' }, 'it passes on the base already, so it does not show the change'],
    [{ base: 'load-error', head: 'fail' }, LOAD_ERROR],
    [{ base: 'not-run' }, 'on the base it did not run'],
    [{ head: 'fail', reverted: 'pass' }, 'on the head it is fail, not pass'],
    [{ head: 'load-error' }, 'on the head it is load-error, not pass'],
    [{ head: 'not-run' }, 'on the head it is not-run, not pass'],
    [{ reverted: 'pass', mutated: 'pass' }, 'it still passes when the change is taken back'],
    [{ reverted: 'not-run' }, 'it did not run with the change taken back'],
    [{ mutated: 'pass' }, UNSEEN],
    [{ mutated: 'load-error' }, UNSEEN],
  ])('say of a change with %j: %s', (changes, reason) => {
    expect(changeVerdict({ ...PROVEN, ...changes }).reason).toBe(reason);
  });

  it.each<[Partial<Outcomes>, string]>([
    [{}, 'passes on the base and on the head, and notices a fault in the product'],
    [{ asserts: false, base: 'fail' }, 'the test asserts nothing'],
    [{ base: 'fail', head: 'fail' }, 'on the base it is fail, so there is nothing to keep'],
    [{ base: 'not-run' }, 'on the base it is not-run, so there is nothing to keep'],
    [{ head: 'fail', mutated: 'pass' }, 'on the head it is fail, not pass'],
    [{ mutated: 'pass' }, 'no fault in the product makes it fail, so nothing shows that it guards anything'],
    [{ mutated: 'not-run' }, 'no fault in the product makes it fail, so nothing shows that it guards anything'],
  ])('say of behaviour that stays with %j: %s', (changes, reason) => {
    expect(keepVerdict({ ...KEPT, ...changes }).reason).toBe(reason);
  });

  it('prove a number only when it was measured and is within its limit', () => {
    const metric = { name: 'p95_ms', operator: '<=' as const, value: 100, unit: 'ms' };
    expect([99, 100, 101, undefined, Number.NaN].map((value) => metricVerdict(metric, value).proven)).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(metricVerdict(undefined, 1).proven).toBe(false);
  });
});

describe('a test asserts something', () => {
  const file = `import test from 'node:test';
function check(value) { assert.ok(value); }
function prepare(value) { return value; }
test('asserts', () => { assert.equal(1, 1); });
test('calls a helper', () => { check(1); });
test('only runs', () => { prepare(1); });
test('expects', () => { expect(1).toBe(1); });
`;
  it.each([
    ['asserts', true],
    ['outer > calls a helper', true],
    ['only runs', false],
    ['expects', true],
  ])('%s: %s', (name, expected) => {
    expect(hasAssertion(file, name)).toBe(expected);
  });

  it('whatever else in the file has its name', () => {
    const named = "import { parts } from '../src/parts.js';\ntest('parts', () => assert.equal(parts(1), 2));\n";
    expect(hasAssertion(named, 'parts')).toBe(true);
  });

  it.each([
    'strictEqual(parts(1), 2)',
    'ok(parts(1))',
    'notDeepStrictEqual(parts(1), [2])',
    'await rejects(parts(-1), RangeError)',
    't.throws(() => parts(-1))',
    'doesNotThrow(() => parts(1))',
  ])('by a name of its own: %s', (line) => {
    const text = (body: string) => `import test from 'node:test';\ntest('one', async (t) => {\n  ${body};\n});\n`;
    expect(hasAssertion(text(line), 'one')).toBe(true);
    expect(hasAssertion(text('parts(1)'), 'one')).toBe(false);
  });

  it('also in Python', () => {
    const python =
      'class A(TestCase):\n    def test_one(self):\n        self.assertEqual(1, 1)\n    def test_two(self):\n        run()\n';
    expect([hasAssertion(python, 'A.test_one'), hasAssertion(python, 'A.test_two')]).toEqual([true, false]);
  });
});
