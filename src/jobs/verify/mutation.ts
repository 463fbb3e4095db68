/** Small deliberate faults in product code: a test that guards behaviour has to notice at least one of them. */
import { inTurns } from '../../syntax/faults.ts';

export interface Mutant {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly operator: string;
  /** The line as it was and as it is with the fault. */
  readonly before: string;
  readonly after: string;
  /** The whole file with the fault. */
  readonly text: string;
}

interface Operator {
  readonly name: string;
  readonly files: RegExp;
  readonly pattern: RegExp;
  readonly replacement: string | ((match: string) => string);
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const PYTHON = /\.py$/;
const ANY = /\.(?:[cm]?[jt]sx?|py)$/;
const SWAPPED: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<=': '>',
  '>=': '<',
  '<': '>=',
  '>': '<=',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  and: 'or',
  or: 'and',
  true: 'false',
  false: 'true',
  True: 'False',
  False: 'True',
};
const swap = (match: string) => match.replace(/\S+/, (symbol) => SWAPPED[symbol] ?? symbol);

/** In the order in which they are tried: first what changes an answer, then what leaves it out, because a service that answers nothing keeps its test waiting. */
const OPERATORS: readonly Operator[] = [
  { name: 'comparison swapped', files: ANY, pattern: /===|!==|==|!=|<=|(?<![=-])>=|\s<\s|\s>\s/, replacement: swap },
  { name: 'text of a template changed', files: SCRIPT, pattern: /\$\{[^{}]+\}/, replacement: () => 'mutated' },
  {
    name: 'string changed',
    files: ANY,
    pattern: /'[^'\\\n]+'|"[^"\\\n]+"|`[^`$\\\n]+`/,
    replacement: (text) => `${text[0]}mutated${text[0]}`,
  },
  { name: 'logic swapped', files: SCRIPT, pattern: /&&|\|\|/, replacement: swap },
  { name: 'logic swapped', files: PYTHON, pattern: /\s(?:and|or)\s/, replacement: swap },
  { name: 'truth swapped', files: ANY, pattern: /\b(?:true|false|True|False)\b/, replacement: swap },
  {
    name: 'number changed',
    files: ANY,
    pattern: /(?<![\w.$])\d+(?![\w.])/,
    replacement: (digits) => String(Number(digits) + 1),
  },
  { name: 'arithmetic swapped', files: ANY, pattern: /\s[+\-*/]\s/, replacement: swap },
  {
    name: 'return value removed',
    files: SCRIPT,
    pattern: /\breturn\s+[^;{([]+;?\s*$|\breturn\s+\S[^;]*;/,
    replacement: 'return undefined;',
  },
  { name: 'return value removed', files: PYTHON, pattern: /\breturn\s+\S.*$/, replacement: 'return None' },
  { name: 'arrow result removed', files: SCRIPT, pattern: /=>\s*(?![{\s(])[^,;)]+/, replacement: '=> undefined' },
  { name: 'call removed', files: SCRIPT, pattern: /^(\s*)(?:await\s+)?[\w.]+\([^;{]*\);\s*$/, replacement: '$1;' },
  { name: 'call removed', files: PYTHON, pattern: /^(\s*)[\w.]+\([^:]*\)\s*$/, replacement: '$1pass' },
];

/** Lines that hold no behaviour of their own. */
const SKIPPED =
  /^\s*(?:\/\/|\/?\*|#|import\b|\}\s*from\b|from\s+\S+\s+import\b|export\s+(?:\*|\{)|"""|'''|@|$)|\brequire\(/;

/** Whether there are operators for the file. */
export function isMutable(path: string): boolean {
  return ANY.test(path) && !path.endsWith('.d.ts');
}

/** All mutants of a file, one fault each, in a fixed order; with `lines`, only those on these lines. */
export function mutantsOf(path: string, text: string, lines?: ReadonlySet<number>): readonly Mutant[] {
  const all = text.split('\n');
  const byOperator = OPERATORS.filter(({ files }) => files.test(path)).map((operator) =>
    all.flatMap((before, index) => {
      if (SKIPPED.test(before) || lines?.has(index + 1) === false) return [];
      return faultsOf(before, operator).map((after) => ({
        path,
        line: index + 1,
        operator: operator.name,
        before,
        after,
        text: all.with(index, after).join('\n'),
      }));
    }),
  );
  return inTurns(byOperator.map(spread));
}

/** The items from all over the list in turns, so that a limit leaves no part of a long file out. */
function spread<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length <= 2) return items;
  const middle = Math.ceil(items.length / 2);
  return inTurns([spread(items.slice(0, middle)), spread(items.slice(middle))]);
}

/** The line with the fault at each place where the operator fits. */
function faultsOf(line: string, { pattern, replacement }: Operator): readonly string[] {
  const matches = [...line.matchAll(new RegExp(pattern, 'g'))];
  return matches
    .map((match) => {
      const found = match[0];
      const fault =
        typeof replacement === 'string' ? found.replace(new RegExp(pattern), replacement) : replacement(found);
      return line.slice(0, match.index) + fault + line.slice(match.index + found.length);
    })
    .filter((after) => after !== line && openedBy(after) === openedBy(line));
}

/** Brackets and templates that the line leaves open; a fault that changes this breaks the lines around it. */
function openedBy(line: string): string {
  const count = (symbol: string) => line.split(symbol).length - 1;
  const brackets = ['()', '[]', '{}'].map(([open = '', close = '']) => count(open) - count(close));
  return [...brackets, count('`') % 2].join();
}
