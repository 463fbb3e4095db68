/** The CLI as a process: what was typed, where lines go, and the exit code. */
import { runCommand } from './cli/run-command.ts';

// Exit quietly when the reader closes the pipe (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  fail(line) {
    process.stderr.write(`${line}\n`);
    return 1;
  },
});
