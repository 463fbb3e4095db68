/** What a comment says to a loop: its commands. */
import { commandLines } from '../guard/incoming.ts';
import { type CommandName, isCommand, mayUse, parseCommands, reaches } from '../loop/commands.ts';
import { isPerson } from '../loop/terms.ts';
import { ofComment } from './loop-lookup.ts';
import { placeOf } from './place.ts';
import { type Readers, roleOf } from './reader.ts';

export const commentReader: Readers<'issue_comment.created'> = {
  async 'issue_comment.created'(payload, { at, ports }) {
    const { issue, comment, sender } = payload;
    if (!isPerson(sender)) return [];
    // The position is that among all commands of the comment, whatever becomes of the others.
    const commands = parseCommands(commandLines(comment.body, isCommand)).map((said, position) => ({ said, position }));
    if (commands.length === 0) return [];
    const found = await ofComment(placeOf(payload, ports), issue, ports);
    if (found === undefined) return [];
    const { ref, isStarted, newer } = found;
    const heard = commands.filter(({ said }) => isStarted || isForEverywhere(said.command));
    if (heard.length === 0) return [];
    const role = await roleOf(ref, sender, ports);
    if (!isStarted && !reaches(role, 'write')) return [];
    const isAuthor = issue.pull_request === undefined && issue.user.id === sender.id;
    return heard.map(({ said: { command, argument }, position }) => ({
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
        command,
        argument,
        permitted: mayUse(command, role, isAuthor),
        createdAt: comment.created_at,
        ...(newer === undefined ? {} : { newer: newer.review === undefined ? {} : { pull: newer.review.pull } }),
      },
    }));
  },
};

/** What is answered also where no loop was started. Every other word may belong to another bot there. */
function isForEverywhere(command: CommandName): boolean {
  return command === 'help' || command === 'status';
}
