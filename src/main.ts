/** The CLI: a table of subcommands, nothing else. */

import { type Command, UsageError } from './cli/command.ts';
import { commandLine } from './cli/command-line.ts';
import { commandHelp, overview } from './cli/help.ts';
import { init } from './cli/init.ts';
import { schemas } from './cli/schemas.ts';
import { start } from './cli/start.ts';
import { demo } from './demo/demo.ts';
import { LoopError } from './errors.ts';

const COMMANDS: Readonly<Record<string, Command>> = { start, demo, init, schemas };
const HELP: readonly string[] = ['--help', '-h', 'help'];

process.exitCode = await main(process.argv.slice(2));

async function main([name = '--help', ...argv]: readonly string[]): Promise<number> {
  if (HELP.includes(name)) return help(argv[0]);
  const command = commandOf(name);
  if (command === undefined) return unknown(name);
  if (argv.includes('--help') || argv.includes('-h')) return help(name);
  try {
    return await command.run(argv, { out, fail });
  } catch (error) {
    if (error instanceof UsageError || error instanceof LoopError) return fail(error.message);
    throw error;
  }
}

function help(name: string | undefined): number {
  const command = name === undefined ? undefined : commandOf(name);
  if (name !== undefined && command === undefined) return unknown(name);
  out(name === undefined || command === undefined ? overview(COMMANDS) : commandHelp(name, command));
  return 0;
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

function unknown(name: string): number {
  return fail(`There is no command "${name}"; \`${commandLine('--help')}\` lists them.`);
}

function out(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): number {
  process.stderr.write(`${line}\n`);
  return 1;
}
