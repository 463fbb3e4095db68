/** The folds that our own texts are made of: known by their form and by being closed, so that a foreign one is text. */
import type { ParsedMarkdown } from './markdown.ts';

const OPENING = /^<details(?: open)?>(?=<summary>)/;
const CLOSING_SUMMARY = '</summary>';

/**
 * Where the tags of our folds begin: `<details><summary>…</summary>` and `</details>` stand alone in their lines, outside code, and each is closed.
 * Whatever else looks like a fold would hide what comes after it.
 */
export function foldOffsets({ lines, tokens }: ParsedMarkdown): ReadonlySet<number> {
  const code = codeLines(tokens);
  const open: (readonly number[])[] = [];
  const found: number[] = [];
  let offset = 0;
  for (const [number, line] of lines.entries()) {
    const opening = code.has(number) ? [] : openingTags(line, offset);
    if (opening.length > 0) open.push(opening);
    const closed = line === '</details>' && !code.has(number) ? open.pop() : undefined;
    if (closed !== undefined) found.push(...closed, offset);
    offset += line.length + 1;
  }
  return new Set(found);
}

/** Where `<details>`, `<summary>` and `</summary>` begin in such a line; nothing where it is another one. */
function openingTags(line: string, offset: number): readonly number[] {
  const [details] = OPENING.exec(line) ?? [];
  if (details === undefined || !line.endsWith(CLOSING_SUMMARY)) return [];
  return [0, details.length, line.length - CLOSING_SUMMARY.length].map((index) => offset + index);
}

function codeLines(tokens: ParsedMarkdown['tokens']): ReadonlySet<number> {
  const blocks = tokens.filter(({ type }) => type === 'fence' || type === 'code_block');
  return new Set(
    blocks.flatMap(({ map }) =>
      Array.from({ length: (map?.[1] ?? 0) - (map?.[0] ?? 0) }, (_, index) => (map?.[0] ?? 0) + index),
    ),
  );
}
