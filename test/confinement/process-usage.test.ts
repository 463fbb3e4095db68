import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { usageBelow } from '../../src/confinement/process-usage.ts';

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
