/** What a command said, as a model, a defect or a raw output shows it. */
import type { CommandResult } from '../../sandbox/sandbox.ts';

/** How the command ended, and its output. */
export function said(result: CommandResult, outputBytes: number): string {
  const ending = result.timedOut ? 'timed out' : `exit code ${result.exitCode ?? result.signal}`;
  const output = [result.stdout, result.stderr].filter((text) => text !== '').join('\n');
  return `[${ending}${result.truncated ? ', output cut' : ''}]\n${cut(output, outputBytes)}`;
}

/** Keeps the first and the last half of a long text; failures usually say what they are at the end. `hint` says how to read the rest. */
export function cut(text: string, limit: number, hint = ''): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const [head, tail] = [text.slice(0, half).toWellFormed(), text.slice(-half).toWellFormed()];
  return `${head}\n… ${text.length - 2 * half} characters left out${hint} …\n${tail}`;
}
