/** What people read of a Markdown text once it is rendered: a secret that markup or entities cut into pieces is whole again there. */
import type { Token } from 'markdown-it';
import { type ParsedMarkdown, parseMarkdown } from './markdown.ts';
import { findSecrets } from './secrets.ts';

/**
 * The names of what looks like a secret in a text, as it is written or as it is rendered; what examples are made of is none. A text that is too tangled to
 * be rendered is one itself.
 */
export function secretNamesIn(text: string, canaries: readonly string[] = []): readonly string[] {
  const parsed = parseMarkdown(text);
  const found = [{ text }, ...shownBlocks(parsed)].flatMap((block) =>
    findSecrets(block.text, canaries).flatMap(({ name, start, end }) =>
      EXAMPLES.has(name) && !RANDOM.test(block.text.slice(start, end)) ? [] : [name],
    ),
  );
  return parsed.isTangled ? [...found, 'secret that too many marks hide'] : found;
}

/** People write `http://user:pass@host` and `Bearer valid-token-1` to show what a product does with them; real ones are long and look like chance. */
const EXAMPLES: ReadonlySet<string> = new Set(['bearer token', 'password in an address']);
const RANDOM = /(?=[^\d]*\d)[A-Za-z0-9+/_]{20}/;

/** The text, in which each block that shows a secret is gone, and a sentence stands in its place. Its source shows no secret any more. */
export function withoutSplitSecrets(parsed: ParsedMarkdown, canaries: readonly string[] = []): ParsedMarkdown {
  const finds = splitSecrets(parsed, canaries);
  if (finds.length === 0) return parsed;
  const lines = [...parsed.lines];
  for (const { name, first, end } of finds.toReversed()) lines.splice(first, end - first, `[${name} removed]`);
  return withoutSplitSecrets(parseMarkdown(lines.join('\n')), canaries);
}

interface SplitSecret {
  readonly name: string;
  /** Lines of the block, the last one not included. */
  readonly first: number;
  readonly end: number;
}

function splitSecrets(parsed: ParsedMarkdown, canaries: readonly string[]): readonly SplitSecret[] {
  return secretBlocks(shownBlocks(parsed), canaries);
}

/** Looks at many blocks as one text, and only where that holds a secret at fewer: each of the many patterns costs something, also on a short text. */
function secretBlocks(blocks: readonly ShownBlock[], canaries: readonly string[]): readonly SplitSecret[] {
  const [find] = findSecrets(blocks.map(({ text }) => text).join('\n\n'), canaries);
  if (find === undefined) return [];
  const [block, ...others] = blocks;
  if (block !== undefined && others.length === 0) return [{ name: find.name, first: block.first, end: block.end }];
  const middle = Math.ceil(blocks.length / 2);
  return [blocks.slice(0, middle), blocks.slice(middle)].flatMap((half) => secretBlocks(half, canaries));
}

interface ShownBlock {
  readonly text: string;
  readonly first: number;
  readonly end: number;
}

/** Paragraphs, headings, rows and HTML; code is shown as it is written. Cells have no lines of their own, so they stand on their row's. */
function shownBlocks({ tokens }: ParsedMarkdown): readonly ShownBlock[] {
  let row: Token['map'] = null;
  return tokens.flatMap((token): readonly ShownBlock[] => {
    if (token.type === 'tr_open') row = token.map;
    if (token.type === 'tr_close') row = null;
    const place = row ?? token.map;
    const text = shownText(token.children ?? []);
    return text === '' || place === null ? [] : [{ text, first: place[0], end: place[1] }];
  });
}

function shownText(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'html_inline' || type === 'comment') return '';
      if (type === 'code_inline') return content.replace(/^`+|`+$/g, '');
      // Where GitHub sees no math in it, entities and escapes count.
      if (type === 'math') return shownText(children ?? []);
      return type === 'softbreak' ? ' ' : content;
    })
    .join('');
}
