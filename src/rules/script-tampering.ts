/** How JavaScript and TypeScript reach for what judges the tests, told by the syntax tree. Pure. */
import type { Node } from '../syntax/language.ts';
import { polyfillsIn } from './polyfills.ts';
import { callOf, chainOf, literalOf, targetsOf } from './script-nodes.ts';
import { type Aliases, onEach, type TreeRule, UNNAMED } from './tree-rule.ts';

const BUILT_IN: ReadonlySet<string> = new Set(
  'Object Function Array String Number Promise RegExp Map Set JSON Reflect'.split(' '),
);
/** Of these nothing is defined anew, but for the prototypes of anything. */
const DEFINED_ANEW: ReadonlySet<string> = new Set(['Object', 'Promise', 'JSON', 'Reflect']);
/** Classes that a runner of tests stands on, and built-in ones. */
const JUDGING =
  /^(?:Object|Function|Array|String|Number|Boolean|Symbol|BigInt|Date|Promise|RegExp|Map|Set|WeakMap|WeakSet|\w*Error|\w*Array|ArrayBuffer|DataView|Proxy|Iterator|Generator\w*|EventEmitter|Console|Module|Test|Suite|\w*Assert\w*)$/;
const NAMES: ReadonlySet<string> = new Set(
  'syncBuiltinESMExports NODE_TEST_CONTEXT setFlagsFromString promiseHooks'.split(' '),
);
const DEFINES: ReadonlySet<string> = new Set(['defineProperty', 'defineProperties']);
/** What writes into its first argument. */
const WRITES: ReadonlySet<string> = new Set(['Object.assign', 'Reflect.set', 'Object.setPrototypeOf']);

/** By which a process ends, and tells so. */
const OF_PROCESS: ReadonlySet<string> = new Set(['exit', 'reallyExit', 'emit']);

const GLOBAL: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self']);

/** What runners of tests lay out for everybody, and nobody else has. */
const OF_RUNNERS: ReadonlySet<string> = new Set(['expect', 'jest', 'vi']);

const TEXTS: readonly RegExp[] = [
  /^node:inspector(?:\/promises)?$/,
  /^(?:syncBuiltinESMExports|setFlagsFromString|promiseHooks)$/,
  /\bNODE_TEST_CONTEXT\b|\btracing:node\.test\b/,
];
/** As a word it is anybody's; as what is loaded it is the debugger. */
const DEBUGGER = /^inspector(?:\/promises)?$/;
const LOADING: ReadonlySet<string> = new Set(['import_statement', 'export_statement']);
const LOADS = /^(?:require|import|\w+\.(?:require|getBuiltinModule))$/;

