/** What `--help` prints. */
import type { Command, Option } from './command.ts';
import { usageLine } from './command-line.ts';

/** All commands, one line each. */
export function overview(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  return [
    'Label an issue `loop`; get a reviewed spec, a reviewed plan and a verified pull request.',
    '',
    usageLine('<command>', '[options]'),
    '',
    ...columns(rows),
    '',
    'Each explains itself with `--help`; `--version` prints the version. New here? `demo` needs no account and no key.',
  ].join('\n');
}

/** One command with its options. */
export function commandHelp(name: string, { summary, usage, options }: Command): string {
  const rows = Object.entries(options).map(
    ([option, about]) => [`--${option}${placeholderOf(about)}`, about.description] as const,
  );
  return [
    usageLine(name, usage),
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(rows.length === 0 ? [] : ['', ...columns(rows)]),
  ].join('\n');
}

function placeholderOf({ type, value = 'VALUE' }: Option): string {
  return type === 'string' ? ` ${value}` : '';
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`);
}
