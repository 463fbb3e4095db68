/** Reads JavaScript's and TypeScript's nodes: chains of names, literals, calls, and what is assigned to. Pure. */
import type { Node } from '../syntax/language.ts';
import { type Aliases, type Call, named, UNNAMED, unescaped, uniqueAliases } from './tree-rule.ts';

const NO_ALIASES: Aliases = new Map();
/** Longer chains nobody writes, and deeper sums of texts. */
const DEEPEST = 100;

/** What stands in brackets, behind `as`, `satisfies` or `!`; of several in a row the last. */
const WRAPPERS: Readonly<Record<string, (node: Node) => Node | undefined>> = {
  parenthesized_expression: (node) => named(node).at(-1),
  sequence_expression: (node) => named(node).at(-1),
  as_expression: (node) => named(node)[0],
  satisfies_expression: (node) => named(node)[0],
  non_null_expression: (node) => named(node)[0],
  type_assertion: (node) => named(node).at(-1),
};

export function unwrapped(node: Node): Node {
  let inner = node;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const next = WRAPPERS[inner.type]?.(inner);
    if (next === undefined) break;
    inner = next;
  }
  return inner;
}

interface Step {
  /** In front of those that are known. */
  readonly names: readonly string[];
  /** What it hangs on, if on anything. */
  readonly on: Node | undefined;
}

const STEPS: Readonly<Record<string, (node: Node, aliases: Aliases) => Step>> = {
  member_expression: (node) => ({ names: [textAt(node, 'property')], on: at(node, 'object') }),
  subscript_expression: (node) => ({ names: [literalAt(node, 'index')], on: at(node, 'object') }),
  call_expression: (node, aliases) => ({
    names: isPrototype(node) ? [UNNAMED, '__proto__'] : requiredBy(node, aliases),
    on: undefined,
  }),
  identifier: (node, aliases) => ({ names: aliases.get(node.text) ?? [node.text], on: undefined }),
  this: () => ({ names: ['this'], on: undefined }),
};

/** The names of `a.b['c']`, the first one first; of a longer chain as many as are wanted, from its end. */
export function chainOf(node: Node, aliases: Aliases, most = DEEPEST): readonly string[] {
  let names: readonly string[] = [];
  let next: Node | undefined = node;
  for (let depth = 0; depth < most && next !== undefined; depth += 1) {
    const inner: Node = unwrapped(next);
    const step: Step = STEPS[inner.type]?.(inner, aliases) ?? { names: [UNNAMED], on: undefined };
    names = [...step.names, ...names];
    next = step.on;
  }
  return names;
}

const MODULES: Readonly<Record<string, readonly string[]>> = {
  '@jest/globals': ['jest'],
  assert: ['assert'],
  'assert/strict': ['assert'],
  chai: ['chai'],
  expect: ['expect'],
  module: ['Module'],
  process: ['process'],
  v8: ['v8'],
  vitest: ['vitest'],
  vm: ['vm'],
};

function moduleChain(name: string | undefined): readonly string[] {
  return MODULES[name?.replace(/^node:/, '') ?? ''] ?? [UNNAMED];
}

const REQUIRES = /^(?:require|module\.require|process\.getBuiltinModule)$/;

/** `require('assert')` is as good as the name, and what `createRequire` gives as good as `require`. */
function requiredBy(node: Node, aliases: Aliases): readonly string[] {
  const called = at(node, 'function');
  if (called === undefined) return [UNNAMED];
  if (createsRequire(called)) return ['require'];
  const [first] = argumentsOf(node);
  const made = called.type === 'call_expression' ? at(called, 'function') : undefined;
  const name = aliases.get(called.text.slice(0, 100))?.join('.') ?? called.text.slice(0, 100);
  const isRequire = REQUIRES.test(name) || (made !== undefined && createsRequire(made));
  return isRequire && first !== undefined ? moduleChain(literalOf(first)) : [UNNAMED];
}

function createsRequire({ text }: Node): boolean {
  return /(?:^|\.)createRequire$/.test(text.slice(-40));
}

/** `Object.getPrototypeOf(it)` is as good as `it.__proto__`. */
function isPrototype(node: Node): boolean {
  return /(?:^|\.)getPrototypeOf$/.test(at(node, 'function')?.text.slice(-30) ?? '');
}

