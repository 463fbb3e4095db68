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
