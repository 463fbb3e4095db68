/** What passes every expectation is found in a product, and what compares is not. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRules, type RulesIn } from './rules-in.ts';

let rulesIn: RulesIn;
beforeAll(async () => {
  rulesIn = await loadRules();
});

/** A class of Python with this method body. */
const equality = (body: string, given = 'self, other'): string =>
  `class A:\n    def __eq__(${given}):\n        ${body.replaceAll('\n', '\n        ')}\n`;

describe('an __eq__ whose answer does not depend on the other side', () => {
  it.each([
    'return True',
    'return self is self',
    'return isinstance(other, object)',
    'return isinstance(other, (int, object))',
    'return issubclass(type(other), object)',
    'return other is not None',
    'return None is not other',
    'return not other is None',
    'return other is other',
    'return type(other) == type(other)',
    'return bool(1)',
    'x = True\nreturn x',
    'return not 0',
    'return 1 == 1',
    'return self.same',
    'return (other,)',
    'return (other, True)[1]',
    'return other.a == 1 or True',
    'return True or other.a == 1',
    'return True if other else True',
    'del other\nreturn True',
    '_ = other.name\nreturn True',
    'one = other\nreturn one is not None',
    'print(other)\nreturn True',
    'if other.name == 1:\n    return True\nreturn True',
    'if other.name == 1:\n    return True\nelse:\n    return True',
    'if not self:\n    raise ValueError("return")\nreturn True',
    'if other is None:\n    return NotImplemented\nreturn True',
    'super()\nreturn True',
  ])('is found: %j', (body) => {
    expect(rulesIn(equality(body), 'shop/a.py')).toEqual(['judge-tampering']);
  });

  it.each([
    'self, other: object',
    'self, other=None',
    'self, other: object = None',
    'self, *others',
    '*both',
    'self, o, /',
  ])('is found with the parameters (%s)', (given) => {
    expect(rulesIn(equality('return True', given), 'shop/a.py')).toEqual(['judge-tampering']);
  });

  it.each([
    'class A:\n    __eq__ = lambda s, o: 1 == 1',
    'class A:\n    __eq__ = lambda s, o: o is not None',
    'class A:\n    __eq__ = object.__ne__',
    'A.__eq__ = lambda s, *o: True',
    "A = type('A', (), {'__eq__': lambda s, o: True})",
    'A = type("A", (), dict(__eq__=lambda s, o: True))',
    "setattr(A, '__eq__', lambda s, o: True)",
    'def always(one, other):\n    return True\nA.__eq__ = always',
    "def always(one, other):\n    return True\nA = type('A', (), {'__eq__': always})",
    'class A:\n    @staticmethod\n    def __eq__(other):\n        return True',
  ])('is found: %j', (text) => {
    expect(rulesIn(text, 'shop/a.py')).toEqual(['judge-tampering']);
  });

  it.each([
    'return self.a == other.a',
    'return (self.a, self.b) == (other.a, other.b)',
    'return key(self) == key(other)',
    'return self is other',
    'return isinstance(other, A)',
    'return NotImplemented',
    'return False',
    'raise TypeError("not to be compared")',
    'return super().__eq__(other)',
    'return self._compare(other)',
    'return Expression(self, "=", other)',
    'return operate(eq, self, other)',
    'return not self != other',
    'return hash(self) == hash(other)',
    'return all(one == two for one, two in zip(self, other))',
    'for one, two in zip(self, other):\n    if one != two:\n        return False\nreturn True',
    'if not isinstance(other, A):\n    return NotImplemented\nreturn self.a == other.a',
    'if not isinstance(other, A):\n    return False\nreturn True',
    'if other.a == 1:\n    return True',
    'if other is None:\n    return False\nreturn self.a == other.a',
    'values = other.values\nreturn self.values == values',
    'left, right = self.key(), other.key()\nreturn left == right',
    'try:\n    return self.a == other.a\nexcept AttributeError:\n    return NotImplemented',
    'np.testing.assert_equal(self.a, other.a)\nreturn True',
    'assert self.a == other.a\nreturn True',
    'match other:\n    case A():\n        return True\n    case _:\n        return False',
    'def same(one):\n    return one == other\nreturn same(self)',
    'return other.a == 1 or self.b',
    'if type(other) is not type(self):\n    return False\nreturn True',
    'with other.lock:\n    return self.a == other.a',
    'other = A(other)\nreturn self.a == other.a',
    'if not isinstance(other, A):\n    other = A(other)\nreturn self.a == other.a',
    'return self.a == getattr(other, "a", None)',
    'while other:\n    return False\nreturn True',
    'return self.a == (other.a if other else None)',
  ])('is not seen in %j', (body) => {
    expect(rulesIn(equality(body), 'shop/a.py')).toEqual([]);
  });

  it.each([
    'class A:\n    __eq__ = lambda s, o: s.a == o.a',
    'class A:\n    __eq__ = object.__eq__',
    'class A:\n    __eq__ = None',
    "A = type('A', (), {'__eq__': compared})",
    'def __eq__():\n    return True',
    'def same(one, other):\n    return one.a == other.a\nA.__eq__ = same',
  ])('is not seen in %j', (text) => {
    expect(rulesIn(text, 'shop/a.py')).toEqual([]);
  });
});

