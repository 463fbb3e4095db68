/** What a finding shows of the code that it is about. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { AddedLine } from '../../src/guard/added-lines.ts';
import { quotedCode } from '../../src/guard/quoted-code.ts';
import { withoutWaiver } from '../../src/guard/waivers.ts';
import { weakeningDefects } from '../../src/guard/weakening.ts';
import { scanChange } from '../../src/rules/scan-change.ts';
import { readTests } from '../../src/rules/test-change.ts';
import { installedParsers, loadParsers, type Parsers } from '../../src/syntax/parsers.ts';

let parsers: Parsers;
beforeAll(async () => {
  parsers = await loadParsers(installedParsers());
});

const addedIn = (text: string, file: string): readonly AddedLine[] =>
  text.split('\n').map((line, index) => ({ file, line: index + 1, text: line }));

function messagesOf(text: string, file: string): readonly string[] {
  const { defects } = scanChange(parsers, addedIn(text, file), new Map([[file, text]]));
  return defects.map((found) => withoutWaiver(found).message);
}

describe('a finding', () => {
  it.each([
    ['const value = eval(text);', 'a.js', 'a.js:1: text is run as code: `eval(text)`.'],
    ['const a = = 1; eval(text);', 'a.js', 'a.js:1: text is run as code: `eval(text)`.'],
    [
      'exec(`rm $' + '{path}`);',
      'a.js',
      'a.js:1: a shell command is put together from values: `` exec(`rm $' + '{path}`) ``.',
    ],
    [
      'subprocess.run(\n    command,\n    shell=True,\n)',
      'a.py',
      'a.py:3: a command goes through a shell: `shell=True`.',
    ],
  ])('quotes what broke the rule: %j in %s', (text, file, message) => {
    expect(messagesOf(text, file)).toEqual([message]);
  });

  it('quotes over lines in one line, from the code on to the end of its line', () => {
    expect(messagesOf('JSON\n  .parse\n  = fake;', 'a.js')[0]).toMatch(/: `JSON \.parse`\.$/);
    expect(messagesOf('class A:\n    def __eq__(self, other):\n        return True', 'a.py')[0]).toMatch(
      /: `__eq__\(self, other\): return True`\.$/,
    );
  });

  it('of a test quotes it too', () => {
    const [file, text] = ['test/a.test.js', "it.skip('adds', () => {});"];
    const added = addedIn(text, file);
    const { trees } = readTests(parsers, { added, texts: new Map([[file, text]]), isTest: () => true });
    const [found] = weakeningDefects({ added, trees, isTest: () => true, head: new Map() });
    expect(found && withoutWaiver(found).message).toContain(": `it.skip('adds', () => {})`.");
  });

  it('never quotes a secret, or what stands beside one', () => {
    const token = `ghp_${'a1B2'.repeat(10)}`;
    const messages = messagesOf(`run(eval(text), '${token}');`, 'a.js');
    expect(messages).toHaveLength(2);
    expect(messages.join('\n')).not.toContain('ghp_');
    expect(messagesOf(`eval(\n  '${token}',\n);`, 'a.js').join('\n')).not.toContain('ghp_');
    expect(messagesOf("eval(text, { password: 'q8Zr4Lw1Xv7Tn3' });", 'a.js').join('\n')).not.toContain('q8Zr4');
  });
});

describe('quoted code', () => {
  it('has at most eighty characters and no half ones', () => {
    const shown = quotedCode(`${'a'.repeat(78)}${'\u{1F468}'.repeat(9)}`);
    expect(shown).toBe(`: \`${'a'.repeat(78)}\u{1F468}…\``);
    expect(shown.isWellFormed()).toBe(true);
    expect(quotedCode(`f(\`${'x'.repeat(900)}`).length).toBeLessThan(90);
  });

  it('closes nothing that was opened before it', () => {
    expect(quotedCode('frame.f_locals[one]))])')).toBe(': `frame.f_locals[one]`');
    expect(quotedCode(')'.repeat(400))).toBe('');
  });

  it('shows no invisible characters, and nothing where nothing is left', () => {
    expect(quotedCode('a\u202Eb')).toBe(': `ab`');
    expect(quotedCode(' \u200B;{ ')).toBe('');
  });

  it('cuts no secret in two so that a part of it would be shown', () => {
    expect(quotedCode(`${'a'.repeat(60)} ghp_${'a1B2'.repeat(10)}`)).toBe('');
  });
});
