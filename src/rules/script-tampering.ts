/** How JavaScript and TypeScript reach for what judges the tests, told by the syntax tree. Pure. */
import type { Node } from '../syntax/language.ts';
import { callOf, chainOf, literalOf, targetsOf } from './script-nodes.ts';
import { type Aliases, onEach, type TreeRule, UNNAMED } from './tree-rule.ts';

const BUILT_IN: ReadonlySet<string> = new Set(
  'Object Function Array String Number Promise RegExp Map Set JSON Reflect'.split(' '),
);
/** Of these nothing is defined anew, but for the prototypes of anything. */
const DEFINED_ANEW: ReadonlySet<string> = new Set(['Object', 'Promise', 'JSON', 'Reflect']);
const NAMES: ReadonlySet<string> = new Set(
  'syncBuiltinESMExports NODE_TEST_CONTEXT _extensions setFlagsFromString promiseHooks'.split(' '),
);
const DEFINES: ReadonlySet<string> = new Set(['defineProperty', 'defineProperties']);
/** What writes into its first argument. */
const WRITES: ReadonlySet<string> = new Set(['Object.assign', 'Reflect.set', 'Object.setPrototypeOf']);

/** By which a process ends, and tells so. */
const OF_PROCESS: ReadonlySet<string> = new Set(['exit', 'reallyExit', 'emit']);

const TEXTS: readonly RegExp[] = [
  /^(?:node:)?inspector(?:\/promises)?$/,
  /^(?:syncBuiltinESMExports|_extensions|setFlagsFromString|promiseHooks)$/,
  /\bNODE_TEST_CONTEXT\b|\btracing:node\.test\b/,
];
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
    (before === 'process' && OF_PROCESS.has(last)) ||
    // The prototype of what has no name is often one of everybody's.
    (before === '__proto__' && third === UNNAMED) ||
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
    (last === 'prototype' && before === 'Module') ||
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
  if (DEFINES.has(last)) return isDefinedAnew(target);
  return WRITES.has(`${before}.${last}`) && isWhollyBuiltIn(target);
}

function isDefinedAnew(target: Chain): boolean {
  const isOfAClass = target.length === 2 && target[1] === 'prototype';
  return isOfAClass || DEFINED_ANEW.has(target.at(-1) ?? '') || isWhollyBuiltIn(target);
}

function isWhollyBuiltIn(target: Chain): boolean {
  const [last = '', before = ''] = target.toReversed();
  return isBuiltIn(last, before) || last === 'assert';
}

function isTellingText(node: Node): boolean {
  if (node.type === 'template_string' && PROCESS_FILES.test(node.text)) return true;
  const text = literalOf(node);
  return text !== undefined && (PROCESS_FILES.test(text) || TEXTS.some((pattern) => pattern.test(text)));
}
