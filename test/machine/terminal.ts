/** `npm start` as somebody has it in a terminal: a process group of its own, and Ctrl-C for all of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../../src/settings/env.ts';

export interface Started {
  readonly argv: readonly string[];
  /** What the terminal says to open, with its secret. */
  readonly entrance: string;
  /** Where that is. */
  readonly address: string;
  /** Everything that was printed so far. */
  readonly printed: () => string;
  /** Ctrl-C; then the processes of the group that are still there once npm has ended. (npm always ends by the signal.) */
  readonly interrupt: () => Promise<readonly string[]>;
}

const START_MS = 60_000;

/** Starts and waits until it says what to open. The set-up of the tests has built already, and a second build would pull files away under other tests. */
export async function startTerminal(argv: readonly string[]): Promise<Started> {
  const child = spawn('npm', ['start', '--ignore-scripts', '--', ...argv], {
    detached: true,
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  const untilMs = Date.now() + START_MS;
  while (!/Ctrl-C stops/.test(printed)) {
    if (child.exitCode !== null || Date.now() > untilMs) {
      await interrupt(child);
      throw new Error(`npm start did not say what to open:\n${printed}`);
    }
    await sleep(100);
  }
  const entrance = /Open\s+(http:\S+)/.exec(printed)?.[1] ?? '';
  return {
    argv,
    entrance,
    address: new URL(entrance).origin,
    printed: () => printed,
    interrupt: () => interrupt(child),
  };
}

async function interrupt(child: ChildProcess): Promise<readonly string[]> {
  const group = child.pid ?? 0;
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    process.kill(-group, 'SIGINT');
    await ended;
  }
  return membersOf(group);
}

/** Processes of a group, by the kernel's own table: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function membersOf(group: number): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(processes.map((id) => readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')));
  return stats.filter((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group);
}
