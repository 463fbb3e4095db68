import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskedCode } from '../../src/guard/code-mask.ts';
import { testCasesIn, withoutTests } from '../../src/guard/test-cases.ts';

const SCRIPT = `import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';

test('lists by date', async () => {
  const text = \`) \${names.map((name) => \`\${name})\`)} test('inner', () => {\`;
  assert.match(text, /\\)['"]/); // it's )
});

// Stays.
test('lists all', () => assert.equal(1, 1));

describe('empty list', () => {
  it('has no first', () => {
    assert.equal(undefined, [][0]);
  });

  it('has no last', () => {
    assert.equal(undefined, [].at(-1));
  });
});

for (const name of ['a', 'b']) test(\`computed \${name}\`, () => assert.ok(name));
`;

const PYTHON = `import unittest


class ListTest(unittest.TestCase):
    def test_by_date(self):
        text = """
def test_inner(self):
"""
        self.assertEqual(text.strip("'"), (
1))

    @unittest.skipIf(
        False, "never")
    def test_all(self):
        self.assertTrue(True)


class OnlyTest(unittest.TestCase):
    async def test_one(self):
        self.assertTrue(True)


if __name__ == "__main__":
    unittest.main()
`;

describe('test cases of pytest', () => {
  const FUNCTIONS = `import pytest

def test_first():
    assert 1 == 1

@pytest.mark.parametrize("n", [
    1, 2])
def test_each(n):
    def test_inner():
        pass
    assert n

class TestMore:
    async def test_last(self):
        assert True
`;

  it('are functions of the file, and methods of its classes', () => {
    expect(testCasesIn(FUNCTIONS, 'pytest').map(({ name }) => name)).toEqual([
      ...['test_first', 'test_each', 'TestMore.test_last'],
    ]);
    expect(testCasesIn(FUNCTIONS, 'unittest').map(({ name }) => name)).toEqual(['TestMore.test_last']);
  });

  it('are taken out with their decorators, and nothing else', () => {
    expect(withoutTests(FUNCTIONS, ['test_each', 'test_first'], 'pytest')).toBe(
      'import pytest\n\nclass TestMore:\n    async def test_last(self):\n        assert True\n',
    );
  });
});

describe('test cases of node:test', () => {
  it('are found under the names that the runner reports, where each stands by itself', () => {
    expect(testCasesIn(SCRIPT, 'node-test').map(({ name }) => name)).toEqual([
      'lists by date',
      'lists all',
      'empty list > has no first',
      'empty list > has no last',
    ]);
  });

  it('are taken out with their lines only', () => {
    const left = withoutTests(SCRIPT, ['lists by date', 'empty list > has no first'], 'node-test');
    expect(left).toBe(`import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';

// Stays.
test('lists all', () => assert.equal(1, 1));

describe('empty list', () => {
  it('has no last', () => {
    assert.equal(undefined, [].at(-1));
  });
});

for (const name of ['a', 'b']) test(\`computed \${name}\`, () => assert.ok(name));
`);
  });

  it.each([
    ['a name that is not there', SCRIPT, 'lists by name'],
    ['a suite', SCRIPT, 'empty list'],
    ['a test with others in it', "test('a', async (t) => {\n  await t.test('b', () => {});\n});\n", 'a'],
    ['a name that is there twice', "test('a', () => {});\ntest('a', () => {});\n", 'a'],
    ['a test that shares its line', "test('a', () => {}); test('b', () => {});\n", 'a'],
    ['a name that is put together', "test('a' + 'b', () => {});\n", 'a'],
    ['a text that is not UTF-8', "test('a', () => {});\n// \uFFFD\n", 'a'],
  ])('are not guessed: %s', (_case, text, name) => {
    expect(withoutTests(text, [name], 'node-test')).toBeUndefined();
  });

  it('do not depend on the order in which they are named', () => {
    const names = testCasesIn(SCRIPT, 'node-test').map(({ name }) => name);
    const all = withoutTests(SCRIPT, names, 'node-test');
    expect(withoutTests(SCRIPT, names.toReversed(), 'node-test')).toBe(all);
    expect(testCasesIn(all ?? '', 'node-test')).toEqual([]);
  });
});

describe('test cases of unittest', () => {
  it('are methods of classes, with decorators and whatever their brackets and strings hold', () => {
    expect(testCasesIn(PYTHON, 'unittest').map(({ name }) => name)).toEqual([
      'ListTest.test_by_date',
      'ListTest.test_all',
      'OnlyTest.test_one',
    ]);
  });

  it('are taken out such that the class can still be read', () => {
    expect(withoutTests(PYTHON, ['ListTest.test_by_date', 'OnlyTest.test_one'], 'unittest')).toBe(`import unittest


class ListTest(unittest.TestCase):
    @unittest.skipIf(
        False, "never")
    def test_all(self):
        self.assertTrue(True)


class OnlyTest(unittest.TestCase):
    pass


if __name__ == "__main__":
    unittest.main()
`);
  });
});

it('a mask is as long as its text and has its lines, whatever the text is', () => {
  const pieces = fc.constantFrom("'", '"', '`', '${', '}', '/', '*', '\\', '\n', '#', 'a', '(', ')', '"""', ' ');
  fc.assert(
    fc.property(fc.array(pieces), fc.constantFrom('script', 'python'), (parts, language) => {
      const text = parts.join('');
      expect(maskedCode(text, language)).toHaveLength(text.length);
    }),
  );
});
