/** What people wrote, as people see it: commands only in their plain form, and nothing hidden. */
import type { Token } from 'markdown-it';
import { afterHtml, type OpenTags, withoutHtmlComments } from './hidden-html.ts';
import { type Removal, stripInvisible } from './invisible.ts';
import { normalized, type ParsedMarkdown, parseMarkdown, spanOf } from './markdown.ts';
import { regionsOf } from './markdown-regions.ts';

export type { Removal } from './invisible.ts';

/** More than anybody needs in one comment; each of them is saved, answered and reacted to. */
const MOST_COMMANDS = 10;

/** A command as somebody said it. */
export interface SaidCommand {
  /** The line that it stands on. */
  readonly line: string;
  /** What people see between that line and the next command, or the end of the comment. */
  readonly below: string;
  /** So many more commands stand below it and are not read; given for the last that is read. */
  readonly unread?: number | undefined;
}

/**
 * Commands in top-level paragraphs, in order: lines that begin with `/` and are commands to `isCommand`. Quotes, lists, headings, tables, code, math,
 * emphasis, link texts, footnotes, link definitions, and everything inside HTML or after a tag that is still open give none; below a command they are
 * part of its text. Of many only the first are read, and of a text that is too tangled none.
 */
export function commandLines(markdown: string, isCommand: (line: string) => boolean): readonly SaidCommand[] {
  // Most comments say no command, and need not be parsed.
  if (!/^\//m.test(markdown)) return [];
  const parsed = parseMarkdown(markdown);
  if (parsed.isTangled) return [];
  const commands = slashLines(parsed).filter(({ text }) => isCommand(text));
  return commands.slice(0, MOST_COMMANDS).map(({ text, number }, index) => {
    const below = parsed.lines.slice(number + 1, commands[index + 1]?.number).join('\n');
    const unread = index + 1 === MOST_COMMANDS ? commands.length - MOST_COMMANDS : 0;
    return { line: text, below: visibleText(below).text, ...(unread > 0 && { unread }) };
  });
}

/** A line in plain form that begins with `/`, and its number in the source. */
interface SlashLine {
  readonly text: string;
  readonly number: number;
}

function slashLines(parsed: ParsedMarkdown): readonly SlashLine[] {
  const found: SlashLine[] = [];
  let open: OpenTags = [];
  for (const [index, token] of parsed.tokens.entries()) {
    if (token.type === 'html_block') open = afterHtml(open, token.content);
    if (token.type !== 'inline') continue;
    const opener = parsed.tokens[index - 1];
    const isPlain = opener?.type === 'paragraph_open' && opener.level === 0;
    const starts = isPlain ? notStruck(token, lineStartsOf(token, parsed.lines)) : new Map<number, number>();
    const scanned = scanInline(token, open, starts);
    open = scanned.open;
    found.push(...scanned.lines);
  }
  return found;
}

/** The text that people see, and what was hidden in it: comments, link definitions that nothing uses, invisible characters. */
export function visibleText(markdown: string): { readonly text: string; readonly removed: readonly Removal[] } {
  const plain = stripInvisible(normalized(markdown));
  const uncommented = withoutHtmlComments(plain.text);
  const undefinedLinks = withoutUnusedDefinitions(uncommented.text);
  return { text: undefinedLinks.text, removed: [...plain.removed, ...uncommented.removed, ...undefinedLinks.removed] };
}

/** Where in the paragraph's content a line of the source begins with `/` in its first column: position to line number. */
function lineStartsOf(token: Token, lines: readonly string[]): ReadonlyMap<number, number> {
  const [first = 0] = token.map ?? [];
  const starts = new Map<number, number>();
  let position = 0;
  for (const [index, line] of token.content.split('\n').entries()) {
    if (lines[first + index]?.startsWith('/')) starts.set(position, first + index);
    position += line.length + 1;
  }
  return starts;
}

/** Drops the lines that are struck through. GitHub takes single tildes like double ones, and this parser only double ones. */
function notStruck(token: Token, starts: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  if (starts.size === 0 || !token.content.includes('~')) return starts;
  const struck = struckIn(withoutSpans(token));
  let next = 0;
  const isShown = ([position]: readonly [number, number]): boolean => {
    while ((struck[next]?.to ?? Number.POSITIVE_INFINITY) < position) next += 1;
    return (struck[next]?.from ?? Number.POSITIVE_INFINITY) > position;
  };
  return new Map([...starts].filter(isShown));
}

interface Struck {
  readonly from: number;
  readonly to: number;
}

const TILDE = /(?<!~)~(?!~)/g;

/** What stands between single tildes: one opens before a word, and one closes after a word or alone on its line. */
function struckIn(text: string): readonly Struck[] {
  const struck: Struck[] = [];
  let from: number | undefined;
  for (const { index: at } of text.matchAll(TILDE)) {
    if (from !== undefined && /^(?:\S~|\n~\n|\n~$)/.test(text.slice(at - 1, at + 2))) {
      struck.push({ from, to: at });
      from = undefined;
    } else if (/\S/.test(text[at + 1] ?? '')) from ??= at;
  }
  return struck;
}

/** The content with code spans, math and comments made plain; of the same length. */
function withoutSpans(token: Token): string {
  let text = '';
  for (const child of token.children ?? []) {
    const span = child.type === 'softbreak' ? undefined : spanOf(child);
    if (span === undefined || span.start < text.length) continue;
    text += token.content.slice(text.length, span.start) + 'x'.repeat(span.end - span.start);
  }
  return text + token.content.slice(text.length);
}

/** Walks the inline tokens, so that a line inside a code span, comment, link text or emphasis is never reached. */
function scanInline(
  token: Token,
  before: OpenTags,
  starts: ReadonlyMap<number, number>,
): { readonly open: OpenTags; readonly lines: readonly SlashLine[] } {
  const lines: SlashLine[] = [];
  let open = before;
  const read = (position: number): void => {
    const number = starts.get(position);
    if (open.length > 0 || number === undefined) return;
    const end = token.content.indexOf('\n', position);
    const line = token.content.slice(position, end < 0 ? undefined : end);
    if (!line.includes('<!--')) lines.push({ text: stripInvisible(line).text.trimEnd(), number });
  };
  read(0);
  for (const child of token.children ?? []) {
    if (child.type === 'html_inline') open = afterHtml(open, child.content);
    if (child.type === 'softbreak' && child.level === 0) read(spanOf(child)?.end ?? -1);
  }
  return { open, lines };
}

const DEFINITION =
  /^ {0,3}\[((?!\^)(?:[^\]\\\n]|\\.)+)\]:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*>|\S+)(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$/gm;

/** `[//]: # (text)` shows nothing; a definition that a link uses stays. */
function withoutUnusedDefinitions(text: string): { readonly text: string; readonly removed: readonly Removal[] } {
  if (text.search(DEFINITION) < 0) return { text, removed: [] };
  const isShown = shownIn(parseMarkdown(text));
  const used = usedLabels(text);
  const taken: string[] = [];
  const rest = text.replace(DEFINITION, (whole: string, label: string, offset: number) => {
    if (isShown(offset) || used.has(label.trim().toLowerCase())) return whole;
    taken.push(whole.trim());
    return '';
  });
  const said = taken.join(' ').slice(0, 200);
  return {
    text: rest,
    removed: taken.length === 0 ? [] : [{ what: 'unused link definitions', count: taken.length, said }],
  };
}

/** Tells whether the line at an offset belongs to text that is shown: code, or a paragraph that only looks like a definition. Ask in the order of the text. */
function shownIn(parsed: ParsedMarkdown): (offset: number) => boolean {
  // Nobody knows what it shows.
  if (parsed.isTangled) return () => false;
  const regions = regionsOf(parsed);
  const paragraphs = parsed.tokens.flatMap(({ type, map }) => (type === 'inline' && map ? [map] : []));
  const place = { offset: 0, line: 0, region: 0, paragraph: 0 };
  return (offset) => {
    place.line += parsed.text.slice(place.offset, offset).split('\n').length - 1;
    place.offset = offset;
    while ((regions[place.region]?.end ?? Number.POSITIVE_INFINITY) <= offset) place.region += 1;
    while ((paragraphs[place.paragraph]?.[1] ?? Number.POSITIVE_INFINITY) <= place.line) place.paragraph += 1;
    const { start = Number.POSITIVE_INFINITY } = regions[place.region] ?? {};
    const [first = Number.POSITIVE_INFINITY] = paragraphs[place.paragraph] ?? [];
    return start <= offset || first <= place.line;
  };
}

function usedLabels(text: string): ReadonlySet<string> {
  const found = text.matchAll(/\\.|\[((?:[^[\]\\]|\\.){1,999})\](?!:)/g);
  return new Set([...found].map(([, used = '']) => used.trim().toLowerCase()));
}
