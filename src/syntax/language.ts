/** What a programming language is here: one table each, which says where its syntax tree can take a fault, and which. Pure. */
import type { Node } from '@vscode/tree-sitter-wasm';

export type { Node } from '@vscode/tree-sitter-wasm';

/** What is done to the code, in the words of mutation testing. */
export type FaultKind =
  | 'condition'
  | 'comparison'
  | 'boundary'
  | 'boolean'
  | 'negation'
  | 'absence'
  | 'arithmetic'
  | 'constant'
  | 'string'
  | 'return'
  | 'call'
  | 'assignment'
  | 'branch'
  | 'exception';

/** One piece of a text in place of another; offsets in UTF-16 code units. */
export interface Edit {
  readonly kind: FaultKind;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What the fault does, for people: "`a > b` becomes `a >= b`". */
  readonly sentence: string;
}

/** One piece of a text in place of another, whatever for. */
export type Replacement = Pick<Edit, 'start' | 'end' | 'text'>;

/** The faults that one node can take. */
export type FaultsOf = (node: Node) => readonly Edit[];

export interface Language {
  readonly name: string;
  /** The parser's file among the parsers. */
  readonly grammar: string;
  /** The parser of a text that the first finds errors in and this one none. */
  readonly otherGrammar?: string;
  readonly files: RegExp;
  /** Types of nodes that are a unit of behaviour: faults are spread over them. */
  readonly functions: ReadonlySet<string>;
  /** Nodes below which nothing is done: they hold no behaviour, or none that a test is asked to look at, as the words of a message. */
  readonly isLeftOut: (node: Node) => boolean;
  /** By type of node. */
  readonly faults: Readonly<Record<string, FaultsOf>>;
  /** Whether the node is a statement before which something else can be done. */
  readonly isStatement: (node: Node) => boolean;
  /** What has to be put in for the code, a statement without its end, to run before the statement. */
  readonly before: (statement: Node, code: string) => readonly Insertion[];
  /** Ends the whole process: what is green with it never came there. */
  readonly ending: string;
  /** Adds the mark to a file, once in a process. */
  readonly marking: (file: string, mark: string) => string;
}

/** A text put in; the offset is in UTF-16 code units. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

const SHOWN = 60;

/** Code as a sentence quotes it: one line, no backquote, not long. */
export function quoted(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ').replaceAll('`', "'").trim();
  return `\`${line.length > SHOWN ? `${line.slice(0, SHOWN - 1).toWellFormed()}…` : line}\``;
}

/** A node becomes another text; `whole` is what the sentence shows around it. */
export function becomes(kind: FaultKind, node: Node, text: string, whole: Node = node): Edit {
  const { startIndex: start, endIndex: end } = node;
  const before = whole.text;
  const from = start - whole.startIndex;
  const after = `${before.slice(0, from)}${text}${before.slice(from + end - start)}`;
  return { kind, start, end, text, sentence: `${quoted(before)} becomes ${quoted(after)}` };
}

/** A node is left out; `text` is what stands there instead, where something has to. */
export function leftOut(kind: FaultKind, node: Node, text: string): Edit {
  const { startIndex: start, endIndex: end } = node;
  return { kind, start, end, text, sentence: `${quoted(node.text)} is left out` };
}

/** A condition that always or never holds. */
export function forced(node: Node, text: string, always: 'always' | 'never'): Edit {
  const { startIndex: start, endIndex: end } = node;
  return {
    kind: 'condition',
    start,
    end,
    text,
    sentence: `the condition ${quoted(node.text)} ${always === 'always' ? 'always' : 'never'} holds`,
  };
}

/** What an operator can become. */
export type Operators = Readonly<Record<string, readonly (readonly [FaultKind, string])[]>>;

/** Those that every language here has. */
export const COMMON_OPERATORS: Operators = {
  '==': [['comparison', '!=']],
  '!=': [['comparison', '==']],
  '<': [
    ['comparison', '>='],
    ['boundary', '<='],
  ],
  '<=': [
    ['comparison', '>'],
    ['boundary', '<'],
  ],
  '>': [
    ['comparison', '<='],
    ['boundary', '>='],
  ],
  '>=': [
    ['comparison', '<'],
    ['boundary', '>'],
  ],
  '+': [['arithmetic', '-']],
  '-': [['arithmetic', '+']],
  '*': [['arithmetic', '/']],
  '/': [['arithmetic', '*']],
  '%': [['arithmetic', '*']],
  '**': [['arithmetic', '*']],
  '&': [['arithmetic', '|']],
  '|': [['arithmetic', '&']],
  '^': [['arithmetic', '&']],
  '<<': [['arithmetic', '>>']],
  '>>': [['arithmetic', '<<']],
  '+=': [['arithmetic', '-=']],
  '-=': [['arithmetic', '+=']],
  '*=': [['arithmetic', '/=']],
  '/=': [['arithmetic', '*=']],
};

/** The operators of a node become others, as the table knows them. */
export function swapped(node: Node, operators: Operators): readonly Edit[] {
  return node.children.flatMap((child) =>
    child === null || child.isNamed
      ? []
      : (operators[child.text] ?? []).map(([kind, text]) => becomes(kind, child, text, node)),
  );
}

/** A whole number is one more, any other number is 0. */
export function otherNumber(node: Node): readonly Edit[] {
  const text = /^\d+$/.test(node.text) ? String(BigInt(node.text) + 1n) : '0';
  return Number(node.text) === 0 && text === '0' ? [] : [becomes('constant', node, text)];
}
