/** Finds secrets, risky code and tampering in what a change adds: by the syntax trees of its files where they can be read, else by lines. */
import type { AddedLine } from '../guard/added-lines.ts';
import { scanLines, type TreeFindings } from '../guard/scan.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Node } from '../syntax/language.ts';
import { languageOf, type Parsers } from '../syntax/parsers.ts';
import { firstLineFinder } from './first-line.ts';
import { pythonAliases } from './python-nodes.ts';
import { PYTHON_RISKS } from './python-risks.ts';
import { PYTHON_TAMPERING, passedOverIn } from './python-tampering.ts';
import { scriptAliases } from './script-nodes.ts';
import { SCRIPT_RISKS } from './script-risks.ts';
import { SCRIPT_TAMPERING } from './script-tampering.ts';
import type { RuleSet } from './tree-rule.ts';

const SCRIPT: RuleSet = {
  rules: [...SCRIPT_RISKS, SCRIPT_TAMPERING],
  aliasesOf: scriptAliases,
  passedOver: () => new Set(),
  bodies: ['statement_block', 'class_body'],
};

/** By name of the language. */
const RULES: Readonly<Record<string, RuleSet>> = {
  JavaScript: SCRIPT,
  TypeScript: SCRIPT,
  TSX: SCRIPT,
  Python: {
    rules: [...PYTHON_RISKS, PYTHON_TAMPERING],
    aliasesOf: pythonAliases,
    passedOver: passedOverIn,
    bodies: [],
  },
};

export interface ChangeScan {
  readonly defects: readonly Defect[];
  /** Files of known languages that the rules read by lines too, because their syntax could not be read as a whole. */
  readonly byLines: readonly string[];
}

/** Longer files are generated, and would keep the parser busy for their own sake. */
const LONGEST = 1_000_000;

/** One blocking defect for each finding on the added lines; the texts are those of the changed files afterwards. */
export function scanChange(
  parsers: Parsers,
  added: readonly AddedLine[],
  texts: ReadonlyMap<string, string>,
): ChangeScan {
  const trees = new Map<string, TreeFindings>();
  const byLines: string[] = [];
  for (const [file, lines] of Map.groupBy(added, ({ file }) => file)) {
    if (languageOf(file) === undefined) continue;
    const found = findingsIn(parsers, { file, text: texts.get(file), lines: new Set(lines.map(({ line }) => line)) });
    if (found !== undefined) trees.set(file, found);
    if (!found?.isWhole) byLines.push(file);
  }
  return { defects: scanLines(added, trees), byLines };
}

interface ChangedFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly lines: ReadonlySet<number>;
}

function findingsIn(parsers: Parsers, { file, text, lines }: ChangedFile): TreeFindings | undefined {
  const language = languageOf(file);
  const rules = RULES[language?.name ?? ''];
  if (language === undefined || rules === undefined || text === undefined || text.length > LONGEST) return undefined;
  const tree = parsers.parse(language, text);
  try {
    return { rules: brokenIn(tree.rootNode, rules, lines), isWhole: !tree.rootNode.hasError };
  } finally {
    tree.delete();
  }
}

/** By line, the first added one that a finding reaches. */
function brokenIn(root: Node, set: RuleSet, lines: ReadonlySet<number>): TreeFindings['rules'] {
  const aliases = set.aliasesOf(root);
  const firstLine = firstLineFinder(root, set.bodies, lines);
  const found = nodesOn(root, set, lines).flatMap((node) =>
    set.rules.flatMap(({ name, finds }) => {
      const all = brokenBy(node, finds[node.type]?.(node, aliases)).flatMap((one) => firstLine(one) ?? []);
      return all.length === 0 ? [] : [{ name, line: Math.min(...all) }];
    }),
  );
  return new Map(
    [...Map.groupBy(found, ({ line }) => line)].map(([line, all]) => [line, [...new Set(all.map(({ name }) => name))]]),
  );
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
