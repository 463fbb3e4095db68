/** Test files whose assertions expect something else. */
import { describe, expect, test } from 'vitest';
import { withOtherExpectations } from '../../src/rules/expectations.ts';
import { isNamedBy } from '../../src/rules/test-names.ts';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';

const parsers = await loadParsers(installedParsers());
const altered = (file: string, text: string) => withOtherExpectations(parsers, file, text);
const script = (assertion: string) => altered('a.test.ts', `test('one', () => {\n  ${assertion}\n});\n`);
const python = (assertion: string) => altered('test_a.py', `def test_one(self):\n    ${assertion}\n`);
const second = (text: string | undefined) => text?.split('\n')[1]?.trim();

describe('what an assertion of a script expects is another', () => {
  test.each([
    ['expect(f(1)).toBe(2);', 'expect(f(1)).toBe(3);'],
    ["expect(f('a')).toEqual('b');", "expect(f('a')).toEqual('c');"],
    ['expect(f()).toStrictEqual({ a: [g(), -1] });', 'expect(f()).toStrictEqual({ a: [g(), -2] });'],
    ['await expect(f()).resolves.toBe(true);', 'await expect(f()).resolves.toBe(false);'],
    ['expect(f()).toEqual([]);', 'expect(f()).toEqual([0]);'],
    ['expect(f()).toEqual({});', 'expect(f()).toEqual({ altered: 0 });'],
    ['expect(f()).to.deep.equal(null);', 'expect(f()).to.deep.equal(0);'],
    ['expect(f()).toBe(1.5 as number);', 'expect(f()).toBe(1.51 as number);'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
    ['expect(f()).toBe(`${a}b`);', 'expect(f()).toBe(`${a}b~`);'],
    ["assert.equal(f(1), 2, 'why');", "assert.equal(f(1), 3, 'why');"],
    ['assert.deepStrictEqual([1], f(1));', 'assert.deepStrictEqual([2], f(1));'],
    ['t.assert.strictEqual(f(), undefined);', 't.assert.strictEqual(f(), 0);'],
    ['t.equal(f(), 1);', 't.equal(f(), 2);'],
    ["strictEqual(f(), 'Quiz-9!');", "strictEqual(f(), 'Quiz-0!');"],
    ["expect(f()).toBe('\\n');", "expect(f()).toBe('\\n~');"],
    ["expect(f()).toBe('');", "expect(f()).toBe('~');"],
    ['expect(f()).toMatchObject({ a: g(), b: 1 });', 'expect(f()).toMatchObject({ a: g(), b: 2 });'],
    ['expect(f()).toHaveLength(2);', 'expect(f()).toHaveLength(3);'],
    ['expect(spy).toHaveBeenCalledTimes(1);', 'expect(spy).toHaveBeenCalledTimes(2);'],
    ["expect(f()).toHaveProperty('a.b', 'c');", "expect(f()).toHaveProperty('a.b', 'd');"],
    ["expect(f()).to.have.property('a', 1);", "expect(f()).to.have.property('a', 2);"],
    ["expect(f()).toContain('a');", "expect(f()).toContain('azqxjkvzqxjkv');"],
    ['expect(f()).toMatch(/^a$/i);', 'expect(f()).toMatch(/^a$zqxjkvzqxjkv/i);'],
    ["await expect(f()).rejects.toThrow('no');", "await expect(f()).rejects.toThrow('nozqxjkvzqxjkv');"],
    ["expect(f).to.throw(TypeError, 'no');", "expect(f).to.throw(TypeError, 'nozqxjkvzqxjkv');"],
    ["expect(f()).to.include('a', 'why');", "expect(f()).to.include('azqxjkvzqxjkv', 'why');"],
    ["expect(f).to.throw('no', 'why');", "expect(f).to.throw('nozqxjkvzqxjkv', 'why');"],
    ["assert.partialDeepStrictEqual(f(), { a: 'b' });", "assert.partialDeepStrictEqual(f(), { a: 'c' });"],
    ['assert.match(f(), /a/);', 'assert.match(f(), /azqxjkvzqxjkv/);'],
    ['assert.throws(f, /no/);', 'assert.throws(f, /nozqxjkvzqxjkv/);'],
    ["await assert.rejects(f(), { message: 'no' });", "await assert.rejects(f(), { message: 'np' });"],
  ])('%s', (before, after) => {
    expect(second(script(before)?.text)).toBe(after);
  });

  test.each([
    ['a matcher that denies', 'expect(f()).not.toBe(1);'],
    ['an assertion that denies', 'assert.notEqual(f(), 1);'],
    ['what is asked of another than `expect`', 'check(f()).toBe(1);'],
    ['what is no literal', 'expect(f()).toBe(wanted);'],
    ['an assertion of truth', 'assert.ok(f() === 1);'],
    ['a number that is the next one too', 'expect(f()).toBe(9007199254740991);'],
    ['a call that only has the name', 'same.equal(f(), 1);'],
    ['a mere call', 'is(f(), 1);'],
    ['what is there whatever it is', "expect(f()).toHaveProperty('a');"],
    ['one of several patterns', 'expect(f()).toMatch(/a|b/);'],
    ['a class', 'expect(f).toThrow(TypeError);'],
    ['what it says when it fails', "assert.throws(f, 'it does not');"],
    ['a number that something holds', 'expect(f()).toContain(1);'],
    ['what a matcher says when it fails', "expect(f()).to.include(wanted, 'it does not');"],
    ['a matcher of patterns that denies', "expect(f()).not.toContain('a');"],
    ['what is behind that which has to throw', 'expect(() => { expect(f()).toBe(1); }).toThrow();'],
    ['what is behind that which has to reject', 'await assert.rejects(async () => { assert.equal(await f(), 1); });'],
    ['what is behind that which has to throw by its own name', 'throws(function () { equal(f(), 1); }, TypeError);'],
  ])('nothing of %s', (_, assertion) => {
    expect(script(assertion)).toBeUndefined();
  });
});

describe('what an assertion of Python expects is another', () => {
  test.each([
    ['assert f(1) == 2', 'assert f(1) == 3'],
    ['assert "a" == f(1), "why"', 'assert "b" == f(1), "why"'],
    ["assert f() == f'{a}b'", "assert f() == f'{a}b~'"],
    ['assert f() == """Az"""', 'assert f() == """Aa"""'],
    ["assert f() is True and g('x')", "assert f() is False and g('x')"],
    ['assert (f() == [1, g()])', 'assert (f() == [2, g()])'],
    ['assert f() == ()', 'assert f() == (0,)'],
    ["assert f() == {'a': None}", "assert f() == {'a': 0}"],
    ['self.assertEqual(f(1), -0.5)', 'self.assertEqual(f(1), -0.51)'],
    ["self.assertEqual(b'a' b'b', f(1))", "self.assertEqual(b'a' b'c', f(1))"],
    ["assert 'a' in f(1)", "assert 'azqxjkvzqxjkv' in f(1)"],
    ["assert f'{a}' in f(1) and g()", "assert f'{a}zqxjkvzqxjkv' in f(1) and g()"],
    ["self.assertIn('a', f(1))", "self.assertIn('azqxjkvzqxjkv', f(1))"],
    ["self.assertRegex(f(1), r'a$')", "self.assertRegex(f(1), r'a$zqxjkvzqxjkv')"],
    [
      "with pytest.raises(ValueError, match='no'): f(1)",
      "with pytest.raises(ValueError, match='nozqxjkvzqxjkv'): f(1)",
    ],
    [
      "with self.assertRaisesRegex(ValueError, 'no'): f(1)",
      "with self.assertRaisesRegex(ValueError, 'nozqxjkvzqxjkv'): f(1)",
    ],
  ])('%s', (before, after) => {
    expect(second(python(before)?.text)).toBe(after);
  });

  test.each([
    ['a comparison that denies', 'assert f() != 1'],
    ['one of two that may hold', 'assert f() == 1 or g()'],
    ['a chain', 'assert 0 == f() == 1'],
    ['a denied comparison', 'assert not f() == 1'],
    ['an assertion that denies', 'self.assertNotEqual(f(), 1)'],
    ['what is no literal', 'assert f() == wanted'],
    ['one of several that it may be', "assert f() in ('a', 'b')"],
    ['one of several that are literals', "assert 'a' in ['a', f()]"],
    ['what must not be in it', "assert 'a' not in f()"],
    ['one of several patterns', "with pytest.raises(ValueError, match='a|b'): f()"],
    ['a class', 'with pytest.raises(ValueError): f()'],
    ['a number that something holds', 'assert 1 in f()'],
    ['what is behind that which has to raise', 'with pytest.raises(ValueError) as raised: assert f() == 1'],
    [
      'what is behind one of two that has to raise',
      'with g() as a, self.assertRaises(ValueError): self.assertEqual(f(), 1)',
    ],
  ])('nothing of %s', (_, assertion) => {
    expect(python(assertion)).toBeUndefined();
  });
});

test.each([
  [
    'test_a.py',
    'def test_a():\n    with raises(E):\n        assert f() == 1\n    with g():\n        assert f() == 1\n',
    'def test_a():\n    with raises(E):\n        assert f() == 1\n    with g():\n        assert f() == 2\n',
  ],
  [
    'a.test.js',
    "test('a', () => { assert.throws(() => { assert.equal(f(), 1); }); expect(() => f(1)).not.toThrow(); g(() => equal(f(), 1)); });",
    "test('a', () => { assert.throws(() => { assert.equal(f(), 1); }); expect(() => f(1)).not.toThrow(); g(() => equal(f(), 2)); });",
  ],
])('what no throw has to end is asked beside what one has to: %s', (file, before, after) => {
  expect(altered(file, before)?.text).toBe(after);
});

describe('what a table of a script expects is another, column by column', () => {
  test.each([
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
      'for (const [a, b] of [[1, 2], [3, 4]]) test(`${a}`, () => { assert.equal(f(a), b); });',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
      'for (const [a, b] of [[1, 3], [3, 5]]) test(`${a}`, () => { assert.equal(f(a), b); });',
    ],
    [
      "test.each([[1, 'a'], [2, 'b']])('%i', (n, word) => { expect(f(n)).toBe(word); });",
      "test.each([[1, 'b'], [2, 'c']])('%i', (n, word) => { expect(f(n)).toBe(word); });",
    ],
    [
      "it.each([{ n: 1, is: true }])('$n', ({ n, is: yes }) => { expect(f(n)).toEqual(yes); });",
      "it.each([{ n: 1, is: false }])('$n', ({ n, is: yes }) => { expect(f(n)).toEqual(yes); });",
    ],
    [
      "test('all', () => { for (const one of CASES) assert.equal(f(one.give), one.want); }); const CASES = [{ give: 1, want: 2 }];",
      "test('all', () => { for (const one of CASES) assert.equal(f(one.give), one.want); }); const CASES = [{ give: 1, want: 3 }];",
    ],
    [
      "test('all', () => { [[1, 9, 2]].forEach(([a, , b]) => { assert.equal(f(a), b); }); });",
      "test('all', () => { [[1, 9, 3]].forEach(([a, , b]) => { assert.equal(f(a), b); }); });",
    ],
    [
      "test('all', () => { for (const [a, b] of Object.entries({ x: 1, y: 2 })) assert.equal(f(a), b); });",
      "test('all', () => { for (const [a, b] of Object.entries({ x: 2, y: 3 })) assert.equal(f(a), b); });",
    ],
    [
      "const CASES = [[1, 2]]; CASES.push([3, 4], [5, 6]); CASES.forEach(([a, b]) => { test('x', () => { assert.equal(f(a), b); }); });",
      "const CASES = [[1, 3]]; CASES.push([3, 5], [5, 7]); CASES.forEach(([a, b]) => { test('x', () => { assert.equal(f(a), b); }); });",
    ],
    [
      "test('one', () => { const wanted = ['a']; assert.deepEqual(f(1), wanted); });",
      "test('one', () => { const wanted = ['b']; assert.deepEqual(f(1), wanted); });",
    ],
  ])('%s', (before, after) => {
    expect(altered('a.test.ts', before)?.text).toBe(after);
  });

  test.each([
    ['what goes in as well', "test('same', () => { for (const same of ['a', 'b']) assert.equal(f(same), same); });"],
    [
      'a row that goes in whole',
      "test('x', () => { for (const one of [{ want: 1 }]) assert.equal(f(one), one.want); });",
    ],
    ['a constant that is used elsewhere', "test('x', () => { const n = 2; assert.equal(f(n), n); });"],
    ['a name that is not bound here', "test('x', () => { assert.equal(f(1), wanted); });"],
    ['what is worked out', "test('x', () => { for (const a of g()) assert.equal(f(1), a); });"],
    ['a list that is filled elsewhere', "test('x', () => { const n = [2]; n.push(3); assert.deepEqual(f(1), n); });"],
  ])('nothing of %s', (_, text) => {
    expect(altered('a.test.ts', text)).toBeUndefined();
  });

  test('and its tests go by the pattern of their title', () => {
    const text = "describe('f', () => { test.each([[1, 2]])('adds %i', (a, b) => { expect(f(a)).toBe(b); }); });";
    const [name = ''] = altered('a.test.ts', text)?.lines.keys() ?? [];
    expect([isNamedBy(name, 'f > adds 1'), isNamedBy(name, 'f > takes 1'), isNamedBy('a', 'a')]).toEqual([
      ...[true, false, true],
    ]);
  });
});

