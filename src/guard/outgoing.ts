/** The one filter for every text that leaves: what a model or a stranger wrote must not call people, command bots, close issues, fetch or leak. */
import { foldOffsets } from './folds.ts';
import { stripInvisible } from './invisible.ts';
import { parseMarkdown } from './markdown.ts';
import { type Region, regionsOf } from './markdown-regions.ts';
import { isTame } from './outgoing-check.ts';
import {
  asCodeBlock,
  type OutgoingRules,
  tameBars,
  tameHtml,
  tameLinks,
  tameMermaid,
  tamePhrases,
  tameTicks,
} from './outgoing-rules.ts';
import { withoutSplitSecrets } from './rendered-text.ts';
import { withoutSecrets } from './secrets.ts';

export type { OutgoingRules } from './outgoing-rules.ts';

/** Each pass can only take away, so two or three settle; more means that the text fights the filter. */
const MAX_PASSES = 6;

/**
 * Markdown that is safe to show on GitHub; a text that cannot be made safe leaves as one code block.
 * Filtering twice gives the same as filtering once.
 */
export function outgoing(markdown: string, rules: OutgoingRules): string {
  let text = markdown;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = filterOnce(text, rules);
    if (next === undefined) break;
    if (next === text) return isTame(text, rules) ? text : asCode(text, rules);
    text = next;
  }
  return asCode(text, rules);
}

/** One line or a commit message: no Markdown protects anything in it, so code spans are no exception. */
export function outgoingPlain(text: string, rules: OutgoingRules): string {
  return tamePhrases(withoutSecrets(stripInvisible(text).text, rules.canaries), rules);
}

const ADDRESS = /[a-z]:\/\/|\bwww\./i;

/** Whether a text ends in an address. On GitHub that goes on through backticks, and what follows would not be code there. */
function endsInAddress(text: string): boolean {
  let start = text.length;
  while (start > 0 && !/[\s<]/.test(text[start - 1] ?? '')) start -= 1;
  return ADDRESS.test(text.slice(start));
}

/** Undefined where the text is too tangled to be read. */
function filterOnce(markdown: string, rules: OutgoingRules): string | undefined {
  const written = parseMarkdown(withoutSecrets(stripInvisible(markdown).text, rules.canaries));
  if (written.isTangled) return undefined;
  const parsed = withoutSplitSecrets(written, rules.canaries);
  if (parsed.isTangled) return undefined;
  const folds = foldOffsets(parsed);
  const tame = (start: number, end?: number): string => tameProse({ text: parsed.text, start, end }, rules, folds);
  const pieces: string[] = [];
  let position = 0;
  for (const region of regionsOf(parsed)) {
    if (region.start < position) continue;
    const prose = tame(position, region.start);
    const before = region.type === 'code span' && endsInAddress(prose) ? `${prose} ` : prose;
    pieces.push(before, tameRegion(parsed.text, region));
    position = region.end;
  }
  return joined([...pieces, tame(position)]);
}

/** Two pieces of code that touch would be one, or none; an escaped tick is no piece of code. */
function joined(pieces: readonly string[]): string {
  const shown = pieces.filter((piece) => piece !== '');
  return shown.map((piece, index) => (touches(shown[index - 1] ?? '', piece) ? ` ${piece}` : piece)).join('');
}

function touches(left: string, right: string): boolean {
  return left.endsWith('`') && !left.endsWith('\\`') && right.startsWith('`');
}

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number | undefined;
}

/** What stands after a code span is no beginning of a line, and no text holds a NUL. */
const MID_LINE = '\0';

/** What stands between pieces of code, of which there may be many: too little for any rule. */
const INNOCENT = /^[\w\s,;]{0,6}$/;

function tameProse({ text, start, end }: Piece, rules: OutgoingRules, folds: ReadonlySet<number>): string {
  const prose = text.slice(start, end);
  if (INNOCENT.test(prose)) return prose;
  const html = tameHtml(prose, rules, (offset) => folds.has(start + offset));
  const lead = start === 0 || text[start - 1] === '\n' ? '' : MID_LINE;
  return tamePhrases(tameLinks(tameBars(lead + tameTicks(html)), rules), rules).slice(lead.length);
}

/** A code span is shown in one line; in the source no line of it may begin as a command does. */
const COMMAND_IN_SPAN = /\n[ \t>]*(?=\/[A-Za-z])/g;

function tameRegion(text: string, { type, start, end }: Region): string {
  const source = text.slice(start, end);
  if (type === 'comment') return '';
  return type === 'code block' ? tameMermaid(source) : source.replace(COMMAND_IN_SPAN, ' ');
}

function asCode(text: string, rules: OutgoingRules): string {
  return asCodeBlock(withoutSecrets(stripInvisible(text).text, rules.canaries));
}
