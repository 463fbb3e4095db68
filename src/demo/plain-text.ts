/** Text for a terminal: elapsed time, and lines that are broken where people would. */

const WIDTH = 110;

/** `m:ss`. */
export function clockText(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Lines of at most 110 columns, the first after `head`, all others indented as far. A word that is longer, such as an address, stays whole, and so does a line of output, which begins with a blank. */
export function wrapped(head: string, parts: readonly string[]): readonly string[] {
  const lines = parts.flatMap((part) => brokenAt(part, WIDTH - head.length));
  return lines.map((line, index) => `${index === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd());
}

/** Values stay with their names: parts that are joined by ` · ` are broken there, other text between words. */
function brokenAt(text: string, width: number): readonly string[] {
  if (text.startsWith(' ')) return [text];
  if (!text.includes(' · ')) return brokenBy(' ', text, width);
  return brokenBy(' · ', text, width).flatMap((line) => brokenBy(' ', line, width));
}

function brokenBy(glue: string, text: string, width: number): readonly string[] {
  const hanging = text.startsWith('- ') ? '  ' : '';
  const lines: string[] = [];
  let line = '';
  for (const piece of text.split(glue)) {
    const longer = line === '' ? piece : `${line}${glue}${piece}`;
    if (longer.length > width && line !== '') {
      lines.push(line);
      line = `${hanging}${piece}`;
    } else line = longer;
  }
  return [...lines, line];
}
