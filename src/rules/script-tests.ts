/** What weakens the tests of JavaScript and TypeScript, told by the syntax tree. Pure. */
import { isSilencing } from '../guard/silencing.ts';
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, keyOf, literalOf, unwrapped } from './script-nodes.ts';
import { type Aliases, insideOf, named, onEach, type TreeRule } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const CASES = words('test it specify');
const DECLARING = words('test it specify describe suite context');
const LEAVES_OUT = words('skip only todo failing fails skipIf runIf');
const LEFT_OUT_NAMES = words('xit fit xtest xdescribe fdescribe xcontext xspecify');
const OPTIONS = words('skip only todo');
/** What a test is called with by its runner, by the names that people give it. */
const CONTEXTS = words('t test it ctx context tc this suite describe');

const NO_ALIASES: Aliases = new Map();
const FUNCTIONS = words('arrow_function function_expression generator_function');

export const SCRIPT_LEFT_OUT: TreeRule = {
  name: 'test-left-out',
  finds: {
    member_expression: (node) => isLeftOut(chainOf(node, NO_ALIASES, 4)),
    call_expression(node) {
      const called = at(node, 'function');
      const names = called === undefined ? [] : chainOf(called, NO_ALIASES, 4);
      const isOfContext = names.length === 2 && CONTEXTS.has(names[0] ?? '') && /^(?:skip|todo)$/.test(names[1] ?? '');
      return called !== undefined && (LEFT_OUT_NAMES.has(names.join('.')) || isOfContext) ? [called] : [];
    },
    pair: (node) => OPTIONS.has(keyOf(node) ?? '') && isOn(at(node, 'value')),
  },
};

/** `describe.skip`, `test.concurrent.only`, `t.test.todo`. */
function isLeftOut(names: readonly string[]): boolean {
  return LEAVES_OUT.has(names.at(-1) ?? '') && names.slice(0, -1).some((name) => DECLARING.has(name));
}

function isOn(value: Node | undefined): boolean {
  return value?.type === 'true' || (value !== undefined && (literalOf(value) ?? '') !== '');
}

/** Options of what declares no test: pairs of objects that are handed to other calls. */
export function otherOptions(root: Node): ReadonlySet<number> {
  const calls = root.descendantsOfType('call_expression').filter((node) => node !== null);
  const others = calls.filter((node) => !declares(node));
  const objects = others.flatMap(
    (node) => callOf(node, NO_ALIASES)?.arguments.filter(({ type }) => type === 'object') ?? [],
  );
  return new Set(objects.flatMap((node) => named(node).map(({ id }) => id)));
}

function declares(call: Node): boolean {
  const names = callOf(call, NO_ALIASES)?.names ?? [];
  return names.some((name) => DECLARING.has(name));
}

const ALWAYS: ReadonlySet<string> = new Set(['true', 'number', 'string']);
const LITERALS: ReadonlySet<string> = new Set([...ALWAYS, 'false', 'null', 'undefined', 'template_string']);
const HOLDS = words('toBe toEqual toStrictEqual toBeTruthy toBeDefined equal eql eq');
const COMPARES = words('equal strictEqual deepEqual deepStrictEqual is same');

export const SCRIPT_TAUTOLOGY: TreeRule = {
  name: 'test-tautology',
  finds: {
    call_expression(node) {
      const call = callOf(node, NO_ALIASES);
      if (call === undefined) return false;
      const { names, arguments: given } = call;
      return isExpected(node, names.at(-1) ?? '', given) || isAsserted(names, given);
    },
  },
};

/** `expect(1).toBe(1)`, `expect(true).toBeTruthy()`. */
function isExpected(node: Node, last: string, [wanted]: readonly Node[]): boolean {
  const subject = at(at(node, 'function') ?? node, 'object');
  const expected = subject?.type === 'call_expression' ? callOf(subject, NO_ALIASES) : undefined;
  const [actual] = expected?.names.join() === 'expect' ? (expected?.arguments ?? []) : [];
  if (actual === undefined || !HOLDS.has(last)) return false;
  return wanted === undefined ? ALWAYS.has(actual.type) : isSameLiteral(actual, wanted);
}

/** `assert(true)`, `assert.ok(1)`, `assert.equal(2, 2)`. */
function isAsserted(names: readonly string[], [one, other]: readonly Node[]): boolean {
  const [last = '', before] = names.toReversed();
  if (one === undefined || !names.includes('assert')) return false;
  if (names.length === 1 || last === 'ok') return one.type === 'true' || one.type === 'number';
  return before !== undefined && COMPARES.has(last) && other !== undefined && isSameLiteral(one, other);
}

function isSameLiteral(one: Node, other: Node): boolean {
  return LITERALS.has(unwrapped(one).type) && !one.text.includes('${') && one.text === other.text;
}

/** Says something and asks nothing. */
const SAYS = /^(?:console|process\.stdout)\b/;
const says = ({ text }: Node): boolean => SAYS.test(text.slice(0, 20));
const ACTS = ['call_expression', 'new_expression', 'throw_statement', 'await_expression', 'yield_expression', 'import'];

export const SCRIPT_EMPTY: TreeRule = {
  name: 'test-empty',
  finds: {
    call_expression(node) {
      const call = callOf(node, NO_ALIASES);
      const body = call?.arguments.findLast(({ type }) => FUNCTIONS.has(type));
      if (call === undefined || body === undefined || !CASES.has(call.names.join('.'))) return false;
      return given(body).length === 0 && actingIn(body).length === 0 ? [at(node, 'function') ?? node] : false;
    },
  },
};

/** What a test takes it may ask itself, or be called with later. */
function given(body: Node): readonly Node[] {
  const parameters = at(body, 'parameters');
  return parameters === undefined ? [] : named(parameters);
}

const actingIn = insideOf(ACTS, (node) => node.type !== 'call_expression' || !says(node));

const ASSERTING =
  /(?:^|\.)(?:assert|expect|should)(?:\.|$)|^t\.(?!after|before|mock|plan|diagnostic|comment|test|end)\w+$/;
const assertionsIn = insideOf(['call_expression'], (call) =>
  ASSERTING.test(callOf(call, NO_ALIASES)?.names.join('.') ?? ''),
);
/** What a handler may do without anybody hearing of the failure. */
const QUIET = words('comment empty_statement return_statement continue_statement');

export const SCRIPT_SWALLOWED: TreeRule = {
  name: 'test-swallowed',
  finds: {
    try_statement(node) {
      const [body, handler] = [at(node, 'body'), at(node, 'handler')];
      const caught = handler && at(handler, 'body');
      if (body === undefined || handler === undefined || caught === undefined || !isQuiet(caught)) return [];
      const asserts = assertionsIn(body);
      return asserts.length === 0 ? [] : [...asserts, handler];
    },
  },
};

function isQuiet(block: Node): boolean {
  return named(block).every((statement) => {
    const [only] = named(statement);
    if (statement.type === 'return_statement') return only === undefined;
    const isSaid = statement.type === 'expression_statement' && says(statement);
    return isSaid || QUIET.has(statement.type);
  });
}

export const SCRIPT_SILENCED: TreeRule = {
  name: 'check-silenced',
  finds: onEach(['comment', 'html_comment'], ({ text }) => isSilencing(text, 'script')),
};
