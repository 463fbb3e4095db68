/** The same code in other characters: a test that notices the difference reads the text of the source, and not what it does. Pure. */
import { type Fault, parses } from './faults.ts';
import { languageOf, type Parsers } from './parsers.ts';

/** The texts with one space more before each place of a fault; a file stays away whose text could not be read any more. */
export function reworded(
  parsers: Parsers,
  texts: ReadonlyMap<string, string>,
  faults: readonly Fault[],
): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const [file, own] of Map.groupBy(faults, (fault) => fault.file)) {
    const [language, text] = [languageOf(file), texts.get(file)];
    if (language === undefined || text === undefined) continue;
    const spaced = withSpaces(
      text,
      own.map(({ start }) => start),
    );
    if (spaced !== text && parses(parsers, language, spaced)) changed.set(file, spaced);
  }
  return changed;
}

/** Not where a line begins: there a space is more than that to Python. */
function withSpaces(text: string, places: readonly number[]): string {
  let result = '';
  let from = 0;
  for (const at of [...new Set(places)].sort((one, other) => one - other)) {
    const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    if (line.trim() === '') continue;
    result += `${text.slice(from, at)} `;
    from = at;
  }
  return result + text.slice(from);
}
