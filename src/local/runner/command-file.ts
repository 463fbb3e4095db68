/** The files by which a step speaks to the runner: GITHUB_OUTPUT, GITHUB_ENV and GITHUB_PATH. */

/**
 * Parses `name=value` lines and `name<<DELIMITER` blocks.
 * @throws Error with GitHub's text for a line of neither form and for a block without its end.
 */
export function parseCommandFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; ) {
    const entry = entryAt(lines, index);
    if (entry.name !== '') values[entry.name] = entry.value;
    index = entry.next;
  }
  return values;
}

/**
 * Parses GITHUB_ENV; the runner's own variables keep their values.
 * @throws Error with GitHub's text when the file sets NODE_OPTIONS.
 */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const values = Object.entries(parseCommandFile(text));
  if (values.some(([name]) => name.toUpperCase() === 'NODE_OPTIONS')) {
    throw new Error("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
  }
  return Object.fromEntries(values.filter(([name]) => !/^(GITHUB|RUNNER)_/i.test(name)));
}

interface Entry {
  readonly name: string;
  readonly value: string;
  /** Index of the line after it. */
  readonly next: number;
}

function entryAt(lines: readonly string[], index: number): Entry {
  const line = lines[index] ?? '';
  if (line === '') return { name: '', value: '', next: index + 1 };
  const [, name = '', sign, rest = ''] = /^([^=]*?)(=|<<)(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`Invalid format '${line}'`);
  if (sign === '=') return { name, value: rest, next: index + 1 };
  const end = lines.indexOf(rest, index + 1);
  if (end === -1) throw new Error(`Invalid value. Matching delimiter not found '${rest}'`);
  return { name, value: lines.slice(index + 1, end).join('\n'), next: end + 1 };
}
