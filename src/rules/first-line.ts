/** Which added line a finding stands on. Pure. */
import type { Node } from '../syntax/language.ts';

/** Gives the first added line of a node; what stands in a body inside of it belongs to what is there. */
export function firstLineFinder(
  root: Node,
  types: readonly string[],
  lines: ReadonlySet<number>,
): (node: Node) => number | undefined {
  const sorted = [...lines].sort((one, other) => one - other);
  const bodies = root.descendantsOfType([...types]).flatMap((body) => (body === null ? [] : spanOf(body)));
  const starts = bodies.map(({ start }) => start);
  return (node) => {
    const whole = spanOf(node);
    const added = (from: number) => sorted[firstFrom(sorted, from)] ?? Number.POSITIVE_INFINITY;
    let line = whole.from;
    let body = bodies[firstFrom(starts, whole.start)];
    while (body !== undefined && body.start < whole.end && added(line) > body.from) {
      line = body.to;
      body = bodies[firstFrom(starts, body.end)];
    }
    const last = body !== undefined && body.start < whole.end ? body.from : whole.to;
    const first = added(line);
    return first <= last ? first : undefined;
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

function spanOf({ startIndex, endIndex, startPosition, endPosition }: Node): Span {
  return { start: startIndex, end: endIndex, from: startPosition.row + 1, to: endPosition.row + 1 };
}

/** The index of the first number that is not below the limit. */
function firstFrom(numbers: readonly number[], limit: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
