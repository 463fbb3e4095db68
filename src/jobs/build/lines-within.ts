/** As much of a file as one result of a tool may show. Pure. */

/** Of one result. The model asks again for what it needs; a whole log or data file would crowd out the task. */
export const RESULT_CHARACTERS = 8_000;

/** Lines of a file from number `from` on; where they are too many, the first and the last ones, and which are left out. */
export function linesWithin(lines: readonly string[], from: number): string {
  const text = lines.join('\n');
  if (text.length <= RESULT_CHARACTERS) return text;
  const room = RESULT_CHARACTERS / 2 - 200;
  const head = countWithin(lines, room);
  const tail = Math.min(countWithin(lines.toReversed(), room), lines.length - head);
  if (head === 0 || tail === 0) return text;
  const left = `… lines ${from + head} to ${from + lines.length - tail - 1} (${text.length} characters in all) are left out; read them by \`from\` and \`to\` …`;
  return [...lines.slice(0, head), left, ...lines.slice(lines.length - tail)].join('\n');
}

function countWithin(lines: readonly string[], room: number): number {
  let size = 0;
  const first = lines.findIndex((line) => {
    size += line.length + 1;
    return size > room;
  });
  return first < 0 ? lines.length : first;
}
