/** What a name stands for in the tests of Python: a constant, or a column of the table that tests are made of. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, literalOf } from './python-nodes.ts';
import { type Aliases, named, nearestAround } from './tree-rule.ts';

const NO_ALIASES: Aliases = new Map();

interface Binding {
  /** In which nothing else may use the name: what a test also puts in, it may rightly get back. */
  readonly scope: Node;
  readonly rows: readonly Node[];
  /** In a row; undefined where the name gets all of it. */
  readonly place: number | undefined;
}

/** The values that a name has one after the other; none where it is used for anything else. */
export function cellsOf(expected: Node): readonly Node[] {
  const binding = expected.type === 'identifier' ? bindingOf(expected) : undefined;
  if (binding === undefined) return [];
  const { scope, rows, place } = binding;
  const uses = scope.descendantsOfType('identifier').filter((node) => node?.text === expected.text);
  return uses.length === 2 ? rows.flatMap((row) => (place === undefined ? [row] : (cellAt(row, place) ?? []))) : [];
}

function bindingOf(name: Node): Binding | undefined {
  const { text } = name;
  return nearestAround(name, {
    for_statement: (loop) => boundByLoop(loop, text),
    function_definition: (definition) => boundByParameter(definition, text),
    block: (block) => boundByConstant(block, text),
    module: (block) => boundByConstant(block, text),
  });
}

const LISTS: ReadonlySet<string> = new Set(['pattern_list', 'tuple_pattern', 'list_pattern']);

function boundByLoop(loop: Node, name: string): Binding | undefined {
  const [left, right] = [at(loop, 'left'), at(loop, 'right')];
  if (left === undefined || right === undefined) return undefined;
  const names = LISTS.has(left.type) ? named(left).map(({ text }) => text) : [left.text];
  if (!names.includes(name)) return undefined;
  return { scope: loop, rows: rowsOf(right), place: LISTS.has(left.type) ? names.indexOf(name) : undefined };
}

/** `@pytest.mark.parametrize('a, b', [(1, 2)])`. */
function boundByParameter(definition: Node, name: string): Binding | undefined {
  const given = named(at(definition, 'parameters') ?? definition);
  const above = definition.parent;
  if (!given.some((one) => isNamed(one, name)) || above?.type !== 'decorated_definition') return undefined;
  const tables = named(above).flatMap((decorator) => (decorator.type === 'decorator' ? tablesIn(decorator) : []));
  const own = tables.find(({ columns }) => columns.includes(name));
  if (own === undefined) return undefined;
  const { columns, table } = own;
  return { scope: definition, rows: rowsOf(table), place: columns.length === 1 ? undefined : columns.indexOf(name) };
}

/** With its type or without. */
function isNamed(parameter: Node, name: string): boolean {
  const own = parameter.type === 'typed_parameter' ? named(parameter)[0] : parameter;
  return own?.text === name;
}

function tablesIn(decorator: Node): readonly { readonly columns: readonly string[]; readonly table: Node }[] {
  const [call] = named(decorator);
  if (call?.type !== 'call') return [];
  const {
    names,
    arguments: [columns, table],
  } = callOf(call, NO_ALIASES);
  const isTable = names.at(-1) === 'parametrize' && columns !== undefined && table !== undefined;
  return isTable ? [{ columns: columnsOf(columns), table }] : [];
}

function columnsOf(columns: Node): readonly string[] {
  const text = literalOf(columns);
  if (text !== undefined) return text.split(',').map((name) => name.trim());
  return named(columns).map((one) => literalOf(one) ?? '');
}

/** `wanted = …`, once in the same block or at the top of the file. */
function boundByConstant(block: Node, name: string): Binding | undefined {
  const value = constantIn(block, name);
  return value === undefined ? undefined : { scope: block, rows: [value], place: undefined };
}

function constantIn(block: Node, name: string): Node | undefined {
  const assigned = named(block)
    .flatMap((statement) => (statement.type === 'expression_statement' ? named(statement) : []))
    .filter((node) => node.type === 'assignment' && at(node, 'left')?.text === name);
  const [own, ...more] = assigned;
  return own === undefined || more.length > 0 ? undefined : at(own, 'right');
}

const TABLES: ReadonlySet<string> = new Set(['list', 'tuple', 'set']);

/** Of a list, of one that a block around it keeps under this name, with what is added to it, and of the items of a dictionary, each of which is a pair. */
function rowsOf(table: Node): readonly Node[] {
  const held = heldBy(table);
  if (held !== undefined && TABLES.has(held.type)) return [...named(held), ...addedTo(table)];
  const called = held?.type === 'call' ? at(held, 'function') : undefined;
  const [object, method] = called === undefined ? [] : [at(called, 'object'), at(called, 'attribute')];
  const items = object !== undefined && method?.text === 'items' ? heldBy(object) : undefined;
  return items?.type === 'dictionary' ? named(items).filter(({ type }) => type === 'pair') : [];
}

/** `TABLE.append(row)` and `TABLE.extend([row, …])`, anywhere in the file. */
function addedTo(table: Node): readonly Node[] {
  if (table.type !== 'identifier') return [];
  const calls = table.tree.rootNode.descendantsOfType('call').flatMap((node) => node ?? []);
  return calls.flatMap((call) => {
    const [row] = callOf(call, NO_ALIASES).arguments;
    const method = at(call, 'function')?.text;
    if (method === `${table.text}.append`) return row ?? [];
    return method === `${table.text}.extend` && row !== undefined && TABLES.has(row.type) ? named(row) : [];
  });
}

const heldBy = (node: Node): Node | undefined => (node.type === 'identifier' ? keptAs(node) : node);

function keptAs(name: Node): Node | undefined {
  const kept = (block: Node) => constantIn(block, name.text);
  return nearestAround(name, { block: kept, module: kept });
}

function cellAt(row: Node, place: number): Node | undefined {
  if (row.type === 'pair') return place === 1 ? at(row, 'value') : undefined;
  const isParam = row.type === 'call' && callOf(row, NO_ALIASES).names.at(-1) === 'param';
  const parts = isParam ? callOf(row, NO_ALIASES).arguments : TABLES.has(row.type) ? named(row) : [];
  return parts[place];
}
