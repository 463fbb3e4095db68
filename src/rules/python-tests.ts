/** What weakens the tests of Python, told by the syntax tree. Pure. */
import { isSilencing } from '../guard/silencing.ts';
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, literalOf, targetsOf } from './python-nodes.ts';
import { type Aliases, insideOf, named, onEach, type TreeRule } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const NO_ALIASES: Aliases = new Map();
const LEAVES_OUT =
  /^(?:unittest\.(?:skip|skipIf|skipUnless|expectedFailure|SkipTest|case\.SkipTest)|pytest\.(?:mark\.(?:skip|skipif|xfail)|importorskip|skip|xfail))$/;
/** Names by which a runner leaves out what it would find. */
const SWITCHES = words('__unittest_skip__ collect_ignore collect_ignore_glob');

export const PYTHON_LEFT_OUT: TreeRule = {
  name: 'test-left-out',
  finds: {
    attribute: (node, aliases) => LEAVES_OUT.test(chainOf(node, aliases, 4).join('.')) || isSkipTest(node, aliases),
    identifier: ({ text }, aliases) => LEAVES_OUT.test(aliases.get(text)?.join('.') ?? '') || text === 'SkipTest',
    assignment: (node, aliases) =>
      targetsOf(node).some((target) => isSwitch(chainOf(target, aliases).at(-1) ?? '', node)),
  },
};

/** `self.skipTest(…)` of any test. */
function isSkipTest(node: Node, aliases: Aliases): boolean {
  return chainOf(node, aliases, 2).at(-1) === 'skipTest';
}

function isSwitch(name: string, assignment: Node): boolean {
  return SWITCHES.has(name) || (name === '__test__' && at(assignment, 'right')?.type === 'false');
}

/** Names that are brought in are used later, or leave nothing out. */
export function importsIn(root: Node): ReadonlySet<number> {
  const imports = root.descendantsOfType(['import_statement', 'import_from_statement', 'except_clause']);
  const inside = imports.flatMap((node) => node?.descendantsOfType(['identifier', 'attribute']) ?? []);
  return new Set(inside.flatMap((node) => node?.id ?? []));
}

const TRUE = words('true integer float string concatenated_string');
const LITERALS = words('true false none integer float string');
const SAME = words('assertEqual assertIs assertEquals assertListEqual assertDictEqual');

export const PYTHON_TAUTOLOGY: TreeRule = {
  name: 'test-tautology',
  finds: {
    assert_statement: (node) => isAlways(named(node)[0]),
    call(node, aliases) {
      const { names, arguments: given } = callOf(node, aliases);
      const [last = ''] = names.toReversed();
      const [one, other] = given;
      if (names.length !== 2 || one === undefined) return false;
      if (last === 'assertTrue') return isAlways(one);
      return SAME.has(last) && other !== undefined && isSameLiteral(one, other);
    },
  },
};

/** A literal, a tuple with something in it, or a comparison of a literal with itself. */
function isAlways(node: Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.type === 'integer' || node.type === 'float') return Number(node.text) !== 0;
  if (node.type === 'tuple') return named(node).length > 0;
  if (TRUE.has(node.type)) return node.type === 'true' || (literalOf(node) ?? '') !== '';
  const [left, right, ...more] = node.type === 'comparison_operator' ? named(node) : [];
  const isEqual = /^(?:==|is)$/.test(node.children.find((child) => child !== null && !child.isNamed)?.text ?? '');
  return isEqual && left !== undefined && right !== undefined && more.length === 0 && isSameLiteral(left, right);
}

function isSameLiteral(one: Node, other: Node): boolean {
  return LITERALS.has(one.type) && one.text === other.text && !/^f/i.test(one.text);
}

const ACTS = ['call', 'assert_statement', 'raise_statement', 'await', 'yield', 'with_statement', 'for_statement'];
const actingIn = insideOf(ACTS, ({ text }) => !/^print\b/.test(text.slice(0, 6)));
const DOCTESTS = '>>>';

export const PYTHON_EMPTY: TreeRule = {
  name: 'test-empty',
  finds: {
    function_definition(node) {
      const [name, body] = [at(node, 'name'), at(node, 'body')];
      if (name === undefined || body === undefined || !/^test(?:_|[A-Z0-9]|$)/.test(name.text)) return [];
      return actingIn(body).length > 0 || body.text.includes(DOCTESTS) ? [] : [name];
    },
  },
};

const ANY_FAILURE = words('Exception BaseException AssertionError');
const QUIET = words('pass_statement continue_statement comment');

export const PYTHON_SWALLOWED: TreeRule = {
  name: 'test-swallowed',
  finds: {
    try_statement(node) {
      const body = at(node, 'body');
      const handlers = named(node).filter(({ type }) => type === 'except_clause');
      const quiet = handlers.find((handler) => isQuiet(handler));
      const asserts = body === undefined || quiet === undefined ? [] : assertionsIn(body);
      return quiet === undefined || asserts.length === 0 ? [] : [...asserts, named(quiet)[0] ?? quiet];
    },
    with_statement(node, aliases) {
      const body = at(node, 'body');
      const calls = named(node)[0]?.descendantsOfType('call') ?? [];
      const hides = calls.find((call) => call !== null && suppresses(call, aliases));
      const asserts = body === undefined || !hides ? [] : assertionsIn(body);
      return !hides || asserts.length === 0 ? [] : [...asserts, hides];
    },
  },
};

/** Takes the failure of an assertion, and says nothing of it. */
function isQuiet(handler: Node): boolean {
  const parts = named(handler);
  const block = parts.find(({ type }) => type === 'block');
  const caught = parts.filter(({ type }) => type !== 'block').flatMap((part) => caughtBy(part));
  const takes = caught.length === 0 || caught.some((name) => ANY_FAILURE.has(name));
  return takes && block !== undefined && named(block).every(isQuietStatement);
}

function caughtBy(part: Node): readonly string[] {
  const type = part.type === 'as_pattern' ? named(part)[0] : part;
  return type === undefined ? [] : (type.type === 'tuple' ? named(type) : [type]).map(({ text }) => text);
}

function isQuietStatement(statement: Node): boolean {
  if (QUIET.has(statement.type)) return true;
  if (statement.type === 'return_statement') return named(statement).length === 0;
  return statement.type === 'expression_statement' && /^(?:\.\.\.|print\b|['"])/.test(statement.text.slice(0, 6));
}

function suppresses(call: Node, aliases: Aliases): boolean {
  const { names, arguments: given } = callOf(call, aliases);
  return names.at(-1) === 'suppress' && given.some(({ text }) => ANY_FAILURE.has(text));
}

const assertionsIn = insideOf(['assert_statement', 'call'], (node) => {
  if (node.type === 'assert_statement') return true;
  return /^(?:assert|fail)/.test(callOf(node, NO_ALIASES).names.at(-1) ?? '');
});

export const PYTHON_SILENCED: TreeRule = {
  name: 'check-silenced',
  finds: onEach(['comment'], ({ text }) => isSilencing(text, 'python')),
};
