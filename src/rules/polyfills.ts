/** Finds what adds a method of the language only where it is missing, and so replaces nothing. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, literalOf, scriptAliases, unwrapped } from './script-nodes.ts';
import { type Aliases, named } from './tree-rule.ts';

const ADDS: ReadonlySet<string> = new Set(['??=', '||=']);
const OTHERWISE: ReadonlySet<string> = new Set(['??', '||']);

/** The additions, such as that in `if (!Array.prototype.at) Array.prototype.at = own`. What is asked for must be what is set. */
export function polyfillsIn(root: Node): ReadonlySet<number> {
  const aliases = scriptAliases(root);
  const nodes = root
    .descendantsOfType(Object.keys(ADDED))
    .flatMap((node) => (node === null ? [] : (ADDED[node.type]?.(node, aliases) ?? [])));
  return new Set(nodes.map(({ id }) => id));
}

/** What is added, by type of node. */
const ADDED: Readonly<Record<string, (node: Node, aliases: Aliases) => readonly Node[]>> = {
  if_statement: guardedBy,
  augmented_assignment_expression(node, aliases) {
    const adds = ADDS.has(textAt(node, 'operator')) && askedFor(at(node, 'left'), aliases) !== '';
    return adds ? [node] : [];
  },
  /** `X = X || own`. */
  assignment_expression(node, aliases) {
    const [right, asked] = [unwrappedAt(node, 'right'), askedFor(at(node, 'left'), aliases)];
    const isKept = right !== undefined && OTHERWISE.has(textAt(right, 'operator'));
    return isKept && asked !== '' && askedFor(at(right, 'left'), aliases) === asked ? [node] : [];
  },
  /** `X || (X = own)`. */
  binary_expression(node, aliases) {
    const right = OTHERWISE.has(textAt(node, 'operator')) ? unwrappedAt(node, 'right') : undefined;
    return right !== undefined && isSetting(right, askedFor(at(node, 'left'), aliases), aliases) ? [right] : [];
  },
};

function textAt(node: Node, field: string): string {
  return at(node, field)?.text ?? '';
}

function unwrappedAt(node: Node, field: string): Node | undefined {
  const found = at(node, field);
  return found && unwrapped(found);
}

function guardedBy(node: Node, aliases: Aliases): readonly Node[] {
  const [condition, body] = [at(node, 'condition'), at(node, 'consequence')];
  const asked = condition === undefined ? '' : missingBy(unwrapped(condition), aliases);
  if (asked === '' || body === undefined) return [];
  const statements = body.type === 'statement_block' ? named(body) : [body];
  const set = statements.flatMap((one) => (one.type === 'expression_statement' ? named(one) : []));
  return set.filter((one) => isSetting(one, asked, aliases));
}

function isSetting(node: Node, asked: string, aliases: Aliases): boolean {
  const set = node.type === 'assignment_expression' ? askedFor(at(node, 'left'), aliases) : definedBy(node, aliases);
  return asked !== '' && set === asked;
}

/** What `Object.defineProperty(Array.prototype, 'at', …)` defines. */
function definedBy(node: Node, aliases: Aliases): string {
  const call = node.type === 'call_expression' ? callOf(node, aliases) : undefined;
  const [on, name] = call?.names.at(-1) === 'defineProperty' ? call.arguments : [];
  return on === undefined || name === undefined ? '' : standard([...chainOf(on, aliases), literalOf(name) ?? '']);
}

const NOTHING: ReadonlySet<string> = new Set(['undefined', 'null', 'void 0', "'undefined'", '"undefined"']);
const A_FUNCTION: ReadonlySet<string> = new Set(["'function'", '"function"']);

/** Of a condition what is missing where it holds. */
function missingBy(condition: Node, aliases: Aliases): string {
  const [operator, negated] = [textAt(condition, 'operator'), unwrappedAt(condition, 'argument')];
  if (negated !== undefined) return operator === '!' ? presentBy(negated, aliases) : '';
  const wanted = operator.startsWith('!') ? A_FUNCTION : NOTHING;
  if (!/^[!=]==?$/.test(operator) || !wanted.has(textAt(condition, 'right'))) return '';
  const left = at(condition, 'left');
  if (left !== undefined && textAt(left, 'operator') === 'typeof') return askedFor(at(left, 'argument'), aliases);
  // Nothing but a name of a type is this text: without `typeof` it would hold of everything.
  return wanted === A_FUNCTION ? '' : askedFor(left, aliases);
}

/** `Array.prototype.at`, or `'at' in Array.prototype`. */
function presentBy(node: Node, aliases: Aliases): string {
  const [name, on] = [at(node, 'left'), at(node, 'right')];
  if (textAt(node, 'operator') !== 'in') return askedFor(node, aliases);
  return name === undefined || on === undefined ? '' : standard([...chainOf(on, aliases), literalOf(name) ?? '']);
}

function askedFor(node: Node | undefined, aliases: Aliases): string {
  return node === undefined ? '' : standard(chainOf(node, aliases));
}

const GLOBAL: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self']);

/** The name of a method of the language; empty for all else: what the language does not have, a judge may ask for. */
function standard(names: readonly string[]): string {
  const [first = '', second = '', ...more] = GLOBAL.has(names[0] ?? '') ? names.slice(1) : names;
  const whole: unknown = Reflect.get(globalThis, first);
  if (!isObject(whole) || !/^[A-Z]/.test(first)) return '';
  const [name = '', ...deeper] = second === 'prototype' ? more : [second, ...more];
  const owner: unknown = second === 'prototype' ? Reflect.get(whole, second) : whole;
  const isThere = isObject(owner) && name !== '' && Object.hasOwn(owner, name) && deeper.length === 0;
  return isThere ? [first, second, ...more].join('.') : '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}
