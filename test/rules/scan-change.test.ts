/** What the rules find on the syntax trees of changed files. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { AddedLine } from '../../src/guard/added-lines.ts';
import { scanLines } from '../../src/guard/scan.ts';
import { type ChangeScan, scanChange } from '../../src/rules/scan-change.ts';
import { installedParsers, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';
import { HONEST, RISKY } from '../guard/risky-lines.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

/** Scans a file; without numbers all its lines are added. */
function scanned(text: string, file: string, numbers?: readonly number[]): ChangeScan {
  const lines = text.split('\n').map((line, index): AddedLine => ({ file, line: index + 1, text: line }));
  const added = lines.filter(({ line }) => numbers?.includes(line) ?? true);
  return scanChange(parsers, added, new Map([[file, text]]));
}
const rulesOf = (text: string, file: string) => scanned(text, file).defects.map(({ rule }) => rule);
const placesOf = ({ defects }: ChangeScan) => defects.map(({ rule, line }) => `${rule}:${line}`);

describe('a line that is a file', () => {
  it.each(RISKY)('%s in %s breaks %s', (text, file, rule) => {
    expect(rulesOf(text, file)).toEqual([rule]);
  });

  it.each(HONEST)('%s in %s breaks nothing', (text, file) => {
    expect(rulesOf(text, file)).toEqual([]);
  });
});

describe('code over several lines', () => {
  it.each([
    ['eval(\n  text,\n);', 'a.js', ['eval:1']],
    ["spawn('ls', [], {\n  cwd,\n  shell: true,\n});", 'a.ts', ['shell-option:3']],
    ['db.query(\n  `SELECT *\n   FROM t WHERE id = $' + '{id}`,\n);', 'a.js', ['sql-interpolation:1']],
    ['Object.defineProperty(\n  JSON,\n  "parse",\n  { value: fake },\n);', 'a.js', ['judge-tampering:1']],
    ['JSON\n  .parse\n  = fake;', 'a.js', ['judge-tampering:1']],
    ['subprocess.run(\n    command,\n    shell=True,\n)', 'a.py', ['python-shell:3']],
    [
      'class Same:\n    def __eq__(self, other):\n        """Equal."""\n        return True',
      'a.py',
      ['judge-tampering:2'],
    ],
    ['(\n  json\n  .dumps\n) = fake', 'a.py', ['judge-tampering:2']],
  ])('is found: %j in %s', (text, file, places) => {
    expect(placesOf(scanned(text, file))).toEqual(places);
  });

  it('counts only where the finding reaches an added line', () => {
    const text = "const a = eval(\n  one,\n);\nconst b = eval('2');\n";
    expect(placesOf(scanned(text, 'a.js', [2]))).toEqual(['eval:2']);
    expect(placesOf(scanned(text, 'a.js', [3, 4]))).toEqual(['eval:3', 'eval:4']);
    expect(placesOf(scanned(text, 'a.js', [5]))).toEqual([]);
  });

  it('is not blamed for what it hands over: a line inside a function is judged by itself', () => {
    const text = 'JSON.parse = function parse(text) {\n  const a = 1;\n  return a;\n};\n';
    expect(placesOf(scanned(text, 'a.js', [2]))).toEqual([]);
    expect(placesOf(scanned(text, 'a.js', [1]))).toEqual(['judge-tampering:1']);
  });
});

