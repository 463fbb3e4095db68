/** What passes every expectation, in a product: objects that are equal to everything, expectations that it replaces. Tests may have them. Pure. */
import type { Node } from '../syntax/language.ts';
import { alwaysEqual, isAlwaysEqualBy, isGivenAlwaysEqual, isSetAlwaysEqual } from './python-equality.ts';
import { chainOf, callOf as pythonCallOf, targetsOf, literalOf as textOf } from './python-nodes.ts';
import { callOf, literalOf } from './script-nodes.ts';
import { type Aliases, named, onEach, type TreeRule } from './tree-rule.ts';

/** By which Jest and Vitest know such an object, and where they keep all expectations. */
const TEXTS = /^(?:asymmetricMatch|jest\.asymmetricMatcher|\$\$jest-matchers-object)$/;
const REPLACES: ReadonlySet<string> = new Set(['expect.extend', 'expect.addEqualityTesters', 'chai.use']);
const OVERWRITES = /^overwrite(?:Method|Property|ChainableMethod)$/;

export const SCRIPT_EQUAL_TO_ALL: TreeRule = {
  name: 'judge-tampering',
  finds: {
    ...onEach(['identifier', 'property_identifier', 'shorthand_property_identifier'], isMatcher),
    ...onEach(['string', 'template_string', 'binary_expression'], (node) => TEXTS.test(literalOf(node) ?? '')),
    call_expression: replacesByCall,
  },
};

function isMatcher({ text }: Node): boolean {
  return text === 'asymmetricMatch';
}

function replacesByCall(node: Node, aliases: Aliases): boolean {
  const names = callOf(node, aliases)?.names ?? [];
  return REPLACES.has(names.slice(-2).join('.')) || OVERWRITES.test(names.at(-1) ?? '');
}

const ANYTHING = /(?:^|\.)mock\.(?:ANY|_ANY)$/;
const OF_MOCKS = /^(?:unittest\.)?mock$/;

export const PYTHON_EQUAL_TO_ALL: TreeRule = {
  name: 'judge-tampering',
  finds: {
    identifier: ({ text }, aliases) => ANYTHING.test(aliases.get(text)?.join('.') ?? ''),
    attribute: (node, aliases) => ANYTHING.test(chainOf(node, aliases).join('.')),
    import_from_statement: importsAnything,
    call: (node, aliases) => getsAnything(node, aliases) || setsAlwaysEqual(node, aliases),
    function_definition: alwaysEqual,
    ...onEach(['pair', 'keyword_argument'], isGivenAlwaysEqual),
    assignment: (node) =>
      targetsOf(node).filter((target) => isSetAlwaysEqual(target, node.childForFieldName('right') ?? undefined)),
  },
};

/** `from unittest.mock import ANY`, and all that is in it. */
function importsAnything(node: Node): readonly Node[] {
  if (!OF_MOCKS.test(node.childForFieldName('module_name')?.text ?? '')) return [];
  return named(node).filter(({ type, text }) => type === 'wildcard_import' || /^_?ANY\b/.test(text));
}

/** `getattr(mock, 'ANY')`. */
function getsAnything(node: Node, aliases: Aliases): boolean {
  const { names, arguments: given } = pythonCallOf(node, aliases);
  const [object, name] = given;
  if (names.join() !== 'getattr' || object === undefined || name === undefined) return false;
  return ANYTHING.test([...chainOf(object, aliases), textOf(name) ?? ''].join('.'));
}

function setsAlwaysEqual(node: Node, aliases: Aliases): boolean {
  const { names, arguments: given } = pythonCallOf(node, aliases);
  return names.join() === 'setattr' && isAlwaysEqualBy(given);
}
