/** Starts and kills processes of database-child.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

export interface EngineProcess {
  readonly lines: readonly string[];
  readonly errors: () => string;
  /** Waits until a line begins like this. */
  said(start: string): Promise<string>;
  /** kill -9, and waits until it is dead. */
  kill(): Promise<void>;
  exited(): Promise<number | null>;
}

/** Starts one; it is killed at the end of the test at the latest. */
export function startEngineProcess(url: string, mode: 'open' | 'save' | 'work'): EngineProcess {
  const script = fileURLToPath(new URL('database-child.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, url, mode], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const errors: string[] = [];
  if (!child.stdout || !child.stderr) throw new Error('the child has no pipes');
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const exit = once(child, 'close');
  const errorText = (): string => errors.join('');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  onTestFinished(kill);
  return {
    lines,
    errors: errorText,
    said: (start) =>
      vi.waitUntil(
        () => {
          if (child.exitCode !== null) throw new Error(`the child ended: ${errorText()}`);
          return lines.find((line) => line.startsWith(start));
        },
        { timeout: 30_000, interval: 10 },
      ),
    kill,
    exited: async () => {
      await exit;
      return child.exitCode;
    },
  };
}
