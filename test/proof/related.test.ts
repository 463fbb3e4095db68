/** Which untouched test files change with a file that they name. */
import { expect, test } from 'vitest';
import { names } from '../../src/proof/related.ts';

test.each<[string, string, string, string]>([
  [
    'a helper that it imports',
    'test/a.test.js',
    "import { check } from './support/check.js';",
    'test/support/check.js',
  ],
  ['one in TypeScript', 'test/deep/a.test.ts', "import { check } from '../check.js';", 'test/check.ts'],
  ['one that it requires without its kind', 'test/a.test.js', "require('./support/check')", 'test/support/check.js'],
  ['a helper in Python', 'tests/test_a.py', 'from .helpers import check', 'tests/helpers.py'],
  ['one of several', 'tests/test_a.py', 'from tests import other, helpers', 'tests/helpers.py'],
  ['data by its path', 'test/a.test.js', "read('test/data/cases.json')", 'test/data/cases.json'],
  ['data by its name alone', 'test/a.test.js', "read(join(here, 'data', 'cases.json'))", 'test/data/cases.json'],
  [
    'data by a name that is put together',
    'tests/test_a.py',
    '(HERE / f"{name}.json").read_text()',
    'tests/data/cases.json',
  ],
  ['data by the end of its name', 'test/a.test.js', "read(join(here, name + '.json'))", 'test/cases.json'],
  ['data by a pattern', 'tests/test_a.py', 'HERE.glob("*.json")', 'tests/cases.json'],
  ['data by its folder', 'test/a.test.js', "readdirSync(join(here, 'cases'))", 'test/cases/small.json'],
  [
    'data by a folder with its slash',
    'test/a.test.js',
    "new URL('./cases/', import.meta.url)",
    'test/cases/small.json',
  ],
  ['data by a folder beside its own', 'test/unit/a.test.js', "globSync('test/golden/**')", 'test/golden/a/small.out'],
  ['data in Python', 'tests/test_a.py', 'open(HERE / "cases.json")', 'tests/data/cases.json'],
])('names %s', (_, file, text, path) => {
  expect(names(file, text, ['test/other.txt', path])).toBe(true);
});

test.each<[string, string, string, string]>([
  ['a product of that name', 'tests/doc/a.ts', "import { parse } from '../../src/doc/parse.ts';", 'tests/doc/parse.ts'],
  ['a title', 'test/a.test.js', "test('check', () => check(1));", 'test/support/check.js'],
  ['a word that is quoted', 'tests/doc/a.ts', "expect(kind).toBe('errors');", 'tests/doc/errors.ts'],
  ['another that begins so', 'test/a.test.js', "require('./help')", 'test/help.options.test.js'],
  ['a word of a sentence', 'tests/test_a.py', '"""Like those of helpers."""', 'tests/helpers.py'],
  ['a folder of others', 'test/unit/a.test.js', "join(root, 'cases')", 'test/unit/small.json'],
  ['its own folder', 'test/unit/a.test.js', "describe('unit', all)", 'test/unit/small.json'],
  ['what is put into a title', 'test/a.test.js', `test(\`\${name}\`, all)`, 'test/data/cases.json'],
  ['an end that others have', 'test/a.test.js', "join(here, name + '.yaml')", 'test/cases.json'],
  ['an end far from it', 'packages/a/test/a.test.js', "join(here, name + '.json')", 'packages/b/test/cases.json'],
  ['data of another name', 'test/a.test.js', "read('cases.yaml')", 'test/data/cases.json'],
])('is not said to name %s', (_, file, text, path) => {
  expect(names(file, text, [path])).toBe(false);
});