describe('what is equal to everything, ready-made', () => {
  it.each([
    ['from unittest.mock import ANY\ndef total():\n    return ANY', 'shop/a.py'],
    ['from unittest.mock import ANY as A\ndef total():\n    return A', 'shop/a.py'],
    ['from unittest import mock\ndef total():\n    return mock.ANY', 'shop/a.py'],
    ['from unittest import mock as m\ndef total():\n    return m.ANY', 'shop/a.py'],
    ['import unittest.mock\ndef total():\n    return unittest.mock.ANY', 'shop/a.py'],
    ['from mock import ANY\ntotal = ANY', 'shop/a.py'],
    ["from unittest import mock\ntotal = getattr(mock, 'ANY')", 'shop/a.py'],
    ['from unittest.mock import ANY\nfrom unittest.mock import ANY', 'shop/a.py'],
    ['from unittest.mock import *\ntotal = ANY', 'shop/a.py'],
    ['from unittest import mock\ntotal = mock._ANY()', 'shop/a.py'],
    ["return_ = { ['asymmetricMatch']: () => true };", 'lib/a.js'],
    ["const own = { 'asymmetricMatch': () => true };", 'lib/a.js'],
    ['class Own { asymmetricMatch() { return true; } }', 'lib/a.ts'],
    ["const own = { $$typeof: Symbol.for('jest.asymmetricMatcher') };", 'lib/a.js'],
    ["const kept = globalThis[Symbol.for('$$jest-matchers-object')];", 'lib/a.js'],
    ['globalThis.expect?.extend({ toBe });', 'lib/a.js'],
    ["import { expect as e } from 'vitest';\ne.extend({ toBe });", 'lib/a.js'],
    ["import { use } from 'chai';\nuse(plugin);", 'lib/a.js'],
    ["import * as chai from 'chai';\nchai.Assertion.overwriteMethod('equal', own);", 'lib/a.js'],
    ["import { Assertion } from 'chai';\nAssertion.overwriteProperty('ok', own);", 'lib/a.js'],
    ['expect.addEqualityTesters([() => true]);', 'lib/a.js'],
  ])('is found: %j in %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual(['judge-tampering']);
  });

  it.each([
    ['from shop.kinds import ANY\ndef kind():\n    return ANY', 'shop/a.py'],
    ['def total():\n    return ANY', 'shop/a.py'],
    ['from unittest.mock import ANY\nexpected = ANY', 'tests/test_a.py'],
    ['app.use(router);', 'lib/a.js'],
    ['jQuery.extend({ toBe });', 'lib/a.js'],
    ['const own = { asymmetricMatch: () => true };', 'test/own.js'],
    ['chai.use(plugin);', 'src/a.spec.ts'],
  ])('is not seen in %j of %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual([]);
  });
});
