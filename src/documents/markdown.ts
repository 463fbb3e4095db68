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
  return items.length === 0 ? none : items.map((item) => `- ${paragraph(item)}`).join('\n');
}

/** A text on one line, from which nothing is lost: Markdown shows a line break as a space. */
export function inlined(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** What begins another block than a paragraph: a heading, quote, list, rule, definition or task. */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|([-*_])(?:[ \t]*\1){2,}[ \t]*$|\[(?=[ xX]\]\s|[^\]]*\]:))/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;
/** One of backticks is none where a backtick follows. */
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/;

/** A text that is one paragraph, whatever it begins with; people see the same letters. */
export function paragraph(text: string): string {
  const line = inlined(text);
  if (BLOCK_START.test(line)) return `\\${line}`;
  return line.replace(NUMBERED, '$1\\$2').replace(FENCE, (fence) => fence.replaceAll(/./g, '\\$&'));
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
  return [`# ${inlined(title)}`, ...parts.map(([heading, text]) => `## ${inlined(heading)}\n\n${text}`)].join('\n\n');
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

/** Text from outside on one line, cut with an ellipsis, and never inside a code span: the rest of it would be read as Markdown. Not for what is approved. */
export function oneLine(text: string, limit = 300): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (flat.length <= limit) return flat;
  const cut = codeSpans(flat).find(({ start, end }) => start < limit - 1 && limit - 1 < end)?.start ?? limit - 1;
  return `${flat.slice(0, cut).trimEnd()}…`;
}

/** A run of backticks and the next run of the same length; one that has none stands for itself. */
function codeSpans(line: string): readonly { readonly start: number; readonly end: number }[] {
  const spans: { start: number; end: number }[] = [];
  const runs = [...line.matchAll(/`+/g)];
  let from = 0;
  for (const [index, run] of runs.entries()) {
    if (run.index < from) continue;
    const closing = runs.slice(index + 1).find(([ticks]) => ticks.length === run[0].length);
    if (closing === undefined) continue;
    from = closing.index + closing[0].length;
    spans.push({ start: run.index, end: from });
  }
  return spans;
}

/** A number with its thousands grouped: `12,345`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
