/** Texts of 65 kB that are slow to read, if any are: each made a reader here work for seconds before its matching was made linear. */

import { goalOrRefusal } from '../../src/context/start.ts';
import { commandLines, visibleText } from '../../src/guard/incoming.ts';
import { parseMarkdown } from '../../src/guard/markdown.ts';
import { outgoing } from '../../src/guard/outgoing.ts';
import { isCommand } from '../../src/loop/people/commands.ts';

/** As much as GitHub takes in a comment. */
const LENGTH = 65_536;

const RULES = { allowedHosts: ['github.com'], canaries: ['a key that nobody may read'], mention: ['maria'] };

/** What a text goes through on its way in or out. */
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  commands: (text) => commandLines(text, isCommand),
  visible: visibleText,
  goal: goalOrRefusal,
  outgoing: (text) => outgoing(text, RULES),
};

const UNITS = [
  ...['![', '[', '[[', '[a][', '![a](', '[a](<', '\\[', '`', '`` ', '`a``b', '`a` ', '`a`\n', '<!--', '<!', '<?', '<'],
  ...['<b>', '<b>\n\n', '<a "', '<a@b.c>', '> ', '>- ', '- - ', '***a', '_*', '*a', '~', '$a ', '$$a ', 'a-', 'a.a'],
  ...['a+', 'a@b.', 'www.', 'http://a ', '/a\n', '/help\n\n', '\n', ' ', '[a]: b\n', '[a]: b\n\n', 'a|b\n-|-\n', '%%'],
];

const WHOLE: Readonly<Record<string, string>> = Object.fromEntries([
  ...UNITS.map((unit) => [JSON.stringify(unit), `a ${filled(unit)}\n\n/help\n`]),
  ...['[a]:', '[a]: b'].map((start) => [`${start} and blanks`, `/help\n\n${start}${filled(' ')}`]),
  ['fix and underscores', `fix ${filled('_')}]`],
  ['asterisks', `a${filled('*')}`],
  ['a table of short rows', `/help\n\n${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n${'b\n'.repeat(30_000)}`],
  ['secrets', filled(`ghp_${'0123456789abcdef'.repeat(2)} `)],
  ['secrets in pieces', filled(`ghp\\_${'0123456789abcdef'.repeat(2)}\n\n`)],
  ['a diagram of empty lines', `\`\`\`mermaid\n${filled('\n')}\`\`\``],
  ['a goal of empty lines', `\`\`\`yaml\n${filled('\n')}\`\`\``],
]);

/** By what they are made of. Of those that are too tangled to be read to their end, one is added that just is read. */
export const SLOW: Readonly<Record<string, string>> = {
  ...WHOLE,
  ...Object.fromEntries(
    Object.entries(WHOLE).flatMap(([what, text]) =>
      parseMarkdown(text).isTangled ? [[`${what}, as much as is read`, readPartOf(text)]] : [],
    ),
  ),
};

/** As much of a text as is not too tangled; the rest is words. */
function readPartOf(text: string): string {
  const withWords = (length: number): string =>
    `${text.slice(0, length)}\n\n${'People say more words than these. '.repeat((LENGTH - length) / 34)}\n\n/help\n`;
  let [most, least] = [text.length, 0];
  while (most - least > 100) {
    const middle = Math.ceil((most + least) / 2);
    if (parseMarkdown(withWords(middle)).isTangled) most = middle;
    else least = middle;
  }
  return withWords(least);
}

/** A text as people write it. */
export const PLAIN = `/help\n\n${filled('Please sort items by *name*, as [the list](docs/list.md) says; `id` stays.\n\n')}`;

function filled(unit: string): string {
  return unit.repeat(Math.floor((LENGTH - 20) / unit.length));
}

/** The fastest of several times, in ms: what the text costs, and not what else the machine does. */
export function costOf(read: (text: string) => unknown, text: string, times = 5): number {
  const costs = Array.from({ length: times }, () => {
    const startedMs = performance.now();
    read(text);
    return performance.now() - startedMs;
  });
  return Math.min(...costs);
}
