/** Texts of 65 kB that are slow to read, if any are: each made a reader here work for seconds before its matching was made linear. */
import { commandLines, visibleText } from '../../src/guard/incoming.ts';
import { outgoing } from '../../src/guard/outgoing.ts';
import { goalOrRefusal } from '../../src/intake/start.ts';
import { isCommand } from '../../src/loop/commands.ts';

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

/** By what they are made of. */
export const SLOW: Readonly<Record<string, string>> = Object.fromEntries([
  ...UNITS.map((unit) => [JSON.stringify(unit), `a ${filled(unit)}\n\n/help\n`]),
  ...['[a]:', '[a]: b'].map((start) => [`${start} and blanks`, `/help\n\n${start}${filled(' ')}`]),
  ['fix and underscores', `fix ${filled('_')}]`],
  ['a diagram of empty lines', `\`\`\`mermaid\n${filled('\n')}\`\`\``],
  ['a goal of empty lines', `\`\`\`yaml\n${filled('\n')}\`\`\``],
]);

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
