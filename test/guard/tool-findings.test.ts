/** What linters and type checkers print, read. */
import { describe, expect, test } from 'vitest';
import { newFindings, printedFindings, sarifFindings, settingsText } from '../../src/guard/tool-findings.ts';

const ROOT = '/srv/copy-1';

describe('what a tool printed', () => {
  test.each([
    [
      'tsc',
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n",
      3,
      /^error TS2322: Type/,
    ],
    ['tsc --pretty', "\u001b[96msrc/a.ts\u001b[0m:3:7 - error TS2322: Type 'x'.\n", 3, /^error TS2322/],
    ['mypy', 'src/a.ts:3: error: Incompatible return value type  [return-value]\n', 3, /^error: Incompatible/],
    ['flake8', './src/a.ts:3:1: F401 "os" imported but unused\n', 3, /^F401/],
    ['ruff, concise', 'src/a.ts:3:8: F401 [*] `os` imported but unused\n', 3, /^F401/],
    ['ruff', 'F401 [*] `os` imported but unused\n --> src/a.ts:3:8\n  |\n3 | import os\n', 3, /^F401 \[\*\] `os`/],
    [
      'eslint',
      '\n/srv/copy-1/src/a.ts\n  3:5  error  Unexpected var  no-var\n\n✖ 1 problem\n',
      3,
      /^Unexpected var no-var/,
    ],
    ['eslint, unix', '/srv/copy-1/src/a.ts:3:5: Unexpected var [Error/no-var]\n', 3, /^Unexpected var/],
    [
      'biome',
      'src/a.ts:3:1 lint/style/noVar  FIXABLE  ━━━━━━━━━━━━━━\n\n  × Use let.\n',
      3,
      /^lint\/style\/noVar FIXABLE$/,
    ],
    ['pyright', '/srv/copy-1/src/a.ts\n  /srv/copy-1/src/a.ts:3:5 - error: "x" is not defined\n', 3, /^error: "x"/],
  ])('is read: %s', (_, text, line, message) => {
    expect(printedFindings(text, ROOT)).toEqual([{ file: 'src/a.ts', line, message: expect.stringMatching(message) }]);
  });

  test.each([
    'All good.\n',
    'Found 0 errors. Watching for file changes.\n',
    'src/a.ts:3: note: Revealed type is "int"\n',
    'Error: ENOENT: no such file or directory, open /srv/x\n',
  ])('is no finding: %j', (text) => {
    expect(printedFindings(text, ROOT)).toEqual([]);
  });
});

describe('SARIF', () => {
  const result = (over: object) => ({
    ruleId: 'r1',
    message: { text: 'It is wrong' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a%20b.js' }, region: { startLine: 4 } } }],
    ...over,
  });
  const file = (results: readonly object[], run: object = {}) =>
    JSON.stringify({ version: '2.1.0', runs: [{ ...run, results }] });

  test('is errors and warnings, a result without a level being a warning', () => {
    const found = sarifFindings(file([result({}), result({ level: 'note' }), result({ level: 'error' })]), ROOT);
    const one = { file: 'src/a b.js', line: 4, message: 'It is wrong (r1)' };
    expect(found).toEqual([one, one]);
  });

  test.each([
    ['', 'no text'],
    ['{}', 'another format'],
    [file([], { invocations: [{ executionSuccessful: false }] }), 'a tool that did not succeed'],
    ['{"version":"2.1.0","runs":[{}]}', 'a run without results'],
  ])('is unknown: %s', (text) => {
    expect(sarifFindings(text, ROOT)).toBeUndefined();
  });
});

describe('what a change brought', () => {
  const at = (lines: readonly string[]) => (_: string, line: number) => lines[line - 1];
  const finding = (line: number, message = 'no-var') => ({ file: 'a.js', line, message });

  test('is not what moved with its line', () => {
    const base = { findings: [finding(1)], lineOf: at(['var a;']) };
    expect(newFindings(base, { findings: [finding(3)], lineOf: at(['', '', '  var a;']) })).toEqual([]);
  });

  test('is another line, another message, and one more of the same', () => {
    const base = { findings: [finding(1)], lineOf: at(['var a;']) };
    const head = { findings: [finding(1), finding(2), finding(3, 'semi')], lineOf: at(['var a;', 'var a;', 'var b']) };
    expect(newFindings(base, head)).toEqual([finding(2), finding(3, 'semi')]);
  });
});

describe('what a file sets for the tools', () => {
  test.each(['biome.json', 'packages/x/tsconfig.build.json', '.eslintrc', 'eslint.config.mjs', '.flake8'])(
    'is all of %s',
    (path) => {
      expect(settingsText(path, 'x')).toBe('x');
    },
  );

  test('is some keys of a manifest', () => {
    const [before, after] = ['{"version":"1","eslintConfig":{}}', '{"version":"2","eslintConfig":{}}'];
    expect(settingsText('package.json', before)).toBe(settingsText('package.json', after));
    expect(settingsText('package.json', before)).not.toBe(settingsText('package.json', '{"version":"1"}'));
  });

  test('is some sections of Python files', () => {
    const text = (version: string, line: string) =>
      `[project]\nversion = "${version}"\n\n[tool.ruff.lint]\nselect = ["${line}"]\n\n[tool.black]\nx = 1\n`;
    expect(settingsText('pyproject.toml', text('1', 'E'))).toBe(settingsText('pyproject.toml', text('2', 'E')));
    expect(settingsText('pyproject.toml', text('1', 'E'))).not.toBe(settingsText('pyproject.toml', text('1', 'F')));
  });

  test.each(['src/biome.ts', 'README.md'])('is nothing of %s', (path) => {
    expect(settingsText(path, 'x')).toBeUndefined();
  });
});
