/** Where in a change a line is: what a comment on it remembers. Pure. */
import { readPatch } from '../patch-lines.ts';

export interface Place {
  /** The hunk, up to and with the line. */
  readonly hunk: string;
  /** Lines below the first hunk's head. */
  readonly position: number;
}

/** The place of a line in a file's patch: `LEFT` counts the file before the change, `RIGHT` the one after it. Undefined where the patch does not show it. */
export function placeIn(
  patch: string,
  { line, side }: { readonly line: number; readonly side: 'LEFT' | 'RIGHT' },
): Place | undefined {
  const lines = readPatch(patch);
  const position = lines.findIndex(({ before, after }) => (side === 'LEFT' ? before : after) === line);
  if (position < 0) return undefined;
  const start = lines.findLastIndex(({ kind }, index) => kind === 'hunk' && index < position);
  const hunk = lines.slice(start, position + 1).map(({ text }) => text);
  return { hunk: hunk.join('\n'), position };
}
