/** Risky code of JavaScript and TypeScript, told by the syntax tree. Pure. */
import type { Node } from '../syntax/language.ts';
import { at, callOf, chainOf, isSum, keyOf, literalOf, targetsOf, unwrapped } from './script-nodes.ts';
import { type Aliases, type Finder, named, onEach, type TreeRule } from './tree-rule.ts';

/** Longer sums nobody reads. */
const DEEPEST = 100;
const GLOBAL: ReadonlySet<string> = new Set(['globalThis', 'window', 'self', 'global']);
const ASSIGNING = ['assignment_expression', 'augmented_assignment_expression'];

/** A finder for calls by what is called and the first argument. */
const calling =
  (isIt: (names: readonly string[], first: Node | undefined, node: Node) => boolean): Finder =>
  (node, aliases) => {
    const call = callOf(node, aliases);
    return call !== undefined && isIt(call.names, call.arguments[0], node);
  };

const RUNS_TEXT: ReadonlySet<string> = new Set([
  'runInThisContext',
  'runInNewContext',
  'runInContext',
  'compileFunction',
]);
const SHELLS: ReadonlySet<string> = new Set(['exec', 'execSync']);
const PROGRAMS: ReadonlySet<string> = new Set(['spawn', 'spawnSync', 'execFile', 'execFileSync']);
const QUERIES: ReadonlySet<string> = new Set(['query', 'execute', 'exec', 'run', 'all', 'get']);
const STATEMENT = /^\s*(?:SELECT|INSERT|UPDATE|DELETE)\b/i;
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';

export const SCRIPT_RISKS: readonly TreeRule[] = [
  {
    name: 'eval',
    finds: {
      call_expression: calling(
        ([first = '', second, ...more]) =>
          (first === 'eval' && second === undefined) ||
          (GLOBAL.has(first) && second === 'eval') ||
          RUNS_TEXT.has(more.at(-1) ?? second ?? first),
      ),
      new_expression: calling((names) => names.at(-1) === 'Function' || names.slice(-2).join('.') === 'vm.Script'),
      string: ({ text }) => /^.data:(?:text|application)\/javascript/.test(text),
    },
  },
  {
    name: 'shell-interpolation',
    finds: {
      call_expression: calling((names, first, node) => {
        const on = at(node, 'function');
        const isPattern = on !== undefined && at(on, 'object')?.type === 'regex';
        return SHELLS.has(names.at(-1) ?? '') && !isPattern && isPutTogether(first);
      }),
    },
  },
  {
    name: 'shell-option',
    finds: {
      call_expression: (node, aliases) => {
        const call = callOf(node, aliases);
        if (call === undefined || !PROGRAMS.has(call.names.at(-1) ?? '')) return false;
        const pairs = call.arguments.flatMap((one) => (one.type === 'object' ? named(one) : []));
        return pairs.filter((pair) => pair.type === 'pair' && isPair(pair, 'shell', 'true'));
      },
    },
  },
  {
    name: 'tls-disabled',
    finds: {
      pair: (node) =>
        isPair(node, 'rejectUnauthorized', 'false') || (keyOf(node) === UNCHECKED && isZero(at(node, 'value'))),
      ...onEach(ASSIGNING, (node, aliases) =>
        targetsOf(node).some((target) => {
          const name = chainOf(target, aliases).at(-1);
          const value = at(node, 'right');
          return (name === 'rejectUnauthorized' && value?.text === 'false') || (name === UNCHECKED && isZero(value));
        }),
      ),
      ...onEach(['string', 'template_string'], ({ text }) => /NODE_TLS_REJECT_UNAUTHORIZED\s*=\s*['"]?0/.test(text)),
    },
  },
  {
    name: 'raw-html',
    finds: {
      ...onEach(ASSIGNING, (node, aliases) => {
        const value = at(node, 'right');
        const isHtml = targetsOf(node).some((target) => /^(?:inner|outer)HTML$/.test(lastName(target, aliases)));
        return isHtml && (value === undefined || literalOf(value) === undefined);
      }),
      ...onEach(
        ['property_identifier', 'shorthand_property_identifier'],
        ({ text }) => text === 'dangerouslySetInnerHTML',
      ),
      call_expression: calling((names) => names.at(-2) === 'document' && names.at(-1) === 'write'),
    },
  },
  {
    name: 'sql-interpolation',
    finds: {
      call_expression: calling(
        (names, first) => QUERIES.has(names.at(-1) ?? '') && isPutTogether(first) && STATEMENT.test(beginning(first)),
      ),
    },
  },
  {
    name: 'weak-hash',
    finds: {
      call_expression: calling(
        (names, first) =>
          names.at(-1) === 'createHash' && first !== undefined && /^(?:md5|sha1)$/i.test(literalOf(first) ?? ''),
      ),
    },
  },
];

function lastName(target: Node, aliases: Aliases): string {
  return target.type === 'identifier' ? '' : (chainOf(target, aliases).at(-1) ?? '');
}

/** A text with values in it. */
function isPutTogether(node: Node | undefined, depth = 0): boolean {
  if (depth > DEEPEST) return true;
  const inner = node && unwrapped(node);
  if (inner === undefined || literalOf(inner) !== undefined) return false;
  if (inner.type === 'template_string') return true;
  return isSum(inner) && named(inner).some((part) => literalOf(part) !== undefined || isPutTogether(part, depth + 1));
}

/** How the text begins, as it is written. */
function beginning(node: Node | undefined): string {
  return node === undefined ? '' : unwrapped(node).text.replace(/^[\s('"`]+/, '');
}

function isPair(pair: Node, key: string, value: string): boolean {
  return keyOf(pair) === key && at(pair, 'value')?.text === value;
}

function isZero(value: Node | undefined): boolean {
  return value !== undefined && (value.text === '0' || literalOf(value) === '0');
}
