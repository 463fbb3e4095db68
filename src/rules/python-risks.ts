/** Risky code of Python, told by the syntax tree. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, isPlain, isSum, literalOf, partsOf, targetsOf } from './python-nodes.ts';
import { type Aliases, type Finder, named, onEach, type TreeRule } from './tree-rule.ts';

/** A finder for calls by what is called and the arguments. */
const calling =
  (isIt: (names: readonly string[], given: readonly Node[]) => boolean): Finder =>
  (node, aliases) => {
    const call = callOf(node, aliases);
    return isIt(call.names, call.arguments);
  };

/** A finder for a name that gets this value, as an argument or for good. */
function bound(wanted: string, value: string): Readonly<Record<string, Finder>> {
  return {
    ...onEach(['keyword_argument', 'default_parameter', 'typed_default_parameter'], (node) => {
      return at(node, 'name')?.text === wanted && at(node, 'value')?.type === value;
    }),
    assignment: (node, aliases) =>
      at(node, 'right')?.type === value && targetsOf(node).some((target) => chainOf(target, aliases).at(-1) === wanted),
  };
}

const UNCHECKED: ReadonlySet<string> = new Set(['_create_unverified_context', 'CERT_NONE']);
const SHELLS: ReadonlySet<string> = new Set(['os.system', 'os.popen']);
const LOADS: ReadonlySet<string> = new Set(['pickle.load', 'pickle.loads', 'marshal.load', 'marshal.loads']);
const WEAK: ReadonlySet<string> = new Set(['hashlib.md5', 'hashlib.sha1']);
const QUERIES: ReadonlySet<string> = new Set(['query', 'execute', 'exec', 'run', 'all', 'get']);
const STATEMENT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/i;
const BUILT_INS: ReadonlySet<string> = new Set(['builtins', '__builtins__']);

const ends = (names: readonly string[], wanted: ReadonlySet<string>) => wanted.has(names.slice(-2).join('.'));

export const PYTHON_RISKS: readonly TreeRule[] = [
  {
    name: 'tls-disabled',
    finds: {
      ...bound('verify', 'false'),
      identifier: ({ text }) => UNCHECKED.has(text),
      string: ({ text }) => /NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*['"]?0/.test(text),
    },
  },
  {
    name: 'sql-interpolation',
    finds: {
      call: calling((names, [first]) => {
        return (
          QUERIES.has(names.at(-1) ?? '') &&
          first !== undefined &&
          isPutTogether(first) &&
          STATEMENT.test(beginning(first))
        );
      }),
    },
  },
  {
    name: 'python-eval',
    finds: {
      call: calling((names) => {
        const [name = '', on] = names.toReversed();
        return (name === 'eval' || name === 'exec') && (on === undefined || (names.length === 2 && BUILT_INS.has(on)));
      }),
      exec_statement: () => true,
    },
  },
  {
    name: 'python-shell',
    finds: { ...bound('shell', 'true'), call: calling((names) => ends(names, SHELLS)) },
  },
  {
    name: 'unsafe-load',
    finds: {
      call: (node, aliases) => {
        const { names, arguments: given } = callOf(node, aliases);
        const isSafe = given.some(({ text }) => text.includes('SafeLoader'));
        const reads = ends(names, LOADS) && !isOwnDump(names, given[0], aliases);
        return reads || (names.slice(-2).join('.') === 'yaml.load' && !isSafe);
      },
    },
  },
  { name: 'weak-hash', finds: { call: calling((names) => ends(names, WEAK)) } },
];

/** There and back in one expression: what is read was written by the same module a moment ago. */
function isOwnDump(loads: readonly string[], given: Node | undefined, aliases: Aliases): boolean {
  if (given?.type !== 'call') return false;
  const { names } = callOf(given, aliases);
  return names.at(-1) === 'dumps' && names.slice(0, -1).join('.') === loads.slice(0, -1).join('.');
}

/** A text with values in it. */
function isPutTogether(node: Node, depth = 0): boolean {
  if (depth > 100) return true;
  if (literalOf(node) !== undefined) return false;
  if (node.type === 'string') return !isPlain(node);
  if (node.type === 'binary_operator' && !isSum(node)) return named(node)[0]?.type === 'string';
  return partsOf(node)?.some((part) => literalOf(part) !== undefined || isPutTogether(part, depth + 1)) ?? false;
}

/** How the text begins, as it is written. */
function beginning(node: Node): string {
  return node.text.replace(/^[\s(]*[rbfuRBFU]{0,2}['"]+/, '');
}
