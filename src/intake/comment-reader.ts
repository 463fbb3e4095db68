/** What a comment says to a loop: its commands. */
import { commandLines } from '../guard/incoming.ts';
import type { Event } from '../loop/event.ts';
import {
  COMMANDS,
  type CommandName,
  isCommand,
  mayUse,
  type ParsedCommand,
  parseCommands,
  reaches,
} from '../loop/people/commands.ts';
import { type Slip, slipOf } from '../loop/people/slips.ts';
import { isPerson, type Role } from '../loop/terms.ts';
import { asNewer, type Commented, ofComment, pullStateOf } from './loop-lookup.ts';
import type { PayloadOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { type Meaning, type Readers, roleOf, type Taking } from './reader.ts';

export const commentReader: Readers<'issue_comment.created'> = {
  async 'issue_comment.created'(payload, taking) {
    if (!isWritten(payload)) return [];
    // Anybody may write anything: it is read as Markdown last, when it can mean something.
    const atMost = mentionedIn(payload.comment.body);
    if (atMost.commands.length === 0 && !atMost.slip) return [];
    const found = await ofComment(placeOf(payload, taking.ports), payload.issue, taking.ports);
    if (found === undefined || !mayMean(atMost, found)) return [];
    const role = await roleOf(found.ref, payload.sender, taking.ports);
    if (!found.isStarted && !reaches(role, 'write')) return [];
    return meaningsOf(readFor({ payload, found, role }, atMost.slip), taking);
  },
};

interface Mentioned {
  readonly commands: readonly Placed[];
  readonly slip: boolean;
}

/** What the lines of a comment are at most, whatever its Markdown makes of them. */
function mentionedIn(body: string): Mentioned {
  const lines = body.split('\n');
  const slip = lines.some((line) => slipOf(line) !== undefined);
  return { commands: commandsAmong(lines.map((line) => ({ line, below: '' }))), slip };
}

function mayMean({ commands, slip }: Mentioned, { isStarted }: Commented): boolean {
  return isStarted ? slip || commands.length > 0 : commands.some(({ said }) => isForEverywhere(said.command));
}

function readFor({ payload, found, role }: Pick<Read, 'payload' | 'found' | 'role'>, maySlip: boolean): Read {
  const { issue, comment, sender } = payload;
  const isAuthor = issue.pull_request === undefined && issue.user.id === sender.id;
  const heard = commandsAmong(commandLines(comment.body, isCommand)).filter(
    ({ said }) => found.isStarted || isForEverywhere(said.command),
  );
  const slip = found.isStarted && maySlip ? slipIn(comment.body) : undefined;
  const isAnswered = slip !== undefined && mayUse(slip.meant, role, isAuthor);
  return { payload, found, role, isAuthor, heard, slip: isAnswered ? slip : undefined };
}

/** A comment, as it was read. */
interface Read {
  readonly payload: PayloadOf<'issue_comment.created'>;
  readonly found: Commented;
  readonly role: Role;
  readonly isAuthor: boolean;
  readonly heard: readonly Placed[];
  readonly slip: Slip | undefined;
}

/** One meaning a command, and one for a slip; all but the last say that more follow. */
async function meaningsOf(read: Read, { at, ports }: Taking): Promise<readonly Meaning[]> {
  const { payload, found, role, isAuthor, heard, slip } = read;
  const { issue, comment, sender: by } = payload;
  const { ref, loop, newer } = found;
  const isOnPull = heard.some(({ said }) => TAKES_BACK.includes(said.command));
  const pull = isOnPull && loop !== undefined ? await pullStateOf(ref, loop, ports) : {};
  const onIssue = issue.pull_request === undefined && ON_ISSUE;
  const source = { at, by, role, commentId: comment.id, ...onIssue };
  const commands = heard.map(({ said: { command, argument, unread }, position }, index): Meaning => {
    const event: Event = {
      type: 'commanded',
      ...source,
      position,
      ...(unread !== undefined && { unread }),
      ...((index + 1 < heard.length || slip !== undefined) && { more: true }),
      command,
      argument,
      permitted: mayUse(command, role, isAuthor),
      createdAt: comment.created_at,
      ...asNewer(newer),
      ...(TAKES_BACK.includes(command) ? pull : {}),
    };
    return { ref, position, said: `comment/${comment.id}/${position}`, event };
  });
  if (slip === undefined) return commands;
  const misspelt: Event = { type: 'misspelt', ...source, ...slip };
  return [...commands, { ref, position: AFTER_ALL, said: `comment/${comment.id}/slip`, event: misspelt }];
}

const ON_ISSUE = { onIssue: true } as const;

/** Behind every place that a command of a comment may have. */
const AFTER_ALL = 100;

/** The first slip of a comment. Below a command that takes text it is part of that text. */
function slipIn(body: string): Slip | undefined {
  let isText = false;
  for (const { line } of commandLines(body, (one) => isCommand(one) || slipOf(one) !== undefined)) {
    const [said] = parseCommands([{ line, below: '' }]);
    if (said !== undefined) isText = COMMANDS[said.command].takes === 'text';
    else if (!isText) return slipOf(line);
  }
  return undefined;
}

/** What may set a loop going again whose pull request is ready. */
const TAKES_BACK: readonly CommandName[] = ['reject', 'rerun'];

/** Whether a person wrote a comment. What another App makes in somebody's name is that App's, however it came to its words. */
export function isWritten({
  sender,
  comment,
}: Pick<PayloadOf<'issue_comment.created'>, 'sender' | 'comment'>): boolean {
  return isPerson(sender) && comment.performed_via_github_app === undefined;
}

/** A command, and its place among all commands of the comment, whatever becomes of the others. */
interface Placed {
  readonly said: ParsedCommand;
  readonly position: number;
}

function commandsAmong(lines: Parameters<typeof parseCommands>[0]): readonly Placed[] {
  return parseCommands(lines).map((said, position) => ({ said, position }));
}

/** What is answered also where no loop was started. Every other word may belong to another bot there. */
function isForEverywhere(command: CommandName): boolean {
  return command === 'help' || command === 'status';
}
