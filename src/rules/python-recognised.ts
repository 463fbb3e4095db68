/** A product of Python that asks whether it is being tested: it could answer its tests otherwise than everybody else. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, literalOf } from './python-nodes.ts';
import { around, below, CALLED_BY_TESTS, SET_BY_RUNNERS, STARTED_BY_TESTS } from './runner-names.ts';
import { type Aliases, insideOf, named, onEach, type TreeRule } from './tree-rule.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const RUNNERS = words('pytest _pytest unittest nose');
const ASKS = words('sys.modules.get sys.modules.__contains__');
/** Where it stands by which program this one was started. */
const STARTED = words('sys.argv sys.orig_argv');
/** What gives the callers. */
const STACKS = words('sys._getframe inspect.stack inspect.currentframe traceback.extract_stack traceback.format_stack');
const BLOCKS = words('block module');
const STATEMENTS = words('expression_statement if_statement elif_clause while_statement return_statement module');
const SUMS = ['concatenated_string', 'binary_operator'];
const TEXTS = ['string', ...SUMS];

export const PYTHON_RECOGNISED: TreeRule = {
  name: 'test-recognised',
  finds: {
    ...onEach(TEXTS, (node) => SET_BY_RUNNERS.test(literalOf(node) ?? '')),
    comparison_operator: asksForModule,
    subscript: (node, aliases) => isModules(at(node, 'value'), aliases) && isRunner(at(node, 'subscript')),
    attribute: (node, aliases) =>
      STARTED.has(chainOf(node, aliases, 3).join('.')) && startedByTests(below(node, STATEMENTS)).length > 0,
    call: asksWhoCalls,
  },
};

/** `'pytest' in sys.modules`. */
function asksForModule(node: Node, aliases: Aliases): boolean {
  const [left, right] = named(node);
  const isIn = /\bin$/.test(at(node, 'operators')?.text ?? '');
  return isIn && isRunner(left) && isModules(right, aliases);
}

function isModules(node: Node | undefined, aliases: Aliases): boolean {
  if (node === undefined) return false;
  return chainOf(node, aliases).join('.') === 'sys.modules' || /\bsys\.modules\b/.test(node.text.slice(0, 100));
}

function isRunner(node: Node | undefined): boolean {
  // `unittest.case` is there when `unittest` is.
  return node !== undefined && RUNNERS.has(literalOf(node)?.split('.')[0] ?? '');
}

const calledByTests = insideOf(TEXTS, (node) => isUsed(node) && CALLED_BY_TESTS.test(textOf(node)));
const startedByTests = insideOf(TEXTS, (node) => STARTED_BY_TESTS.test(textOf(node)));

/** Of a sum what it comes to, and nothing where that is not known: its parts are looked at by themselves. */
function textOf(node: Node): string {
  return SUMS.includes(node.type) ? (literalOf(node) ?? '') : node.text;
}

/** Descriptions speak of tests. */
function isUsed({ parent }: Node): boolean {
  return parent?.type !== 'expression_statement';
}

function asksWhoCalls(node: Node, aliases: Aliases): boolean {
  const { names, arguments: given } = callOf(node, aliases);
  const name = names.join('.');
  return (ASKS.has(name) && isRunner(given[0])) || (STACKS.has(name) && calledByTests(around(node, BLOCKS)).length > 0);
}