describe('what reaches for the judges in other ways', () => {
  it.each([
    ["import { strict } from 'node:assert';\nstrict.equal = () => {};", 'a.js'],
    ["import { strict as same } from 'assert';\nsame.equal = () => {};", 'a.ts'],
    ['const a = 1;\ndelete JSON.parse;', 'a.js'],
    ['const a = 1;\n[].__proto__.map = fake;', 'a.js'],
    ['const a = 1;\nObject.getPrototypeOf([]).map = fake;', 'a.js'],
    ['const a = 1;\nprocess.exit = () => {};', 'a.js'],
    ["import json\njson.__dict__['dumps'] = fake", 'a.py'],
    ["import json\nvars(json)['dumps'] = fake", 'a.py'],
    ["import sys\nsys.modules['json'] = fake", 'a.py'],
    ['import pytest\npytest.fail = fake', 'a.py'],
    ['class A:\n    __eq__ = lambda self, other: True', 'a.py'],
    ['class A:\n    def __eq__(self, other): return not False', 'a.py'],
    ['class A:\n    def __eq__(self, other): return self is self', 'a.py'],
    ['class A:\n    def __eq__(self, o): return isinstance(o, object)', 'a.py'],
    ['class A:\n    def __eq__(self, o): return o is not None', 'a.py'],
    ['class A:\n    def __eq__(self, o): same = True; return same', 'a.py'],
    ['from unittest import mock\nreturn_value = mock.ANY', 'a.py'],
    ["const a = 1;\nModule._extensions['.js'] = fake;", 'a.js'],
    ["const a = 1;\nrequire('inspector');", 'a.js'],
    ['const a = 1;\nconst any = { asymmetricMatch: () => true };', 'a.js'],
    ["const a = 1;\nconst kind = Symbol.for('jest.asymmetricMatcher');", 'a.js'],
    ['const a = 1;\nexpect.extend({ toEqual: () => ({ pass: true }) });', 'a.js'],
    ['import shop\nshop.json.dumps = fake', 'a.py'],
    ['const a = 1;\nObject.prototype.toJSON ??= fake;', 'a.js'],
    ['const a = 1;\nrequire.cache[path] ??= fake;', 'a.js'],
  ])('is found: %j in %s', (text, file) => {
    expect(placesOf(scanned(text, file))).toEqual(['judge-tampering:2']);
  });

  it.each([
    ['delete require.cache[require.resolve("./a.js")];', 'a.js'],
    ['process.exitCode = 1;', 'a.js'],
    ['it.__proto__.own = 1;', 'a.js'],
    ["sys.modules['own'] = fake", 'a.py'],
    ['vars(self)["name"] = 1', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        return self.a == other.a', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        return isinstance(other, A)', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        return NotImplemented', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        return self is other', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        return key(self) == key(other)', 'a.py'],
    ['class A:\n    def __eq__(self, other):\n        raise TypeError("not to be compared")', 'a.py'],
    ['this._extensions = [];', 'a.js'],
    ["if (role === 'inspector') show();", 'a.js'],
    ['app.json.sort_keys = False', 'a.py'],
    ['result.warnings.count = 3', 'a.py'],
    ["Object.defineProperty(Command.prototype, 'name', {});", 'a.js'],
    ['from unittest import mock\nexpected = mock.ANY', 'tests/test_a.py'],
    ['expect.extend({ toBeOdd });', 'test/a.test.js'],
    ['expect.extend(matchers);', 'test/a.test.js'],
    ['const own = { toBeSorted() {} };\nexpect.extend(own);', 'test/a.test.js'],
    ['class A(TestCase):\n    def assertSame(self, one, other): self.assertEqual(one, other)', 'test_a.py'],
    ['class A(TestCase):\n    def assertEqual(self, one, other): super().assertEqual(str(one), other)', 'test_a.py'],
    ['class Numbers:\n    def assertEqual(self, one, other): pass', 'a.py'],
    ['Promise.withResolvers ??= withResolvers;', 'a.js'],
    ['Array.prototype.at ||= at;', 'a.js'],
  ])('is not seen in honest code: %j in %s', (text, file) => {
    expect(placesOf(scanned(text, file))).toEqual([]);
  });
});

describe('what is no code', () => {
  it.each([
    ["const help = 'never call eval(text)';", 'a.js'],
    ['const pattern = /process\\.binding\\(x\\)|JSON.parse = fake/;', 'a.js'],
    ['/*\n JSON.parse = fake;\n eval(text)\n*/', 'a.js'],
    ['const text = `\n  JSON.parse = fake;\n`;', 'a.js'],
    ['def read():\n    """Like pickle.loads(body),\n    but not eval(text), and no f_locals.\n    """', 'a.py'],
    ["HELP = 'os.system(command)'", 'a.py'],
    ['total = 1  # sys.settrace(see)', 'a.py'],
    ["value = /'/.exec(text) + eval2(text);", 'a.js'],
    ['const { exec } = /a/;\nfound = /b/.exec(`x$' + '{y}`);', 'a.js'],
  ])('breaks nothing: %j in %s', (text, file) => {
    expect(rulesOf(text, file)).toEqual([]);
  });
});

describe('what honest programs do', () => {
  it.each([
    ['saved = sys.gettrace()\nrun()\nsys.settrace(saved)', 'a.py'],
    ['ctypes.memset(ctypes.addressof(one), 0, ctypes.sizeof(one))', 'a.py'],
    ['def shown(self, f_locals):\n    return sorted(f_locals)', 'a.py'],
    ["Object.defineProperty(exports.Rule.prototype, 'text', {});", 'a.js'],
    ['import pickle\nassert pickle.loads(pickle.dumps(one, protocol=2)) == one', 'tests/test_a.py'],
    ['from pickle import dumps, loads\nassert loads(dumps(one)) == one', 'tests/test_a.py'],
    ['let text = Array.prototype;\ntext = other;', 'a.js'],
  ])('breaks nothing: %j in %s', (text, file) => {
    expect(rulesOf(text, file)).toEqual([]);
  });

  it.each([
    ['saved = other()\nsys.settrace(saved)', 'a.py'],
    ['saved = sys.getprofile()\nsys.settrace(saved)', 'a.py'],
    ['ctypes.memset(ctypes.addressof(one), 1, ctypes.sizeof(one))', 'a.py'],
    ['ctypes.memset(ctypes.addressof(one), 0, ctypes.sizeof(other))', 'a.py'],
    ["Object.defineProperty(globalThis.Array.prototype, 'map', {});", 'a.js'],
  ])('is none of it: %j in %s', (text, file) => {
    expect(rulesOf(text, file)).toEqual(['judge-tampering']);
  });
});

describe('other spellings', () => {
  it.each([
    ['const a = 1;\nexpect.extend({ toEqual });', 'test/a.test.js', 'assertion-replaced'],
    ['const own = { toBe() { return yes; } };\nexpect.extend(own);', 'test/a.test.ts', 'assertion-replaced'],
    ["const a = 1;\nexpect.extend({ 'toHaveLength': yes });", 'test/a.test.js', 'assertion-replaced'],
    ['class A(unittest.TestCase):\n    def assertEqual(self, one, other): pass', 'test_a.py', 'assertion-replaced'],
    [
      'class A(IsolatedAsyncioTestCase):\n    def assertTrue(self, one): return one or True',
      'test_a.py',
      'assertion-replaced',
    ],
    ['import pickle\npickle.loads(other.dumps(one))', 'a.py', 'unsafe-load'],
    ['import pickle\npickle.loads(read(pickle.dumps(one)))', 'a.py', 'unsafe-load'],
    ['import pickle, marshal\nmarshal.loads(pickle.dumps(one))', 'a.py', 'unsafe-load'],
    ["JSON['par' + 'se'] = fake;", 'a.js', 'judge-tampering'],
    ['(JSON as any).parse = fake;', 'a.ts', 'judge-tampering'],
    ['JSON!.parse = fake;', 'a.ts', 'judge-tampering'],
    ['[JSON.parse] = [fake];', 'a.js', 'judge-tampering'],
    ['({ parse: JSON.parse } = fakes);', 'a.js', 'judge-tampering'],
    ['for (JSON.parse of fakes);', 'a.js', 'judge-tampering'],
    ['const codec = JSON;\ncodec.parse = fake;', 'a.js', 'judge-tampering'],
    ["import check from 'node:assert/strict';\ncheck.equal = fake;", 'a.js', 'judge-tampering'],
    ["require('node:assert').equal = fake;", 'a.cjs', 'judge-tampering'],
    ['Object.assign(JSON, { parse: fake });', 'a.js', 'judge-tampering'],
    ["import('node:insp' + 'ector');", 'a.js', 'judge-tampering'],
    ["open('/pro' + 'c/self/mem')", 'a.py', 'judge-tampering'],
    ['(0, eval)(text);', 'a.js', 'eval'],
    ['globalThis.eval(text);', 'a.js', 'eval'],
    ['import json as j\nj.dumps = fake', 'a.py', 'judge-tampering'],
    ['from unittest import TestCase\nTestCase.assertEqual = fake', 'a.py', 'judge-tampering'],
    ['json.dumps, size = fake, 1', 'a.py', 'judge-tampering'],
    ['with one as json.dumps: pass', 'a.py', 'judge-tampering'],
    ["setattr(json, 'dumps', fake)", 'a.py', 'judge-tampering'],
    ["sys.modules['json'].dumps = fake", 'a.py', 'judge-tampering'],
    ["getattr(frame, 'f_' 'locals')", 'a.py', 'judge-tampering'],
    ["cursor.execute('SELECT * FROM t WHERE id = %s' % one)", 'a.py', 'sql-interpolation'],
    ['exec "print 1"', 'a.py', 'python-eval'],
  ])('%j in %s breaks %s', (text, file, rule) => {
    expect(rulesOf(text, file)).toEqual([rule]);
  });
});

describe('a file that cannot be read as a whole', () => {
  const broken = 'const a = = 1;\neval(text);\n';

  it('is read by lines too, and is named', () => {
    expect(scanned(broken, 'a.js')).toMatchObject({ defects: [{ rule: 'eval', line: 2 }], byLines: ['a.js'] });
    expect(scanned('def a(:\n  x = ((\nos.system(one)\n', 'a.py')).toMatchObject({
      defects: [{ rule: 'python-shell', line: 3 }],
      byLines: ['a.py'],
    });
  });

  it('is not named where it can be read, or where no language has rules', () => {
    expect(scanned('eval(text);', 'a.js').byLines).toEqual([]);
    expect(scanned('eval(text', 'a.txt')).toEqual({ defects: [], byLines: [] });
  });

  it('is read by lines where its text is not known', () => {
    const added = [{ file: 'a.js', line: 1, text: 'eval(text);' }];
    expect(scanChange(parsers, added, new Map())).toMatchObject({ defects: [{ rule: 'eval' }], byLines: ['a.js'] });
  });
});

it('gives a finding on one line the id that it has without a tree, so that waivers hold', () => {
  const text = 'eval(text);\neval(text);\n';
  const added = [1, 2].map((line) => ({ file: 'a.js', line, text: 'eval(text);' }));
  expect(scanned(text, 'a.js').defects).toEqual(scanLines(added));
});

it('finds secrets in strings and comments as ever', () => {
  expect(rulesOf(`// key AKIA${'ABCD1234'.repeat(2)}`, 'a.js')).toEqual(['secret-aws-key']);
});

it('reads code that is nested as deeply as it likes', () => {
  expect(rulesOf(`x = ${'('.repeat(5000)}1${')'.repeat(5000)};`, 'a.js')).toEqual([]);
  expect(rulesOf(`x = ${"'a' + ".repeat(5000)}y;`, 'a.js')).toEqual([]);
  expect(rulesOf(`x${'.a'.repeat(5000)} = 1;`, 'a.js')).toEqual([]);
});
