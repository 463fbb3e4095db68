/** Three-way merge of texts by lines, as git does it: what both sides changed at the same place differently is a conflict. */

interface Hunk {
  readonly start: number;
  /** Lines of the base that are replaced. */
  readonly count: number;
  readonly lines: readonly string[];
}

/** The merged text; undefined where people must merge. A missing text is undefined, too. */
export function mergedText(
  base: string | undefined,
  left: string | undefined,
  right: string | undefined,
): { readonly text: string | undefined } | undefined {
  if (left === right || right === base) return { text: left };
  if (left === base) return { text: right };
  if (base === undefined || left === undefined || right === undefined) return undefined;
  const lines = base.split('\n');
  const hunks = [...hunksOf(lines, left.split('\n')), ...hunksOf(lines, right.split('\n'))].toSorted(
    (one, other) => one.start - other.start || one.count - other.count,
  );
  const merged: string[] = [];
  let position = 0;
  let before: Hunk | undefined;
  for (const hunk of hunks) {
    if (before !== undefined && isSame(before, hunk)) continue;
    // Touching hunks are a conflict to git, too.
    if (before !== undefined && hunk.start <= before.start + before.count) return undefined;
    merged.push(...lines.slice(position, hunk.start), ...hunk.lines);
    position = hunk.start + hunk.count;
    before = hunk;
  }
  return { text: [...merged, ...lines.slice(position)].join('\n') };
}

function isSame(one: Hunk, other: Hunk): boolean {
  return one.start === other.start && one.count === other.count && one.lines.join('\n') === other.lines.join('\n');
}

/** What turns the base into the other text, by a longest common subsequence. */
function hunksOf(base: readonly string[], other: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [position, reached] = [0, 0];
  for (const [inBase, inOther] of [...commonOf(base, other), [base.length, other.length] as const]) {
    if (inBase > position || inOther > reached)
      hunks.push({ start: position, count: inBase - position, lines: other.slice(reached, inOther) });
    [position, reached] = [inBase + 1, inOther + 1];
  }
  return hunks;
}

function commonOf(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const lengths = left.map(() => new Array<number>(right.length).fill(0));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const length =
        left[row] === right[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
      const cells = lengths[row];
      if (cells !== undefined) cells[column] = length;
    }
  }
  const common: (readonly [number, number])[] = [];
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) {
      common.push([row, column]);
      row += 1;
      column += 1;
    } else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row += 1;
    else column += 1;
  }
  return common;
}
