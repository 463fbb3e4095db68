/** The little Markdown that documents, comments and check runs are made of. */

/** A table; cells are kept on one line. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|').trim();
}

/** A bullet list, or the sentence that says there is nothing. */
export function list(items: readonly string[], none: string): string {
  return items.length === 0 ? none : items.map((item) => `- ${item.replaceAll('\n', ' ')}`).join('\n');
}

/** A fenced block whose fence is longer than any in the text. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** A value as a code span, exactly: with line breaks or blanks at its ends it is written as a JSON string. */
export function code(value: string): string {
  const text = /[\p{Cc}]|^\s|\s$|^$/u.test(value) ? JSON.stringify(value) : value;
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

/** Sections with a heading each, separated by blank lines. */
export function sections(title: string, parts: readonly (readonly [heading: string, text: string])[]): string {
  return [`# ${title}`, ...parts.map(([heading, text]) => `## ${heading}\n\n${text}`)].join('\n\n');
}

/** A block that is folded away under its summary. GitHub needs the blank lines. */
export function folded(summary: string, text: string, how: 'open' | 'closed' = 'closed'): string {
  return `<details${how === 'open' ? ' open' : ''}><summary>${summary}</summary>\n\n${text}\n\n</details>`;
}

/** GitHub takes 65,536 characters; some room is left for the filter of outgoing text. */
export const MAX_BODY = 60_000;

/**
 * Joins blocks and leaves out whole ones, from the end, that do not fit; the last line then says what is missing.
 * Blocks without a name are always kept.
 */
export function fitted(blocks: readonly { readonly name?: string; readonly text: string }[], limit = MAX_BODY): string {
  const left: string[] = [];
  const kept = [...blocks];
  const size = (): number => kept.reduce((total, { text }) => total + text.length + 2, 200);
  for (let index = kept.length - 1; index >= 0 && size() > limit; index -= 1) {
    const name = kept[index]?.name;
    if (name === undefined) continue;
    kept.splice(index, 1);
    left.unshift(name);
  }
  const note = left.length === 0 ? [] : [`Too long for one comment, so read on the branch: ${left.join(', ')}.`];
  return [...kept.map(({ text }) => text), ...note].join('\n\n');
}

/** Text from outside on one line, cut with an ellipsis. */
export function oneLine(text: string, limit = 300): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= limit ? flat : `${flat.slice(0, limit - 1)}…`;
}

/** A number with its thousands grouped: `12,345`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
