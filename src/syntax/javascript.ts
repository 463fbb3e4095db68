/** JavaScript, TypeScript and TSX, as tree-sitter's grammars name their nodes. */

import { beforeStatement, isStatement, marking } from './javascript-statements.ts';
import {
  becomes,
  COMMON_OPERATORS,
  type Edit,
  type FaultKind,
  type FaultsOf,
  forced,
  type Language,
  leftOut,
  type Node,
  type Operators,
  otherNumber,
  swapped,
} from './language.ts';

const OPERATORS: Operators = {
  ...COMMON_OPERATORS,
  '===': [['comparison', '!==']],
  '!==': [['comparison', '===']],
  '&&': [['boolean', '||']],
  '||': [['boolean', '&&']],
  '>>>': [['arithmetic', '<<']],
  '++': [['arithmetic', '--']],
  '--': [['arithmetic', '++']],
};

const NEGATED: ReadonlySet<string> = new Set(['in', 'instanceof']);

const binary: FaultsOf = (node) => {
  const operator = node.childForFieldName('operator')?.text ?? '';
  if (NEGATED.has(operator)) return [becomes('comparison', node, `!(${node.text})`)];
  // Beside `??` JavaScript allows no other logical operator without brackets.
  if (operator === '??') return [becomes('absence', node, node.childForFieldName('left')?.text ?? '')];
  return swapped(node, OPERATORS);
};

const unary: FaultsOf = (node) => {
  const argument = node.childForFieldName('argument');
  const kind = UNARY[node.childForFieldName('operator')?.text ?? ''];
  return argument === null || kind === undefined ? [] : [becomes(kind, node, argument.text)];
};

const UNARY: Readonly<Record<string, FaultKind>> = { '!': 'negation', '-': 'arithmetic' };

/** Both ways where both end; a loop whose condition always holds would not. */
function condition(ways: readonly boolean[]): FaultsOf {
  return (node) => {
    const found = node.childForFieldName('condition');
    const inner = found?.type === 'parenthesized_expression' ? found.namedChild(0) : found;
    if (!inner || inner.type === 'empty_statement') return [];
    const own = ways.map((way) => forced(inner, String(way), way ? 'always' : 'never'));
    return own.filter(({ text }) => text !== inner.text);
  };
}

const elseBranch: FaultsOf = (node) => {
  const alternative = node.childForFieldName('alternative');
  const isBlock = alternative?.namedChild(0)?.type === 'statement_block';
  return alternative && isBlock ? [leftOut('branch', alternative, '')] : [];
};

const returned: FaultsOf = (node) => {
  const value = node.namedChildren.find((child) => child?.type !== 'comment');
  return value && value.text !== 'undefined' ? [becomes('return', value, 'undefined', node)] : [];
};

/** Of an arrow function without braces: its body is what it returns. */
const arrowBody: FaultsOf = (node) => {
  const body = node.childForFieldName('body');
  if (!body || body.type === 'statement_block' || body.text === 'undefined') return [];
  return [becomes('return', body, 'undefined', node)];
};

const statement: FaultsOf = (node) => {
  const [expression] = node.namedChildren;
  const inner = expression?.type === 'await_expression' ? expression.namedChild(0) : expression;
  if (inner?.type === 'call_expression' && inner.childForFieldName('function')?.type !== 'super')
    return [leftOut('call', node, ';')];
  // What is not there reads like what is false: without it hardly anything would differ.
  const isFalse = FALSE.test(inner?.childForFieldName('right')?.text ?? '');
  return inner?.type === 'assignment_expression' && !isFalse ? [leftOut('assignment', node, ';')] : [];
};

const FALSE = /^(?:false|null|undefined|0|''|"")$/;

const declared: FaultsOf = (node) => {
  const value = node.childForFieldName('value');
  // A function that is not there is noticed by whoever calls it, and a pattern has nothing to take apart.
  const isPlain = node.childForFieldName('name')?.type === 'identifier';
  if (!value || !isPlain || UNTOUCHED.has(value.type) || LOADS.test(value.text) || FALSE.test(value.text)) return [];
  return [becomes('assignment', value, 'undefined', node)];
};

const UNTOUCHED: ReadonlySet<string> = new Set([
  'arrow_function',
  'function_expression',
  'class',
  'generator_function',
  'undefined',
]);

