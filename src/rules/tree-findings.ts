/** Runs rules on the syntax trees of changed files. Pure. */
import type { AddedLine } from '../guard/added-lines.ts';
import { codeFrom } from '../guard/quoted-code.ts';
import type { TreeFindings } from '../guard/scan.ts';
import type { Language, Node } from '../syntax/language.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { firstLineFinder } from './first-line.ts';
import type { RuleSet } from './tree-rule.ts';

export interface ChangeToRead {
  readonly added: readonly AddedLine[];
  /** Of the changed files, as they are afterwards. */
  readonly texts: ReadonlyMap<string, string>;
  /** The rules for a file; undefined where it has none. */
  readonly rulesOf: (language: Language, file: string) => RuleSet | undefined;
}

export interface TreesRead {
  readonly trees: ReadonlyMap<string, TreeFindings>;
  /** Files that have rules, but whose syntax could not be read as a whole. */
  readonly byLines: readonly string[];
}

/** Longer files are generated, and would keep the parser busy for their own sake. */
const LONGEST = 1_000_000;

/** What the rules find on the added lines, by file. */
export function readTrees(parsers: Parsers, { added, texts, rulesOf }: ChangeToRead): TreesRead {
  const trees = new Map<string, TreeFindings>();
  const byLines: string[] = [];
  for (const [file, lines] of Map.groupBy(added, ({ file }) => file)) {
    const language = languageOf(file);
    const set = language && rulesOf(language, file);
    if (language === undefined || set === undefined) continue;
    const numbers = new Set(lines.map(({ line }) => line));
    const found = findingsIn(parsers, { language, set, text: texts.get(file), lines: numbers });
    if (found !== undefined) trees.set(file, found);
    if (!found?.isWhole) byLines.push(file);
  }
  return { trees, byLines };
}

interface ChangedFile {
  readonly language: Language;
  readonly set: RuleSet;
  readonly text: string | undefined;
  readonly lines: ReadonlySet<number>;
}

function findingsIn(parsers: Parsers, { language, set, text, lines }: ChangedFile): TreeFindings | undefined {
  if (text === undefined || text.length > LONGEST) return undefined;
  const tree = parsers.parse(language, text);
  try {
    return { rules: brokenIn({ root: tree.rootNode, text, set, lines }), isWhole: !tree.rootNode.hasError };
  } finally {
    tree.delete();
  }
}

interface TreeToRead {
  readonly root: Node;
  readonly text: string;
  readonly set: RuleSet;
  readonly lines: ReadonlySet<number>;
}

/** By line, the first added one that a finding reaches. */
function brokenIn({ root, text, set, lines }: TreeToRead): TreeFindings['rules'] {
  const aliases = set.aliasesOf(root);
  const firstLine = firstLineFinder(root, set.bodies, lines);
  const found = nodesOn(root, set, lines).flatMap((node) =>
    set.rules.flatMap(({ name, finds }) => {
      const broken = brokenBy(node, finds[node.type]?.(node, aliases)).flatMap((one) => placedOn(one, firstLine(one)));
      if (broken.length === 0) return [];
      return [{ name, line: Math.min(...broken.map(({ line }) => line)), nodes: broken.map((one) => one.node) }];
    }),
  );
  const byLine = Map.groupBy(found, ({ line }) => line);
  return new Map(
    [...byLine].map(([line, all]) => [
      line,
      onceEach(all).map(({ name, nodes }) => ({ name, code: codeOf(nodes, text) })),
    ]),
  );
}

function placedOn(node: Node, line: number | undefined): readonly { readonly node: Node; readonly line: number }[] {
  return line === undefined ? [] : [{ node, line }];
}

/** Of several findings of a rule the first, which is the outermost. */
function onceEach<Found extends { readonly name: string }>(all: readonly Found[]): readonly Found[] {
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
}

/** From the first of them to the last. */
function codeOf(nodes: readonly Node[], text: string): string {
  const start = Math.min(...nodes.map(({ startIndex }) => startIndex));
  return codeFrom(text, start, Math.max(...nodes.map(({ endIndex }) => endIndex)));
}

function brokenBy(node: Node, found: boolean | readonly Node[] = false): readonly Node[] {
  if (typeof found === 'boolean') return found ? [node] : [];
  return found;
}

/** Those that reach into the added lines, each before those inside it. Of sums that begin at the same place the whole one is there. */
function nodesOn(root: Node, { rules, passedOver }: RuleSet, lines: ReadonlySet<number>): readonly Node[] {
  const passed = passedOver(root);
  const [from, to] = [...lines].reduce(
    ([low, high], line) => [Math.min(low, line), Math.max(high, line)],
    [Infinity, 0],
  );
  const types = [...new Set(rules.flatMap(({ finds }) => Object.keys(finds)))];
  const sums = new Set<number>();
  return root
    .descendantsOfType(types, { row: from - 1, column: 0 }, { row: to, column: 0 })
    .filter((node) => {
      if (node === null || passed.has(node.id)) return false;
      if (!SUMS.has(node.type)) return true;
      const isFirst = !sums.has(node.startIndex);
      sums.add(node.startIndex);
      return isFirst;
    })
    .filter((node) => node !== null);
}

const SUMS: ReadonlySet<string> = new Set(['binary_expression', 'binary_operator']);
