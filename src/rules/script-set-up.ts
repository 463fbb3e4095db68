/** Reads Vite's settings: what of them tests depend on. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, keyOf } from './script-nodes.ts';
import { named } from './tree-rule.ts';

/** The object that a file of settings exports, by itself or through one call; undefined where it is made in another way. */
export function objectOf(root: Node): Node | undefined {
  const exported = named(root).flatMap((node) => exportedBy(node) ?? []);
  const [only, ...more] = exported;
  if (only === undefined || more.length > 0) return undefined;
  const list = only.type === 'call_expression' ? at(only, 'arguments') : undefined;
  const value = list === undefined ? only : named(list).length === 1 ? named(list)[0] : undefined;
  return value?.type === 'object' ? value : undefined;
}

function exportedBy(node: Node): Node | undefined {
  if (node.type === 'export_statement') return at(node, 'value');
  const [assigned] = node.type === 'expression_statement' ? named(node) : [];
  if (assigned?.type !== 'assignment_expression' || at(assigned, 'left')?.text !== 'module.exports') return undefined;
  return at(assigned, 'right');
}

/** What says how the product is built and served; Vitest reads none of it. */
const NOT_FOR_TESTS: ReadonlySet<string> = new Set(['build', 'server', 'preview']);

/** All that tests may depend on, as it is written. */
export function settingsOf(object: Node): string {
  return JSON.stringify(named(object).flatMap((part) => (isForOthers(part) ? [] : [part.text])));
}

/** Without code, which would run when the settings are read. */
function isForOthers(part: Node): boolean {
  const value = part.type === 'pair' ? at(part, 'value') : undefined;
  return value !== undefined && NOT_FOR_TESTS.has(keyOf(part) ?? '') && isInert(value);
}

const INERT: ReadonlySet<string> = new Set([
  ...['object', 'pair', 'property_identifier', 'array', 'string', 'string_fragment', 'escape_sequence'],
  ...['number', 'true', 'false', 'null', 'undefined', 'unary_expression', 'comment'],
]);

function isInert(node: Node): boolean {
  return INERT.has(node.type) && node.namedChildren.every((child) => child === null || isInert(child));
}
