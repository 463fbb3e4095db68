/** Slash commands as data: one table is the parser's vocabulary, the permission rule and the help text. */
import { z } from 'zod';
import type { Role } from '../terms.ts';

export const commandName = z.enum([
  'approve',
  'reject',
  'release',
  'answer',
  'auto',
  'pause',
  'resume',
  'stop',
  'rerun',
  'context',
  'priority',
  'budget',
  'waive',
  'accept',
  'decline',
  'status',
  'help',
]);
export type CommandName = z.infer<typeof commandName>;

export interface Command {
  readonly usage: string;
  readonly description: string;
  /** Least repository role; `author` also admits whoever wrote the issue. */
  readonly who: 'read' | 'write' | 'maintain' | 'author';
  /** What belongs to it: the rest of its line at most, or also the text below, up to the next command or the end of the comment. */
  readonly takes: 'nothing' | 'word' | 'text';
}

export const COMMANDS: Readonly<Record<CommandName, Command>> = {
  approve: {
    usage: '/approve',
    description: 'Approve the packet as posted; building starts.',
    who: 'write',
    takes: 'nothing',
  },
  reject: {
    usage: '/reject <what to change>',
    description:
      'Send the packet back to the specification, or a finished pull request back to be built again; `/reject plan: …` and `/reject spec: …` say where to.',
    who: 'write',
    takes: 'text',
  },
  release: {
    usage: '/release',
    description: 'Move the verified candidate onto the branch, where that needs a person.',
    who: 'write',
    takes: 'nothing',
  },
  answer: {
    usage: '/answer 1b 2a 3: free text',
    description: 'Answer the open questions.',
    who: 'author',
    takes: 'text',
  },
  auto: {
    usage: '/auto',
    description: 'Take the safe default for every open question.',
    who: 'author',
    takes: 'nothing',
  },
  pause: { usage: '/pause', description: 'Hold the loop at the next safe point.', who: 'write', takes: 'nothing' },
  resume: { usage: '/resume', description: 'Go on where it was held.', who: 'write', takes: 'nothing' },
  stop: { usage: '/stop', description: 'End the loop; everything stays as it is.', who: 'write', takes: 'nothing' },
  rerun: {
    usage: '/rerun [phase]',
    description: 'Grant one more try after a stop, or of a finished pull request.',
    who: 'write',
    takes: 'word',
  },
  context: {
    usage: '/context <text>',
    description: 'Give the next step something to know.',
    who: 'write',
    takes: 'text',
  },
  priority: {
    usage: '/priority vulnerability|incident|routine',
    description: 'Change the place in the queue.',
    who: 'write',
    takes: 'word',
  },
  budget: {
    usage: '/budget +<usd>',
    description: 'Raise the budget; `/budget +50000 tokens` and `/budget +30 minutes` raise what the goal limits.',
    who: 'write',
    takes: 'word',
  },
  waive: {
    usage: '/waive <finding> <why>',
    description: 'Lift one finding of the scan, or of the rules about tests, for the code as it is.',
    who: 'write',
    takes: 'text',
  },
  accept: { usage: '/accept <n>', description: 'Accept a proposed improvement.', who: 'maintain', takes: 'word' },
  decline: { usage: '/decline <n>', description: 'Decline a proposed improvement.', who: 'maintain', takes: 'word' },
  status: { usage: '/status', description: 'Say where the loop is.', who: 'read', takes: 'nothing' },
  help: { usage: '/help', description: 'List the commands.', who: 'read', takes: 'nothing' },
};

export interface ParsedCommand {
  readonly command: CommandName;
  /** The rest of the line, and what stands below it where the command takes text. */
  readonly argument: string;
  /** So many more stand below it in its comment and are not read; given for the last that is read. */
  readonly unread?: number | undefined;
}

/** Whether a line says a command; unknown words are none, and slips.ts has those that are nearly one. */
export function isCommand(line: string): boolean {
  return readLine(line) !== undefined;
}

/** Reads commands from lines that stood at the top level of a comment, and from what stood below each. */
export function parseCommands(
  said: readonly { readonly line: string; readonly below: string; readonly unread?: number | undefined }[],
): readonly ParsedCommand[] {
  return said.flatMap(({ line, below, unread }) => {
    const read = readLine(line);
    if (read === undefined) return [];
    const { command, rest } = read;
    const text = COMMANDS[command].takes === 'text' ? `${rest}\n${below}` : rest;
    return [{ command, argument: text.trim(), ...(unread !== undefined && { unread }) }];
  });
}

const LINE = /^\/([a-z]+)([.!]{0,3})(?:[^\S\n]+(.*))?$/i;

/** What is released or built is nobody's guess: these are said as they are. */
const EXACT: readonly CommandName[] = ['approve', 'release'];

function readLine(line: string): { readonly command: CommandName; readonly rest: string } | undefined {
  const [, word = '', mark = '', rest = ''] = LINE.exec(line.trimEnd()) ?? [];
  // Most lines that begin with a slash are paths; asked at once, because there may be thousands.
  if (!Object.hasOwn(COMMANDS, word.toLowerCase())) return undefined;
  const command = commandName.safeParse(word.toLowerCase());
  if (!command.success || (mark !== '' && !bearsMark(command.data))) return undefined;
  return { command: command.data, rest };
}

/** Whether `/stop!` is that command: a mark after a word that takes nothing else can mean nothing else. */
function bearsMark(command: CommandName): boolean {
  return COMMANDS[command].takes === 'nothing' && !EXACT.includes(command);
}

const RANK: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

/** Whether a role reaches the one that is needed. */
export function reaches(held: Role, needed: Role): boolean {
  return RANK.indexOf(held) >= RANK.indexOf(needed);
}

/** Whether somebody may use a command; issue authors may answer questions on their own issue. */
export function mayUse(command: CommandName, held: Role, isAuthor: boolean): boolean {
  const { who } = COMMANDS[command];
  return who === 'author' ? isAuthor || reaches(held, 'write') : reaches(held, who);
}

export interface ParsedAnswer {
  readonly number: number;
  readonly answer: string;
}

/** A letter that no question offers is read too where it stands at its number: `1z` is no option, and the question says so. */
const ANSWER =
  /(?:^|\s)([1-9])(?:\s*([a-e])(?=\s|$)|([a-z])(?=\s|$)|\s*:\s*(.*?)(?=\s[1-5](?:[a-e](?:\s|$)|:\s)|\n[ \t]*[1-5]\s*:|$))/gis;

/** Reads `1b 2a 3: free text`, on one line or on several; what does not parse is left out. */
export function parseAnswers(argument: string): readonly ParsedAnswer[] {
  return [...argument.matchAll(ANSWER)].flatMap(([, number = '', offered, letter, text = '']) => {
    const option = offered ?? letter;
    const answer = option === undefined ? text.trim() : option.toLowerCase();
    return answer === '' ? [] : [{ number: Number(number), answer }];
  });
}
