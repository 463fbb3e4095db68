/** Fits material into a prompt: must-keep parts first, then whole parts by worth; nothing is ever cut in the middle. */

export interface Part {
  readonly name: string;
  readonly text: string;
  /** Kept whatever it costs. */
  readonly mustKeep: boolean;
  /** Higher is more useful; ties keep their order. */
  readonly worth: number;
}

export interface Selection<Kind extends Part> {
  /** In the order in which the parts were given. */
  readonly kept: readonly Kind[];
  readonly leftOut: readonly string[];
  readonly tokens: number;
}

/** A rough count that needs no tokenizer: four characters per token. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Chooses parts within a budget of tokens. Must-keep parts may exceed it alone; then nothing else is kept. */
export function selectParts<Kind extends Part>(parts: readonly Kind[], budgetTokens: number): Selection<Kind> {
  const chosen = new Set(parts.filter(({ mustKeep }) => mustKeep));
  let tokens = sum([...chosen]);
  const optional = parts.filter(({ mustKeep }) => !mustKeep).toSorted((left, right) => right.worth - left.worth);
  for (const part of optional) {
    const cost = tokensOf(part.text);
    if (tokens + cost > budgetTokens) continue;
    chosen.add(part);
    tokens += cost;
  }
  return {
    kept: parts.filter((part) => chosen.has(part)),
    leftOut: parts.filter((part) => !chosen.has(part)).map(({ name }) => name),
    tokens,
  };
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { text }) => total + tokensOf(text), 0);
}

const COMMON = new Set(
  'the and for with that this from have has are was will can should must when not all any add new into'.split(' '),
);

/** The distinct words of three letters and more that say something. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z][a-z0-9]{2,}/g) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)));
}

/** How much a file has to do with what is asked: shared words, those in its path counting five times. */
export function relevanceOf(path: string, text: string, asked: ReadonlySet<string>): number {
  const inPath = [...wordsOf(path)].filter((word) => asked.has(word)).length;
  const inText = [...wordsOf(text)].filter((word) => asked.has(word)).length;
  return inPath * 5 + inText;
}
