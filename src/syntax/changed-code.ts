/** The faults that changed code can take, and what is told of those that nobody noticed. */
import { patchOf } from './fault-patch.ts';
import { type Fault, faultsOf } from './faults.ts';
import { languageOf, type Parsers } from './parsers.ts';

/** Somebody's generated file would keep the parser busy for its own sake. */
const LONGEST = 1_000_000;

/** None where no table knows the language; without `lines`, of the whole file. */
export function possibleFaults(
  parsers: Parsers,
  { file, text, lines }: { readonly file: string; readonly text: string; readonly lines?: ReadonlySet<number> },
): readonly Fault[] {
  const language = languageOf(file);
  if (language === undefined || text.length > LONGEST) return [];
  return faultsOf(parsers, { file, text, language, lines: lines ?? linesOf(text) });
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
