/** What a subcommand is, and how its options are read. */
import { parseArgs } from 'node:util';
import { LoopError } from '../errors.ts';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
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

/** The options were not understood; the message says which and what to do. */
export class UsageError extends LoopError {
  override name = 'UsageError';
}

/** Reads options and positionals. @throws {UsageError} for an unknown option or a missing value. */
export function optionsOf<Options extends Readonly<Record<string, Option>>>(argv: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}; \`--help\` lists the options`, {
      cause: error,
    });
  }
}
