/** The little Markdown that documents are made of. Pure. */

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

/** Sections with a heading each, separated by blank lines. */
export function sections(title: string, parts: readonly (readonly [heading: string, text: string])[]): string {
  return [`# ${title}`, ...parts.map(([heading, text]) => `## ${heading}\n\n${text}`)].join('\n\n');
}
