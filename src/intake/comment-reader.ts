/** What a comment says to a loop: its commands. */
import { commandLines } from '../guard/incoming.ts';
import { type CommandName, isCommand, mayUse, type ParsedCommand, parseCommands, reaches } from '../loop/commands.ts';
import { isPerson } from '../loop/terms.ts';
import { asNewer, ofComment, pullStateOf } from './loop-lookup.ts';
import type { PayloadOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { type Readers, roleOf } from './reader.ts';

export const commentReader: Readers<'issue_comment.created'> = {
  async 'issue_comment.created'(payload, { at, ports }) {
    const { issue, comment, sender } = payload;
    if (!isWritten(payload)) return [];
    // Anybody may write anything: it is read as Markdown last, when it can mean something.
    const atMost = commandsAmong(comment.body.split('\n').map((line) => ({ line, below: '' })));
    if (atMost.length === 0) return [];
    const found = await ofComment(placeOf(payload, ports), issue, ports);
    if (found === undefined) return [];
    const { ref, isStarted, loop, newer } = found;
    const isHeard = ({ said }: Placed): boolean => isStarted || isForEverywhere(said.command);
    if (!atMost.some(isHeard)) return [];
    const role = await roleOf(ref, sender, ports);
    if (!isStarted && !reaches(role, 'write')) return [];
    const heard = commandsAmong(commandLines(comment.body, isCommand)).filter(isHeard);
    const isAuthor = issue.pull_request === undefined && issue.user.id === sender.id;
    const isOnPull = heard.some(({ said }) => TAKES_BACK.includes(said.command));
    const pull = isOnPull && loop !== undefined ? await pullStateOf(ref, loop, ports) : {};
    return heard.map(({ said: { command, argument, unread }, position }) => ({
      ref,
      position,
      said: `comment/${comment.id}/${position}`,
      event: {
        type: 'commanded',
        at,
        by: sender,
        role,
        commentId: comment.id,
        position,
        ...(issue.pull_request === undefined && { onIssue: true }),
        ...(unread !== undefined && { unread }),
        command,
        argument,
        permitted: mayUse(command, role, isAuthor),
        createdAt: comment.created_at,
        ...asNewer(newer),
        ...(TAKES_BACK.includes(command) ? pull : {}),
      },
    }));
  },
};

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
