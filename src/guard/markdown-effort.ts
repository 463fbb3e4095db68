/** Bounds what a Markdown parser does: a text that would hold it up is read to the bound, and nothing is said about the rest. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/**
 * What was done for one text; passed along by the parser as its `env`. `brackets` are characters between brackets, each as often as it was read: for each that
 * opens the parser looks for the one that closes, also where none does. `pieces` are blocks, cells and steps within lines; most become a token or two. Of a
 * text that is longer than any comment there may be more, by its `share`.
 */
export type Effort = Record<string, unknown>;

/** As long as GitHub lets a comment be. */
const COMMENT = 65_536;

/** For so long a text. One whose paragraphs each begin and end their links needs some ten thousand for its brackets, and the densest one that people wrote some 15,000 pieces. */
const MOST = { brackets: 400_000, pieces: 20_000 } as const;

/** A fresh account for one text. */
export function effortFor(text: string): Effort {
  return { share: Math.max(1, text.length / COMMENT) };
}

/** Whether a text costs more than any honest one; its end was not read then, so nothing can be said about it. */
export function isTangled(effort: Effort): boolean {
  const share = numberIn(effort, 'share');
  return numberIn(effort, 'brackets') > MOST.brackets * share || numberIn(effort, 'pieces') > MOST.pieces * share;
}

function numberIn(effort: Effort, name: 'share' | keyof typeof MOST): number {
  const value = effort[name];
  return typeof value === 'number' ? value : 0;
}

function spend(effort: Effort, name: keyof typeof MOST, amount: number): void {
  effort[name] = numberIn(effort, name) + amount;
}

/** Bounds a parser. Give it an `effortFor` each text as `env`, and ask `isTangled` of that. */
export function bounded(created: MarkdownIt): MarkdownIt {
  created.block.ruler.before('table', 'bounded', spendOnBlock);
  created.inline.ruler.before('text', 'bounded', spendInLine);
  return created;
}

const BLOCK_PIECES = 3;

function spendOnBlock(state: StateBlock, startLine: number, endLine: number): boolean {
  spend(state.env, 'pieces', BLOCK_PIECES * (1 + cellsFrom(state, startLine, endLine)));
  if (!isTangled(state.env)) return false;
  state.line = endLine;
  return true;
}

/** So many cells as the table has that begins here, if one does: rows that are short are filled up, and an empty cell costs what a full one does. */
function cellsFrom({ src, bMarks, eMarks }: StateBlock, startLine: number, endLine: number): number {
  const lineOf = (line: number): string => src.slice(bMarks[line], eMarks[line]);
  if (startLine + 1 >= endLine || !/^[\s>|:-]*-[\s|:-]*$/.test(lineOf(startLine + 1))) return 0;
  if (!lineOf(startLine).includes('|')) return 0;
  const columns = lineOf(startLine).replace(OUTER_PIPES, '').split('|').length;
  let line = startLine + 1;
  while (line < endLine && lineOf(line).trim() !== '') line += 1;
  return columns * (line - startLine);
}

/** They stand around a row and part no cells. */
const OUTER_PIPES = /^[\s>]*\||\|\s*$/g;

function spendInLine(state: StateInline, silent: boolean): boolean {
  spend(state.env, 'pieces', piecesAt(state, silent));
  spend(state.env, 'brackets', labelLength(state));
  if (!isTangled(state.env)) return false;
  if (!silent) state.pending += state.src.slice(state.pos, state.posMax);
  state.pos = state.posMax;
  return true;
}

/** What may begin more than text, and how much that costs: a tag or an address costs most. */
const COSTS: ReadonlyMap<string | undefined, number> = new Map([
  ...Array.from('\n\\`![&$', (mark): [string, number] => [mark, 1]),
  ['<', 3],
  ['@', 3],
]);
const DELIMITERS: ReadonlySet<string | undefined> = new Set('*_~');

/** Each of a run of delimiters becomes a token. */
function piecesAt({ src, pos, posMax }: StateInline, silent: boolean): number {
  const mark = src[pos];
  if (silent || !DELIMITERS.has(mark)) return COSTS.get(mark) ?? 0;
  let end = pos + 1;
  while (end < posMax && src[end] === mark) end += 1;
  return end - pos;
}

const [OPENS, CLOSES] = [0x5b, 0x5d];

/** From a bracket that opens here as far as the one that closes, or the end. */
function labelLength({ src, pos, posMax }: StateInline): number {
  const bracket = src[pos] === '!' ? pos + 1 : pos;
  if (src.charCodeAt(bracket) !== OPENS) return 0;
  let depth = 0;
  for (let at = bracket; at < posMax; at += 1) {
    const code = src.charCodeAt(at);
    if (code === OPENS) depth += 1;
    if (code === CLOSES) depth -= 1;
    if (depth === 0) return at - bracket;
  }
  return posMax - bracket;
}
