/** Reads a filtered text once more with a real parser: what the rules missed must not leave. */
import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import { bounded, effortFor, isTangled } from './markdown-effort.ts';
import { CLOSING, isAllowedAddress, MENTION, type OutgoingRules } from './outgoing-rules.ts';

/** Enough of an address to judge its host by. */
const MAX_ADDRESS = 300;

/** What GitHub links behind `www.`; marks at the end are the sentence's. */
const WORLD_WIDE_WEB = {
  validate: (text: string, start: number) =>
    /^[^\s<>|]*[^\s<>|?!.,:*_~'")\]\\]/.exec(text.slice(start, start + MAX_ADDRESS))?.[0].length ?? 0,
  normalize(match: { url: string }) {
    match.url = `https://${match.url}`;
  },
};

const parser = createParser();

/** Whether nothing in a text mentions, closes, loads or leads where it must not. */
export function isTame(markdown: string, rules: OutgoingRules): boolean {
  const effort = effortFor(markdown);
  return parser.parse(markdown, effort).every((token) => isTameToken(token, rules)) && !isTangled(effort);
}

function createParser(): MarkdownIt {
  const created = new createMarkdownIt({ html: true, linkify: true });
  // GitHub links addresses of pages with a scheme or `www.` and addresses for mail; a bare `plan.md` or `//host` is no link there.
  created.linkify.set({ fuzzyLink: false }).add('//', null).add('www.', WORLD_WIDE_WEB);
  // Addresses that this parser would refuse are judged here instead.
  created.validateLink = () => true;
  return bounded(created);
}

function isTameToken(token: Token, rules: OutgoingRules): boolean {
  if (token.type === 'image') return false;
  if (token.type === 'html_block' || token.type === 'html_inline') return isTameHtml(token.content, rules);
  if (token.type === 'link_open' && !isTameLink(String(token.attrGet('href') ?? ''), rules)) return false;
  if (token.type === 'text' && !isTameText(token.content, rules)) return false;
  return (token.children ?? []).every((child) => isTameToken(child, rules));
}

function isTameHtml(html: string, rules: OutgoingRules): boolean {
  const rest = html.replace(/<br ?\/?>|<details(?: open)?>|<\/?summary>|<\/details>/gi, '');
  return !/<[a-z/!?]/i.test(rest) && isTameText(html, rules);
}

function isTameLink(href: string, rules: OutgoingRules): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|[\\/]{2})/i.test(href)) return isAllowedAddress(href, rules);
  return !/[\\]|%5c/i.test(href.split(/[?#]/, 1)[0] ?? '');
}

function isTameText(text: string, { mention = [] }: OutgoingRules): boolean {
  const allowed = new Set(mention.map((login) => login.toLowerCase()));
  if (text.search(CLOSING) >= 0) return false;
  return [...text.matchAll(MENTION)].every(([, login = '']) => allowed.has(login.toLowerCase()));
}