describe('what a table of Python expects is another, column by column', () => {
  test.each([
    [
      '@pytest.mark.parametrize("a, b", [(1, 2), pytest.param(3, 4, id="x")])\ndef test_f(a, b):\n    assert f(a) == b\n',
      '@pytest.mark.parametrize("a, b", [(1, 3), pytest.param(3, 5, id="x")])\ndef test_f(a, b):\n    assert f(a) == b\n',
    ],
    [
      '@pytest.mark.parametrize("a, b", [(1, 2)])\ndef test_f(a: int, b: int | None) -> None:\n    assert f(a) == b\n',
      '@pytest.mark.parametrize("a, b", [(1, 3)])\ndef test_f(a: int, b: int | None) -> None:\n    assert f(a) == b\n',
    ],
    [
      '@pytest.mark.parametrize(("a", "b"), CASES)\n@slow\ndef test_f(a, b):\n    assert f(a) == b\nCASES = [[1, "a"]]\n',
      '@pytest.mark.parametrize(("a", "b"), CASES)\n@slow\ndef test_f(a, b):\n    assert f(a) == b\nCASES = [[1, "b"]]\n',
    ],
    [
      'def test_f(self):\n    for a, b in [(1, 2)]:\n        with self.subTest(a):\n            self.assertEqual(f(a), b)\n',
      'def test_f(self):\n    for a, b in [(1, 3)]:\n        with self.subTest(a):\n            self.assertEqual(f(a), b)\n',
    ],
    [
      'def test_f():\n    cases = {"a": 1}\n    for a, b in cases.items():\n        assert f(a) == b\n',
      'def test_f():\n    cases = {"a": 2}\n    for a, b in cases.items():\n        assert f(a) == b\n',
    ],
    [
      'CASES = []\nCASES.append((1, 2))\nCASES.extend([(3, 4)])\ndef test_f():\n    for a, b in CASES:\n        assert f(a) == b\n',
      'CASES = []\nCASES.append((1, 3))\nCASES.extend([(3, 5)])\ndef test_f():\n    for a, b in CASES:\n        assert f(a) == b\n',
    ],
    [
      'def test_f():\n    wanted = [1]\n    assert f() == wanted\n',
      'def test_f():\n    wanted = [2]\n    assert f() == wanted\n',
    ],
  ])('%s', (before, after) => {
    expect(altered('test_a.py', before)?.text).toBe(after);
  });

  test.each([
    ['what goes in as well', 'def test_f():\n    for same in ["a"]:\n        assert f(same) == same\n'],
    ['a fixture', 'def test_f(wanted):\n    assert f(1) == wanted\n'],
    ['what is set twice', 'def test_f():\n    wanted = 1\n    wanted = g()\n    assert f() == wanted\n'],
  ])('nothing of %s', (_, text) => {
    expect(altered('test_a.py', text)).toBeUndefined();
  });
});

