/** What the assertions of Python expect. Pure. */
import type { Node, Replacement } from '../syntax/language.ts';
import type { Expectations } from './expectations.ts';
import { at, callOf } from './python-nodes.ts';
import { cellsOf } from './python-tables.ts';
import { type Aliases, firstOther, named, otherNumber, othersOf, otherText } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const NO_ALIASES: Aliases = new Map();
const COMPARES = words(
  'assertEqual assertEquals assertIs assertListEqual assertDictEqual assertTupleEqual assertSetEqual assertSequenceEqual assertMultiLineEqual assertCountEqual',
);
const DECLARING = words('class_definition function_definition');

export const PYTHON_EXPECTATIONS: Expectations = {
  joint: '.',
  titleOf: (node) => (DECLARING.has(node.type) ? (at(node, 'name')?.text ?? null) : undefined),
  expectedIn(node) {
    if (node.type === 'assert_statement') {
      const equality = named(node)[0] && equalityIn(named(node)[0] ?? node);
      return equality === undefined ? [] : othersOf(operandsOf(equality), otherThan, cellsOf);
    }
    if (node.type !== 'call') return [];
    const { names, arguments: given } = callOf(node, NO_ALIASES);
    const [one, next] = given;
    return names.length === 2 && COMPARES.has(names[1] ?? '') ? othersOf([next, one], otherThan, cellsOf) : [];
  },
};

/** The comparison that has to hold for the assertion to hold. */
function equalityIn(node: Node): Node | undefined {
  if (node.type === 'parenthesized_expression') return equalityIn(named(node)[0] ?? node.child(0) ?? node);
  if (node.type === 'comparison_operator') return node;
  const isBoth = node.type === 'boolean_operator' && at(node, 'operator')?.text === 'and';
  const [left, right] = isBoth ? [at(node, 'left'), at(node, 'right')] : [];
  return (left && equalityIn(left)) ?? (right && equalityIn(right));
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
  const operators = node.children.filter((child) => child !== null && !child.isNamed).map((child) => child?.text);
  return more.length === 0 && /^(?:==|is)$/.test(operators.join(' ')) ? [right, left] : [];
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
