import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { endTracked, runProcess, trackingIdOf } from '../../src/local/runner/process.ts';

const run = async (
  script: string,
  changes: { readonly signal?: AbortSignal; readonly directory?: string; readonly onLine?: () => void } = {},
) => {
  const lines: string[] = [];
  const exitCode = await runProcess({
    command: 'bash',
    arguments: ['-c', script],
    directory: tmpdir(),
    environment: { PATH: '/usr/bin:/bin' },
    signal: new AbortController().signal,
    ...changes,
    onLine: (line) => {
      lines.push(line);
      changes.onLine?.();
    },
  });
  return { exitCode, lines };
};

describe('runProcess', () => {
  it('gives the exit code and every line of both streams, the last without a newline too', async () => {
    const { exitCode, lines } = await run('for i in $(seq 20000); do echo "line $i"; done; printf "ä-end" >&2; exit 7');
    expect(exitCode).toBe(7);
    expect(lines.length).toBe(20_001);
    expect(lines.includes('ä-end')).toBe(true);
  });

  it('ends the whole group when it is aborted', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 200);
    const startedAtMs = Date.now();
    const { exitCode, lines } = await run('(sleep 1; echo child) & sleep 30; echo after', {
      signal: controller.signal,
    });
    expect(exitCode).toBe(137);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(lines).toEqual([]);
    expect(Date.now() - startedAtMs).toBeLessThan(20_000);
  });

  it('ends what left the group and scrubbed its environment, as long as it hangs below the program', async () => {
    const controller = new AbortController();
    const { lines } = await run('env -i setsid /bin/sh -c "echo \\$\\$; while :; do sleep 0.1; done" & sleep 30', {
      signal: controller.signal,
      onLine: () => setTimeout(() => controller.abort(), 100),
    });
    const status = await readFile(`/proc/${lines[0]}/stat`, 'utf8').catch(() => 'gone');
    expect(status).toMatch(/^gone$|\) Z /);
  });

  it('starts nothing once it is aborted', async () => {
    expect(await run('echo no', { signal: AbortSignal.abort() })).toEqual({ exitCode: 137, lines: [] });
  });

  it('says which program did not start', async () => {
    await expect(run('true', { directory: '/nowhere' })).rejects.toThrow('bash did not start');
  });
});

describe('endTracked', () => {
  it('finds nothing under an id that no process carries', async () => {
    expect(await endTracked(trackingIdOf('/no/such/run'))).toBe(0);
  });
});
