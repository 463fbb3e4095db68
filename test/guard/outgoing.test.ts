import fc from 'fast-check';
import createMarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { outgoing, outgoingPlain } from '../../src/guard/outgoing.ts';

const RULES = { allowedHosts: ['github.com'], canaries: ['kanarie-7f3a9c51e2b84d06'] };

const LEGIT = [
  'Plain words, a < b and c > d, 5 * 3, snake_case, and #12.',
  '# Title\n\n| id | what |\n|---|---|\n| R-1 | `GET /items` answers 200<br>· in 500 ms |',
  '<details open><summary>Log</summary>\n\n```json\n{"a": "@alice", "b": "https://evil.test"}\n```\n\n</details>',
  'See [the run](https://github.com/acme/shop/actions/runs/1), <https://github.com/acme/shop> and [plan.md](.loopwright/12/plan.md).',
  'Comment `/approve` or `/reject <what to change>`; ask `@alice`, see `https://evil.test`.',
  '```mermaid\nflowchart LR\n  A["basket<br/>page"] --> B\n```',
  '```text\n/approve\n/help\n```',
  '- [ ] task\n- [x] done ~~no~~ **yes** _maybe_\n\n> quoted\n\n1. one\n2. two',
  '| a | b |\n|---|---|\n| x | `y` |\n| `z` |',
  'Use `/usr/bin/env`; /usr/bin/env is a path, and so is\n/usr/bin/node on its own line.',
  'Fixes the basket, closes early and resolves to 5.',
  '2 @ 3 EUR, user @ host',
];

test.each(LEGIT)('legitimate text survives letter by letter: %s', (text) => {
  expect(outgoing(text, RULES)).toBe(text);
});

const BREAK = '\u200B';

test.each([
  ['a mention', 'thanks @alice!', `thanks @${BREAK}alice!`],
  ['a team', 'cc @acme/admins', `cc @${BREAK}acme/admins`],
  ['a mention as an entity', '&#64;alice &commat;bob', `@${BREAK}alice @${BREAK}bob`],
  ['an escaped mention', '\\@alice', `@${BREAK}alice`],
  [
    'a mention in HTML',
    '<details><summary>@alice</summary>\n\nx\n\n</details>',
    `<details><summary>@${BREAK}alice</summary>\n\nx\n\n</details>`,
  ],
  ['a command of a bot', '@dependabot merge', `@${BREAK}dependabot merge`],
  ['a slash command', 'ok\n/lgtm\n  /approve cancel', 'ok\n\\/lgtm\n  \\/approve cancel'],
  ['a slash command in a quote or list', '> /lgtm\n\n- /hold', '> \\/lgtm\n\n- \\/hold'],
  ['a phrase that a bot obeys', 'bors r+ and jenkins test this', `bors${BREAK} r+ and jenkins${BREAK} test this`],
  [
    'a closing keyword',
    'Fixes #1, closes: acme/shop#2, Resolved https://github.com/a/b/issues/3',
    `Fixes ${BREAK}#1, closes: ${BREAK}acme/shop#2, Resolved ${BREAK}https://github.com/a/b/issues/3`,
  ],
  ['a closing keyword with an entity', 'fix &#35;1', `fix ${BREAK}#1`],
  ['an image', 'a ![chart](https://evil.test/p.png?q=1) b', 'a (image removed: chart) b'],
  ['an image of an allowed host', '![x](https://github.com/x.png)', '(image removed: x)'],
  ['an HTML image', '<img src="https://evil.test/p.png"> x', '(image removed) x'],
  ['a foreign link', '[docs](https://evil.test/a?b=c)', '[docs] (`https://evil.test/a?b=c`)'],
  ['a foreign link around code', '[`docs`](https://evil.test)', '[`docs`] (`https://evil.test`)'],
  [
    'a link with another scheme',
    '[x](javascript:alert(1)) [y](smb://host/a)',
    '[x] (`javascript:alert(1)`) [y] (`smb://host/a`)',
  ],
  [
    'a link that only begins like an allowed one',
    '[x](https://github.com@evil.test/) [y](//evil.test)',
    '[x] (`https://github.com@evil.test/`) [y] (`//evil.test`)',
  ],
  ['a bare address', 'see https://evil.test/a. Or www.evil.test', 'see `https://evil.test/a`. Or `www.evil.test`'],
  ['an autolink', '<https://evil.test/a>', '`https://evil.test/a`'],
  ['a link definition', '[x][1]\n\n[1]: https://evil.test "t"', '[x][1]\n\n`[1]: https://evil.test "t"`'],
  ['an address for mail', 'write to a.b@evil.test now', 'write to `a.b@evil.test` now'],
  [
    'a tag that is not in the list',
    '<script>x</script><a href="/x">y</a>',
    '&lt;script>x&lt;/script>&lt;a href="/x">y&lt;/a>',
  ],
  ['a type that reads like a tag', 'Array<string>', 'Array&lt;string>'],
  ['a comment', 'a <!-- hidden --> b', 'a  b'],
  ['invisible text', `a\u{E0041}\u202Eb`, 'ab'],
  [
    'a clickable diagram',
    '```mermaid\nflowchart LR\n  A-->B\n  click A "https://evil.test"\n```',
    '```text\nflowchart LR\n  A-->B\n  click A "https://evil.test"\n```',
  ],
  [
    'a configured diagram',
    '```mermaid\n%%{init: {"securityLevel":"loose"}}%%\nflowchart LR\n```',
    '```text\n%%{init: {"securityLevel":"loose"}}%%\nflowchart LR\n```',
  ],
  [
    'a diagram with HTML labels',
    '~~~ mermaid\nflowchart LR\n  A["<img src=x>"]\n~~~',
    '~~~ text\nflowchart LR\n  A["<img src=x>"]\n~~~',
  ],
  ['a canary in code', '`kanarie-7f3a9c51e2b84d06`', '`[secret removed]`'],
])('%s is made harmless', (_, text, expected) => {
  expect(outgoing(text, RULES)).toBe(expected);
});

