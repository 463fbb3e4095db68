/** What is refused before the App starts: standard error and the exit code. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../../src/settings/env.ts';
import { packageFile } from '../../src/settings/package-root.ts';

const portsFile = z.object({ app: z.int(), github: z.int() });

describe('a start that is refused', () => {
  let directory: string;
  let skills: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'loopwright-refused-'));
    skills = join(directory, 'skills');
    await cp(packageFile('skills'), skills, { recursive: true });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  it('a missing skill: standard error and exit code 1, nothing left running, and it starts with the skill restored', async () => {
    const lost = join(skills, 'speckit-tasks');
    await rm(lost, { recursive: true });
    const refused = start();
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(refused.stdout),
      text(refused.stderr),
      once(refused, 'exit'),
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `${lost}/SKILL.md is missing; PLAN cannot run without it: restore the file or reinstall loopwright.\n`,
    });
    expect(stdout).not.toContain('http://');
    const ports = portsFile.parse(JSON.parse(await readFile(join(directory, 'data', 'ports.json'), 'utf8')));
    expect(await Promise.all([isOpen(ports.github), isOpen(ports.app)])).toEqual([false, false]);

    await cp(packageFile('skills', 'speckit-tasks'), lost, { recursive: true });
    const started = start();
    for await (const line of createInterface({ input: started.stdout })) if (line.includes('http://')) break;
    expect(await isOpen(ports.github)).toBe(true);
    started.kill('SIGTERM');
    expect(await once(started, 'exit')).toEqual([0, null]);
  });

  function start() {
    const child = spawn(
      process.execPath,
      [packageFile('src', 'main.ts'), 'start', '--port', '0', '--data', join(directory, 'data')],
      {
        env: { ...childEnvironment(), SKILLS_DIR: skills, LOG_LEVEL: 'error', NODE_NO_WARNINGS: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    children.push(child);
    return child;
  }
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
