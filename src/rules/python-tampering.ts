/** How Python reaches for what judges the tests, told by the syntax tree. Pure. */
import type { Node } from '../syntax/language.ts';
import { isDescription } from './python-equality.ts';
import { at, callOf, chainOf, literalOf, targetsOf } from './python-nodes.ts';
import { PROCESS_FILES } from './script-tampering.ts';
import { type Aliases, named, onEach, type TreeRule } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Modules that a runner of tests stands on. */
const JUDGES = words('asyncio contextlib functools inspect json traceback warnings unittest pytest _pytest');
/** Hooks of warnings are replaced by honest programs, and judge nothing. */
const HOOKS = words('showwarning formatwarning filters');
/** What programs put there themselves. */
const OWN_BUILT_INS = words('copyright credits license exit quit help _');
const NAMES = words('pythonapi string_at wstring_at memmove memset from_address py_object PyDLL');
/** What runners of tests, and tests, call of these modules. */
const USED = words(
  'dumps loads dump load wraps partial reduce run warn raises fail skip main TestCase TestResult TestSuite TestLoader format_exc print_exc isawaitable iscoroutinefunction suppress contextmanager',
);
const OF_FRAMES = words('f_locals f_globals cell_contents');
const CALLED = words(
  'inspect.getargvalues inspect.getclosurevars inspect.getinnerframes gc.get_objects gc.get_referrers gc.get_referents',
);
const TRACES = words('sys.settrace sys.setprofile');
const TEXTS = words('f_locals f_globals f_back cell_contents pythonapi string_at wstring_at memmove py_object');
/** What a module tells of itself. */
const OF_MODULES = words('__name__ __file__ __package__ __spec__ __doc__ __loader__ __warningregistry__ __unittest');

export const PYTHON_TAMPERING: TreeRule = {
  name: 'judge-tampering',
  finds: {
    ...onEach(['assignment', 'augmented_assignment', 'for_statement', 'as_pattern_target'], replacedBy),
    identifier: isOfMemory,
    ...onEach(['string', 'concatenated_string', 'binary_operator'], isTellingText),
    attribute: isReach,
    call: tampersByCall,
  },
};

/** Elsewhere these are names as any other, most of all those of parameters. */
function isOfMemory(node: Node): boolean {
  if (!NAMES.has(node.text)) return false;
  const isOnAnother = node.parent?.type === 'attribute' && node.text !== AN_ADDRESS;
  return (isOnAnother && at(node.parent, 'attribute')?.equals(node)) || reachesMemory(node);
}

const AN_ADDRESS = 'from_address';
const reaching = new WeakMap<Node['tree'], boolean>();

/** Whether the file names the module by which memory is read and written. */
function reachesMemory({ tree }: Node): boolean {
  const known = reaching.get(tree) ?? /\b_?ctypes\b/.test(tree.rootNode.text);
  reaching.set(tree, known);
  return known;
}

/** Another value for a name of the file's own replaces nothing of others. */
function replacedBy(node: Node, aliases: Aliases): readonly Node[] {
  return targetsOf(node).filter(
    (target) =>
      (target.type === 'attribute' && isJudge(chainOf(target, aliases)) && !isSameCode(node, target, aliases)) ||
      (target.type === 'subscript' && isJudgesTable(target, aliases)),
  );
}

/** `f.__code__ = f.__code__.replace(co_flags=…)`: what is run stays. */
function isSameCode(node: Node, target: Node, aliases: Aliases): boolean {
  const right = at(node, 'right');
  const { names, arguments: given } = right?.type === 'call' ? callOf(right, aliases) : { names: [], arguments: [] };
  const isOwn = names.join('.') === [...chainOf(target, aliases), 'replace'].join('.');
  return (
    isOwn &&
    given.every((one) => /^co_(?:flags|name|qualname|filename|firstlineno)\b/.test(at(one, 'name')?.text ?? ''))
  );
}

/** `sys.modules['json']`, `json.__dict__['dumps']` and `vars(json)['dumps']`, where the key is told. */
function isJudgesTable(target: Node, aliases: Aliases): boolean {
  const [table, key] = [at(target, 'value'), at(target, 'subscript')];
  const name = key && literalOf(key);
  if (table === undefined || name === undefined) return false;
  if (chainOf(table, aliases).join('.') === 'sys.modules') return JUDGES.has(name.split('.')[0] ?? '');
  const owner = ownerOf(table, aliases);
  return owner !== undefined && isJudge([...chainOf(owner, aliases), name]);
}

/** Whose names the table holds. */
function ownerOf(table: Node, aliases: Aliases): Node | undefined {
  if (table.type === 'attribute' && at(table, 'attribute')?.text === '__dict__') return at(table, 'object');
  const call = table.type === 'call' ? callOf(table, aliases) : undefined;
  return call?.names.join() === 'vars' ? call.arguments[0] : undefined;
}

function isJudge(chain: readonly string[]): boolean {
  const [last = '', before = ''] = chain.toReversed();
  const [root = ''] = chain;
  if (root === 'self' || root === 'cls') return false;
  const isReplaced = JUDGES.has(root) ? chain.length > 1 : isOfJudges(chain);
  return (
    (isReplaced && !(before === 'warnings' && HOOKS.has(last))) ||
    last === 'load_tests' ||
    last === '__code__' ||
    (before === 'builtins' && !OWN_BUILT_INS.has(last))
  );
}

