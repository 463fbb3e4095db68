/** The CLI as a process: what was typed, where lines go, and the exit code. */
import { runCommand } from './cli/run-command.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  fail(line) {
    process.stderr.write(`${line}\n`);
    return 1;
  },
});
