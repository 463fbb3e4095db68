/** The lines that a change adds, with the place where they end up. */

export interface AddedLine {
  readonly file: string;
  /** 1-based, in the new file. */
  readonly line: number;
  readonly text: string;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** How far a line of a hunk moves in the old and in the new file; a line without these signs is in both. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = { '+': [0, 1], '-': [1, 0], '\\': [0, 0] };

interface Position {
  readonly file: string;
  readonly line: number;
  readonly oldLeft: number;
  readonly newLeft: number;
}

/** Reads git's unified diff with `a/` and `b/` before the paths. Hunks are counted, so that a line like `+++ b/x` inside one is text. */
export function addedLinesOf(diff: string): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let position: Position = { file: '', line: 0, oldLeft: 0, newLeft: 0 };
  for (const text of diff.split('\n')) {
    const inHunk = position.oldLeft > 0 || position.newLeft > 0;
    if (inHunk && text.startsWith('+')) added.push({ file: position.file, line: position.line, text: text.slice(1) });
    position = inHunk ? afterLine(position, text) : afterHeader(position, text);
  }
  return added;
}

function afterLine({ file, line, oldLeft, newLeft }: Position, text: string): Position {
  const [inOld, inNew] = STEPS[text.slice(0, 1)] ?? [1, 1];
  return { file, line: line + inNew, oldLeft: oldLeft - inOld, newLeft: newLeft - inNew };
}

function afterHeader(position: Position, text: string): Position {
  if (text.startsWith('+++ ')) return { ...position, file: pathOf(text.slice(4)) };
  const hunk = HUNK.exec(text);
  if (hunk === null) return position;
  return { file: position.file, line: Number(hunk[2]), oldLeft: Number(hunk[1] ?? 1), newLeft: Number(hunk[3] ?? 1) };
}

/** Git ends a name that has a space with a tab, and quotes one with a quote or a backslash. */
function pathOf(name: string): string {
  const plain = name.replace(/\t$/, '');
  const unquoted = plain.startsWith('"') ? plain.slice(1, -1).replace(/\\(.)/g, '$1') : plain;
  return unquoted.replace(/^b\//, '');
}

/** The lines of a file that its earlier text does not have, as often as it does not. A line that only moved is none of them. */
export function newLinesOf(file: string, before: string | undefined, after: string): readonly AddedLine[] {
  const known = new Map<string, number>();
  for (const text of before?.split('\n') ?? []) known.set(text, (known.get(text) ?? 0) + 1);
  return after.split('\n').flatMap((text, index) => {
    const left = known.get(text) ?? 0;
    if (left === 0) return [{ file, line: index + 1, text }];
    known.set(text, left - 1);
    return [];
  });
}
