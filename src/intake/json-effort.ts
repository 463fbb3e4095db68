/** What a JSON text costs to parse, told before it is parsed: a megabyte of brackets becomes a hundred of objects, and one of commas holds thirty while it is read. Pure. */

export interface JsonBounds {
  /** So many objects and lists in each other. */
  readonly depth: number;
  /** So many commas, and objects and lists, in all. */
  readonly marks: number;
}

const STEP: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1, ',': 0 };
const MARK = /["{}[\],]/g;

/** Whether a text goes beyond what it may cost. Texts in quotes do not count. */
export function isCostlyJson(json: string, { depth: deepest, marks: most }: JsonBounds): boolean {
  const marks = new RegExp(MARK);
  let [depth, count] = [0, 0];
  for (let found = marks.exec(json); found !== null; found = marks.exec(json)) {
    const [mark] = found;
    const step = STEP[mark];
    if (step === undefined) marks.lastIndex = endOfText(json, found.index);
    else count += 1;
    depth += step ?? 0;
    if (depth > deepest || count > most) return true;
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
