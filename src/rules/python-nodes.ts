/** Reads Python's nodes: chains of names, literals, calls, and what is assigned to. Pure. */
import type { Node } from '../syntax/language.ts';
import { type Aliases, type Call, named, UNNAMED, unescaped, uniqueAliases } from './tree-rule.ts';

const NO_ALIASES: Aliases = new Map();
/** Longer chains nobody writes, and deeper sums of texts. */
const DEEPEST = 100;

interface Step {
  readonly name: string | undefined;
  readonly on: Node | undefined;
}

/** Of a subscript only what it hangs on counts: what lies in a table is not the table's own. */
const STEPS: Readonly<Record<string, (node: Node) => Step>> = {
  attribute: (node) => ({ name: at(node, 'attribute')?.text, on: at(node, 'object') }),
  parenthesized_expression: (node) => ({ name: undefined, on: named(node)[0] }),
};

/** The names of `a.b.c`, the first one first; of a longer chain as many as are wanted, from its end. */
export function chainOf(node: Node, aliases: Aliases, most = DEEPEST): readonly string[] {
  let names: readonly string[] = [];
  let next: Node | undefined = node;
  for (let depth = 0; depth < most && next !== undefined; depth += 1) {
    const step: Step | undefined = STEPS[next.type]?.(next);
    if (step === undefined) return [...rootOf(next, aliases), ...names];
    if (step.name !== undefined) names = [step.name, ...names];
    next = step.on;
  }
  return names;
}

function rootOf(node: Node, aliases: Aliases): readonly string[] {
  if (node.type === 'identifier') return aliases.get(node.text) ?? [node.text];
  return moduleNamedBy(node)?.split('.') ?? [UNNAMED];
}

const IMPORTS: ReadonlySet<string> = new Set(['__import__', 'import_module', 'importlib.import_module']);

/** `sys.modules['json']` and `import_module('json')` are as good as the name. */
function moduleNamedBy(node: Node): string | undefined {
  const [value, key] = [at(node, 'value'), at(node, 'subscript')];
  if (node.type === 'subscript') return value?.text === 'sys.modules' ? key && literalOf(key) : undefined;
  const first = at(node, 'arguments')?.namedChild(0) ?? undefined;
  return IMPORTS.has(at(node, 'function')?.text ?? '') ? first && literalOf(first) : undefined;
}

/** The text of a literal, and of a sum of literals. */
export function literalOf(node: Node, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (node.type === 'string') return isPlain(node) ? contentOf(node) : undefined;
  const parts = partsOf(node)?.map((part) => literalOf(part, depth + 1));
  return parts === undefined || parts.includes(undefined) ? undefined : parts.join('');
}

/** What a text is put together from, one after the other. */
export function partsOf(node: Node): readonly Node[] | undefined {
  if (node.type === 'concatenated_string' || node.type === 'parenthesized_expression') return named(node);
  return isSum(node) ? named(node) : undefined;
}

export function isSum(node: Node): boolean {
  return node.type === 'binary_operator' && at(node, 'operator')?.text === '+';
}

/** Whether no value is put into the text. */
export function isPlain(node: Node): boolean {
  return named(node).every(({ type }) => type !== 'interpolation');
}

function contentOf(node: Node): string {
  const [start, end] = [named(node)[0]?.text ?? '', named(node).at(-1)?.text ?? ''];
  const source = node.text.slice(start.length, node.text.length - end.length);
  return /r/i.test(start) ? source : unescaped(source);
}

export function callOf(node: Node, aliases: Aliases): Call {
  const called = at(node, 'function');
  const list = at(node, 'arguments');
  return {
    names: called === undefined ? [] : chainOf(called, aliases),
    arguments: list?.type === 'argument_list' ? named(list) : [],
  };
}

const PATTERNS: ReadonlySet<string> = new Set([
  ...['pattern_list', 'tuple_pattern', 'list_pattern', 'tuple', 'list', 'expression_list'],
  ...['as_pattern_target', 'list_splat_pattern', 'parenthesized_expression'],
]);

/** What an assignment, a loop or `as` writes to, one node each. */
export function targetsOf(node: Node): readonly Node[] {
  const targets: Node[] = [];
  const left = [node.type === 'as_pattern_target' ? node : at(node, 'left')].filter((one) => one !== undefined);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (PATTERNS.has(next.type)) left.push(...named(next));
    else targets.push(next);
  }
  return targets;
}

/** Names that stand for a chain in the whole file. */
export function pythonAliases(root: Node): Aliases {
  const nodes = root.descendantsOfType(['assignment', 'import_statement', 'import_from_statement']);
  return uniqueAliases(nodes.flatMap((node) => (node === null ? [] : boundBy(node))));
}

function boundBy(node: Node): readonly (readonly [string, readonly string[]])[] {
  if (node.type !== 'assignment') return importedBy(node);
  const [left, right] = [at(node, 'left'), at(node, 'right')];
  if (left?.type !== 'identifier') return [];
  return [[left.text, right === undefined ? [UNNAMED] : chainOf(right, NO_ALIASES)]];
}

function importedBy(node: Node): readonly (readonly [string, readonly string[]])[] {
  const from = at(node, 'module_name');
  const before = from === undefined ? [] : from.text.split('.');
  return named(node).flatMap((part) => {
    if (part.equals(from ?? node)) return [];
    const [name, alias] = [at(part, 'name'), at(part, 'alias')];
    if (alias !== undefined && name !== undefined) return [[alias.text, [...before, ...name.text.split('.')]] as const];
    return from !== undefined && part.type === 'dotted_name' ? [[part.text, [...before, part.text]] as const] : [];
  });
}

export function at(node: Node, field: string): Node | undefined {
  return node.childForFieldName(field) ?? undefined;
}
