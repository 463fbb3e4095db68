/** Tells whether an `__eq__` of Python answers whatever it is asked: its answer depends on nothing of the other side. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, literalOf, targetsOf } from './python-nodes.ts';
import { isAlways, isIdle } from './python-truth.ts';
import { type Aliases, named } from './tree-rule.ts';

const NO_ALIASES: Aliases = new Map();
const EQUALITY = '__eq__';
/** Longer ways up a tree than from a name to its statement nobody writes. */
const HIGHEST = 200;

/** Of `def __eq__` its name and first statement, where it is equal to everything. */
export function alwaysEqual(node: Node): readonly Node[] {
  const [name, body] = [at(node, 'name'), at(node, 'body')];
  if (name?.text !== EQUALITY || body === undefined || !answersAlways(node)) return [];
  const first = named(body).find((statement) => !isDescription(statement));
  return first === undefined ? [name] : [name, first];
}

/** `A.__eq__ = lambda self, other: True`. */
export function isSetAlwaysEqual(target: Node, value: Node | undefined): boolean {
  const name = target.type === 'attribute' ? at(target, 'attribute') : target;
  return name?.text === EQUALITY && value !== undefined && isAlwaysEqual(value);
}

/** `{'__eq__': lambda self, other: True}`, `dict(__eq__=…)`. */
export function isGivenAlwaysEqual(pair: Node): boolean {
  const [key, value] = [at(pair, 'key') ?? at(pair, 'name'), at(pair, 'value')];
  const name = key?.type === 'identifier' ? key.text : key && literalOf(key);
  return name === EQUALITY && value !== undefined && isAlwaysEqual(value);
}

/** `setattr(A, '__eq__', …)`. */
export function isAlwaysEqualBy([, name, value]: readonly Node[]): boolean {
  return name !== undefined && value !== undefined && literalOf(name) === EQUALITY && isAlwaysEqual(value);
}

function isAlwaysEqual(value: Node): boolean {
  if (value.type === 'lambda') return answersAlways(value);
  if (value.type === 'attribute') return at(value, 'attribute')?.text === '__ne__';
  if (value.type !== 'identifier') return false;
  const functions = value.tree.rootNode.descendantsOfType('function_definition').filter((node) => node !== null);
  return functions.some((node) => at(node, 'name')?.text === value.text && answersAlways(node));
}

/** Of a function or lambda that is asked whether two things are equal. */
function answersAlways(node: Node): boolean {
  const [given, body] = [at(node, 'parameters'), at(node, 'body')];
  const names = given === undefined ? [] : named(given).flatMap((one) => nameOf(one)?.text ?? []);
  const others = names.slice(names.length > 1 ? 1 : 0);
  if (body === undefined || others.length === 0) return false;
  const isLambda = node.type === 'lambda';
  const answers = isLambda ? [body] : returnedIn(body).flatMap((one) => named(one)[0] ?? []);
  if (answers.every(isDenied)) return false;
  return (answers.every((answer) => isAlways(answer)) && (isLambda || isSure(body))) || !looksAt(body, others);
}

function nameOf(parameter: Node): Node | undefined {
  if (parameter.type === 'identifier') return parameter;
  return at(parameter, 'name') ?? parameter.descendantsOfType('identifier').find((one) => one !== null) ?? undefined;
}

function returnedIn(body: Node): readonly Node[] {
  return body.descendantsOfType('return_statement').flatMap((node) => node ?? []);
}

const DENIED: ReadonlySet<string> = new Set(['False', 'None', '0', 'NotImplemented']);

/** What is equal to nothing, or leaves it to others to say, passes no comparison. */
function isDenied({ text }: Node): boolean {
  return DENIED.has(text);
}

/** Whether each way through it ends in a return. */
function isSure(body: Node): boolean {
  const others = body.descendantsOfType(['raise_statement', 'assert_statement', 'expression_statement']);
  return (
    endsInReturn(named(body).at(-1)) && others.every((node) => node === null || (isStatement(node) && !isCheck(node)))
  );
}

const isStatement = ({ type }: Node): boolean => type === 'expression_statement';

/** Whether no way leads past the last return. */
function endsInReturn(last: Node | undefined): boolean {
  if (last?.type !== 'if_statement') return last?.type === 'return_statement';
  const ways = [at(last, 'consequence'), ...named(last).map((part) => at(part, 'body') ?? at(part, 'consequence'))];
  const isClosed = named(last).some(({ type }) => type === 'else_clause');
  return isClosed && ways.every((way) => way === undefined || endsInReturn(named(way).at(-1)));
}

/** Whether something of the others, or of what is taken from them, is asked for in earnest. */
function looksAt(body: Node, others: readonly string[]): boolean {
  const uses = Map.groupBy(
    body.descendantsOfType('identifier').flatMap((node) => node ?? []),
    ({ text }) => text,
  );
  const seen = new Set(others);
  // What is added while it is walked is walked too.
  for (const name of seen)
    for (const use of uses.get(name) ?? []) {
      const taken = takenBy(use, body);
      if (taken === 'answer') return true;
      for (const one of taken) seen.add(one);
    }
  return false;
}

/** What a use of a name ends in: the answer, or other names. */
function takenBy(use: Node, body: Node): 'answer' | readonly string[] {
  let [child, parent] = [use, use.parent];
  for (let height = 0; height < HIGHEST && parent !== null && !child.equals(body); height += 1) {
    if (isIdle(child, parent)) return [];
    const ended = ENDS[parent.type]?.(parent, child);
    if (ended !== undefined) return ended;
    [child, parent] = [parent, parent.parent];
  }
  return 'answer';
}

/** What says by its name that it ends what does not hold. */
const CHECKS = /assert|check|ensure|valid|verif|raise/i;

const ENDS: Readonly<Record<string, (node: Node, child: Node) => 'answer' | readonly string[]>> = {
  assignment: (node, child) => (isIn(node, 'left', child) ? [] : targetsOf(node).map(({ text }) => text)),
  augmented_assignment: (node) => targetsOf(node).map(({ text }) => text),
  delete_statement: () => [],
  expression_statement: (node) => (isCheck(node) ? 'answer' : []),
};

function isCheck(statement: Node): boolean {
  const [only] = named(statement);
  return only?.type === 'call' && CHECKS.test(callOf(only, NO_ALIASES).names.join('.'));
}

function isIn(node: Node, field: string, child: Node): boolean {
  return at(node, field)?.equals(child) ?? false;
}

/** A text that is a statement does nothing. */
export function isDescription(statement: Node): boolean {
  const [only] = named(statement);
  return statement.type === 'expression_statement' && (only?.type === 'string' || only?.type === 'concatenated_string');
}
