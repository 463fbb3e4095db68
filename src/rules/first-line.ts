/** Which added line a finding stands on. Pure. */
import type { Node } from '../syntax/language.ts';
import { firstFrom } from './tree-rule.ts';

/** Gives the first added line of a node; what stands in a body inside of it belongs to what is there. */
export function firstLineFinder(
  root: Node,
  types: readonly string[],
  lines: ReadonlySet<number>,
): (node: Node) => number | undefined {
  const sorted = [...lines].sort((one, other) => one - other);
  const bodies = root.descendantsOfType([...types]).flatMap((body) => (body === null ? [] : spanOf(body)));
  const bodyFrom = (start: number) => firstFrom(bodies.length, (index) => bodies[index]?.start ?? 0, start);
  return (node) => {
    const whole = spanOf(node);
    const added = (from: number) =>
      sorted[firstFrom(sorted.length, (index) => sorted[index] ?? 0, from)] ?? Number.POSITIVE_INFINITY;
    let line = whole.from;
    let body = bodies[bodyFrom(whole.start)];
    while (body !== undefined && body.start < whole.end && added(line) > body.from) {
      line = body.to;
      body = bodies[bodyFrom(body.end)];
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
