/** What the programs below `test/` share: options, usage, and faults of usage told in one sentence. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** An option of a command; one without `value` is a flag. */
export interface Option {
  /** What stands for its value in the usage: `N`, `FILE`. */
  readonly value?: string;
  readonly meaning: string;
}

export interface Command<Name extends string> {
  /** As it is typed: `npm run simulate --`. */
  readonly typed: string;
  readonly purpose: string;
  readonly options: Readonly<Record<Name, Option>>;
}

/** Somebody typed what cannot be meant. The message is one sentence with the value and the remedy. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The given options by name: the text of a value, `true` for a flag. @throws {UsageError} for what the command does not know. */
export function readOptions<Name extends string>(
  { options, typed }: Command<Name>,
  given: readonly string[],
): { readonly [One in Name]?: string | true } {
  const names = Object.keys(options).filter((name): name is Name => name in options);
  try {
    const { values } = parseArgs({
      args: [...given],
      options: Object.fromEntries(
        names.map((name) => [name, { type: options[name].value === undefined ? 'boolean' : 'string' }] as const),
      ),
    });
    const entries = names.flatMap((name) => {
      const value = values[name];
      return typeof value === 'string' || value === true ? [[name, value] as const] : [];
    });
    return Object.fromEntries(entries) as { readonly [One in Name]?: string | true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const negative = given.find((word) => /^-\d/.test(word));
    if (negative !== undefined) throw new UsageError(`${negative} is negative; \`${typed} --help\` lists the options.`);
    const [sentence = ''] = error.message.split(/\.\s/, 1);
    throw new UsageError(`${sentence.replace(/\.$/, '')}; \`${typed} --help\` lists the options.`);
  }
}

/** A whole number of at least `least`. @throws {UsageError} */
export function wholeNumber(name: string, value: string | true | undefined, { least, otherwise }: WholeNumber): number {
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (typeof value === 'string' && /^\d+$/.test(value) && Number.isSafeInteger(number) && number >= least)
    return number;
  throw new UsageError(
    `--${name} ${value} is no whole number from ${least} on; say for example --${name} ${otherwise}.`,
  );
}

/** The absolute path of a folder that is there. @throws {UsageError} */
export function existingFolder(name: string, value: string | true | undefined, otherwise: string): string {
  const path = resolve(typeof value === 'string' ? value : otherwise);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new UsageError(`${path} is no folder; say which one it is by --${name} DIR.`);
}

interface WholeNumber {
  readonly least: number;
  readonly otherwise: number;
}

export function usageOf<Name extends string>({ typed, purpose, options }: Command<Name>): string {
  const rows = Object.entries<Option>({ ...options, help: HELP }).map(
    ([name, { value, meaning }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, meaning] as const,
  );
  const width = Math.max(...rows.map(([option]) => option.length));
  return [
    `${purpose}\n`,
    `  ${typed} [options]\n`,
    ...rows.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`),
    '',
  ].join('\n');
}

const HELP: Option = { meaning: 'prints this' };

/** What a program is asked for, as `read` makes it of the options; where that is its usage, or cannot be meant, the process ends. */
export function optionsOrEnd<Name extends string, Read>({
  read,
  ...command
}: Command<Name> & { readonly read: (given: ReturnType<typeof readOptions<Name>>) => Read }): Read {
  const given = process.argv.slice(2);
  if (given.includes('--help')) {
    process.stdout.write(usageOf(command));
    process.exit(0);
  }
  try {
    return read(readOptions(command, given));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

/** Performs a command and gives its exit code: 2 and one sentence for a fault of usage, 0 and the usage for `--help`. */
export async function runCommand<Name extends string>(
  command: Command<Name>,
  given: readonly string[],
  perform: (options: ReturnType<typeof readOptions<Name>>) => Promise<number>,
): Promise<number> {
  if (given.includes('--help')) {
    process.stdout.write(usageOf(command));
    return 0;
  }
  try {
    return await perform(readOptions(command, given));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}
