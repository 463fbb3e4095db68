/** What a name stands for in the tests of JavaScript and TypeScript: a constant, or a column of the table that tests are made of. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, keyOf, unwrapped } from './script-nodes.ts';
import { type Aliases, named, nearestAround } from './tree-rule.ts';

const NO_ALIASES: Aliases = new Map();

/** From a row to a cell: places in arrays, names in objects. */
type Path = readonly (string | number)[];

interface Binding {
  /** In which nothing else may use the name: what a test also puts in, it may rightly get back. */
  readonly scope: Node;
  readonly rows: readonly Node[];
  /** Of a row. */
  readonly path: Path;
}

/** The values that a name, or a name's property, has one after the other; none where it is used for anything else. */
export function cellsOf(expected: Node): readonly Node[] {
  const { name, more } = nameIn(unwrapped(expected));
  const binding = name && bindingOf(name);
  if (name === undefined || binding === undefined || !isOnlyUse(name, more, binding.scope)) return [];
  return binding.rows.flatMap((row) => cellIn(row, [...binding.path, ...more]) ?? []);
}

function nameIn(node: Node): { readonly name?: Node; readonly more: Path } {
  if (node.type === 'identifier') return { name: node, more: [] };
  const [object, property] = [at(node, 'object'), at(node, 'property')];
  const isOfName = node.type === 'member_expression' && object?.type === 'identifier' && property !== undefined;
  return isOfName ? { name: object, more: [property.text] } : { more: [] };
}

function bindingOf(name: Node): Binding | undefined {
  const { text } = name;
  return nearestAround(name, {
    for_in_statement: (loop) => boundByLoop(loop, text),
    arrow_function: (callback) => boundByCall(callback, text),
    function_expression: (callback) => boundByCall(callback, text),
    statement_block: (block) => boundByConstant(block, text),
    program: (block) => boundByConstant(block, text),
  });
}

function boundByLoop(loop: Node, name: string): Binding | undefined {
  const [left, right] = [at(loop, 'left'), at(loop, 'right')];
  const path = left && pathIn(left, name);
  if (path === undefined || right === undefined || at(loop, 'operator')?.text !== 'of') return undefined;
  return { scope: loop, rows: rowsOf(right), path };
}

/** `test.each(TABLE)(title, (a, b) => …)`, and `TABLE.forEach(([a, b]) => …)`. */
function boundByCall(callback: Node, name: string): Binding | undefined {
  const paths = parametersOf(callback).map((one) => pathIn(at(one, 'pattern') ?? one, name));
  const index = paths.findIndex((path) => path !== undefined);
  const [path, call] = [paths[index], callback.parent?.parent];
  const called = call?.type === 'call_expression' ? at(call, 'function') : undefined;
  if (path === undefined || called === undefined) return undefined;
  return called.type === 'call_expression'
    ? boundByEach(callback, called, [index, ...path])
    : boundByMethod(callback, called, [index, ...path]);
}

function parametersOf(callback: Node): readonly Node[] {
  const [single, list] = [at(callback, 'parameter'), at(callback, 'parameters')];
  if (single !== undefined) return [single];
  return list === undefined ? [] : named(list);
}

/** Of rows that are no arrays the first parameter gets each whole. */
function boundByEach(scope: Node, maker: Node, [index = 0, ...path]: Path): Binding | undefined {
  const { names = [], arguments: [table] = [] } = callOf(maker, NO_ALIASES) ?? {};
  if (names.at(-1) !== 'each' || table === undefined) return undefined;
  const rows = rowsOf(table);
  if (rows.every(({ type }) => type === 'array')) return { scope, rows, path: [index, ...path] };
  return index === 0 ? { scope, rows, path } : undefined;
}

const TAKING_ROWS: ReadonlySet<string> = new Set(['forEach', 'map']);

function boundByMethod(scope: Node, called: Node, [index, ...path]: Path): Binding | undefined {
  const [owner, method] = [at(called, 'object'), at(called, 'property')];
  const takes = owner !== undefined && TAKING_ROWS.has(method?.text ?? '') && index === 0;
  return takes ? { scope, rows: rowsOf(owner), path } : undefined;
}

/** `const wanted = …` in the same block, or at the top of the file. */
function boundByConstant(block: Node, name: string): Binding | undefined {
  const declarations = named(block).flatMap((statement) =>
    statement.type === 'lexical_declaration' ? named(statement) : [],
  );
  const declared = declarations.find((node) => at(node, 'name')?.text === name);
  const value = declared && at(declared, 'value');
  return value === undefined ? undefined : { scope: block, rows: [unwrapped(value)], path: [] };
}

/** Where in a pattern the name gets its value; undefined where it does not. */
function pathIn(pattern: Node, name: string): Path | undefined {
  return PATTERNS[pattern.type]?.(pattern, name);
}