/** Behind another object's name the words of a judge are often something of its own: there only what judges use counts. */
function isOfJudges(chain: readonly string[]): boolean {
  return chain.slice(1, -1).some((name) => JUDGES.has(name)) && USED.has(chain.at(-1) ?? '');
}

/** What of the caller is in nobody else's hands. */
function isReach(node: Node, aliases: Aliases): boolean {
  const chain = chainOf(node, aliases, 2);
  return OF_FRAMES.has(chain.at(-1) ?? '') || CALLED.has(chain.join('.'));
}

/** Texts that do nothing, and where a frame is asked for its module's own names: who called is honest to ask. */
export function passedOverIn(root: Node): ReadonlySet<number> {
  const types = ['expression_statement', 'subscript', 'call', 'comparison_operator', 'assignment'];
  const nodes = root.descendantsOfType(types).filter((node) => node !== null);
  const saved = new Set(nodes.flatMap((node) => savedBy(node) ?? []));
  const putBack = nodes.filter((node) => saved.has(putBackBy(node) ?? ''));
  const kinds = new Set(putBack.map((node) => putBackBy(node)?.split(' ')[0]));
  // What is put back later may be turned off before.
  const turnedOff = nodes.filter((node) => kinds.has(turnedOffBy(node)));
  const honest = [...putBack, ...turnedOff, ...nodes.flatMap((node) => HONEST[node.type]?.(node) ?? [])];
  return new Set(honest.map(({ id }) => id));
}

/** Of `name = sys.gettrace()` what `sys.settrace(name)` is asked with later. */
function savedBy(node: Node): string | undefined {
  const kind =
    node.type === 'assignment'
      ? /^sys\.get(trace|profile)\(\)$/.exec(at(node, 'right')?.text.slice(0, 30) ?? '')
      : null;
  return kind === null ? undefined : `${kind[1]} ${at(node, 'left')?.text}`;
}

function putBackBy(node: Node): string | undefined {
  const call = node.type === 'call' ? /^sys\.set(trace|profile)\((\w+)\)$/.exec(node.text.slice(0, 100)) : null;
  return call === null ? undefined : `${call[1]} ${call[2]}`;
}

function turnedOffBy(node: Node): string | undefined {
  return node.type === 'call' ? /^sys\.set(trace|profile)\(None\)$/.exec(node.text.slice(0, 30))?.[1] : undefined;
}

/** Own memory is emptied by this, and nothing else. */
const EMPTIES = /^ctypes\.memset\(\s*ctypes\.addressof\((?<name>\w+)\),\s*0,\s*ctypes\.sizeof\(\k<name>\)\s*\)$/;

const HONEST: Readonly<Record<string, (node: Node) => readonly Node[]>> = {
  expression_statement: (node) => (isDescription(node) ? named(node).flatMap((text) => [text, ...named(text)]) : []),
  subscript: (node) => asked(at(node, 'value'), at(node, 'subscript')),
  call(node) {
    const called = at(node, 'function');
    const { names, arguments: given } = callOf(node, new Map());
    if (names[0] === 'linecache' || isListing(names, given)) return given;
    if (EMPTIES.test(node.text.slice(0, 300))) return called === undefined ? [] : named(called);
    return called?.type === 'attribute' && names.at(-1) === 'get' ? asked(at(called, 'object'), given[0]) : [];
  },
  comparison_operator: (node) =>
    node.children.flatMap((part, index) => (part !== null && node.children[index - 1]?.text === 'in' ? [part] : [])),
};

/** Which files this process has open; what is in them is another question. */
function isListing(names: readonly string[], [first]: readonly Node[]): boolean {
  return (
    /^(?:os\.)?(?:listdir|scandir)$/.test(names.join('.')) && /^['"]\/proc\/self\/fd\/?['"]$/.test(first?.text ?? '')
  );
}

function asked(globals: Node | undefined, key: Node | undefined): readonly Node[] {
  return globals !== undefined && key !== undefined && OF_MODULES.has(literalOf(key) ?? '') ? [globals] : [];
}

function tampersByCall(node: Node, aliases: Aliases): boolean {
  const { names, arguments: given } = callOf(node, aliases);
  if (TRACES.has(names.slice(-2).join('.'))) return given.length > 0;
  if (names.at(-1) === 'CDLL') return given[0] === undefined || given[0].type === 'none';
  return names.length === 1 && names[0] === 'setattr' && isReplacing(given, aliases);
}

function isReplacing([object, name]: readonly Node[], aliases: Aliases): boolean {
  if (object === undefined || name === undefined) return false;
  return isJudge([...chainOf(object, aliases), literalOf(name) ?? '']);
}

function isTellingText(node: Node): boolean {
  if (node.type === 'string' && PROCESS_FILES.test(node.text)) return true;
  const text = literalOf(node);
  if (text === AN_ADDRESS) return reachesMemory(node);
  return text !== undefined && (PROCESS_FILES.test(text) || TEXTS.has(text));
}
