/** The list of commands, made from the table that the parser uses. */

import { table } from '../documents/markdown.ts';
import { COMMANDS, type Command } from '../loop/people/commands.ts';

const WHO: Readonly<Record<Command['who'], string>> = {
  read: 'everybody',
  write: 'write permission',
  maintain: 'maintain permission',
  author: 'the author of the issue, or write permission',
};

export function helpText(): string {
  const rows = Object.values(COMMANDS).map(({ usage, description, who }) => [`\`${usage}\``, description, WHO[who]]);
  return `A command stands alone at the start of a line in a new comment; where it takes a text, that may go on below it, up to the next line that begins with a command. To have such a line in the text, put it into a code block or a quote.\n\n${table(['command', 'does', 'for'], rows)}`;
}
