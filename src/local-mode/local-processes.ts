/** Local mode's processes beside the App. They end when this process ends, however that happens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { LoopError } from '../errors.ts';
import { childEnvironment, fetchingEnvironment } from '../settings/env.ts';
import { packageFile } from '../settings/package-root.ts';

const ENTRIES = {
  'local-github': ['src', 'local', 'main.ts'],
  'local-runner': ['src', 'local', 'runner', 'main.ts'],
  'scripted-model': ['src', 'demo', 'scripted-model-main.ts'],
} as const;

/** Starts a process of ours, which ends with what was opened, and reads the one JSON line that it prints when it listens. @throws {LoopError} with what it said instead. */
export async function startChild(
  name: keyof typeof ENTRIES,
  argv: readonly string[],
  opened: AsyncDisposableStack,
): Promise<unknown> {
  const entry = import.meta.filename.endsWith('.ts')
    ? packageFile(...ENTRIES[name])
    : packageFile('dist', `${name}.js`);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...argv, '--with-parent'], {
    env: { ...childEnvironment(), ...fetchingEnvironment() },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A terminal's Ctrl-C is for the App, which ends them when it no longer needs them.
    detached: true,
  });
  opened.defer(() => ended(child));
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints = (complaints + chunk.toString()).slice(-4000);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout?.resume();
    return JSON.parse(line);
  }
  throw new LoopError(`The process ${name} did not start: ${complaintIn(complaints)}`);
}

/** The sentence of the error that ended it; its stack is for nobody. */
function complaintIn(stderr: string): string {
  return (
    /^(?:Uncaught )?\w*Error(?: \[\w+\])?: (.+)$/m.exec(stderr)?.[1] ?? (stderr.trim() || 'it ended without a word')
  );
}

/** Asks a process to end, and insists after five seconds. */
function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill('SIGTERM');
  });
}
