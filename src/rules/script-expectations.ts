/** What the assertions of JavaScript and TypeScript expect. Pure. */
import type { Node, Replacement } from '../syntax/language.ts';
import type { Expectations } from './expectations.ts';
import { at, callOf, chainOf, literalOf, unwrapped } from './script-nodes.ts';
import { cellsOf } from './script-tables.ts';
import { ANY } from './test-names.ts';
import {
  type Aliases,
  absentText,
  firstOther,
  named,
  otherNumber,
  othersOf,
  otherText,
  unescaped,
} from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const NO_ALIASES: Aliases = new Map();
const DECLARING = words('test it specify describe suite context');
/** Between what is expected and the matcher; whoever denies expects something else. */
const BETWEEN = words('to be been have has deep that resolves rejects eventually');
/** Functions of an `assert`, to which is given what they call. */
const THROWING = words('throws rejects');
/** What people take out of their library of assertions, and call by its own name. */
const NAMED = words('equal strictEqual deepEqual deepStrictEqual');

/** What is expected, in the arguments of an assertion. */
type Expected = (given: readonly Node[]) => readonly Replacement[];

const equalTo: Expected = ([one]) => othersOf([one], otherThan, cellsOf);
const equalToSecond: Expected = ([, one]) => othersOf([one], otherThan, cellsOf);
const equalToEither: Expected = ([one, next]) => (next === undefined ? [] : othersOf([next, one], otherThan, cellsOf));
/** What stands behind it is said where the assertion fails. */
const holding: Expected = ([one]) => absentOf(one);
/** Behind the class, where one stands before it. */
const throwing: Expected = ([one, next]) => (one?.type === 'identifier' ? absentOf(next) : absentOf(one));
const holdingSecond: Expected = ([, one]) => absentOf(one);
/** A text in this place is what the assertion says when it fails. */
const thrown: Expected = ([, one]) => {
  const wanted = one && unwrapped(one).type;
  return wanted === 'object' ? othersOf([one], otherThan, () => []) : wanted === 'regex' ? absentOf(one) : [];
};

/** By the name of the matcher that hangs on `expect(…)`. */
const MATCHERS = byName([
  ['toBe toEqual toStrictEqual toMatchObject toHaveLength toHaveBeenCalledTimes toBeCalledTimes', equalTo],
  ['equal equals eql eq lengthOf', equalTo],
  ['toHaveProperty property', equalToSecond],
  ['toContain toMatch contain include match', holding],
  ['toThrow toThrowError throw', throwing],
]);
/** By the name of the function of an `assert`. */
const COMPARES = byName([
  ['equal strictEqual deepEqual deepStrictEqual partialDeepStrictEqual is same strictSame equals', equalToEither],
  ['match include', holdingSecond],
  ['throws rejects', thrown],
]);

function byName(rows: readonly (readonly [string, Expected])[]): ReadonlyMap<string, Expected> {
  return new Map(rows.flatMap(([names, expected]) => names.split(' ').map((name) => [name, expected] as const)));
}

export const SCRIPT_EXPECTATIONS: Expectations = {
  joint: ' > ',
  titleOf(node) {
    const call = node.type === 'call_expression' ? callOf(node, NO_ALIASES) : undefined;
    if (call === undefined) return undefined;
    const [title] = call.arguments;
    const maker = at(node, 'function');
    // Of `test.each(TABLE)(title, …)` the outer call declares.
    const made = maker?.type === 'call_expression' ? callOf(maker, NO_ALIASES) : undefined;
    if (made?.names.at(-1) === 'each' && isDeclaring(made.names)) return title && filledIn(titleIn(title));
    if (call.names.at(-1) === 'each') return undefined;
    return isDeclaring(call.names) ? ((title && titleIn(title)) ?? null) : undefined;
  },
  expectedIn(node) {
    if (node.type !== 'call_expression') return [];
    const { names = [], arguments: given = [] } = callOf(node, NO_ALIASES) ?? {};
    const last = names.at(-1) ?? '';
    const matcher = MATCHERS.get(last);
    if (matcher !== undefined && expectationOf(at(node, 'function')) !== undefined) return matcher(given);
    return isAsserting(names) ? (COMPARES.get(last)?.(given) ?? []) : [];
  },
  thrownFrom(node) {
    const { names = [], arguments: given = [] } = callOf(node, NO_ALIASES) ?? {};
    const last = names.at(-1) ?? '';
    if (THROWING.has(last)) return given[0];
    const expectation = MATCHERS.get(last) === throwing ? expectationOf(at(node, 'function')) : undefined;
    return expectation && callOf(expectation, NO_ALIASES)?.arguments[0];
  },
};

