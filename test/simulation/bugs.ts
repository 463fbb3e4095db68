/** `npm run simulate:bugs [-- --seeds N] [--only NAME]`: plants each fault of `bugs/` into a copy of the tree, and says at which seed it was found. */
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUGS = fileURLToPath(new URL('bugs/', import.meta.url));
/** What a simulation reads. */
const COPIED = ['src', 'test', 'skills', 'config', 'package.json', 'tsconfig.json'];

export interface Hunt {
  readonly bug: string;
  /** Undefined when no seed found it. */
  readonly seed: number | undefined;
  readonly sentence: string;
  readonly detail: string;
}

const told = z.object({
  failed: z.array(
    z.object({ seed: z.int(), failures: z.array(z.object({ sentence: z.string(), detail: z.string() })).min(1) }),
  ),
});

/** The planted bugs, by name. */
export async function bugNames(): Promise<readonly string[]> {
  const files = await readdir(BUGS);
  return files
    .filter((file) => file.endsWith('.patch'))
    .map((file) => basename(file, '.patch'))
    .toSorted();
}

/**
 * Looks for one bug until a seed fails.
 * @throws {Error} when the patch no longer applies, with git's own words.
 */
export async function hunt(bug: string, seeds: number): Promise<Hunt> {
  const directory = await mkdtemp(join(tmpdir(), `bug-${bug}-`));
  try {
    for (const name of COPIED) await cp(join(ROOT, name), join(directory, name), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    await execa('git', ['apply', '--whitespace=nowarn', join(BUGS, `${bug}.patch`)], { cwd: directory });
    const options = ['--seeds', String(seeds), '--first', '--json'];
    const { stdout } = await execa(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'test/simulation/main.ts', ...options],
      {
        cwd: directory,
        reject: false,
      },
    );
    const [first] = told.parse(JSON.parse(stdout)).failed;
    const [failure] = first?.failures ?? [];
    return { bug, seed: first?.seed, sentence: failure?.sentence ?? '', detail: failure?.detail ?? '' };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
