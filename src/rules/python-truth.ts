/** Tells of Python's expressions which are true whatever happens, and which uses of a name change no answer. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, literalOf } from './python-nodes.ts';
import { named } from './tree-rule.ts';

/** Deeper ones nobody writes. */
const DEEPEST = 20;
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'none', 'integer', 'float', 'string']);
const HOLDERS: ReadonlySet<string> = new Set(['tuple', 'list', 'dictionary', 'set', 'expression_list']);

/** `True`, `1`, `not 0`, `bool(1)`, `1 == 1`, `(other,)`, `x or True`. */
export function isAlways(node: Node, depth = 0): boolean {
  if (depth > DEEPEST) return false;
  if (node.type === 'true' || node.type === 'lambda') return true;
  if (node.type === 'integer' || node.type === 'float') return Number(node.text) !== 0;
  if (node.type === 'string') return (literalOf(node) ?? '') !== '';
  if (HOLDERS.has(node.type)) return named(node).length > 0;
  return ALWAYS[node.type]?.(node, depth + 1) ?? false;
}

const ALWAYS: Readonly<Record<string, (node: Node, depth: number) => boolean>> = {
  parenthesized_expression: (node, depth) => named(node).every((one) => isAlways(one, depth)),
  not_operator: (node) => named(node).every(isNever),
  boolean_operator(node, depth) {
    const parts = named(node);
    const holds = (one: Node) => isAlways(one, depth);
    return at(node, 'operator')?.text === 'or' ? parts.some(holds) : parts.every(holds);
  },
  conditional_expression(node, depth) {
    const [yes, , no] = named(node);
    return yes !== undefined && no !== undefined && isAlways(yes, depth) && isAlways(no, depth);
  },
  call(node, depth) {
    const [first] = named(at(node, 'arguments') ?? node);
    return at(node, 'function')?.text === 'bool' && first !== undefined && isAlways(first, depth);
  },
  subscript(node, depth) {
    const [value, index] = [at(node, 'value'), at(node, 'subscript')];
    const held = value?.type === 'tuple' || value?.type === 'list' ? named(value).at(Number(index?.text)) : undefined;
    return held !== undefined && isAlways(held, depth);
  },
  comparison_operator(node) {
    const [left, right, ...more] = named(node);
    const isEqual = /^(?:==|is)$/.test(at(node, 'operators')?.text ?? '');
    return isEqual && more.length === 0 && left !== undefined && LITERALS.has(left.type) && left.text === right?.text;
  },
};

function isNever({ type, text }: Node): boolean {
  return /^(?:False|None|0|\(\)|\[\]|\{\}|''|"")$/.test(text) || (type === 'integer' && Number(text) === 0);
}

/** Whether what a part is used for says nothing of it: `other is None`, `isinstance(other, object)`, `other is other`, `other or True`. */
export function isIdle(part: Node, whole: Node): boolean {
  if (whole.type === 'comparison_operator') return comparesNothing(part, whole);
  if (whole.type === 'argument_list') return isOfEverything(whole);
  return OF_TRUTH.has(whole.type) && isAlways(whole);
}

/** What is made of truths; what holds something is often compared as a whole. */
const OF_TRUTH: ReadonlySet<string> = new Set([
  ...['boolean_operator', 'conditional_expression', 'not_operator', 'call', 'subscript'],
]);

/** With itself, or with `None`, which nobody is. */
function comparesNothing(part: Node, whole: Node): boolean {
  const sides = named(whole);
  if (sides.length !== 2 || !sides.some((side) => side.equals(part))) return false;
  return sides[0]?.text === sides[1]?.text || (part.type === 'identifier' && sides.some(({ type }) => type === 'none'));
}

function isOfEverything(list: Node): boolean {
  const call = list.parent?.text.slice(0, 200) ?? '';
  return /^(?:isinstance|issubclass)\(.*\bobject\b[\s,)]*$/s.test(call);
}
