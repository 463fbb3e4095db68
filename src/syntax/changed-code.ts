/** The faults that changed code can take, and what is told of those that nobody noticed. */
import { patchOf } from './fault-patch.ts';
import { candidatesOf, type Fault, parses, withFault } from './faults.ts';
import { languageOf, type Parsers } from './parsers.ts';

/** Somebody's generated file would keep the parser busy for its own sake. */
const LONGEST = 1_000_000;

/** Candidates, of which `readable` takes those that can be made; none where no table knows the language; without `lines`, of the whole file. */
export function possibleFaults(
  parsers: Parsers,
  { file, text, lines }: { readonly file: string; readonly text: string; readonly lines?: ReadonlySet<number> },
): readonly Fault[] {
  const language = languageOf(file);
  if (language === undefined || text.length > LONGEST) return [];
  return candidatesOf(parsers, { file, text, language, lines: lines ?? linesOf(text) });
}

/** So many places for faults are looked at in a change: to which of them tests come is told by one run. */
export const MOST_PLACES = 400;

/** The first faults, as many as the budget allows, whose text has no syntax error that the source has not. */
export function readable(
  parsers: Parsers,
  { texts, faults }: { readonly texts: ReadonlyMap<string, string>; readonly faults: readonly Fault[] },
  budget: number,
): readonly Fault[] {
  const broken = new Map<string, boolean>();
  const chosen: Fault[] = [];
  for (const fault of faults) {
    if (chosen.length >= budget) break;
    const { file } = fault;
    const [language, text] = [languageOf(file), texts.get(file)];
    if (language === undefined || text === undefined) continue;
    const isBroken = broken.get(file) ?? !parses(parsers, language, text);
    broken.set(file, isBroken);
    if (isBroken || parses(parsers, language, withFault(text, fault))) chosen.push(fault);
  }
  return chosen;
}

function linesOf(text: string): ReadonlySet<number> {
  return new Set(text.split('\n').map((_, index) => index + 1));
}

export interface FaultPatch {
  file: string;
  line: number;
  sentence: string;
  patch: string;
}

/** The faults as patches of the texts, by place, one a line. */
export function survivorsOf(faults: readonly Fault[], texts: ReadonlyMap<string, string>): FaultPatch[] {
  return onePerLine(faults).map((fault) => ({
    ...{ file: fault.file, line: fault.line, sentence: fault.sentence },
    patch: patchOf(texts.get(fault.file) ?? '', fault),
  }));
}

/** Where the faults are. */
export function placesOf(faults: readonly Fault[]): { file: string; line: number }[] {
  return onePerLine(faults).map(({ file, line }) => ({ file, line }));
}

function onePerLine(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.toReversed().map((fault) => [`${fault.file}:${fault.line}`, fault])).values()].sort(
    (one, other) => (one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1),
  );
}
