/** Reads YAML that people wrote, or says in one sentence what is wrong and where. Pure. */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface ReadYaml {
  readonly value: unknown;
  /** Where the key, or the value, at this path stands. */
  readonly placeOf: (path: readonly PropertyKey[], part: 'key' | 'value') => Place;
}

export interface YamlProblem extends Place {
  /** One sentence, without its place. */
  readonly problem: string;
}

/** An alias to nothing, or to more than can be meant, is a problem as well as bad syntax. */
export function readYaml(text: string): ReadYaml | YamlProblem {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) return { ...place(broken.pos[0]), problem: firstSentence(broken.message) };
  try {
    return { value: document.toJS(), placeOf: (path, part) => place(offsetOf(document, path, part)) };
  } catch (error) {
    // The package resolves aliases late, and complains with the language's own error.
    if (!(error instanceof ReferenceError)) throw error;
    return { ...place(aliasOffset(document)), problem: firstSentence(error.message) };
  }
}

function firstSentence(message: string): string {
  const [first = message] = message.split('\n');
  return `${first.replace(/ at line \d.*$/, '').replace(/\.$/, '')}.`;
}

function offsetOf(document: Document, path: readonly PropertyKey[], part: 'key' | 'value'): number {
  const node = part === 'key' ? keyAt(document, path) : document.getIn(path, true);
  return startOf(node) ?? startOf(document.contents) ?? 0;
}

function keyAt(document: Document, path: readonly PropertyKey[]): unknown {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return parent;
  return parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))?.key;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The first alias without an anchor, or the first of too many. */
function aliasOffset(document: Document.Parsed): number {
  const offsets: { readonly start: number; readonly isLost: boolean }[] = [];
  visit(document, {
    Alias: (_, alias) => {
      offsets.push({ start: startOf(alias) ?? 0, isLost: alias.resolve(document) === undefined });
    },
  });
  return (offsets.find(({ isLost }) => isLost) ?? offsets[0])?.start ?? 0;
}
