/** A product of JavaScript or TypeScript that asks whether it is being tested: it could answer its tests otherwise than everybody else. Pure. */
import type { Node } from '../syntax/language.ts';
import { around, below, CALLED_BY_TESTS, SET_BY_RUNNERS, STARTED_BY_TESTS } from './runner-names.ts';
import { at, callOf, chainOf, literalOf } from './script-nodes.ts';
import { type Aliases, insideOf, onEach, type TreeRule } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Globals that are there in tests only, but for words that programs use for something else. */
const GLOBALS = words('jest vi describe beforeEach afterEach beforeAll afterAll');
const GLOBAL = words('globalThis global window self');
/** Where it stands by which program this one was started. */
const STARTED = words('process.argv process.execArgv require.main process.mainModule');
const BLOCKS = words('statement_block program');
const STATEMENTS = words(
  'expression_statement if_statement while_statement return_statement lexical_declaration variable_declaration program',
);
const TEXTS = ['string', 'template_string', 'binary_expression', 'regex'];

export const SCRIPT_RECOGNISED: TreeRule = {
  name: 'test-recognised',
  finds: {
    ...onEach(['property_identifier', 'shorthand_property_identifier_pattern'], ({ text }) =>
      SET_BY_RUNNERS.test(text),
    ),
    // As a name of its own `VITEST` may be anything else.
    identifier: ({ text }) => text.startsWith('__vitest_'),
    ...onEach(['string', 'template_string', 'binary_expression'], (node) => SET_BY_RUNNERS.test(literalOf(node) ?? '')),
    unary_expression: asksForGlobal,
    member_expression: asksWhoRuns,
    call_expression: (node, aliases) =>
      callOf(node, aliases)?.names.join('.') === 'Error.captureStackTrace' && isReadForTests(node),
  },
};

/** `typeof jest`. */
function asksForGlobal(node: Node, aliases: Aliases): boolean {
  const asked = at(node, 'operator')?.text === 'typeof' ? at(node, 'argument') : undefined;
  const [first = '', second = first, ...more] = asked === undefined ? [] : chainOf(asked, aliases);
  return more.length === 0 && GLOBALS.has(second) && (first === second || GLOBAL.has(first));
}

const calledByTests = insideOf(TEXTS, (node) => CALLED_BY_TESTS.test(textOf(node)));
const startedByTests = insideOf(TEXTS, (node) => STARTED_BY_TESTS.test(textOf(node)));

/** Of a sum what it comes to, and nothing where that is not known: its parts are looked at by themselves. */
function textOf(node: Node): string {
  return node.type === 'binary_expression' ? (literalOf(node) ?? '') : node.text;
}

/** Whether a stack made for it, or how the program was started, is looked through for tests. */
function asksWhoRuns(node: Node, aliases: Aliases): boolean {
  if (at(node, 'property')?.text === 'stack') return isFreshError(at(node, 'object')) && isReadForTests(node);
  return STARTED.has(chainOf(node, aliases, 3).join('.')) && startedByTests(below(node, STATEMENTS)).length > 0;
}

function isReadForTests(node: Node): boolean {
  return calledByTests(around(node, BLOCKS)).length > 0;
}

/** Made here, or kept under a name that stands for nothing else. */
function isFreshError(node: Node | undefined): boolean {
  if (node?.type !== 'identifier') return isMade(node);
  const declared = node.tree.rootNode.descendantsOfType('variable_declarator').flatMap((one) => one ?? []);
  const own = declared.filter((one) => at(one, 'name')?.text === node.text);
  return own.length > 0 && own.every((one) => isMade(at(one, 'value')));
}

function isMade(node: Node | undefined): boolean {
  return /^(?:\(\s*)?(?:new\s+)?\w*Error\s*\(/.test(node?.text.slice(0, 60) ?? '');
}
