/** Python, as tree-sitter's grammar names its nodes. */
import {
  becomes,
  COMMON_OPERATORS,
  type FaultsOf,
  forced,
  type Insertion,
  type Language,
  leftOut,
  type Node,
  type Operators,
  otherNumber,
  swapped,
} from './language.ts';

const OPERATORS: Operators = {
  ...COMMON_OPERATORS,
  is: [['absence', 'is not']],
  'is not': [['absence', 'is']],
  in: [['comparison', 'not in']],
  'not in': [['comparison', 'in']],
  and: [['boolean', 'or']],
  or: [['boolean', 'and']],
  '//': [['arithmetic', '*']],
};

const operator: FaultsOf = (node) => swapped(node, OPERATORS);

/** Both ways where both end; a loop whose condition always holds would not. */
function condition(find: (node: Node) => Node | null, ways: readonly boolean[]): FaultsOf {
  return (node) => {
    const found = find(node);
    if (found === null) return [];
    const own = ways.map((way) => forced(found, way ? 'True' : 'False', way ? 'always' : 'never'));
    return own.filter(({ text }) => text !== found.text);
  };
}

const field = (node: Node) => node.childForFieldName('condition');
const ifCondition = condition(field, [true, false]);

const elseBranch: FaultsOf = (node) => {
  const body = node.childForFieldName('body');
  return body === null || body.text === 'pass' ? [] : [leftOut('branch', body, 'pass')];
};

const returned: FaultsOf = (node) => {
  const value = node.namedChild(0);
  return value === null || value.text === 'None' ? [] : [becomes('return', value, 'None', node)];
};

const lambda: FaultsOf = (node) => {
  const body = node.childForFieldName('body');
  return body === null || body.text === 'None' ? [] : [becomes('return', body, 'None', node)];
};

const statement: FaultsOf = (node) => {
  const [expression] = node.namedChildren;
  const inner = expression?.type === 'await' ? expression.namedChild(0) : expression;
  if (inner?.type === 'call') return [leftOut('call', node, 'pass')];
  const target = inner?.type === 'assignment' ? inner.childForFieldName('left') : null;
  if (!inner || target === null) return [];
  // A name without any value would be noticed by whoever reads it.
  return NAMES.has(target.type) ? bound(inner) : [leftOut('assignment', node, 'pass')];
};

const NAMES: ReadonlySet<string> = new Set(['identifier', 'pattern_list', 'tuple_pattern', 'list_pattern']);

const FALSE = /^(?:None|False|0|''|"")$/;

function bound(assignment: Node): ReturnType<FaultsOf> {
  const value = assignment.childForFieldName('right');
  const isPlain = assignment.childForFieldName('left')?.type === 'identifier';
  // What is None reads like what is false: hardly anything would differ.
  if (value === null || !isPlain || FALSE.test(value.text) || value.type === 'assignment') return [];
  return [becomes('assignment', value, 'None', assignment)];
}

const text: FaultsOf = (node) => {
  const [open] = node.namedChildren;
  const close = node.namedChildren.at(-1);
  if (open?.type !== 'string_start' || close?.type !== 'string_end') return [];
  const isEmpty = open.endIndex === close.startIndex;
  return [becomes('string', node, `${open.text}${isEmpty ? '?' : ''}${close.text}`)];
};

const caught: FaultsOf = (node) => {
  const body = node.namedChildren.find((child) => child?.type === 'block');
  if (!body || body.text === 'pass') return [];
  return [{ ...leftOut('exception', body, 'pass'), sentence: 'what is caught is dropped without a word' }];
};

const LOGS = /^(?:log|logger|logging|_log|_logger|LOG|LOGGER|self\.log|self\.logger|self\._log)\b/;
const EXPORTED = /^__(?:all|version|author|slots)__\b/;

function isStatementLeftOut(node: Node): boolean {
  const first = node.namedChild(0);
  // A string alone is a docstring.
  return first?.type === 'string' || LOGS.test(node.text) || EXPORTED.test(node.text);
}

/** The words of an exception are for people: hardly a test asks for them, and none should have to. */
const MESSAGES: ReadonlySet<string> = new Set(['string', 'concatenated_string', 'binary_operator']);

function isMessage(node: Node): boolean {
  if (!MESSAGES.has(node.type)) return false;
  const call = node.parent?.type === 'argument_list' ? node.parent.parent : null;
  return call?.type === 'call' && call.parent?.type === 'raise_statement';
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  'import_statement',
  'import_from_statement',
  'future_import_statement',
  'type',
  'type_alias_statement',
  'assert_statement',
]);

function isLeftOut(node: Node): boolean {
  if (LEFT_OUT.has(node.type)) return true;
  return node.type === 'expression_statement' ? isStatementLeftOut(node) : isMessage(node);
}

const SIMPLE: ReadonlySet<string> = new Set([
  'expression_statement',
  'return_statement',
  'raise_statement',
  'delete_statement',
  'continue_statement',
]);
const COMPOUND: ReadonlySet<string> = new Set([
  'if_statement',
  'for_statement',
  'while_statement',
  'with_statement',
  'try_statement',
]);

/** A compound statement stands on a line of its own. */
function before({ startIndex: at, startPosition, type, text: code }: Node, put: string): readonly Insertion[] {
  const next = SIMPLE.has(type) ? '; ' : `\n${code.includes('\n\t') ? '\t' : ' '.repeat(startPosition.column)}`;
  return [{ at, text: `${put}${next}` }];
}

function marking(file: string, mark: string): string {
  const [path, line, key] = [file, `${mark}\n`, mark].map((one) => JSON.stringify(one));
  const known = '__import__("builtins").__dict__.setdefault("__reached", set())';
  return `(lambda known: ${key} in known or (known.add(${key}), open(${path}, "a").write(${line})))(${known})`;
}

export const python: Language = {
  name: 'Python',
  grammar: 'tree-sitter-python.wasm',
  files: /\.py$/,
  functions: new Set(['function_definition', 'lambda']),
  isLeftOut,
  isStatement: ({ type }) => SIMPLE.has(type) || COMPOUND.has(type),
  ...{ before, marking, ending: '__import__("os").abort()' },
  faults: {
    comparison_operator: operator,
    boolean_operator: operator,
    binary_operator: operator,
    augmented_assignment: operator,
    not_operator: (node) => {
      const argument = node.childForFieldName('argument');
      return argument === null ? [] : [becomes('negation', node, `(${argument.text})`)];
    },
    unary_operator: (node) => {
      const argument = node.childForFieldName('argument');
      return argument === null || !node.text.startsWith('-') ? [] : [becomes('arithmetic', node, argument.text)];
    },
    if_statement: ifCondition,
    elif_clause: ifCondition,
    while_statement: condition(field, [false]),
    conditional_expression: condition((node) => node.namedChild(1), [true, false]),
    if_clause: condition((node) => node.namedChild(0), [true, false]),
    else_clause: elseBranch,
    return_statement: returned,
    lambda,
    expression_statement: statement,
    integer: otherNumber,
    float: otherNumber,
    true: (node) => [becomes('constant', node, 'False')],
    false: (node) => [becomes('constant', node, 'True')],
    string: text,
    raise_statement: (node) => [leftOut('exception', node, 'pass')],
    except_clause: caught,
    continue_statement: (node) => [leftOut('branch', node, 'pass')],
  },
};
