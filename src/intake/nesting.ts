/** How deep a JSON text is nested, told before it is parsed: a megabyte of brackets becomes a hundred of objects. Pure. */

const OPENS: ReadonlySet<string | undefined> = new Set(['{', '[']);
const MARK = /["{}[\]]/g;

/** Whether objects and lists stand in each other more than so many deep. Texts in quotes do not count. */
export function isDeeperThan(most: number, json: string): boolean {
  const marks = new RegExp(MARK);
  let depth = 0;
  for (let found = marks.exec(json); found !== null; found = marks.exec(json)) {
    const [mark] = found;
    if (mark === '"') marks.lastIndex = endOfText(json, found.index);
    else depth += OPENS.has(mark) ? 1 : -1;
    if (depth > most) return true;
  }
  return false;
}

/** Behind the quote that closes, or the end. */
function endOfText(json: string, start: number): number {
  let end = start;
  do end = json.indexOf('"', end + 1);
  while (end > 0 && isEscaped(json, end));
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, quote: number): boolean {
  let first = quote;
  while (json[first - 1] === '\\') first -= 1;
  return (quote - first) % 2 === 1;
}