test('only the listed login is mentioned', () => {
  expect(outgoing('@Ana, please ask @bob and @ana/team', { ...RULES, mention: ['ana'] })).toBe(
    `@Ana, please ask @${BREAK}bob and @${BREAK}ana/team`,
  );
});

test('in a title or commit message a code span protects nothing', () => {
  expect(outgoingPlain('`@alice` fixes `#1` fixes #2', RULES)).toBe(`\`@${BREAK}alice\` fixes \`#1\` fixes ${BREAK}#2`);
});

const PIECES = [
  '@alice',
  '@acme/team',
  '/lgtm',
  '/approve',
  '\n',
  '\n\n',
  ' ',
  'Fixes #1',
  'closes ',
  '#2',
  '![',
  '[',
  ']',
  '](',
  ')',
  '(https://evil.test)',
  'https://evil.test/x',
  'https://github.com/a',
  '<',
  '>',
  '<img src=x>',
  '<a href="https://evil.test">',
  '</a>',
  '<!--',
  '-->',
  '`',
  '``',
  '```',
  '```mermaid\n',
  'click A href',
  '~~~',
  '    ',
  '> ',
  '- ',
  '[1]: ',
  '<details>',
  '</details>',
  '| a | b |\n|---|---|\n| ',
  ' |',
  '\\',
  '&#64;',
  '&lt;',
  '&',
  '*',
  '_',
  '$$',
  'www.evil.test',
  'a@b.test',
  '"',
  "'",
  '\u200B',
  '\u{E0041}',
  'kanarie-7f3a9c51e2b84d06',
  'kanarie-7f3a9c5',
  'javascript:alert(1)',
  '//evil.test',
  '[^1]: ',
  'words',
];
const hostile = fc.array(fc.constantFrom(...PIECES), { maxLength: 16 }).map((pieces) => pieces.join(''));

test('filtering twice is filtering once', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const once = outgoing(text, RULES);
      expect(outgoing(once, RULES)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

test('whatever the pieces, the rendered text mentions nobody, closes nothing, shows no image and links to allowed hosts only', () => {
  const renderer = new createMarkdownIt({ html: true, linkify: true });
  // As on GitHub: addresses with a scheme or `www.` are linked, `//host` is not.
  renderer.linkify.set({ fuzzyLink: false }).add('//', null);
  renderer.validateLink = () => true;
  fc.assert(
    fc.property(hostile, (text) => {
      const html = renderer.render(outgoing(text, RULES));
      const shown = html.replace(/<pre><code[\s\S]*?<\/code><\/pre>|<code>[\s\S]*?<\/code>/g, '');
      expect(shown).not.toMatch(/<img|<!--|<script|(?<![\w])@(?:alice|acme)|\bfixes #1/i);
      for (const [, href = ''] of shown.matchAll(/href="([^"]*)"/g)) {
        expect(new URL(href, 'https://github.com/a/b').host).toBe('github.com');
      }
      expect(html).not.toContain('kanarie-7f3a9');
    }),
    { numRuns: 3000 },
  );
});
