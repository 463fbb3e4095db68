/** Where running code comes to, found by what is put into its text: no tool for coverage, the same for every runner. Pure. */
import { type Fault, parses } from './faults.ts';
import type { Insertion, Language, Node } from './language.ts';
import { languageOf, type Parsers } from './parsers.ts';

export interface WithCode {
  readonly text: string;
  /** By fault, the offset of its statement; a fault without one is reached with the whole file. */
  readonly statements: ReadonlyMap<Fault, number>;
}

/** The text with code of its own before the statement of each fault. Undefined where it could not be read any more. */
export function withCodeBefore(
  parsers: Parsers,
  source: { readonly language: Language; readonly text: string; readonly faults: readonly Fault[] },
  codeOf: (statement: number) => string,
): WithCode | undefined {
  const { language, text, faults } = source;
  const tree = parsers.parse(language, text);
  try {
    const statements = new Map<Fault, number>();
    const insertions = new Map<number, readonly Insertion[]>();
    for (const fault of faults) {
      const statement = statementOf(tree.rootNode, language, fault);
      if (statement === undefined) continue;
      statements.set(fault, statement.startIndex);
      insertions.set(statement.startIndex, language.before(statement, codeOf(statement.startIndex)));
    }
    const changed = withInsertions(text, [...insertions.values()].flat());
    return tree.rootNode.hasError || parses(parsers, language, changed) ? { text: changed, statements } : undefined;
  } finally {
    tree.delete();
  }
}

export interface Placed {
  /** Of files, by path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly faults: readonly Fault[];
}

export interface CodedTexts {
  /** Of the files that are other now. */
  readonly texts: ReadonlyMap<string, string>;
  /** By fault, what names its statement; a fault without one is reached with the whole file. */
  readonly keys: ReadonlyMap<Fault, string>;
}

/** The texts with code of its own before the statement of each fault, by a key that names the statement. */
export function withCodeAt(
  parsers: Parsers,
  { texts, faults }: Placed,
  codeOf: (language: Language, key: string) => string,
): CodedTexts {
  const changed = new Map<string, string>();
  const keys = new Map<Fault, string>();
  for (const [file, own] of Map.groupBy(faults, (fault) => fault.file)) {
    const [language, text] = [languageOf(file), texts.get(file)];
    if (language === undefined || text === undefined) continue;
    const keyOf = (statement: number) => `${file}:${statement}`;
    const coded = withCodeBefore(parsers, { language, text, faults: own }, (at) => codeOf(language, keyOf(at)));
    if (coded === undefined) continue;
    changed.set(file, coded.text);
    for (const [fault, statement] of coded.statements) keys.set(fault, keyOf(statement));
  }
  return { texts: changed, keys };
}

/**
 * The faults to which a run came: those whose statement left its mark, and those that have none of their own. A file that left no mark in a run that
 * is not green may have been broken by its marks, so that nothing is known of it.
 */
export function reachedFaults(
  faults: readonly Fault[],
  keys: CodedTexts['keys'],
  { marks, isGreen }: { readonly marks: ReadonlySet<string>; readonly isGreen: boolean },
): ReadonlySet<Fault> {
  const isMarked = (fault: Fault) => marks.has(keys.get(fault) ?? '');
  const told = new Set(faults.filter(isMarked).map(({ file }) => file));
  const isKnown = ({ file }: Fault) => isGreen || told.has(file);
  return new Set(faults.filter((fault) => isMarked(fault) || !keys.has(fault) || !isKnown(fault)));
}

/** The text that adds the mark to the file when all of it has run. */
export function markedAtEnd(language: Language, text: string, file: string, mark: string): string {
  return `${text}\n${language.marking(file, mark)}\n`;
}

/** The innermost statement around the fault that is not one of the file's own. */
function statementOf(root: Node, language: Language, { start, end }: Fault): Node | undefined {
  let node = root.descendantForIndex(start, Math.max(start, end - 1));
  while (node !== null && !language.isStatement(node)) node = node.parent;
  return node === null || isTopLevel(node) || isUnread(node) ? undefined : node;
}

/** Nobody knows where a statement begins that has an error, or stands in one. */
function isUnread(statement: Node): boolean {
  if (statement.hasError) return true;
  let around = statement.parent;
  while (around !== null && !around.isError) around = around.parent;
  return around !== null;
}

function isTopLevel({ parent }: Node): boolean {
  return parent === null || parent.parent === null || parent.type === 'export_statement';
}

/** At one place, what ends a statement stands before what begins the next. */
function withInsertions(text: string, insertions: readonly Insertion[]): string {
  const ends = (insertion: Insertion) => Number(insertion.text === '}');
  const sorted = insertions.toSorted((one, other) => one.at - other.at || ends(other) - ends(one));
  let at = 0;
  let result = '';
  for (const insertion of sorted) {
    result += text.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return result + text.slice(at);
}
