/** Finds secrets, risky code and tampering in what a change adds: by the syntax trees of its files where they can be read, else by lines. */
import type { AddedLine } from '../guard/added-lines.ts';
import { scanLines } from '../guard/scan.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Parsers } from '../syntax/parsers.ts';
import { pythonAliases } from './python-nodes.ts';
import { PYTHON_RISKS } from './python-risks.ts';
import { PYTHON_TAMPERING, passedOverIn } from './python-tampering.ts';
import { scriptAliases } from './script-nodes.ts';
import { SCRIPT_RISKS } from './script-risks.ts';
import { SCRIPT_TAMPERING } from './script-tampering.ts';
import { readTrees } from './tree-findings.ts';
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

/** One blocking defect for each finding on the added lines; the texts are those of the changed files afterwards. */
export function scanChange(
  parsers: Parsers,
  added: readonly AddedLine[],
  texts: ReadonlyMap<string, string>,
): ChangeScan {
  const { trees, byLines } = readTrees(parsers, { added, texts, rulesOf: ({ name }) => RULES[name] });
  return { defects: scanLines(added, trees), byLines };
}
