/** Where GitHub's own parser reads otherwise than the specification says, as the property over rendered texts found it. */
import { expect, test } from 'vitest';
import { outgoing } from '../../src/guard/outgoing.ts';

const RULES = { allowedHosts: ['github.com'] };
const TOKEN = '0123456789abcdefABCDEF0123456789abcd';

test.each([
  [
    'ticks that nothing closes, which turn the next code span but one into text',
    '``` `a` `@mallory`',
    '\\`\\`\\` `a` `@mallory`',
  ],
  ['an address behind a mark', '_https://evil.test/x', '_`https://evil.test/x`'],
  ['an address behind a digit', '#2https://evil.test/x', '#2`https://evil.test/x`'],
  ['an address behind a code span', '`a`https://evil.test/x', '`a` `https://evil.test/x`'],
  ['a definition behind a code span', '`a`[x]: y', '`a`[x]: y'],
  ['an address in what only begins like a definition', '[1]: www.evil.test A "b"', '`[1]: www.evil.test A "b"`'],
  ['an address behind a target that may be shown', '[1]: plan.md www.evil.test', '`[1]: plan.md www.evil.test`'],
  ['a definition that cannot interrupt a paragraph', 'a\n[1]: www.evil.test', 'a\n`[1]: www.evil.test`'],
  ['a definition without an address', '[1]: plan.md "the plan"', '[1]: plan.md "the plan"'],
  ['an address in mathematics', '$$(https://evil.test/x) $$', '\\$\\$(`https://evil.test/x`) \\$\\$'],
  [
    'a bar alone, which ends a table and begins a paragraph',
    '| a |\n|---|\n|\n    <td>',
    '| a |\n|---|\n\\|\n    <td>',
  ],
  ['a mention in emphasis', '_@mallory_', '_@\u200Bmallory_'],
  ['a secret in a footnote', `[^1]: ghp\\_${TOKEN}`, '[GitHub token removed]'],
  ['a secret below a fence in a footnote', `[^1]: ~~~\nghp\\_${TOKEN}`, '[GitHub token removed]'],
  ['a secret in a definition in a footnote', `[^1]: [1]: gh&#112;_${TOKEN}`, '[GitHub token removed]'],
  ['a secret in a definition in HTML', `<br>\n[1]: gh&#112;_${TOKEN}`, '[GitHub token removed]'],
  ['a secret in what looks like mathematics', `$ghp\\_${TOKEN}$$`, '[GitHub token removed]'],
])('%s', (_, text, expected) => {
  expect(outgoing(text, RULES)).toBe(expected);
});
