/** What names the text of a workflow file. */
import { createHash } from 'node:crypto';

/** SHA-256 without the line break at the end, which git's output does not have. */
export function digestOfWorkflow(text: string): string {
  return createHash('sha256').update(text.trimEnd()).digest('hex');
}