/** The memory and the open files of this or another process. */
export const PROCESS_FILES: RegExp = /\/proc\/(?:self|\d+|\$|\{)[^\s'"`]{0,300}\/(?:mem|fd|environ|maps)\b/;

const ASSIGNING = ['assignment_expression', 'augmented_assignment_expression', 'for_in_statement', 'update_expression'];
const DELETES = /^delete\b/;

export const SCRIPT_TAMPERING: TreeRule = {
  name: 'judge-tampering',
  finds: {
    ...onEach(ASSIGNING, (node, aliases) => replacedBy(node, aliases)),
    ...onEach(['identifier', 'property_identifier', 'shorthand_property_identifier'], ({ text }) => NAMES.has(text)),
    shorthand_property_identifier_pattern: ({ text }) => NAMES.has(text),
    ...onEach(['string', 'template_string', 'binary_expression'], isTellingText),
    ...onEach(['member_expression', 'subscript_expression'], (node, aliases) => isReach(chainOf(node, aliases, 3))),
    call_expression: tampersByCall,
    unary_expression: deletedBy,
  },
};

type Chain = readonly string[];

/** Another value for a name of the file's own replaces nothing of others. */
function replacedBy(node: Node, aliases: Aliases): readonly Node[] {
  return targetsOf(node).filter((target) => target.type !== 'identifier' && isJudge(chainOf(target, aliases)));
}

/** What is loaded anew is no other thing than before. */
function deletedBy(node: Node, aliases: Aliases): readonly Node[] {
  if (!DELETES.test(node.text.slice(0, 8))) return [];
  return replacedBy(node, aliases).filter((target) => chainOf(target, aliases).at(-2) !== 'cache');
}

/** What is assigned to when a judge is replaced. */
function isJudge(chain: Chain): boolean {
  const [last = '', before = '', third = ''] = chain.toReversed();
  return (
    isBuiltIn(before, third) ||
    (before === 'Module' && last.startsWith('_')) ||
    (before === 'cache' && third === 'require') ||
    (before === 'Error' && last === 'prepareStackTrace') ||
    (before === 'process' && OF_PROCESS.has(last) && chain.slice(0, -2).every((name) => GLOBAL.has(name))) ||
    // The prototype of what has no name is often one of everybody's.
    (before === '__proto__' && third === UNNAMED) ||
    (OF_RUNNERS.has(last) && chain.length > 1 && chain.slice(0, -1).every((name) => GLOBAL.has(name))) ||
    isAssertion(chain)
  );
}

function isBuiltIn(before: string, third: string): boolean {
  return BUILT_IN.has(before) || (before === 'prototype' && BUILT_IN.has(third));
}

/** `assert.equal`, `assert.strict.equal`, and no further. */
function isAssertion(chain: Chain): boolean {
  const behind = chain.length - 1 - chain.lastIndexOf('assert');
  return chain.includes('assert') && behind >= 1 && behind <= 3;
}

/** What is only asked for to get at what others have loaded. */
function isReach(chain: Chain): boolean {
  const [last = '', before = '', third = ''] = chain.toReversed();
  return (
    (before === 'Module' && (last === 'prototype' || last === '_extensions')) ||
    (before === 'require' && last === '_extensions') ||
    (third === 'module' && (before === 'parent' || before === 'constructor') && last !== '')
  );
}

const LAST_OF_CALL: ReadonlySet<string> = new Set([
  ...['process.binding', 'process.dlopen', 'process._linkedBinding', 'Module.register'],
]);

function tampersByCall(node: Node, aliases: Aliases): boolean {
  const call = callOf(node, aliases);
  if (call === undefined) return false;
  const [last = '', before = ''] = call.names.toReversed();
  if (last === 'registerHooks' || LAST_OF_CALL.has(`${before}.${last}`)) return true;
  const [first] = call.arguments;
  const target = first === undefined ? [] : chainOf(first, aliases);
  if (DEFINES.has(last)) return isDefinedAnew(target) && !isOwnError(node, target);
  return WRITES.has(`${before}.${last}`) && isWhollyBuiltIn(target);
}

function isDefinedAnew(target: Chain): boolean {
  const isOfAJudge = target.length === 2 && target[1] === 'prototype' && JUDGING.test(target[0] ?? '');
  return isOfAJudge || DEFINED_ANEW.has(target.at(-1) ?? '') || isWhollyBuiltIn(target);
}

const ERRORS_OF_ALL: ReadonlySet<string> = new Set(
  'Error AggregateError AssertionError EvalError RangeError ReferenceError SyntaxError TypeError URIError'.split(' '),
);

/** The prototype of an error that the file declares, whose name people set so. */
function isOwnError({ tree }: Node, [name = '', ...rest]: Chain): boolean {
  const isAny = rest.join() === 'prototype' && /^\w+Error$/.test(name) && !ERRORS_OF_ALL.has(name);
  if (!isAny) return false;
  const declarations = tree.rootNode.descendantsOfType(['class_declaration', 'function_declaration']);
  return declarations.some((declared) => declared?.childForFieldName('name')?.text === name);
}

function isWhollyBuiltIn(target: Chain): boolean {
  const [last = '', before = ''] = target.toReversed();
  return isBuiltIn(last, before) || last === 'assert';
}

function isTellingText(node: Node): boolean {
  if (node.type === 'template_string' && PROCESS_FILES.test(node.text)) return true;
  const text = literalOf(node);
  if (text === undefined) return false;
  if (DEBUGGER.test(text)) return isLoaded(node);
  return PROCESS_FILES.test(text) || TEXTS.some((pattern) => pattern.test(text));
}

function isLoaded({ parent }: Node): boolean {
  if (parent === null) return false;
  const call = parent.type === 'arguments' ? parent.parent : null;
  return LOADING.has(parent.type) || LOADS.test(call?.childForFieldName('function')?.text.slice(0, 100) ?? '');
}

const GC = /^--expose[-_]gc$/;

/** What adds what is missing, and flags of V8 that change nothing that runs. */
export function passedOverIn(root: Node): ReadonlySet<number> {
  const calls = root.descendantsOfType('call_expression').flatMap((node) => node ?? []);
  const flags = calls.filter(({ text }) => /^v8\.setFlagsFromString\(/.test(text.slice(0, 30)));
  const harmless = flags.filter((node) => GC.test(literalOf(callOf(node, new Map())?.arguments[0] ?? node) ?? ''));
  const names = harmless.flatMap((node) => node.childForFieldName('function')?.childForFieldName('property')?.id ?? []);
  return new Set([...polyfillsIn(root), ...names]);
}
