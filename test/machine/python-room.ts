/** A virtual environment as the set-up action makes one, activated for this process, with an index beside. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Distribution, type PythonIndex, startPythonIndex } from './wheels.ts';

export interface PythonRoom {
  readonly index: PythonIndex;
  readonly environment: string;
  close(): Promise<void>;
}

/** To be opened before the first sandbox: where Python is, a process looks up once. `installed` are what the base asks for. */
export async function openPythonRoom(
  distributions: readonly Distribution[],
  installed: readonly string[],
): Promise<PythonRoom> {
  const index = await startPythonIndex(distributions);
  const room = await realpath(await mkdtemp(join(tmpdir(), 'python-room-')));
  const environment = join(room, 'loopwright-python');
  const env = { PIP_CONFIG_FILE: '/dev/null' };
  await execa('python3', ['-m', 'venv', environment]);
  const pip = ['--isolated', 'install', '--index-url', index.url];
  await execa(join(environment, 'bin', 'pip'), [...pip, ...installed], { env });
  const path = process.env.PATH;
  process.env.PATH = `${join(environment, 'bin')}:${path}`;
  return {
    index,
    environment,
    async close() {
      process.env.PATH = path;
      await index.close();
      await rm(room, { recursive: true, force: true });
    },
  };
}
