/** Where the statements of JavaScript and TypeScript stand, and what can be put before them. */
import type { Insertion, Node } from './language.ts';

const STATEMENTS: ReadonlySet<string> = new Set([
  'expression_statement',
  'return_statement',
  'throw_statement',
  'if_statement',
  'for_statement',
  'for_in_statement',
  'while_statement',
  'do_statement',
  'switch_statement',
  'try_statement',
  'lexical_declaration',
  'variable_declaration',
  'continue_statement',
]);

/** What stands in a loop's head or behind a label stays there. */
export function isStatement({ type, parent, startIndex }: Node): boolean {
  if (!STATEMENTS.has(type) || parent === null || parent.type === 'labeled_statement') return false;
  return !HEADS.has(parent.type) || parent.childForFieldName('body')?.startIndex === startIndex;
}

const HEADS: ReadonlySet<string> = new Set(['for_statement', 'for_in_statement']);

/** Where statements stand in a row; elsewhere only one has its place, and needs braces with another. */
const ROWS: ReadonlySet<string> = new Set([
  'program',
  'statement_block',
  'switch_case',
  'switch_default',
  'class_static_block',
]);

/** The first semicolon is for a line before that has none. */
export function beforeStatement({ startIndex, endIndex, parent }: Node, code: string): readonly Insertion[] {
  if (ROWS.has(parent?.type ?? '')) return [{ at: startIndex, text: `;${code};` }];
  return [
    { at: startIndex, text: `{${code};` },
    { at: endIndex, text: '}' },
  ];
}

/** The code that adds the mark to the file, once in a process. */
export function marking(file: string, mark: string): string {
  const add = `process.getBuiltinModule('fs').appendFileSync(${JSON.stringify(file)},${JSON.stringify(`${mark}\n`)})`;
  const key = JSON.stringify(mark);
  // A line before that lacks its semicolon goes on with a bracket, and ends at a word. No syntax that an old Babel refuses.
  return `void ((globalThis.__reached||(globalThis.__reached=new Set())).has(${key})||(globalThis.__reached.add(${key}),${add}))`;
}
