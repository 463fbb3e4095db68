/** Teaches markdown-it the only HTML that our Markdown may carry: `<details>` with `<summary>`, and invisible comments. */
import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';

/** Adds the block rules; tags that do not match within one container are shown as text, open ones are closed. */
export function addDetails(renderer: MarkdownIt): void {
  const interrupts = { alt: ['paragraph', 'reference', 'blockquote', 'list'] };
  renderer.block.ruler.before('html_block', 'hidden_comment', skipComment, interrupts);
  renderer.block.ruler.before('html_block', 'details', readTags, interrupts);
  renderer.core.ruler.after('block', 'balance_details', balance);
  renderer.renderer.rules.details_open = (tokens, index) =>
    tokens[index]?.markup === 'open' ? '<details open>\n' : '<details>\n';
  renderer.renderer.rules.details_summary = (tokens, index) =>
    `<summary>${renderer.utils.escapeHtml(tokens[index]?.content ?? '')}</summary>\n`;
  renderer.renderer.rules.details_text = (tokens, index) =>
    `<p>${renderer.utils.escapeHtml(tokens[index]?.content ?? '')}</p>\n`;
}

function skipComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (!lineOf(state, startLine).startsWith('<!--') || isIndented(state, startLine)) return false;
  if (silent) return true;
  for (let line = startLine; line < endLine; line += 1) {
    const text = lineOf(state, line);
    const end = text.indexOf('-->', line === startLine ? 4 : 0);
    if (end < 0) continue;
    pushText(state, text.slice(end + 3));
    state.line = line + 1;
    return true;
  }
  // CommonMark: an HTML comment that is never closed lasts until the end of its container.
  state.line = endLine;
  return true;
}

const TAGS = /<details(?: (open))?>|<\/details>|<summary>(.*?)<\/summary>/gi;

function readTags(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const text = lineOf(state, startLine);
  if (!/^<(?:details(?: open)?>|\/details>|summary>.*<\/summary>)/i.test(text) || isIndented(state, startLine))
    return false;
  if (silent) return true;
  let position = 0;
  for (const match of text.matchAll(TAGS)) {
    pushText(state, text.slice(position, match.index));
    position = match.index + match[0].length;
    pushTag(state, match);
  }
  pushText(state, text.slice(position));
  state.line = startLine + 1;
  return true;
}

function pushTag(state: StateBlock, [text, open, summary]: RegExpExecArray): void {
  if (summary !== undefined) {
    const token = state.push('details_summary', 'summary', 0);
    token.content = state.md.utils.unescapeAll(summary.replace(/\\/g, '\\\\'));
    token.markup = text;
    return;
  }
  // Nesting 0, so that a tag which does not match cannot shift the level of all that follows.
  const token = state.push(text.startsWith('</') ? 'details_close' : 'details_open', 'details', 0);
  token.markup = open ? 'open' : '';
}

function pushText(state: StateBlock, text: string): void {
  if (text.trim() === '') return;
  const token = state.push('details_text', 'p', 0);
  token.content = text.trim();
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

function isIndented(state: StateBlock, line: number): boolean {
  return (state.sCount[line] ?? 0) - state.blkIndent >= 4;
}

/** A `<details>` must end in the container where it began, else a comment could fold away what follows it on the page. */
function balance(state: StateCore): void {
  const open: number[] = [];
  let previous: Token | undefined;
  const balanced = state.tokens.flatMap((token) => {
    const left = open.filter((level) => level > token.level).map(() => close(state, open));
    const kept = matched(token, { state, open, previous });
    previous = kept;
    return [...left, kept];
  });
  state.tokens = [...balanced, ...[...open].map(() => close(state, open))];
}

type Around = { state: StateCore; open: number[]; previous: Token | undefined };

/** The token itself, or as text where it matches nothing; `open` is kept up to date. */
function matched(token: Token, { state, open, previous }: Around): Token {
  switch (token.type) {
    case 'details_open':
      open.push(token.level);
      return token;
    case 'details_close':
      return open.at(-1) === token.level ? close(state, open) : asText(token, '</details>');
    case 'details_summary':
      return previous?.type === 'details_open' ? token : asText(token, token.markup);
    default:
      return token;
  }
}

function close(state: StateCore, open: number[]): Token {
  open.pop();
  const token = new state.Token('details_close', 'details', -1);
  token.block = true;
  return token;
}

function asText(token: Token, content: string): Token {
  token.type = 'details_text';
  token.content = content;
  return token;
}
