/** HTML, secrets in pieces, diagrams and hidden commands: what the filter of outgoing texts does with them. */
import { describe, expect, test } from 'vitest';
import { outgoing } from '../../src/guard/outgoing.ts';

const RULES = { allowedHosts: ['github.com'], canaries: ['kanarie-7f3a9c51e2b84d06'] };
const TOKEN = '0123456789abcdefABCDEF0123456789abcd';

describe('no tag of a foreign text hides the rest of ours', () => {
  test.each([
    ['an open fold', 'found: <details> x', 'found: &lt;details> x'],
    ['an open fold on its own line', 'a\n\n<details>\n\nb', 'a\n\n&lt;details>\n\nb'],
    [
      'a fold like ours that is never closed',
      '<details><summary>x</summary>\n\nb',
      '&lt;details>&lt;summary>x&lt;/summary>\n\nb',
    ],
    ['a fold that closes ours early', 'a\n\n</details>\n\nb', 'a\n\n&lt;/details>\n\nb'],
    ['an open table', 'x <table><tr><td> y', 'x &lt;table>&lt;tr>&lt;td> y'],
    ['open code', 'x <code> y <pre> z', 'x &lt;code> y &lt;pre> z'],
    ['small print', 'x <sub><sup>y</sup></sub>', 'x &lt;sub>&lt;sup>y&lt;/sup>&lt;/sub>'],
    ['a comment that never ends', 'x\n\n<!-- y\n\nz', 'x\n\n&lt;!-- y\n\nz'],
    ['a comment that never ends in a line', 'x <!-- y\n\nz', 'x &lt;!-- y\n\nz'],
  ])('%s', (_, text, expected) => {
    expect(outgoing(text, RULES)).toBe(expected);
  });

  test('our own folds stay, one in the other, and a foreign one between them is text', () => {
    const ours =
      '<details open><summary>A</summary>\n\na\n\n<details><summary>B</summary>\n\nb\n\n</details>\n\n</details>\n\nend';
    expect(outgoing(ours, RULES)).toBe(ours);
    const foreign = '<details><summary>A</summary>\n\n- x <details> y\n\n</details>\n\nend';
    expect(outgoing(foreign, RULES)).toBe('<details><summary>A</summary>\n\n- x &lt;details> y\n\n</details>\n\nend');
  });
});

describe('a secret that only shows when it is rendered goes with its block', () => {
  test.each([
    ['behind an entity', `gh&#112;_${TOKEN}`],
    ['between breaks', `ghp<br>_${TOKEN}`],
    ['escaped', `ghp\\_${TOKEN}`],
    ['in emphasis', `**ghp**_${TOKEN}`],
    ['in a link', `[ghp](https://github.com/x)_${TOKEN}`],
    ['in code and text', `\`ghp\`_${TOKEN}`],
  ])('%s', (_, secret) => {
    expect(outgoing(`before\n\nsay ${secret} now\n\nafter`, RULES)).toBe('before\n\n[GitHub token removed]\n\nafter');
  });

  test('one of our own, in a row of a table', () => {
    const text = '| a | b |\n|---|---|\n| fine | kanarie&#45;7f3a&#57;c51e2b84d06 |\n\nafter';
    const filtered = outgoing(text, RULES);
    expect(filtered).not.toContain('7f3a');
    expect(filtered).toContain('[secret removed]\n\nafter');
  });
});

describe('a diagram that fetches, leads away or configures is shown as text', () => {
  test.each([
    'A@{ img: "//evil.test/p.png", label: "x" }',
    "A@{ 'img' : '//evil.test/p.png' }",
    'A@{ icon: "fa:x", image: "https://evil.test" }',
    'click A "//evil.test"',
    'A-->B; click A call x()',
    'style A fill:url(//evil.test/p.svg)',
    '%%{init: {"themeCSS": "@import x"}}%%',
    'A["#lt;img src=//evil.test#gt;"]',
    'A["#60;a href=x#62;"]',
    'A["&lt;img src=x&gt;"]',
    'A["![x](//evil.test/p.png)"]',
    'A["[x](//evil.test)"]',
    'A["ws://evil.test"]',
  ])('%s', (line) => {
    expect(outgoing(`\`\`\`mermaid\nflowchart LR\n  ${line}\n\`\`\``, RULES)).toBe(
      `\`\`\`text\nflowchart LR\n  ${line}\n\`\`\``,
    );
  });

  test.each(['A["GET /items[0]"] --> B@{ shape: rect }', 'A["a < b, x & y"] -->|1 2| B', 'imgproxy --> image'])(
    'one that only shows stays a diagram: %s',
    (line) => {
      const text = `\`\`\`mermaid\nflowchart LR\n  ${line}\n\`\`\``;
      expect(outgoing(text, RULES)).toBe(text);
    },
  );
});

describe('no line of ours is a command of another bot', () => {
  test.each([
    ['in a stroke', '~text\n/approve\n~', '~text\n\\/approve\n~'],
    ['in a code span over lines', 'a `text\n/approve\n` b', 'a `text /approve\n` b'],
    ['in a quoted code span', '> a `text\n> /approve` b', '> a `text /approve` b'],
    ['behind an entity', '&#47;approve', '\\/approve'],
    ['behind an entity in the line', 'x\n&sol;lgtm', 'x\n\\/lgtm'],
    ['after an escape', '\\/approve', '\\/approve'],
  ])('%s', (_, text, expected) => {
    expect(outgoing(text, RULES)).toBe(expected);
  });
});
