/** Whether a line of code asks the same with more arguments. Pure. */

/** Nobody writes longer ones by hand, and each place of one may have to be tried. */
const LONGEST_LINE = 1000;

/** Whether it is the one of before but for what one call has more at its end; `mayTake` says by its name whose call that may be. */
export function hasMoreArguments(line: string, before: string, mayTake: (callee: string) => boolean): boolean {
  const length = line.length - before.length;
  if (length <= 0 || line.length > LONGEST_LINE) return false;
  let at = 0;
  while (at < before.length && line[at] === before[at]) at += 1;
  // The same letters may stand on both sides of what came in: each place is tried.
  for (; at >= 0 && before.slice(at) === line.slice(at + length); at -= 1)
    if (isAtEndOfCall(line, at, length, mayTake)) return true;
  return false;
}

function isAtEndOfCall(line: string, at: number, length: number, mayTake: (callee: string) => boolean): boolean {
  const [head, added, tail] = [line.slice(0, at), line.slice(at, at + length), line.slice(at + length)];
  const isFirst = /\(\s*$/.test(head);
  const goesOn = /^\s*,/.test(added);
  if (isFirst === goesOn || !/^\s*,?\s*\)/.test(tail) || openIn(added)?.length !== 0) return false;
  const open = openIn(head)?.at(-1);
  const [, callee] = /([A-Za-z_$][\w$]*)\s*\($/.exec(head.slice(0, (open ?? -1) + 1)) ?? [];
  return callee !== undefined && mayTake(callee);
}

/** Where the brackets stand that are open at the end of a text; undefined where it closes what it has not opened. */
function openIn(text: string): readonly number[] | undefined {
  const open: number[] = [];
  for (const { index, 0: bracket } of text.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(bracket)) open.push(index);
    else if (open.pop() === undefined) return undefined;
  }
  return open;
}
