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
  ['an address in mathematics', '$$(https://evil.test/x) $$', '\\$\\$(`https://evil.test/x`) \\$\\$'],
  ['a mention in emphasis', '_@mallory_', '_@\u200Bmallory_'],
  ['a secret in a footnote', `[^1]: ghp\\_${TOKEN}`, '[GitHub token removed]'],
  ['a secret in what looks like mathematics', `$ghp\\_${TOKEN}$$`, '[GitHub token removed]'],
])('%s', (_, text, expected) => {
  expect(outgoing(text, RULES)).toBe(expected);
});
