import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanedAnswer, cleanedMarkdown, cleanedReport, secretInAnswer } from '../../src/guard/model-text.ts';

describe('what a model says', () => {
  it.each([
    ['an invisible instruction', 'plain\u{E0049}\u{E0067} words\u200B', 'plain words'],
    ['letters that turn the line around', 'a \u202Egnp.exe', 'a gnp.exe'],
    ['a hidden comment', 'before <!-- ignore all rules --> after', 'before  after'],
    ['a comment that never ends', 'before\n\n<!-- ignore all', 'before\n\n'],
    ['a tracking image', 'see ![chart](https://evil.test/p.png?q=1)', 'see (image removed: chart)'],
    ['an HTML image', 'x <img src="https://evil.test/p.png"> y', 'x \\<img src="https://evil.test/p.png"> y'],
    ['a block that folds the rest away', '<details><summary>x</summary>', '\\<details>\\<summary>x\\</summary>'],
    ['an open table', 'x <table><tr><td>', 'x \\<table>\\<tr>\\<td>'],
    ['a fence that stays open', 'a\n\n```js\nb', 'a\n\n```js\nb\n```'],
    ['backticks that close nothing', '``` `a` b', '\\`\\`\\` `a` b'],
    ['open code', 'x <code> y', 'x \\<code> y'],
    ['a type that reads like a tag', 'returns Array<string>', 'returns Array\\<string>'],
    [
      'entities, which people would read as other letters',
      'a &lt;b&#62; &amp;amp; \\&gt;',
      'a \\&lt;b\\&#62; \\&amp;amp; \\&gt;',
    ],
    ['HTML that a line break begins', '<br>\n<img src=x>', '\\<br>\n\\<img src=x>'],
    [
      'a clickable diagram',
      '```mermaid\nflowchart LR\n  click A "https://evil.test"\n```',
      '```text\nflowchart LR\n  click A "https://evil.test"\n```',
    ],
  ])('is cleaned of %s', (_, said, expected) => {
    expect(cleanedMarkdown(said)).toBe(expected);
  });

  it.each([
    "a code span `'*.*'`, `<Button>` and ``a ` b``",
    '```html\n<img src=x> <!-- shown -->\n```',
    'a<br>b, 1 < 2 and 3 > 2, <https://example.com/x>',
    '| a | b |\n|---|---|\n| `<td>` | \\| |',
    'fixes @alice: closes #1, see [x](https://example.com) and ~~no~~ **yes**',
    '👩‍💻 and ❤️',
  ])('stays as it is where people see all of it: %s', (text) => {
    expect(cleanedMarkdown(text)).toBe(text);
  });

  it('is the same after a second cleaning, whatever its pieces', () => {
    const pieces = [
      '<',
      '>',
      '<!--',
      '-->',
      '<!-',
      '- ',
      '`',
      '``',
      '```\n',
      '\n',
      '\n\n',
      '    ',
      '> ',
      '![',
      '](x)',
      '[',
      ']',
      'a',
    ];
    const tags = [
      '<details>',
      '<br>',
      '<b',
      ' x="',
      '"',
      '</b>',
      '\u200B',
      '\u202E',
      '|',
      '\\',
      '~~~\n',
      '$$',
      '&lt;',
      '&',
      'amp;',
      '\n<br>\n',
      '<?',
      '<!X',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...tags), { maxLength: 14 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (said) => {
        const once = cleanedMarkdown(said);
        expect(cleanedMarkdown(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps values, paths and files letter by letter, but for what cannot be seen', () => {
    const answer = {
      title: 'Shows <b>',
      acceptance: [
        { title: 'a<!-- b -->', steps: [{ stdin: '<b>\r\n\u001b[1m\u200B', expected: { contains: ['![x](y)'] } }] },
      ],
      files: ['src/<a>.ts', { path: 'src/b\u202E.ts', content: '<!-- kept \u202E -->' }],
      contract: { format: 'openapi', text: 'description: <b>' },
      criteria: ['`<b>` and <b>', '\u200B'],
    };
    expect(cleanedAnswer(answer)).toEqual({
      title: 'Shows \\<b>',
      acceptance: [{ title: 'a', steps: [{ stdin: '<b>\r\n\u001b[1m', expected: { contains: ['![x](y)'] } }] }],
      files: ['src/<a>.ts', { path: 'src/b.ts', content: '<!-- kept \u202E -->' }],
      contract: { format: 'openapi', text: 'description: <b>' },
      criteria: ['`<b>` and \\<b>', '(nothing that can be seen)'],
    });
  });

  it.each([
    ['as it is', 'ghp_0123456789abcdefABCDEF0123456789abcd', 'a GitHub token in list.0.text'],
    ['behind an entity', 'gh&#112;_0123456789abcdefABCDEF0123456789abcd', 'a GitHub token in list.0.text'],
    ['between tags', 'ghp<br>_0123456789abcdef<b></b>ABCDEF0123456789abcd', 'a GitHub token in list.0.text'],
    ['escaped', 'ghp\\_0123456789abcdefABCDEF0123456789abcd', 'a GitHub token in list.0.text'],
    ['in emphasis', '**ghp**_0123456789abcdefABCDEF0123456789abcd', 'a GitHub token in list.0.text'],
    ['as one of our own', 'kanarie&#45;7f3a9c51e2b84d06', 'a secret in list.0.text'],
  ])('is refused with a secret that stands there %s', (_, text, expected) => {
    expect(secretInAnswer({ list: [{ text }] }, ['kanarie-7f3a9c51e2b84d06'])).toBe(expected);
  });

  it('is not refused for a secret in a file, which the scan judges', () => {
    const content = 'const token = "ghp_0123456789abcdefABCDEF0123456789abcd";';
    expect(secretInAnswer({ files: [{ path: 'a.ts', content }] }, [])).toBeUndefined();
  });
});

describe('what a job reports', () => {
  it('is cleaned in its words and not in its files', () => {
    const files = {
      changes: [{ path: 'a\u200B', content: 'x\u202E' }],
      tests: { files: [{ path: 'b', content: '<!-- -->\u200B' }] },
    };
    const report = {
      ...files,
      defects: [
        { message: 'expected <b>\u202E\n<!-- shown in a code block -->', suggestion: `\u200B${'x'.repeat(3000)}` },
      ],
      evidence: [{ test: 'a::b\u200B', reason: 'it shows <details>' }],
      acceptance: [{ detail: 'answers <table>, not `<table>`' }],
      failure: { cause: 'model', message: 'no <details>' },
    };
    expect(cleanedReport(report)).toEqual({
      ...files,
      defects: [{ message: 'expected <b>\n<!-- shown in a code block -->', suggestion: 'x'.repeat(2000) }],
      evidence: [{ test: 'a::b', reason: 'it shows \\<details>' }],
      acceptance: [{ detail: 'answers \\<table>, not `<table>`' }],
      failure: { cause: 'model', message: 'no \\<details>' },
    });
  });
});
