/** Small deliberate faults in code, one at a time: tests that guard its behaviour notice them. Pure. */
import type { Edit, Language, Node, Replacement } from './language.ts';
import type { Parsers } from './parsers.ts';

export interface Fault extends Edit {
  readonly file: string;
  /** 1-based, of its first character. */
  readonly line: number;
  /** Where the function begins that it is in; -1 outside of all. */
  readonly scope: number;
}

/** The whole text with the fault in it. */
export function withFault(text: string, { start, end, text: other }: Replacement): string {
  return `${text.slice(0, start)}${other}${text.slice(end)}`;
}

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly language: Language;
  /** 1-based; faults begin on these only. */
  readonly lines: ReadonlySet<number>;
}

/** Every fault that the lines can take, by place; no two have the same text, and none has a syntax error that the source has not. */
export function faultsOf(parsers: Parsers, source: Source): readonly Fault[] {
  const { language, text, file, lines } = source;
  const tree = parsers.parse(language, text);
  const found = new Map<string, Fault>();
  try {
    for (const { node, scope } of nodesOf(tree.rootNode, language, lines)) {
      for (const edit of language.faults[node.type]?.(node) ?? []) {
        const line = lineAt(text, edit.start);
        const key = withFault(text, edit);
        if (lines.has(line) && key !== text && !found.has(key)) found.set(key, { ...edit, file, line, scope });
      }
    }
    const isBroken = tree.rootNode.hasError;
    return [...found.entries()].filter(([faulty]) => isBroken || parses(parsers, language, faulty)).map(([, f]) => f);
  } finally {
    tree.delete();
  }
}

/** Whether the text has no error of syntax. */
export function parses(parsers: Parsers, language: Language, text: string): boolean {
  const tree = parsers.parse(language, text);
  const isRight = !tree.rootNode.hasError;
  tree.delete();
  return isRight;
}

interface Placed {
  readonly node: Node;
  readonly scope: number;
}

/** The nodes that reach into the lines, each before those inside it; no recursion, because hostile code is nested as deeply as it likes. */
function* nodesOf(root: Node, language: Language, lines: ReadonlySet<number>): Generator<Placed> {
  const left: Placed[] = [{ node: root, scope: -1 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node } = next;
    if (language.isLeftOut(node) || !reaches(node, lines)) continue;
    const scope = language.functions.has(node.type) ? node.startIndex : next.scope;
    yield { node, scope };
    left.push(...childrenOf(node).map((child) => ({ node: child, scope })));
  }
}

/** The last one first, as a stack wants them. */
function childrenOf(node: Node): readonly Node[] {
  return node.children.filter((child) => child !== null).toReversed();
}

function reaches({ startPosition, endPosition }: Node, lines: ReadonlySet<number>): boolean {
  const [from, to] = [startPosition.row + 1, endPosition.row + 1];
  if (to - from > lines.size) return [...lines].some((line) => line >= from && line <= to);
  for (let line = from; line <= to; line += 1) if (lines.has(line)) return true;
  return false;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/**
 * As many faults as the budget allows, the same ones on every machine: from each function in turn, in it from each line in turn, so that
 * neither a long function nor a long line uses up what the others need.
 */
export function spread(faults: readonly Fault[], budget: number): readonly Fault[] {
  const byFunction = Map.groupBy(faults, ({ file, scope }) => `${file}:${scope}`);
  const perFunction = [...byFunction.values()].map((own) =>
    inTurns([...Map.groupBy(own, ({ line }) => line).values()].map(oneOfEachKind)),
  );
  return inTurns(perFunction).slice(0, budget);
}

function oneOfEachKind(faults: readonly Fault[]): readonly Fault[] {
  return inTurns([...Map.groupBy(faults, ({ kind }) => kind).values()]);
}

/** The first of each list, then the second of each, and so on: a limit then leaves no list out. */
export function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
