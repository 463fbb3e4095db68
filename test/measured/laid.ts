/** A task as a checkout of two commits, and the proof of the second one. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { type Proof, proof } from '../../src/proof/proof.ts';
import type { Files, Task } from './task.ts';

const PROVE = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** Gives a folder that is gone afterwards; with two processes beside it that do nothing but work, where the machine is to be busy. */
export async function withRoom(isBusy: boolean, work: (root: string) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'measured-')));
  const spinning = isBusy ? [1, 2].map(() => spawn(process.execPath, ['-e', 'for (;;);'])) : [];
  try {
    await work(root);
  } finally {
    for (const child of spinning) child.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  }
}

async function laid(root: string, task: Task, tests: Files): Promise<string> {
  const directory = await mkdtemp(join(root, `${task.name.replaceAll(' ', '-')}-`));
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=measured', '-c', 'user.email=measured@example.test', ...argv], { cwd: directory });
  const commit = async (files: Files, message: string) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--message', message);
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await commit(task.base, 'base');
  await commit({ ...task.change, ...tests }, 'change');
  return directory;
}

/** By the command, as somebody types it. @throws {Error} where there is no proof. */
export async function proved(root: string, task: Task, tests: Files): Promise<Proof> {
  const directory = await laid(root, task, tests);
  const argv = [PROVE, 'prove', 'HEAD~1..HEAD', '--repo', directory, '--json'];
  const { stdout, stderr } = await execa(process.execPath, argv, { reject: false });
  await rm(directory, { recursive: true, force: true });
  if (stdout === '') throw new Error(`${task.name}: ${stderr}`);
  return proof.parse(JSON.parse(stdout));
}
