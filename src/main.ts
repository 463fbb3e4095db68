/** The CLI as a process: what was typed, where lines go, and the exit code. */
import { runCommand } from './cli/run-command.ts';

// Exit quietly when the reader closes the pipe (`| head`). A terminal that has hung up takes no line either, and what was begun is still to be ended.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  if (error.code !== 'EIO') throw error;
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommand(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  fail(line) {
    process.stderr.write(`${line}\n`);
    return 1;
  },
});
