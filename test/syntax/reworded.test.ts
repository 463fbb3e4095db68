import { beforeAll, expect, test } from 'vitest';
import { possibleFaults } from '../../src/syntax/changed-code.ts';
import { installedParsers, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';
import { reworded } from '../../src/syntax/reworded.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

function said(file: string, text: string): string | undefined {
  return reworded(parsers, new Map([[file, text]]), possibleFaults(parsers, { file, text })).get(file);
}

test.each([
  ['a.js', 'if (a > 1) {\n  f(a);\n}\n', 'if (/**/ a /**/ > /**/ 1) {\n  f(a);\n}\n'],
  ['a.ts', 'const f = (a?: A) => a?.b ?? "c";\n', 'const f = (a?: A) => /**/ a/**/ ?.b ?? /**/ "c";\n'],
  ['a.py', 'def f(a):\n    g(a)\n    return a is None\n', 'def f(a):\n    g(a)\n    return  a  is None\n'],
])('%s %j has spaces where faults could be made, and never at the beginning of a line', (file, text, wanted) => {
  expect(said(file, text)?.replaceAll(/ +/g, ' ')).toBe(wanted.replaceAll(/ +/g, ' '));
  expect(said(file, text)?.length).toBeGreaterThan(text.length);
  expect(
    said(file, text)
      ?.split('\n')
      .map((line) => /^ */.exec(line)?.[0]),
  ).toEqual(text.split('\n').map((line) => /^ */.exec(line)?.[0]));
});

test('a text in which no fault can be made is no other', () => {
  expect(said('a.js', "import a from 'b';\n")).toBeUndefined();
});
