/** The one filter for every text that leaves: what a model or a stranger wrote must not call people, command bots, close issues, fetch or leak. */
import { stripInvisible } from './invisible.ts';
import { parseMarkdown, type Region, regionsOf } from './markdown.ts';
import { isTame } from './outgoing-check.ts';
import { type OutgoingRules, tameHtml, tameLinks, tameMermaid, tamePhrases } from './outgoing-rules.ts';
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
  const parsed = parseMarkdown(withoutSecrets(stripInvisible(markdown).text, rules.canaries));
  if (parsed.isTangled) return undefined;
  let result = '';
  let position = 0;
  for (const region of regionsOf(parsed)) {
    if (region.start < position) continue;
    const prose = tameProse(parsed.text.slice(position, region.start), rules);
    result +=
      (region.type === 'code span' && endsInAddress(prose) ? `${prose} ` : prose) + tameRegion(parsed.text, region);
    position = region.end;
  }
  return result + tameProse(parsed.text.slice(position), rules);
}

function tameProse(prose: string, rules: OutgoingRules): string {
  return tamePhrases(tameLinks(tameHtml(prose, rules), rules), rules);
}

function tameRegion(text: string, { type, start, end }: Region): string {
  const source = text.slice(start, end);
  if (type === 'comment') return '';
  return type === 'code block' ? tameMermaid(source) : source;
}

function asCode(text: string, rules: OutgoingRules): string {
  const plain = withoutSecrets(stripInvisible(text).text, rules.canaries);
  const longest = Math.max(2, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${plain}\n${fence}`;
}