const isDeclaring = (names: readonly string[]): boolean => names.some((name) => DECLARING.has(name));

function titleIn(title: Node): string | null {
  const inner = unwrapped(title);
  if (inner.type !== 'template_string') return literalOf(inner) ?? null;
  const parts = named(inner).map((part) => (part.type === 'template_substitution' ? ANY : unescaped(part.text)));
  return parts.join('');
}

/** Where Jest and Vitest put values in. */
function filledIn(title: string | null): string | null {
  return title === null ? null : title.replaceAll(/%[a-zA-Z#]|\$[\w#.]+/g, ANY);
}

/** `expect(…)` of `expect(…).resolves.toBe`: what the matcher hangs on is the call of `expect`. */
function expectationOf(matcher: Node | undefined): Node | undefined {
  let on = matcher && at(matcher, 'object');
  while (on?.type === 'member_expression' && BETWEEN.has(at(on, 'property')?.text ?? '')) on = at(on, 'object');
  const called = on?.type === 'call_expression' ? at(on, 'function') : undefined;
  return called !== undefined && chainOf(called, NO_ALIASES).join('.') === 'expect' ? on : undefined;
}

/** `assert.equal`, `t.equal`, `t.assert.equal`, and `strictEqual` by its own name. */
function isAsserting(names: readonly string[]): boolean {
  const [first = ''] = names;
  return names.includes('assert') || (names.length === 2 && first === 't') || (names.length === 1 && NAMED.has(first));
}

/** By type of node. */
const OTHERS: Readonly<Record<string, (node: Node) => Replacement | undefined>> = {
  number: otherNumber,
  string: withinQuotes,
  template_string: withinQuotes,
  true: (node) => inPlaceOf(node, 'false'),
  false: (node) => inPlaceOf(node, 'true'),
  null: (node) => inPlaceOf(node, '0'),
  undefined: (node) => inPlaceOf(node, '0'),
  unary_expression: (node) => (at(node, 'operator')?.text === '-' ? otherIn([at(node, 'argument')]) : undefined),
  array: (node) => (named(node).length === 0 ? inPlaceOf(node, '[0]') : otherIn(named(node))),
  object(node) {
    if (named(node).length === 0) return inPlaceOf(node, '{ altered: 0 }');
    return otherIn(named(node).map((pair) => (pair.type === 'pair' ? at(pair, 'value') : undefined)));
  },
};

function otherThan(node: Node): Replacement | undefined {
  const inner = unwrapped(node);
  return OTHERS[inner.type]?.(inner);
}

const otherIn = (nodes: readonly (Node | undefined)[]): Replacement | undefined => firstOther(nodes, otherThan);

/** A longer one, which nothing holds that is not made for it. Of a pattern of several ways one is enough. */
function absentOf(node: Node | undefined): readonly Replacement[] {
  const inner = node && unwrapped(node);
  if (inner?.type === 'string' || inner?.type === 'template_string') return [absentText(inner.endIndex - 1)];
  const pattern = inner?.type === 'regex' ? at(inner, 'pattern') : undefined;
  return pattern === undefined || pattern.text.includes('|') ? [] : [absentText(pattern.endIndex)];
}

function withinQuotes({ text, startIndex }: Node): Replacement {
  return otherText(text.slice(1, -1), startIndex + 1);
}

function inPlaceOf({ startIndex, endIndex }: Node, text: string): Replacement {
  return { start: startIndex, end: endIndex, text };
}
