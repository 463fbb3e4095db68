/**
 * Where the structure of a Markdown text is, by position. It is read with markdown-it, because quotes, lists, code spans, HTML blocks and
 * lazy continuation lines cannot be told apart by patterns; its CommonMark with tables is what GitHub shows, and footnotes and math are added here.
 */
import createMarkdownIt, { type MarkdownIt, type StateBlock, type StateInline, type Token } from 'markdown-it';
import { bounded, effortFor, isTangled } from './markdown-effort.ts';

export interface Region {
  readonly type: 'code block' | 'code span' | 'comment';
  /** Offsets in the text, the end not included. */
  readonly start: number;
  readonly end: number;
}

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

/** Code blocks, code spans and inline HTML comments of a text, in order. HTML blocks are not looked into. */
export function regionsOf(parsed: ParsedMarkdown): readonly Region[] {
  const starts = lineStarts(parsed.lines);
  const regions = parsed.tokens.flatMap((token, index): readonly Region[] => {
    if (token.type === 'fence' || token.type === 'code_block') return [blockRegion(token, starts, parsed.text.length)];
    if (token.type === 'tr_open') return rowRegions(token, parsed.lines, starts);
    return token.type === 'inline' && token.map && parsed.tokens[index - 1]?.type !== 'th_open'
      ? inlineRegions(token, parsed.lines, starts)
      : [];
  });
  return regions.toSorted((left, right) => left.start - right.start);
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
  return bounded(created);
}

/** A footnote takes the lines up to the next blank one; without this they would be a paragraph of their own. */
function skipFootnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent > 3) return false;
  if (!/^\[\^[^\]\s]+\]:/.test(state.src.slice(state.bMarks[startLine]).trimStart())) return false;
  if (silent) return true;
  let line = startLine + 1;
  while (line < endLine && !state.isEmpty(line)) line += 1;
  state.push('footnote', '', 0).map = [startLine, line];
  state.line = line;
  return true;
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

function lineStarts(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return starts;
}

function blockRegion(token: Token, starts: readonly number[], length: number): Region {
  const [first, end] = token.map ?? [0, 0];
  return { type: 'code block', start: starts[first] ?? 0, end: Math.min(starts[end] ?? length, length) };
}

function inlineRegions(token: Token, lines: readonly string[], starts: readonly number[]): readonly Region[] {
  const [first = 0] = token.map ?? [];
  const contents = token.content.split('\n');
  const contentStarts = lineStarts(contents);
  const shifts: number[] = [];
  let line = 0;
  // Positions come in order, and there may be many of them.
  const toSource = (position: number): number => {
    while ((contentStarts[line + 1] ?? Number.POSITIVE_INFINITY) <= position) line += 1;
    // Quotes and lists have marks before the content, and the last line may have spaces after it.
    const shift = shifts[line] ?? Math.max(0, lines[first + line]?.lastIndexOf(contents[line] ?? '') ?? 0);
    shifts[line] = shift;
    return (starts[first + line] ?? 0) + shift + position - (contentStarts[line] ?? 0);
  };
  return (token.children ?? []).flatMap((child) => regionOf(child, toSource));
}

/** Cells have no positions, so a row is cut at its bars and each cell is read again. */
function rowRegions(token: Token, lines: readonly string[], starts: readonly number[]): readonly Region[] {
  const [line = 0] = token.map ?? [];
  const rowStart = starts[line] ?? 0;
  return [...(lines[line] ?? '').matchAll(/(?:\\[\s\S]|[^|\\])+/g)].flatMap((cell) => {
    // Nothing that is looked for begins otherwise, and there may be thousands of cells.
    if (!/[`<]/.test(cell[0])) return [];
    const [inline] = parser.parseInline(cell[0], effortFor(cell[0]));
    return (inline?.children ?? []).flatMap((child) => regionOf(child, (position) => rowStart + cell.index + position));
  });
}

function regionOf(child: Token, toSource: (position: number) => number): readonly Region[] {
  const place = spanOf(child);
  if (!place || (child.type !== 'code_inline' && child.type !== 'comment')) return [];
  const type = child.type === 'comment' ? 'comment' : 'code span';
  return [{ type, start: toSource(place.start), end: toSource(place.end - 1) + 1 }];
}
