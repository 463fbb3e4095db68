import { beforeAll, describe, expect, test } from 'vitest';
import { readable } from '../../src/syntax/changed-code.ts';
import { candidatesOf, type Fault, faultsOf, inTurns, spread, withFault } from '../../src/syntax/faults.ts';
import { installedParsers, languageOf, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

function faults(file: string, text: string, lines?: readonly number[]): readonly Fault[] {
  const language = languageOf(file);
  if (language === undefined) throw new Error(`no language for ${file}`);
  const wanted = lines ?? text.split('\n').map((_, index) => index + 1);
  return faultsOf(parsers, { file, text, language, lines: new Set(wanted) });
}

/** What a text becomes, by kind of fault. */
function made(file: string, text: string): readonly string[] {
  return faults(file, text).map((fault) => `${fault.kind}: ${withFault(text, fault)}`);
}

describe('JavaScript takes', () => {
  test.each([
    ['x = a === b;', ['assignment: ;', 'comparison: x = a !== b;']],
    ['x = a < b;', ['assignment: ;', 'comparison: x = a >= b;', 'boundary: x = a <= b;']],
    ['x = a && b;', ['assignment: ;', 'boolean: x = a || b;']],
    ['x = a ?? b;', ['assignment: ;', 'absence: x = a;']],
    ['x = a?.b;', ['assignment: ;', 'absence: x = a.b;']],
    ['x = a?.[i];', ['assignment: ;', 'absence: x = a[i];']],
    ['x = a?.();', ['assignment: ;', 'absence: x = a();']],
    ['x = !a;', ['assignment: ;', 'negation: x = a;']],
    ['x = k in o;', ['assignment: ;', 'comparison: x = !(k in o);']],
    ['x = a + b;', ['assignment: ;', 'arithmetic: x = a - b;']],
    ['x = false;', ['constant: x = true;']],
    ['const x = null;', []],
    ['x += y;', ['arithmetic: x -= y;']],
    ['x++;', ['arithmetic: x--;']],
    ['const x = 41;', ['assignment: const x = undefined;', 'constant: const x = 42;']],
    ['const x = 1.5;', ['assignment: const x = undefined;', 'constant: const x = 0;']],
    ["const x = 'a';", ['assignment: const x = undefined;', "string: const x = '';"]],
    ["const x = '';", ["string: const x = '?';"]],
    [`const x = \`a\${b}\`;`, ['assignment: const x = undefined;', 'string: const x = ``;']],
    ['const x = /a/g;', ['assignment: const x = undefined;', 'constant: const x = /(?!)/;']],
    ['const f = (a) => a;', ['return: const f = (a) => undefined;']],
    ['f(a);', ['call: ;']],
    ['await f(a);', ['call: ;']],
    [
      'if (a) { b(); } else { c(); }',
      [
        'condition: if (true) { b(); } else { c(); }',
        'condition: if (false) { b(); } else { c(); }',
        'branch: if (a) { b(); } ',
        'call: if (a) { ; } else { c(); }',
        'call: if (a) { b(); } else { ; }',
      ],
    ],
    ['while (a) b();', ['condition: while (false) b();', 'call: while (a) ;']],
    [
      'for (let i = 0; i < n; i++) f(i);',
      [
        'condition: for (let i = 0; false; i++) f(i);',
        'constant: for (let i = 1; i < n; i++) f(i);',
        'comparison: for (let i = 0; i >= n; i++) f(i);',
        'boundary: for (let i = 0; i <= n; i++) f(i);',
        'call: for (let i = 0; i < n; i++) ;',
      ],
    ],
    ['function f() { return a; }', ['return: function f() { return undefined; }']],
    ['function f() { throw a; }', ['exception: function f() { ; }']],
    [
      'try { f(); } catch { g(); }',
      ['call: try { ; } catch { g(); }', 'exception: try { f(); } catch {}', 'call: try { f(); } catch { ; }'],
    ],
  ])('%s', (text, wanted) => {
    expect(made('a.js', text)).toEqual(wanted);
  });

  test.each([
    "import a from 'b';",
    "export { a } from 'b';",
    "'use strict';",
    "const a = require('b');",
    "console.log('a', 1 + 2);",
    '// a === b',
    'function f() { return; }',
    'function f() { return undefined; }',
    'class A extends B { constructor() { super(); } }',
    'const f = function () {};',
  ])('none: %s', (text) => {
    expect(made('a.js', text)).toEqual([]);
  });

  test('no fault of the words of an error, and one of its throwing', () => {
    expect(made('a.js', "throw new TypeError('no ' + a);")).toEqual(['exception: ;']);
  });

  test('no key of an object, and its value', () => {
    expect(made('a.js', "f({ 'a': 'b' });")).toEqual(['call: ;', "string: f({ 'a': '' });"]);
  });
});

describe('TypeScript takes', () => {
  test.each([
    ['type A = "a" | 1;', []],
    ['interface A { a: "b"; c(): 2 }', []],
    ['declare const a: 1;', []],
    ['const a: 1 | "b" = f<"c">(d as "e");', ['assignment: const a: 1 | "b" = undefined;']],
    ["enum A { b = 'c' }", ["string: enum A { b = '' }"]],
  ])('%s', (text, wanted) => {
    expect(made('a.ts', text)).toEqual(wanted);
    expect(made('a.mts', text)).toEqual(wanted);
  });

  test('in TSX what is in braces', () => {
    expect(made('a.tsx', '<b c="d">{e && <f />}</b>;')).toEqual([
      'string: <b c="">{e && <f />}</b>;',
      'boolean: <b c="d">{e || <f />}</b>;',
    ]);
  });

  test('nothing where only types are declared', () => {
    expect(languageOf('a.d.ts')).toBeUndefined();
  });
});

describe('Python takes', () => {
  test.each([
    ['x.y = a == b', ['assignment: pass', 'comparison: x.y = a != b']],
    ['x = a is None', ['assignment: x = None', 'absence: x = a is not None']],
    ['x = a not in b', ['assignment: x = None', 'comparison: x = a in b']],
    [
      'x = 1 < a <= 3',
      [
        'assignment: x = None',
        'comparison: x = 1 >= a <= 3',
        'boundary: x = 1 <= a <= 3',
        'comparison: x = 1 < a > 3',
        'boundary: x = 1 < a < 3',
        'constant: x = 2 < a <= 3',
        'constant: x = 1 < a <= 4',
      ],
    ],
    ['x = a and not b', ['assignment: x = None', 'boolean: x = a or not b', 'negation: x = a and (b)']],
    ['x = a % b', ['assignment: x = None', 'arithmetic: x = a * b']],
    ['x = False', ['constant: x = True']],
    ['x += a', ['arithmetic: x -= a']],
    ['x = f"a{b}"', ['assignment: x = None', 'string: x = f""']],
    ['x = r"""a"""', ['assignment: x = None', 'string: x = r""""""']],
    [
      'x = a if b else c',
      ['assignment: x = None', 'condition: x = a if True else c', 'condition: x = a if False else c'],
    ],
    [
      'x = [a for a in b if c]',
      ['assignment: x = None', 'condition: x = [a for a in b if True]', 'condition: x = [a for a in b if False]'],
    ],
    ['x = lambda a: a', ['assignment: x = None', 'return: x = lambda a: None']],
    ['f(a)', ['call: pass']],
    ['await f(a)', ['call: pass']],
    ['def f():\n    return a', ['return: def f():\n    return None']],
    ['def f():\n    raise A("b")', ['exception: def f():\n    pass']],
    [
      'if a:\n    pass\nelif b:\n    pass\nelse:\n    c()',
      [
        'condition: if True:\n    pass\nelif b:\n    pass\nelse:\n    c()',
        'condition: if False:\n    pass\nelif b:\n    pass\nelse:\n    c()',
        'condition: if a:\n    pass\nelif True:\n    pass\nelse:\n    c()',
        'condition: if a:\n    pass\nelif False:\n    pass\nelse:\n    c()',
        // The call that is left out makes the same text.
        'branch: if a:\n    pass\nelif b:\n    pass\nelse:\n    pass',
      ],
    ],
    [
      'try:\n    a()\nexcept B:\n    return 1',
      [
        'call: try:\n    pass\nexcept B:\n    return 1',
        'exception: try:\n    a()\nexcept B:\n    pass',
        'return: try:\n    a()\nexcept B:\n    return None',
        'constant: try:\n    a()\nexcept B:\n    return 2',
      ],
    ],
  ])('%s', (text, wanted) => {
    expect(made('a.py', text)).toEqual(wanted);
  });

  test.each([
    'import a',
    'from a import b',
    '"""doc: a == b"""',
    'def f():\n    """doc"""',
    '__all__ = ["a"]',
    'logger.info("a %s", b)',
    'def f(a: "int") -> "str": ...',
    'x: int',
    'return None',
    '# a == b',
  ])('none: %s', (text) => {
    expect(made('a.py', text)).toEqual([]);
  });
});

describe('a fault', () => {
  test('begins on one of the lines that were asked for, and is said in a sentence', () => {
    const text = 'const a = 1;\nif (a > 2) f();\n';
    expect(faults('a.js', text, [2]).map(({ line, sentence }) => [line, sentence])).toEqual([
      [2, 'the condition `a > 2` always holds'],
      [2, 'the condition `a > 2` never holds'],
      [2, '`a > 2` becomes `a <= 2`'],
      [2, '`a > 2` becomes `a >= 2`'],
      [2, '`2` becomes `3`'],
      [2, '`f();` is left out'],
    ]);
  });

  test('never adds a syntax error', () => {
    // `a-+b` would become `a++b`.
    expect(made('a.js', 'x(a-+b)')).toEqual(['call: ;']);
  });

  test('is made in code that is nested as deeply as somebody likes', () => {
    const deep = `x(${'['.repeat(3000)}1${']'.repeat(3000)});`;
    expect(faults('a.js', deep).map(({ kind }) => kind)).toEqual(['call', 'constant']);
  });
});

describe('the faults of a budget', () => {
  test('come from every function, and from every line of one, before any line has its second', () => {
    const text = [
      'function one(a) {',
      '  if (a > 1 && a < 5 || a === 9) return a + 1;',
      '  return a * 2;',
      '}',
      'function two(b) {',
      '  return b - 1;',
      '}',
    ].join('\n');
    const all = faults('a.js', text);
    expect(spread(all, 4).map(({ line }) => line)).toEqual([2, 6, 3, 6]);
    expect(spread(all, 1000)).toHaveLength(all.length);
  });
});

test('no two have the same text, in whatever way they make it, and all that differ are there', () => {
  const text = 'f(a)\n;;f(b)\nx = [1, 11, 1];\nif (a) { if (a) g(); }\nreturn (--x) + -(-y);\n';
  const texts = faults('a.js', text).map((fault) => withFault(text, fault));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts).not.toContain(text);
});

test('those of a file with ten thousand places are found before anybody waits', () => {
  const text = Array.from(
    { length: 4000 },
    (_, index) => `export const f${index} = (a) => a > ${index} && a + 1;\n`,
  ).join('');
  const language = languageOf('a.ts');
  if (language === undefined) throw new Error('no language');
  const lines = new Set(text.split('\n').map((_, index) => index + 1));
  const found = candidatesOf(parsers, { file: 'a.ts', text, language, lines });
  expect(found.length).toBeGreaterThan(10_000);
  expect(found.at(-1)?.line).toBe(4000);
  expect(readable(parsers, { texts: new Map([['a.ts', text]]), faults: found }, 5)).toHaveLength(5);
});

test('lists take turns, and nothing is left out', () => {
  expect(inTurns([[1, 2, 3], [4], [5, 6]])).toEqual([1, 4, 5, 2, 6, 3]);
});
