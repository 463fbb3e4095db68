/** Lines that are no command and were meant as one: a slip of a letter, or a mark after the word. Pure. */
import { type CommandName, commandName, isCommand } from './commands.ts';

export interface Slip {
  /** As it was written, without what follows it. */
  readonly written: string;
  readonly meant: CommandName;
}

const WORD = /^(\/([a-z]{3,12})[.!?,;:]{0,3})(?:\s|$)/i;

/** The slip that a line is, if it is one. A path or a word of another bot is none. */
export function slipOf(line: string): Slip | undefined {
  const [, written = '', word = ''] = WORD.exec(line) ?? [];
  if (word === '' || isCommand(line)) return undefined;
  const meant = commandName.options.find((name) => isOneSlipFrom(word.toLowerCase(), name));
  return meant === undefined ? undefined : { written, meant };
}

/** What a slip is answered with. */
export function slipSentence({ written, meant }: Slip): string {
  const isWord = written.toLowerCase().startsWith(`/${meant}`) && /^\W+$/.test(written.slice(meant.length + 1));
  return isWord
    ? `\`${written}\` was not taken as a command; did you mean \`/${meant}\`? Then say it alone.`
    : `There is no \`${written}\`; did you mean \`/${meant}\`?`;
}

/** Of a name so short too many words are one letter away: `/auth` and `/shop` are paths. */
const SHORT = 4;

/** Whether two letters are exchanged, one is too many, one is missing or one is another. */
function isOneSlipFrom(word: string, name: string): boolean {
  if (word === name || isExchanged(word, name) || isWithoutOne(name, word)) return true;
  return name.length > SHORT && (isWithoutOne(word, name) || isOneOther(word, name));
}

function isExchanged(word: string, name: string): boolean {
  const at = firstDifference(word, name);
  return word === name.slice(0, at) + (name[at + 1] ?? '') + (name[at] ?? '') + name.slice(at + 2);
}

function isWithoutOne(shorter: string, longer: string): boolean {
  const at = firstDifference(shorter, longer);
  return shorter === longer.slice(0, at) + longer.slice(at + 1);
}

function isOneOther(word: string, name: string): boolean {
  const at = firstDifference(word, name);
  return word.length === name.length && word.slice(at + 1) === name.slice(at + 1);
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
