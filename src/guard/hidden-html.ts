/** HTML in Markdown: which tags are still open, and which parts nobody sees. */
import type { Removal } from './invisible.ts';
import { parseMarkdown } from './markdown.ts';
import { regionsOf } from './markdown-regions.ts';

/** Names of open elements, outermost first; `never` means that nothing afterwards can be trusted to be visible. */
export type OpenTags = readonly string[];

const VOID = new Set(['br', 'hr', 'img', 'input', 'wbr', 'source', 'col', 'area', 'embed', 'link', 'meta', 'track']);

/** Their content is no Markdown and often not shown, and where they end is for a browser to say. */
const OPAQUE = new Set(
  'script style textarea title xmp iframe noembed noframes plaintext svg math template noscript select object'.split(
    ' ',
  ),
);

/** What GitHub keeps; any other name is dropped by GitHub and its content stays, as in `Array<string>`. */
const KEPT = new Set(
  `a abbr b bdo blockquote caption center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 i ins kbd li
   mark ol p picture pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var`.split(
    /\s+/,
  ),
);

const TAG = /<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/gi;
const CLOSED_COMMENT = /<!---?>|<!--[\s\S]*?-->/g;

/** The open elements after a piece of HTML. A closing tag without its opening one closes nothing. */
export function afterHtml(before: OpenTags, html: string): OpenTags {
  if (before.at(-1) === 'never') return before;
  const rest = html.includes('-->') ? html.replace(CLOSED_COMMENT, '') : html;
  if (/<[!?]/.test(rest)) return [...before, 'never'];
  let open = before;
  for (const [, slash, tag = ''] of rest.matchAll(TAG)) {
    open = afterTag(open, tag.toLowerCase(), slash === '/' ? 'closes' : 'opens');
  }
  return open;
}

/** More than GitHub would nest; and each tag copies those that are open. */
const DEEPEST = 100;

function afterTag(open: OpenTags, name: string, how: 'opens' | 'closes'): OpenTags {
  if (open.at(-1) === 'never') return open;
  if (open.length >= DEEPEST) return [...open, 'never'];
  if (OPAQUE.has(name)) return [...open, 'never'];
  if (VOID.has(name) || !KEPT.has(name)) return open;
  if (how === 'opens') return [...open, name];
  const index = open.lastIndexOf(name);
  return index < 0 ? open : open.slice(0, index);
}

/** Comments reach from `<!--` to `-->` or the end of the text, whatever Markdown stands between: that is how a browser reads them. */
const HIDDEN = /<!---?>|<!--[\s\S]*?(?:-->|$)|<\?[^>]*(?:>|$)|<!(?!--)[^>]*(?:>|$)/y;

/** Takes out HTML comments, declarations and processing instructions; those inside code are visible and stay, unless the text is too tangled to tell. */
export function withoutHtmlComments(text: string): { readonly text: string; readonly removed: readonly Removal[] } {
  if (!/<[!?]/.test(text)) return { text, removed: [] };
  const starts = commentStarts(text);
  const taken: string[] = [];
  let kept = '';
  let position = 0;
  for (const start of starts) {
    if (start < position) continue;
    HIDDEN.lastIndex = start;
    const [hidden = ''] = HIDDEN.exec(text) ?? [];
    kept += text.slice(position, start);
    position = start + hidden.length;
    taken.push(hidden);
  }
  kept += text.slice(position);
  if (taken.length === 0) return { text, removed: [] };
  return { text: kept, removed: [{ what: 'HTML comments', count: taken.length, said: taken.join(' ').slice(0, 200) }] };
}

const STARTS = /<!|<\?/g;

function commentStarts(text: string): readonly number[] {
  const parsed = parseMarkdown(text);
  // Nobody knows what of it is code, so none of it is.
  if (parsed.isTangled) return [...text.matchAll(STARTS)].map(({ index }) => index);
  const inline = regionsOf(parsed).flatMap(({ type, start }) => (type === 'comment' ? [start] : []));
  const blocks = parsed.tokens.flatMap(({ type, map }) => (type === 'html_block' && map ? [map] : []));
  const offsets = offsetsOf(parsed.lines);
  const inBlocks = blocks.flatMap(([first, end]) => {
    const from = offsets[first] ?? 0;
    const html = text.slice(from, offsets[end] ?? text.length);
    return [...html.matchAll(STARTS)].map((match) => from + match.index);
  });
  return [...inline, ...inBlocks].toSorted((left, right) => left - right);
}

function offsetsOf(lines: readonly string[]): readonly number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}
