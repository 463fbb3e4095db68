/** Lines that a change deletes, put back into what it left: a test that needs them gone notices that. Pure. */
import { possibleFaults } from './changed-code.ts';
import { linesOf } from './fault-patch.ts';
import { type Fault, parses, withFault } from './faults.ts';
import type { Replacement } from './language.ts';
import { languageOf, type Parsers } from './parsers.ts';

export type PutBack = Replacement & Pick<Fault, 'file' | 'line'>;

/** Lines of which nothing came in their place; all numbers 1-based. */
export interface Deletion {
  /** The first in the text before, and how many. */
  readonly line: number;
  readonly count: number;
  /** After which line of the text now they stood; 0 at its beginning. */
  readonly after: number;
}

const DELETED = /^@@ -(\d+)(?:,(\d+))? \+(\d+),0 @@/gm;

/** Of one file's diff without context; a line of its text has a sign before it, and is no header. */
export function deletionsIn(diff: string): readonly Deletion[] {
  return [...diff.matchAll(DELETED)].map(([, line, count = '1', after]) => ({
    ...{ line: Number(line), count: Number(count), after: Number(after) },
  }));
}

/**
 * The pieces, in their order. Left out are those without behaviour, those whose lines are all `added` elsewhere, and whole functions: whether nobody
 * calls one any more, no test can show. Some may have a syntax error in the text now; `readablePutBacks` takes those that have none.
 */
export function putBacks(
  parsers: Parsers,
  { file, before, now }: { readonly file: string; readonly before: string; readonly now: string },
  deletions: readonly Deletion[],
  added: ReadonlySet<string>,
): readonly PutBack[] {
  const [old, left] = [linesOf(before), linesOf(now)];
  const [oldStarts, leftStarts] = [startsOf(old), startsOf(left)];
  const gone = new Set(deletions.flatMap(numbersOf));
  const faults = Map.groupBy(possibleFaults(parsers, { file, text: before, lines: gone }), ({ line }) => line);
  // In a function that stays, or a call while the file is loaded.
  const behaves = (deletion: Deletion) =>
    numbersOf(deletion).some((line) =>
      faults
        .get(line)
        ?.some(({ scope, kind }) => scope < (oldStarts[deletion.line - 1] ?? 0) && (scope !== -1 || kind === 'call')),
    );
  return deletions.filter(behaves).flatMap((deletion) => {
    const lines = numbersOf(deletion).map((line) => old[line - 1] ?? '');
    if (lines.every((line) => !/\w/.test(line) || added.has(line.trim()))) return [];
    const { after } = deletion;
    const at = leftStarts[after] ?? now.length;
    // Where the last line has no end, the piece begins with one.
    const isOpen = after > 0 && left[after - 1]?.endsWith('\n') === false;
    return { file, line: after + 1, start: at, end: at, text: `${isOpen ? '\n' : ''}${lines.join('')}` };
  });
}

/** The first of them, as many as `most`, whose text has no error of syntax. */
export function readablePutBacks(
  parsers: Parsers,
  texts: ReadonlyMap<string, string>,
  pieces: readonly PutBack[],
  most: number,
): readonly PutBack[] {
  const chosen: PutBack[] = [];
  for (const piece of pieces) {
    if (chosen.length >= most) break;
    const [language, text] = [languageOf(piece.file), texts.get(piece.file)];
    if (language !== undefined && text !== undefined && parses(parsers, language, withFault(text, piece)))
      chosen.push(piece);
  }
  return chosen;
}

function numbersOf({ line, count }: Deletion): readonly number[] {
  return Array.from({ length: count }, (_, index) => line + index);
}

/** Where each line begins, and where the text ends. */
function startsOf(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const [index, { length }] of lines.entries()) starts.push((starts[index] ?? 0) + length);
  return starts;
}
