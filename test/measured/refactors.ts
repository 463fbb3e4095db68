/** The same product in another spelling, made on the syntax tree: what it does stays, so a proof must stay too. */
import type { Language, Node } from '../../src/syntax/language.ts';
import { languageOf, type Parsers } from '../../src/syntax/parsers.ts';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What a spelling does to one node; undefined where it has nothing to do with it. */
type Spelling = (node: Node, isPython: boolean) => string | undefined;

const FLIPPED: Readonly<Record<string, string>> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
  '===': '===',
  '!==': '!==',
};
const COMPARISONS: ReadonlySet<string> = new Set(['binary_expression', 'comparison_operator']);
/** What may be read in another order without anybody seeing it. */
const PLAIN: ReadonlySet<string> = new Set([
  'identifier',
  'number',
  'integer',
  'float',
  'string',
  'member_expression',
  'attribute',
]);

const flipped: Spelling = (node) => {
  if (!COMPARISONS.has(node.type) || node.childCount !== 3) return undefined;
  const [left, operator, right] = node.children;
  if (left == null || operator == null || right == null || !PLAIN.has(left.type) || !PLAIN.has(right.type))
    return undefined;
  const other = FLIPPED[operator.text];
  return other === undefined ? undefined : `${right.text} ${other} ${left.text}`;
};

/** `return x + 1` by way of a name. */
const named: Spelling = (node, isPython) => {
  if (node.type !== 'return_statement' || !isAlone(node)) return undefined;
  const value = node.namedChildren[0];
  if (value == null || value.type === 'identifier') return undefined;
  const indent = ' '.repeat(node.startPosition.column);
  return isPython
    ? `outcome = ${value.text}\n${indent}return outcome`
    : `const outcome = ${value.text};\n${indent}return outcome;`;
};

/** First of its line, in a block: there is room for a statement before it. */
function isAlone({ parent }: Node): boolean {
  return parent !== null && ['statement_block', 'block'].includes(parent.type);
}

/** `if (a) b` asked the other way round. */
const negated: Spelling = (node, isPython) => {
  const [condition, then, otherwise] = ['condition', 'consequence', 'alternative'].map((field) =>
    node.childForFieldName(field),
  );
  if (node.type !== 'if_statement' || condition == null || then == null || otherwise != null) return undefined;
  const indent = ' '.repeat(node.startPosition.column);
  if (!isPython) return `if (!${condition.text}) {\n${indent}} else ${then.text}`;
  const body = then.text;
  return `if not (${condition.text}):\n${indent}    pass\n${indent}else:\n${indent}    ${body}`;
};

/** `x += 1` written out. */
const written: Spelling = (node) => {
  if (node.type !== 'augmented_assignment_expression' && node.type !== 'augmented_assignment') return undefined;
  const [left, right] = [node.childForFieldName('left'), node.childForFieldName('right')];
  const operator = node.childForFieldName('operator')?.text;
  if (left == null || right == null || operator === undefined || left.type !== 'identifier') return undefined;
  return `${left.text} = ${left.text} ${operator.slice(0, -1)} (${right.text})`;
};

export const SPELLINGS: Readonly<Record<string, Spelling>> = { flipped, named, negated, written };

/** The text with every node in that spelling that is not inside another one; undefined where there is none. */
export function respelt(parsers: Parsers, file: string, text: string, spelling: Spelling): string | undefined {
  const language = languageOf(file);
  if (language === undefined) return undefined;
  const found = replacementsIn(parsers, language, text, spelling);
  if (found.length === 0) return undefined;
  return found.reduceRight((all, { start, end, text: other }) => all.slice(0, start) + other + all.slice(end), text);
}

function replacementsIn(
  parsers: Parsers,
  language: Language,
  text: string,
  spelling: Spelling,
): readonly Replacement[] {
  const tree = parsers.parse(language, text);
  try {
    const found: Replacement[] = [];
    const visit = (node: Node): void => {
      const other = spelling(node, language.name === 'Python');
      if (other !== undefined) found.push({ start: node.startIndex, end: node.endIndex, text: other });
      else for (const child of node.children) if (child !== null) visit(child);
    };
    visit(tree.rootNode);
    return found;
  } finally {
    tree.delete();
  }
}
