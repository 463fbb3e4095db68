/** The single rules of the outgoing filter; each works on text outside code and leaves alone what it made itself. */

export interface OutgoingRules {
  /** Hosts (with port where there is one) that links may lead to, besides relative ones. */
  readonly allowedHosts: readonly string[];
  /** Logins that may be mentioned; nobody else is notified. */
  readonly mention?: readonly string[];
  /** Values that must never leave: keys, tokens, planted canaries. */
  readonly canaries?: readonly string[];
}

/** Breaks a word for machines; people see no difference, and whoever copies it loses nothing. */
const BREAK = '\u200B';

const IMAGE_TAG = /<(?:img|image|picture|video|audio|source|svg|iframe|object|embed)\b[^<>]*>/iy;

/** Only `<br>` and the tags of our own folds stay; autolinks are judged with the links; every other `<` is text. */
export function tameHtml(prose: string, rules: OutgoingRules, isOurs: (offset: number) => boolean): string {
  const lastEnd = prose.lastIndexOf('-->');
  let result = '';
  let position = 0;
  for (const { index } of prose.matchAll(/<(?=[A-Za-z/!?])/g)) {
    if (index < position) continue;
    const { start, length, instead } = tamedAt(prose, index, { rules, isOurs, lastEnd });
    result += prose.slice(position, start) + instead;
    position = start + length;
  }
  return result + prose.slice(position);
}

interface Judging {
  readonly rules: OutgoingRules;
  readonly isOurs: (offset: number) => boolean;
  readonly lastEnd: number;
}

interface Replaced {
  readonly start: number;
  readonly length: number;
  readonly instead: string;
}

/** What stands in place of a `<`, or of what begins with it. */
function tamedAt(prose: string, index: number, { rules, isOurs, lastEnd }: Judging): Replaced {
  // An entity is text also within an HTML block, where a backslash escapes nothing.
  if (isEscapedAt(prose, index)) return { start: index - 1, length: 2, instead: '&lt;' };
  const unseen = removedAt(prose, index, lastEnd);
  if (unseen !== undefined) return { start: index, ...unseen };
  return { start: index, length: 1, instead: isOurs(index) || isTameTag(prose.slice(index), rules) ? '<' : '&lt;' };
}

/** Whether a character has an odd number of backslashes before it. */
function isEscapedAt(text: string, index: number): boolean {
  let start = index;
  while (text[start - 1] === '\\') start -= 1;
  return (index - start) % 2 === 1;
}

/** A comment, image or frame that begins here, and what stands in its place. */
function removedAt(prose: string, index: number, lastEnd: number): Omit<Replaced, 'start'> | undefined {
  if (prose.startsWith('<!--', index) && index + 4 <= lastEnd)
    return { length: prose.indexOf('-->', index + 4) + 3 - index, instead: '' };
  IMAGE_TAG.lastIndex = index;
  const [image] = IMAGE_TAG.exec(prose) ?? [];
  return image === undefined ? undefined : { length: image.length, instead: '(image removed)' };
}

function isTameTag(rest: string, rules: OutgoingRules): boolean {
  if (/^<br ?\/?>/i.test(rest)) return true;
  const [, address = ''] = /^<(https?:[^\s<>]+)>/i.exec(rest) ?? [];
  return isAllowedAddress(address, rules);
}

