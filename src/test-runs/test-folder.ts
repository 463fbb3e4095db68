/** Runs what belongs to the tests in the folder that the repository names for them. */
import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands } from '../loop/brief.ts';
import type { CommandResult, Sandbox, SandboxCommand } from '../sandbox/sandbox.ts';

export interface TestFolder {
  readonly sandbox: Sandbox;
  /** Root of a working copy. */
  readonly root: string;
  readonly directory: Commands['directory'];
}

/** Where there is no such folder, or a link stands for it or for one above it, nothing is run, which is told as a shell tells it. */
export async function runInTestFolder(
  { sandbox, root, directory }: TestFolder,
  command: Omit<SandboxCommand, 'directory'>,
): Promise<CommandResult> {
  if (!directory) return sandbox.run({ ...command, directory: root });
  const place = join(await realpath(root), directory.replace(/\/$/, ''));
  // The code under test could lay a link that leads to another tree.
  const real = await realpath(place).catch(() => undefined);
  if (real === place && (await stat(place)).isDirectory()) return sandbox.run({ ...command, directory: place });
  const stderr = `there is no folder ${JSON.stringify(directory)} here to run tests in\n`;
  return {
    ...{ exitCode: 127, signal: undefined, timedOut: false, truncated: false },
    ...{ stdout: '', stderr, results: '', durationMs: 0 },
  };
}
