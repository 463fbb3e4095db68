/** The table of subcommands, and what is said when none of them fits. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LoopError } from '../errors.ts';
import { packageFile } from '../settings/package-root.ts';
import type { Command, Terminal } from './command.ts';
import { commandLine } from './command-line.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { commandHelp, overview } from './help.ts';
import { init } from './init.ts';
import { loops } from './loops.ts';
import { prove } from './prove.ts';
import { register } from './register.ts';
import { schemas } from './schemas.ts';
import { start } from './start.ts';
import { verify } from './verify.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  demo,
  init,
  register,
  doctor,
  prove,
  verify,
  loops,
  schemas,
};
const HELP: readonly string[] = ['--help', '-h', 'help'];
const VERSION: readonly string[] = ['--version', '-v'];

/** Runs what was typed and returns the exit code. Whatever a person can mend is one sentence on standard error. */
export async function runCommand([name = '--help', ...argv]: readonly string[], terminal: Terminal): Promise<number> {
  if (HELP.includes(name)) return help(argv[0], terminal);
  if (VERSION.includes(name)) return tellVersion(terminal);
  const command = commandOf(name);
  if (command === undefined) return unknown(name, terminal);
  if (argv.includes('--help') || argv.includes('-h')) return help(name, terminal);
  try {
    return await command.run(argv, terminal);
  } catch (error) {
    if (error instanceof LoopError) return terminal.fail(error.message);
    throw error;
  }
}

function help(name: string | undefined, terminal: Terminal): number {
  const command = name === undefined ? undefined : commandOf(name);
  if (name !== undefined && command === undefined) return unknown(name, terminal);
  terminal.out(name === undefined || command === undefined ? overview(COMMANDS) : commandHelp(name, command));
  return 0;
}

const manifest = z.object({ version: z.string() });

async function tellVersion({ out }: Terminal): Promise<number> {
  out(manifest.parse(JSON.parse(await readFile(packageFile('package.json'), 'utf8'))).version);
  return 0;
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

function unknown(name: string, { fail }: Terminal): number {
  return fail(`There is no command "${name}"; \`${commandLine('--help')}\` lists them.`);
}
