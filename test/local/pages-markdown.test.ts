import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { renderMarkdown } from '../../src/local/pages/pages-markdown.ts';

const render = (text: string): string => renderMarkdown(text, { repository: 'octo/shop', kind: 'comment' });
const read = (text: string): Document => parseHTML(`<html><body>${render(text)}</body></html>`).document;

test('raw HTML is shown as text, except details and summary', () => {
  const document = read('<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n<iframe src="//x"></iframe>');
  expect(document.querySelectorAll('script, img, iframe')).toHaveLength(0);
  expect(document.body.textContent).toContain('<script>alert(1)</script>');
});

test.each(['[x](javascript:alert(1))', '[x](data:text/html,x)', '[x](vbscript:x)', '<javascript:alert(1)>'])(
  'the link %s leads nowhere',
  (text) => expect(read(text).querySelectorAll('a')).toHaveLength(0),
);

test('details fold Markdown, and the summary is plain text', () => {
  const document = read(
    '<details><summary>Plan `x` & <b>more</b></summary>\n\n| a |\n|---|\n| 1 |\n\n</details>\n\nafter',
  );
  expect(document.querySelector('details > summary')?.textContent).toBe('Plan `x` & <b>more</b>');
  expect(document.querySelector('details td')?.textContent).toBe('1');
  expect(document.querySelector('body > p')?.textContent).toBe('after');
});

test('details in one line, open ones, and nested ones work', () => {
  const document = read(
    '<details open><summary>a</summary>text</details>\n\n<details>\n<summary>b</summary>\n\n<details>\n<summary>c</summary>\n\ninner\n\n</details>\n\n</details>',
  );
  expect(document.querySelector('details[open] > p')?.textContent).toBe('text');
  expect(document.querySelector('details details > p')?.textContent).toBe('inner');
});

test('a details tag with attributes is not one of ours', () => {
  expect(read('<details ontoggle=alert(1)><summary>x</summary>').querySelectorAll('details')).toHaveLength(0);
});

test('a closing tag that nothing opened is text, so that it cannot close what the page opened', () => {
  expect(render('one\n\n</details>\n\ntwo')).not.toContain('</details>');
  expect(render('> <details>\n> x\n\n</details>').match(/<\/details>/g)).toHaveLength(1);
});

test('details that nobody closes end with their container', () => {
  expect(render('> <details>\n>\n> x\n\nafter')).toMatch(/<\/details>\s*<\/blockquote>\s*<p>after/);
  expect(render('<details>\n\nx').trim()).toMatch(/<\/details>$/);
});

test('HTML comments are invisible, but not inside code', () => {
  const html = render(
    '<!-- marker:1 -->\none <!-- two --> three\n\n<!--\nfour\n-->\n\n`<!-- five -->`\n\n```\n<!-- six -->\n```',
  );
  expect(html).not.toMatch(/marker|two|four/);
  expect(html).toContain('five');
  expect(html).toContain('six');
});

test('tables, task lists, strikethrough and autolinks are as on GitHub', () => {
  const document = read('| a | b |\n|---|--:|\n| ~~1~~ | https://example.org/x |\n\n- [x] done\n- [ ] open');
  expect(document.querySelector('td s')?.textContent).toBe('1');
  expect(document.querySelector('td a')?.getAttribute('href')).toBe('https://example.org/x');
  const boxes = [...document.querySelectorAll('li.task > input[type=checkbox][disabled]')];
  expect(boxes.map((box) => box.hasAttribute('checked'))).toEqual([true, false]);
});

test('a file name is not taken for a web address', () => {
  expect(read('see plan.md and README.rs').querySelectorAll('a')).toHaveLength(0);
});

test('mentions are emphasised and issue numbers lead to the issue, but not in code, links, words or addresses', () => {
  const document = read('@alice see #12, (#13) `#14` [#15](/x) a#16 me@example.org');
  const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual(['/octo/shop/issues/12', '/octo/shop/issues/13', '/x']);
  expect([...document.querySelectorAll('.mention')].map((name) => name.textContent)).toEqual(['@alice']);
});

test('headings get ids that do not repeat', () => {
  const ids = [...read('# A plan!\n\n## A plan\n\n## 日本').querySelectorAll('h1, h2')].map(({ id }) => id);
  expect(ids).toEqual(['a-plan', 'a-plan-1', '日本']);
});

test('a mermaid block becomes its escaped source for the browser to draw', () => {
  const document = read('```mermaid\nflowchart TD\n  A["</pre><script>"] --> B\n```');
  expect(document.querySelector('pre.mermaid')?.textContent).toContain('A["</pre><script>"] --> B');
});

test('an image becomes a link, because the page shows nothing from elsewhere', () => {
  const link = read('![a chart](https://example.org/c.png)').querySelector('a.image');
  expect([link?.textContent, link?.getAttribute('href')]).toEqual(['a chart', 'https://example.org/c.png']);
});

test('relative links of a file lead to files of the same branch', () => {
  const html = renderMarkdown('[guide](./docs/guide.md)', { repository: 'octo/shop', ref: 'main', kind: 'file' });
  expect(html).toContain('href="/octo/shop/blob/main/docs/guide.md"');
});

test('a <br> makes a second line within a cell, and no other tag comes through with it', () => {
  const cell = read('| a |\n|---|\n| one<br>two <br/> <brx> `<br>` |').querySelector('td');
  expect(cell?.querySelectorAll('br')).toHaveLength(2);
  expect(cell?.textContent).toBe('one\ntwo \n <brx> <br>');
});

test('line breaks are kept in comments only', () => {
  expect(render('a\nb')).toContain('<br>');
  expect(renderMarkdown('a\nb', { repository: 'octo/shop', kind: 'file' })).not.toContain('<br>');
});
