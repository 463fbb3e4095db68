/**
 * Where the structure of a Markdown text is, by position. It is read with markdown-it, because quotes, lists, code spans, HTML blocks and
 * lazy continuation lines cannot be told apart by patterns; its CommonMark with tables is what GitHub shows, and footnotes and math are added here.
 */
import createMarkdownIt, {
  type MarkdownIt,
  type StateBlock,
  type StateCore,
  type StateInline,
  type Token,
} from 'markdown-it';
import { bounded, effortFor, isTangled } from './markdown-effort.ts';

export interface ParsedMarkdown {
  /** The text with `\n` line ends only. */
  readonly text: string;
  readonly lines: readonly string[];
  readonly tokens: readonly Token[];
  /** It cost more than any honest text; its end was not read, so nothing can be said about it. */
  readonly isTangled: boolean;
}

const parser = createParser();

/** With the line ends and characters that positions count. */
export function normalized(markdown: string): string {
  return markdown.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}

/** Parses a text into block tokens; inline tokens carry their positions as `meta`. */
export function parseMarkdown(markdown: string): ParsedMarkdown {
  const text = normalized(markdown);
  const effort = effortFor(text);
  const tokens = parser.parse(text, effort);
  return { text, lines: text.split('\n'), tokens, isTangled: isTangled(effort) };
}

/** What a text is made of that is one line, as a cell of a table is. */
export function parseLine(text: string): readonly Token[] {
  const [inline] = parser.parseInline(text, effortFor(text));
  return inline?.children ?? [];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where an inline token stands in the content of its block; undefined for tokens whose place does not matter. */
export function spanOf(token: Token): Span | undefined {
  const { start, end } = token.meta ?? {};
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

function createParser(): MarkdownIt {
  const created = new createMarkdownIt({ html: true });
  // Nobody reads here where a link leads.
  created.normalizeLink = (address) => address;
  created.block.ruler.before('reference', 'footnote', skipFootnote, { alt: ['paragraph', 'reference'] });
  created.inline.ruler.at('newline', readNewline);
  created.inline.ruler.at('backticks', readCodeSpan);
  created.inline.ruler.before('escape', 'math', readMath);
  created.inline.ruler.before('autolink', 'comment', readComment);
  created.core.ruler.push('shown', readShown);
  return bounded(created);
}

/** A footnote takes the lines up to the next blank one; without this they would be a paragraph of their own. */
function skipFootnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent > 3) return false;
  if (!/^\[\^[^\]\s]+\]:/.test(state.src.slice(state.bMarks[startLine]).trimStart())) return false;
  if (silent) return true;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line)) line += 1;
  const token = state.push('footnote', '', 0);
  token.map = [startLine, line];
  token.content = state.getLines(startLine, line, state.blkIndent, false);
  state.line = line;
  return true;
}

/** What people see of blocks that are not read as lines, and of mathematics where GitHub sees none: the children of these tokens. */
function readShown({ tokens, md, env }: StateCore): void {
  const read = (text: string): Token[] => {
    const children: Token[] = [];
    md.inline.parse(text, md, env, children);
    return children;
  };
  for (const token of tokens) {
    const shown = SHOWN[token.type]?.(token.content);
    if (shown !== undefined) token.children = shown.flatMap(read);
    const math = (token.children ?? []).filter(({ type }) => type === 'math');
    for (const child of math) child.children = read(child.content.replaceAll('$', ''));
  }
}

const SHOWN: Readonly<Record<string, (content: string) => readonly string[]>> = {
  html_block: (html) => [html.replace(/<[^<>]*>/g, '')],
  footnote: shownFootnote,
};

/** As a paragraph, and each line for itself: a fence or a list that begins in a footnote ends it at the next line. */
function shownFootnote(footnote: string): readonly string[] {
  const said = footnote.replace(/^[^:]*:/, '');
  return [said, ...said.split('\n')].map((text) => `${text}\n`);
}

/** Breaks are never rendered here, so hard and soft ones are the same and nothing is trimmed. */
function readNewline(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '\n') return false;
  return take(state, silent, { type: 'softbreak', end: state.pos + 1 });
}

function readCodeSpan(state: StateInline, silent: boolean): boolean {
  const [opening = ''] = /^`+/.exec(state.src.slice(state.pos, state.posMax)) ?? [];
  if (opening === '') return false;
  const end = closingTicks(state, opening.length);
  if (end !== undefined) return take(state, silent, { type: 'code_inline', end });
  if (!silent) state.pending += opening;
  state.pos += opening.length;
  return true;
}

/** Where the run of as many backticks ends that closes a code span. Runs of each length that were passed are remembered, so that none is looked for in vain twice. */
function closingTicks(state: StateInline, length: number): number | undefined {
  const { src, pos, posMax, backticks } = state;
  if (state.backticksScanned && (backticks[length] ?? 0) <= pos) return undefined;
  const run = /`+/g;
  run.lastIndex = pos + length;
  for (let found = run.exec(src); found !== null; found = run.exec(src)) {
    const [ticks] = found;
    if (ticks.length === length && run.lastIndex <= posMax) return run.lastIndex;
    backticks[ticks.length] = found.index;
  }
  state.backticksScanned = true;
  return undefined;
}

const MATH = /\$\$[\s\S]+?\$\$|\$(?=\S)(?:[^$\\]|\\[\s\S])*?\S\$(?!\d)/y;

function readMath(state: StateInline, silent: boolean): boolean {
  return takeMatch(state, silent, { type: 'math', pattern: MATH });
}

/** Comments, processing instructions and declarations: HTML that nobody sees. */
const COMMENT = /<!---?>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<![A-Za-z][^>]*>/y;

/** How each begins, and with what it ends. */
const HIDDEN_ENDS = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
] as const;

const lastEnds = new WeakMap<StateInline, Map<string, number>>();

/** Whether something ends it, if it begins here: without that each beginning would be followed to the end of the text. */
function canEnd(state: StateInline): boolean {
  const { src, pos } = state;
  const [, end] = HIDDEN_ENDS.find(([start]) => src.startsWith(start, pos)) ?? [];
  if (end === undefined) return true;
  const known = lastEnds.get(state) ?? new Map<string, number>();
  lastEnds.set(state, known);
  const last = known.get(end) ?? src.lastIndexOf(end);
  known.set(end, last);
  return last > pos;
}

function readComment(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '<') return false;
  if (canEnd(state)) return takeMatch(state, silent, { type: 'comment', pattern: COMMENT });
  if (!silent) state.pending += '<';
  state.pos += 1;
  return true;
}

function takeMatch(
  state: StateInline,
  silent: boolean,
  { type, pattern }: { readonly type: string; readonly pattern: RegExp },
): boolean {
  pattern.lastIndex = state.pos;
  const match = pattern.exec(state.src.slice(0, state.posMax));
  return match ? take(state, silent, { type, end: state.pos + match[0].length }) : false;
}

function take(
  state: StateInline,
  silent: boolean,
  { type, end }: { readonly type: string; readonly end: number },
): boolean {
  if (!silent) {
    const token = state.push(type, '', 0);
    token.content = state.src.slice(state.pos, end);
    token.meta = { start: state.pos, end } satisfies Span;
  }
  state.pos = end;
  return true;
}
