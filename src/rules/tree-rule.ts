/** What a rule on the syntax tree is: which kinds of nodes it looks at, and what of them breaks it. Pure. */
import type { Node, Replacement } from '../syntax/language.ts';

/** Of names that stand for others in the file: what they stand for, as a chain of names. */
export type Aliases = ReadonlyMap<string, readonly string[]>;

/** The nodes that break the rule: true stands for the node itself. */
export type Finder = (node: Node, aliases: Aliases) => boolean | readonly Node[];

export interface TreeRule {
  /** The name of the rule that reads lines, whose words and waivers are these. */
  readonly name: string;
  /** By type of node. */
  readonly finds: Readonly<Record<string, Finder>>;
}

/** The same finder for several types of nodes. */
export function onEach(types: readonly string[], finder: Finder): Readonly<Record<string, Finder>> {
  return Object.fromEntries(types.map((type) => [type, finder]));
}

export interface Call {
  /** What is called, as a chain of names. */
  readonly names: readonly string[];
  readonly arguments: readonly Node[];
}

/** What a language's rules need to be run on a file. */
export interface RuleSet {
  readonly rules: readonly TreeRule[];
  readonly aliasesOf: (root: Node) => Aliases;
  /** Ids of nodes that no rule looks at. Told for the whole tree at once: to ask a node for what is around it takes as long as it lies deep. */
  readonly passedOver: (root: Node) => ReadonlySet<number>;
  /** Nodes whose lines belong to no finding around them: what stands in a body is judged there. */
  readonly bodies: readonly string[];
}

/** Stands in a chain for what has no name. */
export const UNNAMED = '?';

export function named(node: Node): readonly Node[] {
  return node.namedChildren
    .filter((child) => child !== null && child.type !== 'comment')
    .flatMap((child) => child ?? []);
}

/** Enough to place a finding; of more nobody reads. */
const MOST_INSIDE = 20;

/**
 * Gives the wanted nodes of these types inside a node, the first ones. They are looked for in the whole tree, once: to ask each of many nodes
 * that lie in each other for what is in it takes as long as the file squared.
 */
export function insideOf(types: readonly string[], isWanted: (node: Node) => boolean): (node: Node) => readonly Node[] {
  const known = new WeakMap<Node['tree'], readonly Node[]>();
  return (node) => {
    const all = known.get(node.tree) ?? wantedIn(node.tree.rootNode, types, isWanted);
    known.set(node.tree, all);
    const from = firstFrom(all.length, (index) => all[index]?.startIndex ?? 0, node.startIndex);
    return all.slice(from, from + MOST_INSIDE).filter(({ startIndex }) => startIndex < node.endIndex);
  };
}

function wantedIn(root: Node, types: readonly string[], isWanted: (node: Node) => boolean): readonly Node[] {
  return root.descendantsOfType([...types]).flatMap((node) => (node !== null && isWanted(node) ? [node] : []));
}

/** The index of the first of so many rising numbers that is not below the limit. */
export function firstFrom(count: number, numberAt: (index: number) => number, limit: number): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numberAt(middle) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Names that are bound once to a chain; what is bound twice may stand for anything. */
export function uniqueAliases(found: readonly (readonly [name: string, chain: readonly string[]])[]): Aliases {
  const byName = Map.groupBy(found, ([name]) => name);
  const single = [...byName].flatMap(([name, all]) =>
    all.slice(0, all.length === 1 ? 1 : 0).map(([, chain]) => [name, chain] as const),
  );
  return new Map(single.filter(([, chain]) => chain.length > 0 && !chain.includes(UNNAMED)));
}

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|([\s\S]))/g;
const PLAIN: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** The text that a literal's source stands for. */
export function unescaped(source: string): string {
  return source.replaceAll(ESCAPE, (whole, two?: string, four?: string, braced?: string, one?: string) => {
    const code = Number.parseInt(two ?? four ?? braced ?? '', 16);
    if (Number.isNaN(code)) return PLAIN[one ?? ''] ?? one ?? whole;
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}

/** One more; of one with a fraction a digit more. Undefined where that would be no other number. */
export function otherNumber({ text, startIndex, endIndex }: Node): Replacement | undefined {
  const place = { start: startIndex, end: endIndex };
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text) + 1)) return { ...place, text: String(Number(text) + 1) };
  return /^\d{1,6}\.\d{1,6}$/.test(text) ? { ...place, text: `${text}1` } : undefined;
}

/** Of the same shape: its last letter or digit is the next one. Where it has none, or something of it is computed or escaped, a character more. */
export function otherText(inner: string, start: number): Replacement {
  const at = /[\\{]/.test(inner) ? -1 : inner.search(/[A-Za-z0-9][^A-Za-z0-9]*$/);
  const end = start + inner.length;
  if (at < 0) return { start: end, end, text: '~' };
  const letter = inner.charAt(at);
  return {
    start: start + at,
    end: start + at + 1,
    text: LAST[letter] ?? String.fromCodePoint(letter.charCodeAt(0) + 1),
  };
}

/** At the end of a text that something has to hold: with it nothing does. Letters alone, because it may stand in a pattern. */
export function absentText(end: number): Replacement {
  return { start: end, end, text: 'zqxjkvzqxjkv' };
}

const LAST: Readonly<Record<string, string>> = { z: 'a', Z: 'A', 9: '0' };

/** In the first of these nodes that can be another. */
export function firstOther(
  nodes: readonly (Node | undefined)[],
  otherThan: (node: Node) => Replacement | undefined,
): Replacement | undefined {
  for (const node of nodes) {
    const other = node && otherThan(node);
    if (other !== undefined) return other;
  }
  return undefined;
}

/** Longer ways up a tree than from a name to what binds it nobody writes. */
const HIGHEST = 200;

/** What the nearest node around this one gives that has something to give, by its type. */
export function nearestAround<Found>(
  node: Node,
  givers: Readonly<Record<string, (around: Node) => Found | undefined>>,
): Found | undefined {
  let { parent: around } = node;
  for (let height = 0; height < HIGHEST && around !== null; height += 1) {
    const found = givers[around.type]?.(around);
    if (found !== undefined) return found;
    around = around.parent;
  }
  return undefined;
}

/** The first literal of the operands that can be another, else those of the cells that an operand stands for. */
export function othersOf(
  operands: readonly (Node | undefined)[],
  otherThan: (node: Node) => Replacement | undefined,
  cellsOf: (operand: Node) => readonly Node[],
): readonly Replacement[] {
  const other = firstOther(operands, otherThan);
  if (other !== undefined) return [other];
  const columns = operands.map((operand) =>
    (operand === undefined ? [] : cellsOf(operand)).flatMap((cell) => otherThan(cell) ?? []),
  );
  return columns.find((column) => column.length > 0) ?? [];
}
