/** What the assertions of Python expect. Pure. */
import type { Node, Replacement } from '../syntax/language.ts';
import type { Expectations } from './expectations.ts';
import { at, callOf } from './python-nodes.ts';
import { cellsOf } from './python-tables.ts';
import { type Aliases, absentText, firstOther, named, otherNumber, othersOf, otherText } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const NO_ALIASES: Aliases = new Map();
const COMPARES = words(
  'assertEqual assertEquals assertIs assertListEqual assertDictEqual assertTupleEqual assertSetEqual assertSequenceEqual assertMultiLineEqual assertCountEqual',
);
const MEMBERS = words('assertIn');
const PATTERNS = words('assertRegex assertRaisesRegex assertWarnsRegex');
const RAISING = words('raises assertRaises assertRaisesRegex');
const DECLARING = words('class_definition function_definition');

export const PYTHON_EXPECTATIONS: Expectations = {
  joint: '.',
  titleOf: (node) => (DECLARING.has(node.type) ? (at(node, 'name')?.text ?? null) : undefined),
  expectedIn(node) {
    if (node.type === 'assert_statement') {
      const comparison = named(node)[0] && comparisonIn(named(node)[0] ?? node);
      if (comparison === undefined) return [];
      const [member, holder] = isMembership(comparison) ? named(comparison) : [];
      if (member !== undefined) return memberOf(member, holder);
      return othersOf(operandsOf(comparison), otherThan, cellsOf);
    }
    return node.type === 'call' ? inCall(node) : [];
  },
  thrownFrom(node) {
    const [clause] = node.type === 'with_statement' ? named(node) : [];
    return clause !== undefined && named(clause).some(isRaising) ? at(node, 'body') : undefined;
  },
};

/** `raises(…) as raised`, in a `with`. */
function isRaising(item: Node): boolean {
  const value = at(item, 'value');
  const call = value?.type === 'as_pattern' ? named(value)[0] : value;
  return call?.type === 'call' && RAISING.has(callOf(call, NO_ALIASES).names.at(-1) ?? '');
}

function inCall(node: Node): readonly Replacement[] {
  const { names, arguments: given } = callOf(node, NO_ALIASES);
  const [one, next] = given;
  const last = names.at(-1) ?? '';
  if (last === 'raises' || last === 'warns') return patternOf(keyword(given, 'match'));
  if (names.length !== 2) return [];
  if (MEMBERS.has(last)) return memberOf(one, next);
  if (PATTERNS.has(last)) return patternOf(next);
  return COMPARES.has(last) ? othersOf([next, one], otherThan, cellsOf) : [];
}

function keyword(given: readonly Node[], name: string): Node | undefined {
  const found = given.find((one) => one.type === 'keyword_argument' && at(one, 'name')?.text === name);
  return found && at(found, 'value');
}

const LITERALS = words('list tuple set dictionary string concatenated_string');

/** A text in something that is worked out; what is one of several stays one of them where one of those is another. */
function memberOf(member: Node | undefined, holder: Node | undefined): readonly Replacement[] {
  return holder === undefined || LITERALS.has(holder.type) ? [] : absentOf(member);
}

/** Of a pattern of several ways one is enough. */
function patternOf(node: Node | undefined): readonly Replacement[] {
  return node?.text.includes('|') ? [] : absentOf(node);
}

/** A longer one, which nothing holds that is not made for it. */
function absentOf(node: Node | undefined): readonly Replacement[] {
  const end = node?.type === 'string' ? named(node).at(-1) : undefined;
  return end?.type === 'string_end' ? [absentText(end.startIndex)] : [];
}

function isMembership(comparison: Node): boolean {
  return named(comparison).length === 2 && operatorsOf(comparison) === 'in';
}

/** The comparison that has to hold for the assertion to hold. */
function comparisonIn(node: Node): Node | undefined {
  if (node.type === 'parenthesized_expression') return comparisonIn(named(node)[0] ?? node.child(0) ?? node);
  if (node.type === 'comparison_operator') return node;
  const isBoth = node.type === 'boolean_operator' && at(node, 'operator')?.text === 'and';
  const [left, right] = isBoth ? [at(node, 'left'), at(node, 'right')] : [];
  return (left && comparisonIn(left)) ?? (right && comparisonIn(right));
}

/** By type of node. */
const OTHERS: Readonly<Record<string, (node: Node) => Replacement | undefined>> = {
  integer: otherNumber,
  float: otherNumber,
  string: withinQuotes,
  concatenated_string: (node) => otherIn(named(node).toReversed()),
  true: (node) => inPlaceOf(node, 'False'),
  false: (node) => inPlaceOf(node, 'True'),
  none: (node) => inPlaceOf(node, '0'),
  unary_operator: (node) => (at(node, 'operator')?.text === '-' ? otherIn([at(node, 'argument')]) : undefined),
  parenthesized_expression: (node) => otherIn(named(node)),
  list: (node) => (named(node).length === 0 ? inPlaceOf(node, '[0]') : otherIn(named(node))),
  tuple: (node) => (named(node).length === 0 ? inPlaceOf(node, '(0,)') : otherIn(named(node))),
  set: (node) => otherIn(named(node)),
  dictionary(node) {
    if (named(node).length === 0) return inPlaceOf(node, '{0: 0}');
    return otherIn(named(node).map((pair) => (pair.type === 'pair' ? at(pair, 'value') : undefined)));
  },
};

/** Of `a == b` and of `a is b` alone: of a chain each link may be what is asked. */
function operandsOf(node: Node): readonly (Node | undefined)[] {
  const [left, right, ...more] = named(node);
  return more.length === 0 && /^(?:==|is)$/.test(operatorsOf(node)) ? [right, left] : [];
}

function operatorsOf(node: Node): string {
  const operators = node.children.filter((child) => child !== null && !child.isNamed).map((child) => child?.text);
  return operators.join(' ');
}

function otherThan(node: Node): Replacement | undefined {
  return OTHERS[node.type]?.(node);
}

const otherIn = (nodes: readonly (Node | undefined)[]): Replacement | undefined => firstOther(nodes, otherThan);

function withinQuotes(node: Node): Replacement | undefined {
  const [start, end] = [named(node)[0], named(node).at(-1)];
  if (start?.type !== 'string_start' || end?.type !== 'string_end') return undefined;
  return otherText(node.text.slice(start.text.length, -end.text.length), start.endIndex);
}

function inPlaceOf({ startIndex, endIndex }: Node, text: string): Replacement {
  return { start: startIndex, end: endIndex, text };
}
