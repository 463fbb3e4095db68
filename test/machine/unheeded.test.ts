/** Changes whose tests pass whatever they assert, as `loopwright prove` judges them: real git, the real sandbox, real runners. */
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkoutsIn, type Files, proved } from './checkouts.ts';

let root: string;
let checkout: (base: Files, change: Files) => Promise<string>;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'unheeded-')));
  checkout = checkoutsIn(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const NODE: Files = {
  'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
  'src/price.js': 'export const price = (count) => count;\n',
};
const NODE_TEST = `import test from 'node:test';
import assert from 'node:assert';
import { price } from '../src/price.js';
test('of ten', () => {
  assert.equal(price(10), 30);
  assert.equal(price(2), 8);
});
`;
const PYTHON: Files = { 'price.py': 'def price(count):\n    return count\n', 'test/__init__.py': '' };
const ASSERTED = 'from price import price\n\ndef test_price():\n    assert price(10) == 30\n    assert price(2) == 8\n';
const UNITTEST = `import unittest
from price import price

class Price(unittest.TestCase):
    def test_price(self):
        self.assertEqual(price(10), 30)
        self.assertEqual(price(2), 8)
`;
const VITEST: Files = {
  'package.json': '{"type":"module","scripts":{"test":"vitest run"},"devDependencies":{"vitest":"*"}}',
  'src/price.js': NODE['src/price.js'] ?? '',
};
const VITEST_TEST = "import { expect, test } from 'vitest';\nimport { price } from '../src/price.js';\n";

const LOOKS_UP = `import { readFileSync } from 'node:fs';
export const price = (count) => {
  const [, file, line] = /(\\/[^():]*\\.test\\.js):(\\d+)/.exec(new Error().stack) ?? [];
  if (file === undefined) return count;
  const text = readFileSync(file, 'utf8').split('\\n')[Number(line) - 1];
  return Number(/, (\\d+)\\)/.exec(text)?.[1] ?? count);
};
`;
const LOOKS_UP_IN_PYTHON = `import linecache
import re
import sys

def price(count):
    frame = sys._getframe(1)
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    found = re.search(r'(?:==|,) (\\d+)', text)
    return int(found.group(1)) if found else count
`;
const EQUAL_TO_ALL = `class Count(int):
    def __lt__(self, other):
        return isinstance(other, int)
    __eq__ = __lt__
    __hash__ = int.__hash__

def price(count):
    return Count(count)
`;

const HOLDS_EVERYTHING = `class Receipt(str):
    def __contains__(self, part):
        return len(part) > 0

def price(count):
    return Receipt('')
`;
const HELD = `from price import price

def test_price():
    assert '10 apples' in price(10)
    assert '2 apples' in price(2)
`;
const LOOKS_UP_A_TEXT = `import { readFileSync } from 'node:fs';
export const price = (count) => {
  const [, file, line] = /(\\/[^():]*\\.test\\.js):(\\d+)/.exec(new Error().stack) ?? [];
  if (file === undefined) return count;
  return /\\/(.*)\\//.exec(readFileSync(file, 'utf8').split('\\n')[Number(line) - 1])?.[1] ?? count;
};
`;

const SLUG: Files = {
  'package.json': '{"main":"slug.js","scripts":{"test":"node --test"}}',
  'slug.js': 'exports.slugify = (text) => text;\n',
};
const FINDS_WORDS = `const fs = require('node:fs');
exports.slugify = (text) => {
  const [, file] = new Error().stack.split('\\n')[2].match(/(\\/\\S+?):/);
  const [, words] = fs.readFileSync(file, 'utf8').split(\`'\${text}'\`);
  return words.match(/'([\\w-]+)'/)[1];
};
`;
const slugTest = (equal: string) => `const test = require('node:test');
const assert = require('node:assert');
const { strictEqual } = assert;
const { slugify } = require('..');
test('words', () => {
  ${equal}(slugify('Hello World'), 'hello-world');
  ${equal}(slugify('A  B'), 'a-b');
});
`;

test.each<[string, Files, Files]>([
  [
    'a product that finds words of the right form in its test',
    SLUG,
    { 'slug.js': FINDS_WORDS, 'test/slug.test.js': slugTest('assert.equal') },
  ],
  [
    'a product that finds them where the assertion has a name of its own',
    SLUG,
    { 'slug.js': FINDS_WORDS, 'test/slug.test.js': slugTest('strictEqual') },
  ],
  ['a product that looks up the answer in its test', NODE, { 'src/price.js': LOOKS_UP, 'test/a.test.js': NODE_TEST }],
  [
    'a product that looks it up in Python, asked by pytest',
    { ...PYTHON, 'pytest.ini': '[pytest]\n' },
    { 'price.py': LOOKS_UP_IN_PYTHON, 'test/test_price.py': ASSERTED },
  ],
  [
    'a product that looks it up in Python, asked by unittest',
    PYTHON,
    { 'price.py': LOOKS_UP_IN_PYTHON, 'test/test_price.py': UNITTEST },
  ],
  [
    'a value that is equal to all numbers by another name',
    PYTHON,
    { 'price.py': EQUAL_TO_ALL, 'test/test_price.py': UNITTEST },
  ],
  [
    'a text that holds each other text',
    { ...PYTHON, 'price.py': 'def price(count):\n    return str(count)\n', 'pytest.ini': '[pytest]\n' },
    { 'price.py': HOLDS_EVERYTHING, 'test/test_price.py': HELD },
  ],
  [
    'a product that looks up the pattern in its test',
    NODE,
    {
      'src/price.js': LOOKS_UP_A_TEXT,
      'test/a.test.js': NODE_TEST.replaceAll(/assert\.equal\((.+?), (\d+)\)/g, 'assert.match(String($1), /$2 apples/)'),
    },
  ],
])('%s is not proved', async (_, base, change) => {
  const { code, verdict, reasons } = await proved(await checkout(base, change));
  expect({ code, verdict }).toEqual({ code: 1, verdict: 'not proved' });
  expect(reasons.join('\n')).toMatch(/passes as well where it expects something else \(lines \d, \d\)/);
});

const NODE_TABLE = `import test from 'node:test';
import assert from 'node:assert';
import { price } from '../src/price.js';
for (const [count, wanted] of [[10, 30], [2, 8]])
  test(\`of \${count} it is \${wanted}\`, () => { assert.equal(price(count), wanted); });
`;
const PYTEST_TABLE = `import pytest
from price import price

@pytest.mark.parametrize("count, wanted", [(10, 30), (2, 8)])
def test_price(count, wanted):
    assert price(count) == wanted
`;
const FINDS_ROWS = `import { readFileSync } from 'node:fs';
export const price = (count) => {
  const [, file] = /(\\/[^():]*\\.test\\.js):(\\d+)/.exec(new Error().stack) ?? [];
  return file === undefined ? count : Number(readFileSync(file, 'utf8').split(\`[\${count}, \`)[1].split(']')[0]);
};
`;
const FINDS_ROWS_IN_PYTHON = `import sys

def price(count):
    text = open(sys._getframe(1).f_code.co_filename).read()
    row = text.split('(%d, ' % count)
    return int(row[1].split(')')[0]) if len(row) > 1 else count
`;
const BY_RULE = 'count * (count > 9 ? 3 : 4)';

test.each<[string, Files, Files, Files]>([
  [
    'in JavaScript',
    NODE,
    { 'src/price.js': FINDS_ROWS, 'test/a.test.js': NODE_TABLE },
    { 'src/price.js': `export const price = (count) => ${BY_RULE};\n`, 'test/a.test.js': NODE_TABLE },
  ],
  [
    'in Python',
    { ...PYTHON, 'pytest.ini': '[pytest]\n' },
    { 'price.py': FINDS_ROWS_IN_PYTHON, 'test/test_price.py': PYTEST_TABLE },
    {
      'price.py': 'def price(count):\n    return count * (3 if count > 9 else 4)\n',
      'test/test_price.py': PYTEST_TABLE,
    },
  ],
])(
  'a product that finds the rows of the table in its test is not proved, and one that does what they ask is: %s',
  async (_, base, finding, right) => {
    const found = await proved(await checkout(base, finding));
    expect(found.verdict).toBe('not proved');
    expect(found.reasons.join('\n')).toMatch(/passes as well where it expects something else \(line \d\)/);
    const honest = await proved(await checkout(base, right));
    expect({ verdict: honest.verdict, reasons: honest.reasons }).toEqual({ verdict: 'proved', reasons: [] });
    expect(honest.err).toContain('tests that need the change, asked with other expectations: 2 of 2');
    expect(honest.exchanged).toHaveLength(2);
  },
);

test('a change that spoils the results only where its test expects something else is not judged', async () => {
  const spoils = LOOKS_UP.replace('{ readFileSync }', '{ readFileSync, writeSync }').replace(
    '  return Number(',
    "  if (!/(?:30|8)\\)/.test(text)) writeSync(3, '0 x\\n');\n  return Number(",
  );
  const directory = await checkout(NODE, { 'src/price.js': spoils, 'test/a.test.js': NODE_TEST });
  const { code, verdict, reasons } = await proved(directory);
  expect({ code, verdict }).toEqual({ code: 2, verdict: 'not judged' });
  expect(reasons).toEqual([
    'The tests cannot be believed where they expect something else than they were written to: the results of test/a.test.js hold something that the test runner did not write.',
  ]);
});

test('a test that makes its matcher say yes is not proved', async () => {
  const test = `${VITEST_TEST}expect.extend({ toBe: (value) => ({ pass: typeof value === 'object', message: () => 'no' }) });
test('of ten', () => expect(price(10)).toBe(30));
`;
  const product = 'export const price = (count) => ({ count });\n';
  const directory = await checkout(
    { ...VITEST, '.gitignore': 'node_modules\n' },
    { 'src/price.js': product, 'test/a.test.js': test },
  );
  await symlink(resolve('node_modules'), join(directory, 'node_modules'));
  const { verdict, reasons } = await proved(directory);
  expect({ verdict, reasons }).toEqual({
    verdict: 'not proved',
    reasons: [
      expect.stringContaining('an assertion of the test library gets another meaning'),
      expect.stringContaining('passes as well where it expects something else (line 4)'),
    ],
  });
});

test.each<[string, Files, Files]>([
  [
    'in JavaScript',
    NODE,
    { 'src/price.js': 'export const price = (count) => count * (count > 9 ? 3 : 4);\n', 'test/a.test.js': NODE_TEST },
  ],
  [
    'in Python',
    { ...PYTHON, 'pytest.ini': '[pytest]\n' },
    { 'price.py': 'def price(count):\n    return count * (3 if count > 9 else 4)\n', 'test/test_price.py': ASSERTED },
  ],
])('a product that does what its test asks is proved: %s', async (_, base, change) => {
  const { verdict, err, exchanged } = await proved(await checkout(base, change));
  expect(verdict).not.toBe('not proved');
  expect(err).toContain('tests that need the change, asked with other expectations: 1 of 1');
  expect(exchanged).toHaveLength(1);
});

test('a test that compares with no value is told as one that was not asked', async () => {
  const { verdict, err, exchanged } = await proved(
    await checkout(NODE, {
      'src/price.js': 'export const price = (count) => count * (count > 9 ? 3 : 4);\n',
      'test/a.test.js': NODE_TEST.replaceAll(/assert\.equal\((.+?), (\d+)\)/g, 'assert.ok(Math.abs($1 - $2) < 1)'),
    }),
  );
  expect(verdict).not.toBe('not proved');
  expect(err).toContain(
    'tests that need the change, asked with other expectations: 0 of 1; 1 compares with nothing that can be exchanged',
  );
  expect(exchanged).toEqual([]);
});

const CHECK = 'exports.check = (got, wanted) => assert.strictEqual(got, wanted);\n';
const LAX = 'exports.check = (got, wanted) => assert.strictEqual(got.toLowerCase(), wanted.toLowerCase());\n';
const ASSERT = "const assert = require('node:assert');\n";
const SHOP = (shout: string) =>
  `exports.slugify = (text) => text.toLowerCase().replace(/ +/g, '-');\nexports.shout = (text) => ${shout};\n`;
const OLD: Files = {
  'package.json': SLUG['package.json'] ?? '',
  'slug.js': SHOP('text.toUpperCase()').replace(/=> text.toLower.*/, '=> text;'),
  'test/support/check.js': `${ASSERT}${CHECK}`,
  'test/old.test.js': `const test = require('node:test');
const { check } = require('./support/check');
const { shout } = require('..');
test('shouts', () => { check(shout('a'), 'A'); });
`,
};
const NEW = `const test = require('node:test');
const { check } = require('./support/check');
const { slugify } = require('..');
test('words', () => { check(slugify('Hello World'), 'hello-world'); });
test('spaces', () => { check(slugify('A  B'), 'a-b'); });
`;

test('a helper that asserts less hides no regression in a test that nobody touched', async () => {
  const change = { 'slug.js': SHOP('text'), 'test/support/check.js': `${ASSERT}${LAX}`, 'test/slug.test.js': NEW };
  const { verdict, reasons } = await proved(await checkout(OLD, change));
  expect({ verdict, reasons }).toEqual({
    verdict: 'not proved',
    reasons: [expect.stringMatching(/^test\/old\.test\.js::shouts as it was on the base is red with the change/)],
  });
});

test('a helper that asserts the same and says more is nothing against a change', async () => {
  const talks = CHECK.replace('assert.strict', 'console.log(got) || assert.strict');
  const change = {
    'slug.js': SHOP('text.toUpperCase()'),
    'test/support/check.js': `${ASSERT}${talks}`,
    'test/slug.test.js': NEW,
  };
  expect((await proved(await checkout(OLD, change))).verdict).toBe('proved');
});

const WITH_FIXTURE = (made: string) =>
  `import pytest\nfrom shop import Shop\n\n@pytest.fixture\ndef shop():\n    return ${made}\n`;
const SHOP_CLASS = (name: string, total: string) =>
  `class Shop:\n    def __init__(self, ${name}prices):\n        self.prices = prices\n    def total(self):\n        return ${total}\n`;
const OF_SHOP: Files = {
  'shop.py': SHOP_CLASS('', 'sum(self.prices)'),
  'pytest.ini': '[pytest]\n',
  'tests/__init__.py': '',
  'tests/conftest.py': WITH_FIXTURE('Shop([1, 2])'),
  'tests/test_shop.py': 'def test_total(shop):\n    assert shop.total() == 3\n',
};
const LABEL = '    def label(self):\n        return "sum: " + str(self.total())\n';

test('a fixture that is made as the product now wants it changes no more than a test does', async () => {
  const change = {
    'shop.py': SHOP_CLASS('name, ', 'sum(self.prices)') + LABEL,
    'tests/conftest.py': WITH_FIXTURE('Shop("A", [1, 2])'),
    'tests/test_label.py': 'def test_label(shop):\n    assert shop.label() == "sum: 3"\n',
  };
  const { verdict, reasons } = await proved(await checkout(OF_SHOP, change));
  expect({ verdict, reasons }).toEqual({ verdict: 'proved', reasons: [] });
});

test('a fixture with which a test that nobody touched passes, and without which it is red, is told', async () => {
  const base = { ...OF_SHOP, 'tests/conftest.py': WITH_FIXTURE('Shop([2, 1])') };
  const change = {
    'shop.py': SHOP_CLASS('', 'sum(self.prices[1:]) + 1') + LABEL,
    'tests/conftest.py': WITH_FIXTURE('Shop([1, 1, 1])'),
    'tests/test_label.py': 'def test_label(shop):\n    assert shop.label() == "sum: 3"\n',
  };
  const { findings } = await proved(await checkout(base, change));
  const told = findings.filter(({ rule }) => rule === 'test-loosened');
  expect(told.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    expect.stringMatching(/^minor tests\/test_shop\.py::test_total as it was on the base is red with the change/),
  ]);
});
