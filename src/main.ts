/** The CLI: a table of subcommands, nothing else. */

import { type Command, UsageError } from './cli/command.ts';
import { init } from './cli/init.ts';
import { schemas } from './cli/schemas.ts';
import { start } from './cli/start.ts';
import { demo } from './demo/demo.ts';
import { LoopError } from './errors.ts';

const COMMANDS: Readonly<Record<string, Command>> = { start, demo, init, schemas };

process.exitCode = await main(process.argv.slice(2));

async function main([name = '--help', ...argv]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const terminal = { out, fail };
  if (command === undefined)
    return name === '--help' || name === 'help'
      ? help()
      : fail(`There is no command "${name}"; \`loopwright --help\` lists them.`);
  if (argv.includes('--help')) return helpOn(name, command);
  try {
    return await command.run(argv, terminal);
  } catch (error) {
    if (error instanceof UsageError || error instanceof LoopError) return fail(error.message);
    throw error;
  }
}

function help(): number {
  out('loopwright <command> [options]\n');
  for (const [name, { summary }] of Object.entries(COMMANDS)) out(`  ${name.padEnd(10)} ${summary}`);
  out('\n`loopwright <command> --help` explains one.');
  return 0;
}

function helpOn(name: string, { summary, usage, options }: Command): number {
  out(`loopwright ${name} ${usage}\n\n${summary}\n`);
  for (const [option, { type, description }] of Object.entries(options))
    out(`  --${option.padEnd(12)}${type === 'string' ? ' VALUE' : '      '}  ${description}`);
  return 0;
}

function out(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): number {
  process.stderr.write(`${line}\n`);
  return 1;
}