const itself = (pattern: Node, name: string): Path | undefined => (pattern.text === name ? [] : undefined);

/** By type of node. */
const PATTERNS: Readonly<Record<string, (pattern: Node, name: string) => Path | undefined>> = {
  identifier: itself,
  shorthand_property_identifier_pattern: itself,
  array_pattern(pattern, name) {
    // A place may be left out: commas count.
    let place = 0;
    for (const child of pattern.children) {
      if (child?.text === ',') place += 1;
      const inner = child?.isNamed ? pathIn(child, name) : undefined;
      if (inner !== undefined) return [place, ...inner];
    }
    return undefined;
  },
  object_pattern(pattern, name) {
    const paths = named(pattern).map((part) => {
      const [key, value] = part.type === 'pair_pattern' ? [keyOf(part), at(part, 'value')] : [part.text, part];
      const inner = value && pathIn(value, name);
      return inner === undefined || key === undefined ? undefined : [key, ...inner];
    });
    return paths.find((path) => path !== undefined);
  },
};

/** Of an array, of one that the file keeps under this name, with what is pushed into it, and of the entries of an object, each of which is a pair. */
function rowsOf(table: Node): readonly Node[] {
  const held = heldBy(table);
  if (held?.type === 'array') return [...named(held), ...pushedInto(table)].map(unwrapped);
  const { names = [], arguments: [object] = [] } =
    held?.type === 'call_expression' ? (callOf(held, NO_ALIASES) ?? {}) : {};
  const entries = names.join('.') === 'Object.entries' && object !== undefined ? heldBy(object) : undefined;
  return entries?.type === 'object' ? named(entries).filter(({ type }) => type === 'pair') : [];
}

/** `TABLE.push(row, …)`, anywhere in the file. */
function pushedInto(table: Node): readonly Node[] {
  const { type, text, tree } = unwrapped(table);
  if (type !== 'identifier') return [];
  const calls = tree.rootNode.descendantsOfType('call_expression').flatMap((node) => node ?? []);
  const own = calls.filter((call) => at(call, 'function')?.text === `${text}.push`);
  return own.flatMap((call) => callOf(call, NO_ALIASES)?.arguments ?? []);
}

function heldBy(node: Node): Node | undefined {
  const inner = unwrapped(node);
  return inner.type === 'identifier' ? constantOf(inner) : inner;
}

function constantOf({ text, tree }: Node): Node | undefined {
  const declared = tree.rootNode.descendantsOfType('variable_declarator').flatMap((node) => node ?? []);
  const own = declared.filter((node) => at(node, 'name')?.text === text);
  const value = own.length === 1 && own[0] !== undefined ? at(own[0], 'value') : undefined;
  return value && unwrapped(value);
}

/** A pair stands for an array of its key and its value. */
function cellIn(row: Node, path: Path): Node | undefined {
  let cell: Node | undefined = row;
  for (const step of path) {
    if (cell === undefined) return undefined;
    cell = typeof step === 'number' ? elementOf(cell, step) : propertyOf(cell, step);
  }
  return cell;
}

function elementOf(cell: Node, place: number): Node | undefined {
  if (cell.type === 'pair') return place === 1 ? at(cell, 'value') : undefined;
  return cell.type === 'array' ? named(cell)[place] : undefined;
}

function propertyOf(cell: Node, key: string): Node | undefined {
  const pairs = cell.type === 'object' ? named(cell).filter(({ type }) => type === 'pair') : [];
  const pair = pairs.find((one) => keyOf(one) === key);
  return pair && at(pair, 'value');
}

const NAMES = ['identifier', 'shorthand_property_identifier', 'shorthand_property_identifier_pattern'];

/** Once where it is bound, once in the assertion; a title may hold it too. Of a row that is taken apart each property counts by itself, and the row is used for nothing else. */
function isOnlyUse(name: Node, more: Path, scope: Node): boolean {
  const uses = scope
    .descendantsOfType(NAMES)
    .flatMap((node) => (node?.text === name.text && !isInTitle(node) ? [node] : []));
  if (more.length === 0) return uses.length === 2;
  const whole = uses.filter(({ parent }) => parent?.type !== 'member_expression');
  const same = uses.filter(({ parent }) => parent?.text === `${name.text}.${more.join('.')}`);
  return whole.length === 1 && same.length === 1;
}

const FUNCTIONS: ReadonlySet<string> = new Set(['arrow_function', 'function_expression']);

/** Put into a text that stands before a function: what is called so says what it is for. */
function isInTitle({ parent }: Node): boolean {
  const part = parent?.type === 'member_expression' ? parent.parent : parent;
  const list = part?.type === 'template_substitution' ? part.parent?.parent : undefined;
  return list?.type === 'arguments' && named(list).some(({ type }) => FUNCTIONS.has(type));
}
