/** Reads what a change does to tests, and to what checks the code, on the syntax trees of its files. */
import type { Parsers } from '../syntax/parsers.ts';
import { pythonAliases } from './python-nodes.ts';
import {
  importsIn,
  PYTHON_EMPTY,
  PYTHON_LEFT_OUT,
  PYTHON_SILENCED,
  PYTHON_SWALLOWED,
  PYTHON_TAUTOLOGY,
} from './python-tests.ts';
import {
  otherOptions,
  SCRIPT_EMPTY,
  SCRIPT_LEFT_OUT,
  SCRIPT_SILENCED,
  SCRIPT_SWALLOWED,
  SCRIPT_TAUTOLOGY,
} from './script-tests.ts';
import { type ChangeToRead, readTrees, type TreesRead } from './tree-findings.ts';
import type { RuleSet } from './tree-rule.ts';

const NOTHING = () => new Set<number>();
const NO_NAMES = () => new Map<string, readonly string[]>();

interface Rules {
  readonly tests: RuleSet;
  /** For what is no test. */
  readonly product: RuleSet;
}

const SCRIPT: Rules = {
  tests: {
    rules: [SCRIPT_LEFT_OUT, SCRIPT_TAUTOLOGY, SCRIPT_EMPTY, SCRIPT_SWALLOWED, SCRIPT_SILENCED],
    aliasesOf: NO_NAMES,
    passedOver: otherOptions,
    bodies: ['statement_block', 'class_body'],
  },
  product: { rules: [SCRIPT_SILENCED], aliasesOf: NO_NAMES, passedOver: NOTHING, bodies: [] },
};

const PYTHON: Rules = {
  tests: {
    rules: [PYTHON_LEFT_OUT, PYTHON_TAUTOLOGY, PYTHON_EMPTY, PYTHON_SWALLOWED, PYTHON_SILENCED],
    aliasesOf: pythonAliases,
    passedOver: importsIn,
    bodies: [],
  },
  product: { rules: [PYTHON_SILENCED], aliasesOf: NO_NAMES, passedOver: NOTHING, bodies: [] },
};

/** By name of the language. */
const RULES: Readonly<Record<string, Rules>> = { JavaScript: SCRIPT, TypeScript: SCRIPT, TSX: SCRIPT, Python: PYTHON };

export interface ChangeWithTests extends Omit<ChangeToRead, 'rulesOf'> {
  readonly isTest: (file: string) => boolean;
}

/** What the rules for tests find in test files, and those about silenced checks in all files. */
export function readTests(parsers: Parsers, { added, texts, isTest }: ChangeWithTests): TreesRead {
  const rulesOf: ChangeToRead['rulesOf'] = ({ name }, file) => RULES[name]?.[isTest(file) ? 'tests' : 'product'];
  return readTrees(parsers, { added, texts, rulesOf });
}
