/** The repositories that loops are run on: a base of the corpus, or a clone of this one. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { LoopCase } from './loop-case.ts';

const OURS = join(import.meta.dirname, '..', '..');
const IDENTITY = ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@loops.example', '-c', 'commit.gpgsign=false'];

const git = (cwd: string, ...argv: readonly string[]) =>
  execa('git', [...IDENTITY, ...argv], { cwd, env: { GIT_CONFIG_GLOBAL: '/dev/null' } });

/** One commit of the base, on `main`; of ours a clone with its history. */
export async function committedRepository(directory: string, { fix }: LoopCase, corpus: string): Promise<void> {
  if (fix === undefined) {
    await execa('git', ['clone', '--quiet', '--no-hardlinks', OURS, directory]);
    return;
  }
  await mkdir(directory);
  await execa('tar', ['xzf', join(corpus, fix, 'base.tar.gz'), '-C', directory]);
  await git(directory, 'init', '--quiet', '--initial-branch', 'main');
  await git(directory, 'add', '--all', '--force');
  await git(directory, 'commit', '--quiet', '--message', 'Start from the parent of the fix');
}

interface Patched {
  readonly repository: string;
  readonly patch: string;
  /** Where the patch may lie. */
  readonly places: readonly string[];
}

/** What the files that a patch touches hold with it, laid over the last commit. */
export async function patchedFiles({ repository, patch, places }: Patched): Promise<ReadonlyMap<string, string>> {
  const copy = await mkdtemp(join(tmpdir(), 'loops-patched-'));
  try {
    await execa('git', ['clone', '--quiet', repository, copy]);
    await git(copy, 'apply', '--index', await placeOf(patch, places));
    const { stdout } = await git(copy, 'diff', '--cached', '--name-only');
    const paths = stdout.split('\n').filter(Boolean);
    return new Map(
      await Promise.all(paths.map(async (path) => [path, await readFile(join(copy, path), 'utf8')] as const)),
    );
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function placeOf(patch: string, places: readonly string[]): Promise<string> {
  for (const place of places) {
    const path = join(place, patch);
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== '') return path;
  }
  throw new Error(`no ${patch} in ${places.join(' or ')}`);
}
