import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, faultsOf } from '../../src/syntax/faults.ts';
import { installedParsers, languageOf, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';
import { markedAtEnd, reachedFaults, withCodeAt, withCodeBefore } from '../../src/syntax/reach.ts';

let parsers: Parsers;
let place: string;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
  place = mkdtempSync(join(tmpdir(), 'reach-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

function read(file: string, text: string) {
  const language = languageOf(file);
  if (language === undefined) throw new Error(`no language for ${file}`);
  const lines = new Set(text.split('\n').map((_, index) => index + 1));
  return { language, faults: faultsOf(parsers, { file, text, language, lines }) };
}

describe('the process ends before the statement that holds the fault', () => {
  function ended(file: string, text: string): string | undefined {
    const { language, faults } = read(file, text);
    const fault = faults.findLast(({ kind }) => kind === 'constant');
    if (fault === undefined) return undefined;
    const ended = withCodeBefore(parsers, { language, text, faults: [fault] }, () => language.ending);
    return ended?.statements.has(fault) ? ended.text : undefined;
  }

  test.each([
    ['a.js', 'f(() => {\n  return 1;\n});', 'f(() => {\n  ;process.abort();return 1;\n});'],
    ['a.js', 'if (a) b = 1;', 'if (a) {process.abort();b = 1;}'],
    ['a.js', 'for (let i = 1; ;) f();\n', undefined],
    ['a.js', 'if (a) for (let i = 1; ;) f();\n', 'if (a) {process.abort();for (let i = 1; ;) f();}\n'],
    ['a.js', 'f(() => { b: for (c of 1) g(); });', undefined],
    ['a.ts', 'function f() { if (a) return 1; }', 'function f() { if (a) {process.abort();return 1;} }'],
    ['a.py', 'def f():\n    return 1\n', 'def f():\n    __import__("os").abort(); return 1\n'],
    [
      'a.py',
      'def f():\n    if a == 1:\n        pass\n',
      'def f():\n    __import__("os").abort()\n    if a == 1:\n        pass\n',
    ],
    [
      'a.py',
      'def f():\n\twhile a == 1:\n\t\tpass\n',
      'def f():\n\t__import__("os").abort()\n\twhile a == 1:\n\t\tpass\n',
    ],
  ])('%s: %j', (file, text, wanted) => {
    expect(ended(file, text)).toBe(wanted);
  });

  test.each([
    ['a.js', 'export const a = 1;'],
    ['a.js', 'const a = 1;'],
    ['a.py', 'a = 1\n'],
  ])('and not where that is the whole file, which runs anyway: %s %j', (file, text) => {
    expect(ended(file, text)).toBeUndefined();
  });
});

const PROGRAM = `
const text = 'read'
const used = (a) => {
  const b = a + 1
  if (b > 1) return b * 2; else if (b < 0) return -b
  for (let i = 0; i < 3; i++) if (i === 2) b; else continue
  return b
}
const unused = () => {
  console.log('never')
  return 41
}
class Known {
  static { this.kind = 'known' }
  read() { switch (this.constructor.kind) { case 'known': return text; default: return 'nothing' } }
}
outer: for (const a of [0, 1]) {
  inner: while (true) { if (a === 1) break outer; break inner }
}
;[used(-1), used(3), new Known().read()].forEach((one) => { console.log(one) })
`;

describe('marks', () => {
  /** The lines of the faults whose statement was reached, and what the program printed. */
  function run(file: string, text: string) {
    const { language, faults } = read(file, text);
    const marked = withCodeBefore(parsers, { language, text, faults }, (statement) =>
      language.marking(join(place, `${file}.marks`), String(statement)),
    );
    if (marked === undefined) throw new Error('no marks');
    writeFileSync(join(place, file), marked.text);
    const printed = execFileSync(process.execPath, [join(place, file)], { encoding: 'utf8' });
    const reached = readFileSync(join(place, `${file}.marks`), 'utf8')
      .trim()
      .split('\n');
    const linesOf = (wanted: (fault: Fault) => boolean) => [...new Set(faults.filter(wanted).map(({ line }) => line))];
    return {
      printed,
      reached,
      seen: linesOf((fault) => reached.includes(String(marked.statements.get(fault)))),
      missed: linesOf(
        (fault) => marked.statements.has(fault) && !reached.includes(String(marked.statements.get(fault))),
      ),
    };
  }

  test.each(['a.cjs', 'a.mjs', 'a.mts'])('tell in %s which statements ran, once each, and change nothing', (file) => {
    writeFileSync(join(place, `plain-${file}`), PROGRAM);
    const plain = execFileSync(process.execPath, [join(place, `plain-${file}`)], { encoding: 'utf8' });
    const { printed, seen, missed, reached } = run(file, PROGRAM);
    expect(printed).toBe(plain);
    expect([seen, missed]).toEqual([
      [4, 5, 6, 7, 14, 15, 18],
      [5, 11, 15],
    ]);
    expect(new Set(reached).size).toBe(reached.length);
  });

  test('tell that a file was loaded, whatever its last line is', () => {
    const file = join(place, 'loaded.mjs');
    const { language } = read('loaded.mjs', '');
    writeFileSync(file, markedAtEnd(language, 'export const a = [1]\n// the end', join(place, 'loaded.marks'), '7'));
    execFileSync(process.execPath, [file]);
    expect(readFileSync(join(place, 'loaded.marks'), 'utf8')).toBe('7\n');
  });
});

describe('what a run of marked texts tells', () => {
  const TEXTS = new Map([
    ['a.js', 'function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n'],
    ['b.js', 'function three() {\n  return 3;\n}\n'],
  ]);
  const faults = () => [...TEXTS].flatMap(([file, text]) => read(file, text).faults);
  const linesIn = (marks: (keys: ReadonlySet<string>) => readonly string[], isGreen: boolean) => {
    const { keys } = withCodeAt(parsers, { texts: TEXTS, faults: faults() }, () => 'mark()');
    const reached = reachedFaults([...keys.keys()], keys, { marks: new Set(marks(new Set(keys.values()))), isGreen });
    return [...new Set([...reached].map(({ file, line }) => `${file}:${line}`))];
  };
  const first = (keys: ReadonlySet<string>) => [...keys].slice(0, 1);

  test('is where it came to', () => {
    expect(linesIn(first, true)).toEqual(['a.js:2']);
  });

  test('is nothing of a file without a mark where it is red: its marks may have broken it', () => {
    expect(linesIn(first, false)).toEqual(['a.js:2', 'b.js:2']);
    expect(linesIn(() => [], false)).toEqual(['a.js:2', 'a.js:6', 'b.js:2']);
    expect(linesIn(() => [], true)).toEqual([]);
  });
});

describe('a text that its grammar cannot read', () => {
  const BROKEN = 'function one() {\n  return 1 +* 2;\n}\n\nfunction two() {\n  return 2;\n}\n';
  const FLOW = 'type Id<K> = ?Array<K, any>;\nfunction one<K>(id: Id<K>): K {\n  return (id[0]: any);\n}\n';

  test('takes faults and marks only in statements that can be read', () => {
    const { language, faults } = read('a.js', BROKEN);
    expect(new Set(faults.map(({ line }) => line))).toEqual(new Set([6]));
    expect([
      ...(withCodeBefore(parsers, { language, text: BROKEN, faults }, () => 'mark()')?.statements ?? []),
    ]).toHaveLength(faults.length);
  });

  test('and with types of Flow no other than with those of TypeScript', () => {
    const { faults } = read('a.js', FLOW);
    expect(faults.map(({ line, sentence }) => [line, sentence])).toEqual([
      [3, '`return (id[0]: any);` becomes `return undefined;`'],
      [3, '`0` becomes `1`'],
    ]);
  });

  test('is marked in words that a parser of before 2020 reads', () => {
    for (const file of ['a.js', 'a.ts', 'a.tsx'])
      expect(languageOf(file)?.marking('/marks', 'a:1')).not.toMatch(/\?\?|\?\.|[|&]{2}=|`/);
  });
});