const LOADS = /^(?:await\s+import|import|require)\s*\(/;

const optional: FaultsOf = (node) => {
  const next = node.nextSibling?.type ?? '';
  const isCall = next === 'arguments' || next === '[';
  return [becomes('absence', node, isCall ? '' : '.', node.parent ?? node)];
};

const text: FaultsOf = (node) => {
  if (node.parent?.type === 'pair' && node.parent.childForFieldName('key')?.equals(node) === true) return [];
  const isEmpty = node.text.length <= 2;
  const quote = node.text.slice(0, 1);
  return [becomes('string', node, isEmpty ? `${quote}?${quote}` : `${quote}${quote}`)];
};

const caught: FaultsOf = (node) => {
  const body = node.childForFieldName('body');
  if (!body || body.namedChildCount === 0) return [];
  return [{ ...leftOut('exception', body, '{}'), sentence: 'what is caught is dropped without a word' }];
};

const TYPES =
  /_type$|^type_|^interface_|_signature$|^ambient_|^predefined_|^literal_type$|^(?:im|ex)port_(?:clause|specifier)$/;
const LOGS = /^(?:console|log|logger|debug|process\.emitWarning)\b/;

/** Messages are for people: hardly a test asks for their words, and none should have to. */
const MESSAGES: ReadonlySet<string> = new Set(['string', 'template_string', 'binary_expression']);

function isMessage(node: Node): boolean {
  if (!MESSAGES.has(node.type)) return false;
  const outer = node.parent?.type === 'arguments' ? node.parent.parent : null;
  return outer?.type === 'new_expression' && /Error$/.test(outer.childForFieldName('constructor')?.text ?? '');
}

function isDirective(node: Node): boolean {
  return node.type === 'expression_statement' && node.namedChild(0)?.type === 'string';
}

function isLog(node: Node): boolean {
  return node.type === 'expression_statement' && LOGS.test(node.text);
}

function isLeftOut(node: Node): boolean {
  const { type } = node;
  if (type === 'import_statement' || TYPES.test(type)) return true;
  if (type === 'string' && node.parent?.type === 'export_statement') return true;
  if (type === 'call_expression' && LOADS.test(node.text)) return true;
  return isDirective(node) || isLog(node) || isMessage(node);
}

const truth: FaultsOf = (node) => [becomes('constant', node, node.type === 'true' ? 'false' : 'true')];
const bothWays = condition([true, false]);
const neverOnly = condition([false]);

const FAULTS: Readonly<Record<string, FaultsOf>> = {
  binary_expression: binary,
  augmented_assignment_expression: (node) => swapped(node, OPERATORS),
  // A loop that counts the other way would not end.
  update_expression: (node) => (node.parent?.type === 'for_statement' ? [] : swapped(node, OPERATORS)),
  unary_expression: unary,
  if_statement: (node): readonly Edit[] => [...bothWays(node), ...elseBranch(node)],
  ternary_expression: bothWays,
  while_statement: neverOnly,
  for_statement: neverOnly,
  return_statement: returned,
  arrow_function: arrowBody,
  expression_statement: statement,
  variable_declarator: declared,
  optional_chain: optional,
  '?.': (node) => (node.parent?.type === 'call_expression' ? [becomes('absence', node, '', node.parent)] : []),
  number: otherNumber,
  true: truth,
  false: truth,
  string: text,
  template_string: (node) => [becomes('string', node, node.text.length <= 2 ? "'?'" : '``')],
  regex: (node) => [becomes('constant', node, '/(?!)/')],
  throw_statement: (node) => [leftOut('exception', node, ';')],
  catch_clause: caught,
  continue_statement: (node) => [leftOut('branch', node, ';')],
};

const FUNCTIONS: ReadonlySet<string> = new Set([
  'function_declaration',
  'generator_function_declaration',
  'function_expression',
  'arrow_function',
  'method_definition',
]);

const shared = {
  ...{ functions: FUNCTIONS, isLeftOut, faults: FAULTS, isStatement, before: beforeStatement, marking },
  ending: 'process.abort()',
};

export const javascript: Language = {
  name: 'JavaScript',
  grammar: 'tree-sitter-javascript.wasm',
  // Flow's types are read by it too.
  otherGrammar: 'tree-sitter-tsx.wasm',
  files: /\.[cm]?jsx?$/,
  ...shared,
};
export const typescript: Language = {
  name: 'TypeScript',
  grammar: 'tree-sitter-typescript.wasm',
  files: /(?<!\.d)\.[cm]?ts$/,
  ...shared,
};
export const tsx: Language = { name: 'TSX', grammar: 'tree-sitter-tsx.wasm', files: /\.tsx$/, ...shared };
