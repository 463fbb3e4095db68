/** The same code in other characters: a test that notices the difference reads the text of the source, and not what it does. Pure. */
import { type Fault, parses } from './faults.ts';
import { languageOf, type Parsers } from './parsers.ts';

/** What changes nothing, the surest first: who reads a text often takes the spaces out before. Python has no comment within a line. */
const FILLERS: Readonly<Record<string, readonly string[]>> = { Python: [' '] };
const USUAL = ['/**/ ', ' '];

/** The texts with a comment or one space more before each place of a fault; a file stays away whose text could not be read any more. */
export function reworded(
  parsers: Parsers,
  texts: ReadonlyMap<string, string>,
  faults: readonly Fault[],
): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const [file, own] of Map.groupBy(faults, (fault) => fault.file)) {
    const [language, text] = [languageOf(file), texts.get(file)];
    if (language === undefined || text === undefined) continue;
    const places = own.map(({ start }) => start);
    const found = (FILLERS[language.name] ?? USUAL)
      .map((filler) => withFiller(text, places, filler))
      .find((filled) => filled !== text && parses(parsers, language, filled));
    if (found !== undefined) changed.set(file, found);
  }
  return changed;
}

/** Not where a line begins: there a space is more than that to Python. */
function withFiller(text: string, places: readonly number[], filler: string): string {
  let result = '';
  let from = 0;
  for (const at of [...new Set(places)].sort((one, other) => one - other)) {
    const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
    if (line.trim() === '') continue;
    result += text.slice(from, at) + filler;
    from = at;
  }
  return result + text.slice(from);
}
