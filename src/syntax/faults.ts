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
  const { language, text } = source;
  if (!parses(parsers, language, text)) return candidatesOf(parsers, source);
  return candidatesOf(parsers, source).filter((fault) => parses(parsers, language, withFault(text, fault)));
}

/** The same, but some may have a syntax error: to see that takes reading the whole text once for each, which few of a long file's need. */
export function candidatesOf(parsers: Parsers, { language, text, file, lines }: Source): readonly Fault[] {
  const tree = parsers.parse(language, text);
  const lineOf = lineFinder(text);
  const found = new Map<string, Fault>();
  const take = (edit: Edit, scope: number) => {
    const line = lineOf(edit.start);
    const effect = lines.has(line) ? effectOf(text, edit) : undefined;
    if (effect !== undefined && !found.has(effect)) found.set(effect, { ...edit, file, line, scope });
  };
  try {
    for (const { node, scope, isRead } of nodesOf(tree.rootNode, language, lines))
      for (const edit of isRead ? (language.faults[node.type]?.(node) ?? []) : []) take(edit, scope);
    return [...found.values()];
  } finally {
    tree.delete();
  }
}

/** The same for edits that make the same text; undefined where nothing is other: what both texts have in common is as long as it can be. */
function effectOf(text: string, { start, end, text: put }: Replacement): string | undefined {
  const old = text.slice(start, end);
  const most = Math.min(old.length, put.length);
  let head = 0;
  while (head < most && old[head] === put[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === put.at(-1 - tail)) tail += 1;
  const [at, removed, added] = [start + head, old.length - head - tail, put.slice(head, put.length - tail)];
  if (removed === 0 && added === '') return undefined;
  if (added === '') return `${shifted(text, at, removed)}:${removed}:`;
  return removed > 0 ? `${at}:${removed}:${added}` : inserted(text, at, added);
}

/** Where of a run of the same characters something is left out makes no difference. */
function shifted(text: string, from: number, length: number): number {
  let at = from;
  while (at + length < text.length && text[at] === text[at + length]) at += 1;
  return at;
}

function inserted(text: string, from: number, added: string): string {
  let at = from;
  let put = added;
  while (at < text.length && put[0] === text[at]) {
    put = `${put.slice(1)}${put[0]}`;
    at += 1;
  }
  return `${at}:0:${put}`;
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
  /** Whether the statement that it is in has no error: nobody knows what an operator is in one that has. */
  readonly isRead: boolean;
}

/** The nodes that reach into the lines, each before those inside it; no recursion, because hostile code is nested as deeply as it likes. */
function* nodesOf(root: Node, language: Language, lines: ReadonlySet<number>): Generator<Placed> {
  const left: Placed[] = [{ node: root, scope: -1, isRead: true }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { node } = next;
    if (node.isError || language.isLeftOut(node) || !reaches(node, lines)) continue;
    const scope = language.functions.has(node.type) ? node.startIndex : next.scope;
    const isRead = language.isStatement(node) ? !node.hasError : next.isRead;
    yield { node, scope, isRead };
    left.push(...childrenOf(node).map((child) => ({ node: child, scope, isRead })));
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

/** Gives the 1-based line of an offset. */
function lineFinder(text: string): (index: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (index) => {
    let [from, to] = [0, ends.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ends[middle] ?? 0) < index) from = middle + 1;
      else to = middle;
    }
    return from + 1;
  };
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
