import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createProcessTable, usageBelow } from '../../src/confinement/process-usage.ts';

it('counts no temporary files of the machine for a command that is not enclosed yet', async () => {
  const command = spawn('sleep', ['30'], { stdio: 'ignore' });
  try {
    await once(command, 'spawn');
    const { processes, temporaryFiles } = usageBelow(process.pid, Number.POSITIVE_INFINITY);
    expect(processes).toBeGreaterThan(0);
    expect(temporaryFiles).toBe(0);
  } finally {
    command.kill('SIGKILL');
  }
});

it('tells who works from who only waits', async () => {
  const [waiting, working] = [spawn('sleep', ['30'], { stdio: 'ignore' }), spawn('sh', ['-c', 'while :; do :; done'])];
  try {
    await Promise.all([once(waiting, 'spawn'), once(working, 'spawn')]);
    const both = usageBelow(process.pid, Number.POSITIVE_INFINITY);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(usageBelow(process.pid, Number.POSITIVE_INFINITY).ticks).toBeGreaterThan(both.ticks);
    expect(both.isAtWork).toBe(true);
    working.kill('SIGKILL');
    await once(working, 'exit');
    const left = usageBelow(process.pid, Number.POSITIVE_INFINITY);
    expect(left.isAtWork).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(usageBelow(process.pid, Number.POSITIVE_INFINITY).ticks).toBe(left.ticks);
  } finally {
    for (const command of [waiting, working]) command.kill('SIGKILL');
  }
});

it('reads the processes of the machine once for all who look at about the same time, and again later', async () => {
  const table = createProcessTable();
  const first = table();
  expect(table()).toBe(first);
  const command = spawn('sleep', ['30'], { stdio: 'ignore' });
  try {
    await once(command, 'spawn');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(table().some(({ id }) => id === command.pid)).toBe(true);
  } finally {
    command.kill('SIGKILL');
  }
});