test('says of each test where it was altered, by the name that its runner reports', () => {
  const text = [
    "describe('f', () => {",
    "  it('adds', () => {",
    '    expect(f(1)).toBe(2);',
    '    expect(f(2)).toBe(3);',
    '  });',
    "  it.only('takes', () => expect(g(1)).toBe(0));",
    '  it(name, () => expect(g(1)).toBe(0));',
    '});',
    'const check = () => expect(f(1)).toBe(2);',
  ].join('\n');
  expect([...(altered('a.test.js', text)?.lines ?? [])].toSorted()).toEqual([
    ['f > adds', expect.arrayContaining([3, 4])],
    ['f > takes', [6]],
  ]);
  const classes = 'class TestF:\n    def test_adds(self):\n        assert f(1) == 2\n';
  expect([...(altered('test_a.py', classes)?.lines ?? [])]).toEqual([['TestF.test_adds', [3]]]);
});

test('alters nothing of tests that share a name, nor in a file that it cannot read', () => {
  const twice = "test('one', () => expect(f()).toBe(1));\ntest('one', () => expect(g()).toBe(1));\n";
  expect(altered('a.test.js', twice)).toBeUndefined();
  expect(altered('a.test.rb', 'expect(f()).toBe(1)')).toBeUndefined();
});
