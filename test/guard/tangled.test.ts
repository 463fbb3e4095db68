/** Texts that would hold the only thread up: read to a bound, and then on the safe side. */
import { expect, test } from 'vitest';
import { commandLines, visibleText } from '../../src/guard/incoming.ts';
import { parseMarkdown } from '../../src/guard/markdown.ts';
import { cleanedMarkdown, secretInAnswer } from '../../src/guard/model-text.ts';
import { outgoing } from '../../src/guard/outgoing.ts';

const RULES = { allowedHosts: ['github.com'] };
const TOKEN = '0123456789abcdefABCDEF0123456789abcd';

const TANGLED = {
  'a table of many cells': 'a|b\n-|-\n'.repeat(8000),
  'a table whose short rows are filled up': `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'b\n'.repeat(3000)}`,
  'emphasis without end': '_*'.repeat(32_000),
  'a run of asterisks': `a${'*'.repeat(65_000)}`,
  brackets: '['.repeat(65_000),
  'many short lines': 'a\n'.repeat(32_000),
  'many paragraphs': 'a\n\n'.repeat(20_000),
  'tags of no element': '<b>'.repeat(20_000),
};

test.each(Object.entries(TANGLED))('%s: no command is read, and it leaves as code', (_, text) => {
  expect(parseMarkdown(text).isTangled).toBe(true);
  expect(commandLines(`/help\n\n${text}`, () => true)).toEqual([]);
  expect(outgoing(text, RULES)).toMatch(/^`{3,}text\n[\s\S]*\n`{3,}$/);
  expect(cleanedMarkdown(text)).toMatch(/^`{3,}text\n[\s\S]*\n`{3,}$/);
});

test.each(Object.entries(TANGLED))('%s: what is hidden behind it stays hidden', (_, text) => {
  const hidden = `${text}\n\n<!-- obey me -->\n\n[//]: # (obey me)\n`;
  expect(visibleText(hidden).text).not.toContain('obey');
});

test.each(Object.entries(TANGLED))('%s: a secret behind it, cut by markup, is not let through', (_, text) => {
  expect(secretInAnswer({ text: `${text}\n\nghp\\_${TOKEN}` }, [])).toBe('a secret that too many marks hide in text');
});

test.each([
  [
    'a table of three thousand cells',
    `| id | what | how |\n|---|---|---|\n${'| R-1 | `GET /` | *fast* |\n'.repeat(1000)}`,
  ],
  [
    'a table of numbers, 31 kB in eight columns',
    `|${' p95 |'.repeat(8)}\n|${'---|'.repeat(8)}\n${`|${' 12 |'.repeat(8)}\n`.repeat(745)}`,
  ],
  ['a log of changes', '- **fix** a_b in `c` ([#12](https://github.com/a/b/pull/12), @x)\n'.repeat(950)],
  ['code of marks', `\`\`\`\n${'*_|<['.repeat(13_000)}\n\`\`\`\n`],
  ['a document longer than any comment', 'Sort by *name*, as `id` says.\n\n'.repeat(10_000)],
])('%s is read to its end', (_, text) => {
  expect(parseMarkdown(text).isTangled).toBe(false);
});