/** The innermost of several: the others have none to end at. */
const IMAGE = /!\[((?:(?!!\[)[^\]\n])*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?/g;
const TITLE = String.raw`(?:[ \t\n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?`;
const TARGET = String.raw`\]\([ \t\n]*(?<target><[^<>\n]*>|[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)${TITLE}[ \t\n]*\)`;
const DEFINITION = String.raw`^(?<indent> {0,3}(?:>[ \t]*)*)(?<definition>\[(?!\^)[^\]\n]+\]:[ \t]*(?<defined><[^<>\n]*>|\S+).*)$`;
const AUTOLINK = String.raw`(?:&lt;|<)(?<autolink>[a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>`;
const ADDRESS = String.raw`(?<address>(?<![a-z])(?:[a-z][a-z0-9+.-]{1,31}:\/\/|www\.)[^\s<>|]*[^\s<>|?!.,:*_~'")\]\\])`;
/** Other marks than these may stand before the `@` of an address too; then what follows them is made code. */
const EMAIL = String.raw`(?<email>(?:(?<![\w.+-])(?:mailto:|xmpp:)?[a-z0-9._+-]+|(?<![a-z0-9]))@[a-z0-9-]+(?:\.[a-z0-9-]+)+)`;
const BARE = new RegExp([ADDRESS, EMAIL].join('|'), 'i');
/** One expression, so that nothing is matched inside what was just made code. */
const LINK = new RegExp([DEFINITION, TARGET, AUTOLINK, ADDRESS, EMAIL].join('|'), 'gim');

type Groups = Readonly<
  Record<'target' | 'indent' | 'definition' | 'defined' | 'autolink' | 'address' | 'email', string | undefined>
>;

/** In place of each image stands what it is called. */
export function tameImages(prose: string): string {
  return prose
    .replace(IMAGE, (_, alt: string) => (alt.trim() === '' ? '(image removed)' : `(image removed: ${alt.trim()})`))
    .replace(/!\[/g, '!\\[');
}

/** Images are taken out; links, definitions and bare addresses to foreign hosts become code. */
export function tameLinks(prose: string, rules: OutgoingRules): string {
  const shown = tameImages(prose);
  const tamed = withCode(shown, rules);
  if (tamed === shown) return tamed;
  // In mathematics no code is code: where some was made, a dollar is a dollar.
  const plain = shown.replace(/\\[\s\S]|\$/g, (found) => (found === '$' ? '\\$' : found));
  return plain === shown ? tamed : withCode(plain, rules);
}

function withCode(prose: string, rules: OutgoingRules): string {
  return prose.replace(LINK, (whole, ...rest) => tameLink(whole, rest.at(-1), rules));
}

/**
 * Backticks outside code begin none; escaped they look the same. On GitHub a run of them that nothing closes would turn later code spans of the
 * same paragraph into text (cmark-gfm remembers where it last saw a closing run, and forgets the later ones).
 */
export function tameTicks(prose: string): string {
  return prose.replace(/\\[\s\S]|`/g, (found) => (found === '`' ? '\\`' : found));
}

/** On GitHub a bar alone is no row of a table but a paragraph, and what is indented below it no code; escaped it is a row with a bar. */
export function tameBars(prose: string): string {
  return prose.replace(/^([ \t>]*)\|(?=[ \t]*\n)/gm, '$1\\|');
}

function tameLink(whole: string, groups: Groups, rules: OutgoingRules): string {
  const { target, indent = '', definition, defined = '', autolink, address, email } = groups;
  if (target !== undefined) return isAllowedTarget(target, rules) ? whole : `] (${asCode(target)})`;
  if (definition !== undefined)
    return isAllowedDefinition(definition, defined, rules) ? whole : indent + asCode(definition);
  const absolute = autolink ?? address;
  return absolute !== undefined && isAllowedAddress(absolute, rules) ? whole : asCode(absolute ?? email ?? whole);
}

/** What looks like a definition may be a paragraph, in which GitHub links each address. */
function isAllowedDefinition(definition: string, defined: string, rules: OutgoingRules): boolean {
  return (
    isAllowedTarget(defined, rules) &&
    !BARE.test(isAllowedAddress(defined, rules) ? definition.replace(defined, '') : definition)
  );
}

function asCode(text: string): string {
  return `\`${text.replace(/^<|>$/g, '').replaceAll('`', "'")}\``;
}

function isAllowedTarget(target: string, rules: OutgoingRules): boolean {
  const address = target.replace(/^<|>$/g, '');
  if (/[\\&]/.test(address.split(/[?#]/, 1)[0] ?? '')) return false;
  return /^(?:[#?]|\.{0,2}\/(?!\/)|[\w.-]+(?:\/|$|#))/.test(address) || isAllowedAddress(address, rules);
}

/** Whether an absolute address is http(s) on an allowed host, without a user in it. */
export function isAllowedAddress(address: string, { allowedHosts }: OutgoingRules): boolean {
  const url = URL.parse(/^www\./i.test(address) ? `https://${address}` : address);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return false;
  return !address.includes('\\') && allowedHosts.includes(url.host);
}

const ENTITY = /\\\\|\\?&(?:#0*(?:64|35|47)|#x0*(?:40|23|2f)|commat|num|sol);/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '64': '@',
  '35': '#',
  '47': '/',
  x40: '@',
  x23: '#',
  x2f: '/',
  commat: '@',
  num: '#',
  sol: '/',
};

export const MENTION = /(?<![A-Za-z0-9])@(?=([A-Za-z0-9][A-Za-z0-9-]*(?:\/[A-Za-z0-9._-]+)?))/g;
export const CLOSING =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(:?\s+[[(*_]*)(?=(?:[\w.-]{1,100}\/[\w.-]{1,100})?\\?#\d|GH-\d|https?:\/\/\S+\/(?:issues|pull)\/\d)/gi;
export const COMMAND = /^([ \t]*(?:(?:[>*+-]|\d+[.)])[ \t]+)*)\/(?=[A-Za-z][A-Za-z-]*(?:[ \t]|$))/gm;
/** What bots obey without a slash, as their manuals say. */
export const BOT_PHRASE =
  /\b(bors|jenkins|ok to|retest|recheck|add to|homu|rustbot)(?=[,:]? (?:r[+=-]|try|merge|delegate|test|this|allowlist|whitelist|retry)\b|[,:]? r\+)/gi;

/** An escaped entity stays the letters that it is made of. */
function decoded(entity: string): string {
  if (entity.startsWith('\\')) return entity.replace('\\&', '&amp;');
  const name = entity
    .slice(1, -1)
    .replace(/^#0*/, '')
    .replace(/^(x)0*/i, '$1');
  return ENTITIES[name.toLowerCase()] ?? entity;
}

/** Breaks mentions, closing keywords, lines that are commands, and what other bots obey. */
export function tamePhrases(prose: string, rules: OutgoingRules): string {
  const allowed = new Set((rules.mention ?? []).map((login) => login.toLowerCase()));
  return prose
    .replace(ENTITY, decoded)
    .replace(/\\(?=@)/g, '')
    .replace(MENTION, (at, login: string) => (allowed.has(login.toLowerCase()) ? at : `${at}${BREAK}`))
    .replace(CLOSING, (_, word: string, gap: string) => `${word}${gap}${BREAK}`)
    .replace(COMMAND, (_, before: string) => `${before}\\/`)
    .replace(BOT_PHRASE, (word) => `${word}${BREAK}`);
}

/** Directives, front matter, anything clickable, anything that is fetched, and HTML other than line breaks, also where Mermaid or HTML decodes it. */
const WILD_MERMAID = [
  /^[ \t]*---[ \t]*$|%%\s*\{/m,
  /(?:^|;)[ \t]*(?:click|links?|callback|href|properties|details)\s|\bhref\b|javascript:|https?:/im,
  /\b(?:img|image|icon)\b["']?[ \t]*:|\burl[ \t]*\(|!\[|["'(=:\s]\/\/[\w[]/i,
  /<(?!br ?\/?>)[a-z/!]|(?:#|&)(?:lt|#?0*60|#?x0*3c);(?!br)[ \t]*[a-z/!]/i,
];

/** Whether a Mermaid text could be clicked, configured or load anything. */
export function isWildMermaid(text: string): boolean {
  return WILD_MERMAID.some((pattern) => pattern.test(text));
}

const MERMAID_FENCE = /^([\t >*+\-\d.)]*(?:`{3,}|~{3,})[ \t]*)mermaid\b/i;

/** A text as one code block, whose fence is longer than any in it. */
export function asCodeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** A Mermaid diagram that could be clicked, configured or load anything is shown as text. */
export function tameMermaid(block: string): string {
  const [first = '', ...rest] = block.split('\n');
  if (!MERMAID_FENCE.test(first) || !isWildMermaid(rest.join('\n'))) return block;
  return [first.replace(MERMAID_FENCE, '$1text'), ...rest].join('\n');
}
