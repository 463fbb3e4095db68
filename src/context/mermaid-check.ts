/**
 * Checks Mermaid texts with the real parser, which needs a DOM to load.
 * Sources: https://mermaid.js.org/config/usage.html (parse), PLATFORM.md (at most 40 nodes, no clicks, no directives).
 */
import type { Mermaid } from 'mermaid';
import { isWildMermaid } from '../guard/outgoing-rules.ts';

export interface DiagramProblem {
  /** Line of the text as given, from 1. */
  readonly line: number;
  /** One sentence, or the parser's own words: the place, an arrow below it, and what it expected. */
  readonly message: string;
}

export const MAX_NODES = 40;

/** What the parser accepts and a reviewed document must not hold: configuration and interaction. */
const FORBIDDEN: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /^\s*---\s*\n/, name: 'front matter' },
  { pattern: /%%\s*\{/, name: 'a directive' },
  { pattern: /```/, name: 'a code fence' },
  { pattern: /(?:^|;)[ \t]*(?:click|links?|callback|href|properties|details)\s/im, name: 'a click or link' },
];

/** The diagram's problems, empty when it parses and holds nothing forbidden. `type` is the word it must start with. */
export async function diagramProblems(
  text: string,
  type: 'flowchart' | 'sequenceDiagram',
): Promise<readonly DiagramProblem[]> {
  const source = text.replaceAll(/\r\n?/g, '\n');
  const forbidden = forbiddenIn(source);
  if (forbidden.length > 0) return forbidden;
  const kept = keptLines(source);
  const first = kept[0];
  if (first === undefined) return [{ line: 1, message: 'The diagram is empty.' }];
  if (!startsWith(first.text, type))
    return [
      {
        line: first.line,
        message: `The diagram must start with \`${type}\`, not \`${first.text.trim().slice(0, 40)}\`.`,
      },
    ];
  return parseProblems(kept);
}

function startsWith(line: string, type: 'flowchart' | 'sequenceDiagram'): boolean {
  return type === 'flowchart' ? /^\s*(?:flowchart|graph)\b/.test(line) : /^\s*sequenceDiagram\b/.test(line);
}

function forbiddenIn(source: string): readonly DiagramProblem[] {
  const named = FORBIDDEN.flatMap(({ pattern, name }) => {
    const match = pattern.exec(source);
    if (match === null) return [];
    const at = match.index + match[0].search(/\S/);
    return [{ line: source.slice(0, at).split('\n').length, message: `The diagram holds ${name}; leave it out.` }];
  });
  if (named.length > 0) return named;
  // What leaves would be shown as text, and the packet would lack a diagram that was approved.
  const wild = source.split('\n').findIndex(isWildMermaid);
  const message = 'The diagram holds HTML, an image, an address or a link; use plain words and `<br>`.';
  return wild < 0 ? [] : [{ line: wild + 1, message }];
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Without blank and comment lines: the parser drops them, and its line numbers then count the rest. */
function keptLines(source: string): readonly Line[] {
  return source
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => text.trim() !== '' && !/^\s*%%/.test(text));
}

/** What was found in the last texts: a plan that is drafted once more mostly keeps its diagrams. */
const FOUND = new Map<string, readonly DiagramProblem[]>();
const MOST_FOUND = 20;
/** Characters of what the parser says: it lists every sign that it would have taken. */
const LONGEST_WORDS = 1000;

async function parseProblems(kept: readonly Line[]): Promise<readonly DiagramProblem[]> {
  const key = JSON.stringify(kept);
  const known = FOUND.get(key);
  if (known !== undefined) return known;
  const problems = await parsed(kept);
  if (FOUND.size >= MOST_FOUND) FOUND.clear();
  FOUND.set(key, problems);
  return problems;
}

async function parsed(kept: readonly Line[]): Promise<readonly DiagramProblem[]> {
  const mermaid = await loadMermaid();
  const text = `${kept.map((line) => line.text).join('\n')}\n`;
  try {
    const count = countOf((await mermaid.mermaidAPI.getDiagramFromText(text)).db);
    if (count <= MAX_NODES) return [];
    return [
      { line: kept[0]?.line ?? 1, message: `The diagram has ${count} nodes; at most ${MAX_NODES} fit a screen.` },
    ];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const at = (firstLineOf(error) ?? 1) - 1;
    const line = (kept[at] ?? kept.at(-1))?.line ?? 1;
    return [{ line, message: wordsOf(error) }];
  }
}

/** All that the parser says, but its line number: it counts lines without blank ones and comments. */
function wordsOf({ message }: Error): string {
  return (
    message
      .replace(/ on line \d+/, '')
      .trim()
      .slice(0, LONGEST_WORDS) || 'Parse error'
  );
}

/** The parser's own errors carry `hash.loc.first_line`; others have no line. */
function firstLineOf(error: Error): number | undefined {
  const location: unknown = Reflect.get(Object(Reflect.get(error, 'hash')), 'loc');
  const line: unknown = Reflect.get(Object(location), 'first_line');
  return typeof line === 'number' ? line : undefined;
}

/** Vertices of a flowchart, or actors of a sequence. */
function countOf(db: object): number {
  return Math.max(...['getVertices', 'getActors'].map((name) => sizeOf(Reflect.get(db, name), db)));
}

function sizeOf(get: unknown, db: object): number {
  if (typeof get !== 'function') return 0;
  const found: unknown = Reflect.apply(get, db, []);
  return found instanceof Map ? found.size : Object.keys(Object(found)).length;
}

let loading: Promise<Mermaid> | undefined;

function loadMermaid(): Promise<Mermaid> {
  loading ??= importWithDom();
  return loading;
}

/**
 * Mermaid's sanitizer takes its window while it is imported. The globals go away again at once:
 * libraries such as the model's client take a global `window` for a browser and refuse to hold a key.
 */
async function importWithDom(): Promise<Mermaid> {
  const { parseHTML } = await import('linkedom');
  const { window, document, Element } = parseHTML('<!doctype html><html><body></body></html>');
  Object.assign(globalThis, { window, document, Element });
  try {
    const { default: mermaid } = await import('mermaid');
    mermaid.initialize({ startOnLoad: false, securityLevel: 'strict' });
    return mermaid;
  } finally {
    for (const name of ['window', 'document', 'Element']) Reflect.deleteProperty(globalThis, name);
  }
}
