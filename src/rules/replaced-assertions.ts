/** Assertions of a test library that get another meaning: all tests of the file then ask something else than they say. Pure. */
import type { Node } from '../syntax/language.ts';
import { at as pythonAt } from './python-nodes.ts';
import { at, callOf, literalOf } from './script-nodes.ts';
import { named, type TreeRule } from './tree-rule.ts';

/** Of Jest and Vitest. */
const MATCHERS =
  /^to(?:Be|Equal|StrictEqual|Match|MatchObject|Contain|ContainEqual|Throw|ThrowError|Have(?:Length|Property)|Have(?:Been|Last|Nth)\w+|Be(?:Truthy|Falsy|Null|Undefined|Defined|NaN|CloseTo|InstanceOf|TypeOf|OneOf|(?:Greater|Less)Than(?:OrEqual)?))$/;

export const SCRIPT_REPLACED: TreeRule = {
  name: 'assertion-replaced',
  finds: {
    call_expression(node, aliases) {
      const { names = [], arguments: [first] = [] } = callOf(node, aliases) ?? {};
      const isExtending = names.slice(-2).join('.') === 'expect.extend';
      return isExtending && first !== undefined && keysOf(first).some((name) => MATCHERS.test(name));
    },
  },
};

/** The names in an object, or in one that the file keeps under this name. */
function keysOf(given: Node): readonly string[] {
  const object = given.type === 'identifier' ? (declaredAs(given) ?? given) : given;
  return named(object).flatMap((part) => {
    const key = part.type === 'shorthand_property_identifier' ? part : (at(part, 'key') ?? at(part, 'name'));
    return key === undefined ? [] : [literalOf(key) ?? key.text];
  });
}

function declaredAs({ text, tree }: Node): Node | undefined {
  const declared = tree.rootNode.descendantsOfType('variable_declarator').flatMap((node) => node ?? []);
  const own = declared.find((node) => at(node, 'name')?.text === text);
  return own && at(own, 'value');
}

/** Of `unittest`. */
const ASSERTIONS =
  /^(?:assert(?:Not)?(?:Equals?|Is(?:None|Instance)?|In|True|False|AlmostEqual|Regex|Raises(?:Regex)?|Greater(?:Equal)?|Less(?:Equal)?|CountEqual|(?:List|Dict|Tuple|Set|Sequence|MultiLine)Equal)|fail(?:If|Unless)?)$/;

export const PYTHON_REPLACED: TreeRule = {
  name: 'assertion-replaced',
  finds: {
    function_definition(node) {
      const name = pythonAt(node, 'name');
      const owner = node.parent?.parent;
      if (name === undefined || !ASSERTIONS.test(name.text) || owner?.type !== 'class_definition') return false;
      const isCase = /TestCase\b/.test(pythonAt(owner, 'superclasses')?.text ?? '');
      return isCase && !asksToo(pythonAt(node, 'body')?.text ?? '', name.text) ? [name] : false;
    },
  },
};

/** One that asks what it stands for, with something before or after, keeps its meaning. */
function asksToo(body: string, name: string): boolean {
  return new RegExp(`(?:super\\([^)]*\\)|TestCase)\\.${name}\\(`).test(body);
}
