/** Where running code comes to, found by what is put into its text: no tool for coverage, the same for every runner. Pure. */
import { type Fault, parses } from './faults.ts';
import type { Insertion, Language, Node } from './language.ts';
import type { Parsers } from './parsers.ts';

/**
 * The text whose process ends where the fault's statement begins, so that tests that stay green with it never came there. Undefined where
 * no statement is around the fault but the whole file: it runs as soon as anything does.
 */
export function endedBefore(parsers: Parsers, language: Language, text: string, fault: Fault): string | undefined {
  const tree = parsers.parse(language, text);
  try {
    const statement = statementOf(tree.rootNode, language, fault);
    if (statement === undefined) return undefined;
    const ended = withInsertions(text, language.before(statement, language.ending));
    return parses(parsers, language, ended) ? ended : undefined;
  } finally {
    tree.delete();
  }
}

export interface Marked {
  /** The text that adds a mark, the offset of a statement, to the file as soon as it comes there. */
  readonly text: string;
  /** By fault, the mark of its statement; a fault without one is reached with the whole file. */
  readonly marks: ReadonlyMap<Fault, string>;
}

/** Undefined where the text with its marks could not be read any more. */
export function withMarks(
  parsers: Parsers,
  source: { readonly language: Language; readonly text: string; readonly faults: readonly Fault[] },
  { file, prefix }: { readonly file: string; readonly prefix: string },
): Marked | undefined {
  const { language, text, faults } = source;
  const tree = parsers.parse(language, text);
  try {
    const marks = new Map<Fault, string>();
    const insertions = new Map<string, readonly Insertion[]>();
    for (const fault of faults) {
      const statement = statementOf(tree.rootNode, language, fault);
      if (statement === undefined) continue;
      const mark = `${prefix}${statement.startIndex}`;
      marks.set(fault, mark);
      insertions.set(mark, language.before(statement, language.marking(file, mark)));
    }
    const marked = withInsertions(text, [...insertions.values()].flat());
    return tree.rootNode.hasError || parses(parsers, language, marked) ? { text: marked, marks } : undefined;
  } finally {
    tree.delete();
  }
}

/** The text that adds the mark to the file when all of it has run. */
export function markedAtEnd(language: Language, text: string, file: string, mark: string): string {
  return `${text}\n${language.marking(file, mark)}\n`;
}

/** The innermost statement around the fault that is not one of the file's own. */
function statementOf(root: Node, language: Language, { start, end }: Fault): Node | undefined {
  let node = root.descendantForIndex(start, Math.max(start, end - 1));
  while (node !== null && !language.isStatement(node)) node = node.parent;
  return node === null || isTopLevel(node) ? undefined : node;
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
