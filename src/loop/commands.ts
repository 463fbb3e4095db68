/** Slash commands as data: one table is the parser's vocabulary, the permission rule and the help text. */
import type { Role } from './terms.ts';

export interface Command {
  readonly usage: string;
  readonly description: string;
  /** Least repository role; `author` also admits whoever wrote the issue. */
  readonly who: 'read' | 'write' | 'maintain' | 'author';
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  approve: { usage: '/approve', description: 'Approve the packet as posted; building starts.', who: 'write' },
  reject: {
    usage: '/reject <what to change>',
    description: 'Send the packet back to the specification; `/reject plan: …` back to the plan.',
    who: 'write',
  },
  release: {
    usage: '/release',
    description: 'Move the verified candidate onto the branch, where that needs a person.',
    who: 'write',
  },
  answer: { usage: '/answer 1b 2a 3: free text', description: 'Answer the open questions.', who: 'author' },
  auto: { usage: '/auto', description: 'Take the safe default for every open question.', who: 'author' },
  pause: { usage: '/pause', description: 'Hold the loop at the next safe point.', who: 'write' },
  resume: { usage: '/resume', description: 'Go on where it was held.', who: 'write' },
  stop: { usage: '/stop', description: 'End the loop; everything stays as it is.', who: 'write' },
  rerun: { usage: '/rerun [phase]', description: 'Grant one more try after a stop.', who: 'write' },
  context: { usage: '/context <text>', description: 'Give the next step something to know.', who: 'write' },
  priority: {
    usage: '/priority vulnerability|incident|routine',
    description: 'Change the place in the queue.',
    who: 'write',
  },
  budget: { usage: '/budget +<usd>', description: 'Raise the budget.', who: 'write' },
  accept: { usage: '/accept <n>', description: 'Accept a proposed improvement.', who: 'maintain' },
  decline: { usage: '/decline <n>', description: 'Decline a proposed improvement.', who: 'maintain' },
  status: { usage: '/status', description: 'Say where the loop is.', who: 'read' },
  help: { usage: '/help', description: 'List the commands.', who: 'read' },
};

export interface ParsedCommand {
  readonly command: string;
  readonly argument: string;
}

const LINE = /^\/([a-z]+)(?:[^\S\n]+(.*))?$/i;

/** Reads commands from lines that stood at the top level of a comment; unknown words are not commands. */
export function parseCommands(lines: readonly string[]): readonly ParsedCommand[] {
  return lines.flatMap((line) => {
    const [, word = '', argument = ''] = LINE.exec(line.trimEnd()) ?? [];
    const command = word.toLowerCase();
    return Object.hasOwn(COMMANDS, command) ? [{ command, argument: argument.trim() }] : [];
  });
}

const RANK: readonly Role[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];

/** Whether a role reaches the one that is needed. */
export function reaches(held: Role, needed: Role): boolean {
  return RANK.indexOf(held) >= RANK.indexOf(needed);
}

/** Whether somebody may use a command; issue authors may answer questions on their own issue. */
export function mayUse(command: string, held: Role, isAuthor: boolean): boolean {
  const row = COMMANDS[command];
  if (row === undefined) return false;
  if (row.who === 'author') return isAuthor || reaches(held, 'write');
  return reaches(held, row.who);
}

export interface ParsedAnswer {
  readonly number: number;
  readonly answer: string;
}

const ANSWER = /(?:^|\s)([1-5])\s*(?:([a-e])(?=\s|$)|:\s*(.*?)(?=\s[1-5](?:[a-e](?:\s|$)|:)|$))/gi;

/** Reads `1b 2a 3: free text`; what does not parse is left out. */
export function parseAnswers(argument: string): readonly ParsedAnswer[] {
  return [...argument.matchAll(ANSWER)].flatMap(([, number = '', option, text = '']) => {
    const answer = option === undefined ? text.trim() : option.toLowerCase();
    return answer === '' ? [] : [{ number: Number(number), answer }];
  });
}
