/** What a subcommand is, and how its options are read. */
import { parseArgs } from 'node:util';
import { LoopError, UsageError } from '../errors.ts';
import { commandLine } from './command-line.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** What `--help` calls the value. */
  readonly value?: string;
  readonly description: string;
}

export interface Terminal {
  /** A line on standard output. */
  readonly out: (line: string) => void;
  /** A line on standard error; returns the exit code 1. */
  readonly fail: (line: string) => number;
}

export interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Returns the exit code. */
  run(argv: readonly string[], terminal: Terminal): Promise<number>;
}

/**
 * Of a command that judges: what keeps it from that is told, and ends with the code for it, because 1 would say that something was judged. Whoever
 * asked for JSON reads it there too, as `inJson` puts it.
 */
export async function orUnjudged(
  terminal: Terminal,
  { argv, code, inJson }: { readonly argv: readonly string[]; readonly code: number; readonly inJson: InJson },
  judge: (argv: readonly string[], terminal: Terminal) => Promise<number>,
): Promise<number> {
  try {
    return await judge(argv, terminal);
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    terminal.fail(error.message);
    if (argv.includes('--json')) terminal.out(JSON.stringify(inJson(error.message)));
    return code;
  }
}

type InJson = (message: string) => unknown;

/** Reads the options of a command, and at most `words` words that are none. @throws {UsageError} for what is unknown, missing or too much. */
export function optionsOf<Options extends Readonly<Record<string, Option>>>({
  command,
  argv,
  options,
  words = 0,
}: {
  readonly command: string;
  readonly argv: readonly string[];
  readonly options: Options;
  readonly words?: number;
}) {
  const complaint = complaintAbout(argv, options, words);
  if (complaint !== undefined)
    throw new UsageError(`${command}: ${complaint}; \`${commandLine(command, '--help')}\` shows how it is used.`);
  return parseArgs({ args: [...argv], options, allowPositionals: true });
}

/** What about the options, or about more than `words` words that are none, is not understood. Node's own sentences explain its parser; these name the option. */
function complaintAbout(
  argv: readonly string[],
  options: Readonly<Record<string, Option>>,
  words: number,
): string | undefined {
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const given = tokens.filter((token) => token.kind === 'option');
  const complaints = given.map((token) => aboutOption(token, options));
  const again = given.find(
    ({ name }, index) => isOnce(options[name]) && given.findIndex((first) => first.name === name) < index,
  );
  const tooMany = tokens.filter(({ kind }) => kind === 'positional')[words];
  return (
    complaints.find((text) => text !== undefined) ??
    (again === undefined ? undefined : `${again.rawName} is given twice`) ??
    (tooMany?.kind === 'positional' ? `"${tooMany.value}" is one word too many` : undefined)
  );
}

/** Which of two values was meant cannot be told; a boolean says the same twice. */
function isOnce(option: Option | undefined): boolean {
  return option?.type === 'string' && option.multiple !== true;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function aboutOption(
  { name, rawName, value, inlineValue }: OptionToken,
  options: Readonly<Record<string, Option>>,
): string | undefined {
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (option === undefined) return `there is no option "${rawName}"`;
  if (option.type === 'boolean')
    return value === undefined ? undefined : `${rawName} takes no value, and got "${value}"`;
  if (value === undefined || value === '') return `${rawName} needs a value`;
  if (inlineValue === true || !value.startsWith('-')) return undefined;
  return /^-\d/.test(value)
    ? `${rawName} takes nothing negative, and got "${value}"`
    : `${rawName} needs a value, and "${value}" is an option`;
}
