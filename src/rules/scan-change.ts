/** Finds secrets, risky code and tampering in what a change adds: by the syntax trees of its files where they can be read, else by lines. */
import type { AddedLine } from '../guard/added-lines.ts';
import { isOfProduct, liesWithTests } from '../guard/product-files.ts';
import { scanLines } from '../guard/scan.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { PYTHON_EQUAL_TO_ALL, SCRIPT_EQUAL_TO_ALL } from './equal-to-all.ts';
import { pythonAliases } from './python-nodes.ts';
import { PYTHON_RECOGNISED } from './python-recognised.ts';
import { PYTHON_RISKS } from './python-risks.ts';
import { PYTHON_TAMPERING, passedOverIn } from './python-tampering.ts';
import { PYTHON_REPLACED, SCRIPT_REPLACED } from './replaced-assertions.ts';
import { scriptAliases } from './script-nodes.ts';
import { SCRIPT_RECOGNISED } from './script-recognised.ts';
import { SCRIPT_RISKS } from './script-risks.ts';
import { passedOverIn as passedOverInScript, SCRIPT_TAMPERING } from './script-tampering.ts';
import { readTrees } from './tree-findings.ts';
import type { RuleSet, TreeRule } from './tree-rule.ts';

const SCRIPT: RuleSet = {
  rules: [...SCRIPT_RISKS, SCRIPT_TAMPERING],
  aliasesOf: scriptAliases,
  passedOver: passedOverInScript,
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

interface PlacedRules {
  /** For what lies with tests. */
  readonly replaced: TreeRule;
  /** For all else. */
  readonly equalToAll: TreeRule;
  /** Settings of tools may ask who runs them. */
  readonly recognised: TreeRule;
}

const OF_SCRIPTS: PlacedRules = {
  replaced: SCRIPT_REPLACED,
  equalToAll: SCRIPT_EQUAL_TO_ALL,
  recognised: SCRIPT_RECOGNISED,
};
const BY_PLACE: Readonly<Record<string, PlacedRules>> = {
  JavaScript: OF_SCRIPTS,
  TypeScript: OF_SCRIPTS,
  TSX: OF_SCRIPTS,
  Python: { replaced: PYTHON_REPLACED, equalToAll: PYTHON_EQUAL_TO_ALL, recognised: PYTHON_RECOGNISED },
};

function rulesFor(language: string, file: string): RuleSet | undefined {
  const [set, more] = [RULES[language], BY_PLACE[language]];
  if (set === undefined || more === undefined) return set;
  if (liesWithTests(file)) return { ...set, rules: [...set.rules, more.replaced] };
  const recognised = isOfProduct(file) ? [more.recognised] : [];
  return { ...set, rules: [...set.rules, more.equalToAll, ...recognised] };
}

export interface ChangeScan {
  readonly defects: readonly Defect[];
  /** Files of known languages that the rules read by lines too, because their syntax could not be read as a whole. */
  readonly byLines: readonly string[];
}

/** One blocking defect for each finding on the added lines; the texts are those of the changed files afterwards. */
export function scanChange(
  parsers: Parsers,
  added: readonly AddedLine[],
  texts: ReadonlyMap<string, string>,
): ChangeScan {
  const { trees, byLines } = readTrees(parsers, { added, texts, rulesOf: ({ name }, file) => rulesFor(name, file) });
  return { defects: scanLines(added, trees), byLines };
}
