/** Where code and comments stand in a Markdown text, by position. */
import type { Token } from 'markdown-it';
import { type ParsedMarkdown, parseLine, spanOf } from './markdown.ts';

export interface Region {
  readonly type: 'code block' | 'code span' | 'comment';
  /** Offsets in the text, the end not included. */
  readonly start: number;
  readonly end: number;
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
    return parseLine(cell[0]).flatMap((child) => regionOf(child, (position) => rowStart + cell.index + position));
  });
}

function regionOf(child: Token, toSource: (position: number) => number): readonly Region[] {
  const place = spanOf(child);
  if (!place || (child.type !== 'code_inline' && child.type !== 'comment')) return [];
  const type = child.type === 'comment' ? 'comment' : 'code span';
  return [{ type, start: toSource(place.start), end: toSource(place.end - 1) + 1 }];
}
