/** Three-way merge of texts by lines, in which one side wins where both changed the same place. Pure. */
import { diff3Merge } from 'node-diff3';

export interface MergedText {
  readonly text: string;
  /** Our lines that had to give way to theirs, a text for each place; empty when nothing was lost. */
  readonly lost: readonly string[];
}

/** Beyond this the comparison takes minutes: its time grows with the pairs of equal lines. */
const MOST_LINES = 10_000;
const MOST_PAIRS = 1_000_000;

/** Both changes of `base` in one text; in a place that both changed, `theirs` stands. Undefined when it would take too long. */
export function mergeLines(base: string, ours: string, theirs: string): MergedText | undefined {
  const [o, a, b] = [base.split('\n'), ours.split('\n'), theirs.split('\n')];
  const start = commonStart(o, a, b);
  const end = commonEnd(o, a, b, start);
  const middle = (lines: readonly string[]) => lines.slice(start, lines.length - end);
  const [before, our, their] = [middle(o), middle(a), middle(b)];
  if (pairsOf(before, our) + pairsOf(before, their) > MOST_PAIRS || before.length > MOST_LINES) return undefined;
  const regions = diff3Merge(our, before, their, { excludeFalseConflicts: true });
  const merged = regions.flatMap((region) => region.ok ?? region.conflict?.b ?? []);
  return {
    text: [...b.slice(0, start), ...merged, ...b.slice(b.length - end)].join('\n'),
    lost: regions.flatMap(({ conflict }) => (conflict === undefined ? [] : [conflict.a.join('\n')])),
  };
}

type Lines = readonly string[];

function commonStart(o: Lines, a: Lines, b: Lines): number {
  const shortest = Math.min(o.length, a.length, b.length);
  let count = 0;
  while (count < shortest && o[count] === a[count] && o[count] === b[count]) count += 1;
  return count;
}

/** Lines at the end that all three have, none of them counted at the start already. */
function commonEnd(o: Lines, a: Lines, b: Lines, start: number): number {
  const shortest = Math.min(o.length, a.length, b.length) - start;
  let count = 0;
  while (count < shortest && o.at(-1 - count) === a.at(-1 - count) && o.at(-1 - count) === b.at(-1 - count)) count += 1;
  return count;
}

function pairsOf(left: Lines, right: Lines): number {
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  return right.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}