/** The text of a literal, and of a sum of literals. */
export function literalOf(node: Node, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined;
  const inner = unwrapped(node);
  if (inner.type === 'string') return unescaped(inner.text.slice(1, -1));
  if (inner.type === 'template_string')
    return named(inner).some(({ type }) => type === 'template_substitution')
      ? undefined
      : unescaped(inner.text.slice(1, -1));
  if (!isSum(inner)) return undefined;
  const [left, right] = [at(inner, 'left'), at(inner, 'right')].map((part) => part && literalOf(part, depth + 1));
  return left === undefined || right === undefined ? undefined : left + right;
}

export function isSum(node: Node): boolean {
  return node.type === 'binary_expression' && textAt(node, 'operator') === '+';
}

/** What is called or made anew; undefined where it is a tag before a template. */
export function callOf(node: Node, aliases: Aliases): Call | undefined {
  const called = at(node, 'function') ?? at(node, 'constructor');
  return called === undefined ? undefined : { names: chainOf(called, aliases), arguments: argumentsOf(node) };
}

function argumentsOf(node: Node): readonly Node[] {
  const list = at(node, 'arguments');
  return list?.type === 'arguments' ? named(list) : [];
}

const PATTERNS: ReadonlySet<string> = new Set(['array_pattern', 'object_pattern', 'rest_pattern']);

/** What an assignment, a loop or `++` writes to, one node each. */
export function targetsOf(node: Node): readonly Node[] {
  const targets: Node[] = [];
  const left = [at(node, 'left') ?? at(node, 'argument')].filter((one) => one !== undefined);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const inner = unwrapped(next);
    if (PATTERNS.has(inner.type)) left.push(...named(inner));
    else if (inner.type === 'pair_pattern') left.push(...named(inner).slice(1));
    else if (inner.type === 'assignment_pattern' || inner.type === 'object_assignment_pattern')
      left.push(...named(inner).slice(0, 1));
    else targets.push(inner);
  }
  return targets;
}

/** The key of a pair as it is written or quoted. */
export function keyOf(node: Node): string | undefined {
  const key = at(node, 'key');
  return key?.type === 'property_identifier' ? key.text : key && literalOf(key);
}

/** Names that stand for a chain in the whole file. */
export function scriptAliases(root: Node): Aliases {
  const nodes = root.descendantsOfType(['variable_declarator', 'import_statement']).flatMap((node) => node ?? []);
  return uniqueAliases(
    nodes.flatMap((node) => (node.type === 'import_statement' ? importedBy(node) : declaredBy(node))),
  );
}

function declaredBy(node: Node): readonly (readonly [string, readonly string[]])[] {
  const [name, value] = [at(node, 'name'), at(node, 'value')];
  if (name?.type !== 'identifier') return [];
  return [[name.text, value === undefined ? [UNNAMED] : chainOf(value, NO_ALIASES)]];
}

function importedBy(node: Node): readonly (readonly [string, readonly string[]])[] {
  const source = at(node, 'source');
  const whole = moduleChain(source && literalOf(source));
  const clause = named(node).find(({ type }) => type === 'import_clause');
  return (clause === undefined ? [] : named(clause)).flatMap((part) => {
    if (part.type === 'named_imports') return named(part).flatMap((one) => specifiedBy(one, whole));
    const name = part.type === 'namespace_import' ? named(part)[0] : part;
    return name?.type === 'identifier' ? [[name.text, whole] as const] : [];
  });
}

/** Of `{ a as b }` what `b` stands for. */
function specifiedBy(part: Node, whole: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const name = at(part, 'name')?.text;
  if (name === undefined) return [];
  return [[at(part, 'alias')?.text ?? name, name === 'default' ? whole : [...whole, name]]];
}

export function at(node: Node, field: string): Node | undefined {
  return node.childForFieldName(field) ?? undefined;
}

function textAt(node: Node, field: string): string {
  return at(node, field)?.text ?? UNNAMED;
}

function literalAt(node: Node, field: string): string {
  const found = at(node, field);
  return (found && literalOf(found)) ?? UNNAMED;
}
