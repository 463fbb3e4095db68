/** Faults of old times, each a patch in `bugs/`: planted into what a simulation reads, and looked for. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { z } from 'zod';
import { UsageError } from '../command-line.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUGS = fileURLToPath(new URL('bugs/', import.meta.url));

export interface Hunt {
  readonly bug: string;
  /** Undefined when no seed found it. */
  readonly seed: number | undefined;
  readonly sentence: string;
  readonly detail: string;
}

/** Which worlds are looked through. */
export interface Ground {
  readonly from: number;
  readonly seeds: number;
  readonly threads?: number;
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
 * @throws {UsageError} when the patch no longer applies, with git's own words.
 */
export async function hunt(bug: string, { from, seeds, threads }: Ground): Promise<Hunt> {
  const planted = await mkdtemp(join(tmpdir(), `bug-${bug}-`));
  try {
    await plant(bug, planted);
    const { stdout, stderr } = await execa(
      process.execPath,
      [
        ...['--disable-warning=ExperimentalWarning', '--import', join(ROOT, 'test/simulation/planted.ts')],
        ...['test/simulation/main.ts', '--from', String(from), '--seeds', String(seeds), '--first', '--json'],
        ...(threads === undefined ? [] : ['--threads', String(threads)]),
      ],
      { cwd: ROOT, env: { PLANTED: planted }, reject: false },
    );
    if (stdout === '') throw new Error(`The simulation with ${bug} did not end: ${stderr}`);
    const [first] = told.parse(JSON.parse(stdout)).failed;
    const [failure] = first?.failures ?? [];
    return { bug, seed: first?.seed, sentence: failure?.sentence ?? '', detail: failure?.detail ?? '' };
  } finally {
    await rm(planted, { recursive: true, force: true });
  }
}

/** Looks where it was last found, and through all seeds where the worlds have changed since. */
export async function huntAgain(bug: string, seeds: number, threads?: number): Promise<Hunt> {
  const known = await lastSeedOf(bug);
  const how = threads === undefined ? {} : { threads };
  const again = known === undefined ? undefined : await hunt(bug, { from: known, seeds: 1, ...how });
  return again?.seed === undefined ? hunt(bug, { from: 1, seeds, ...how }) : again;
}

/** Copies the files that the patch changes, and changes them there. */
async function plant(bug: string, directory: string): Promise<void> {
  const patch = join(BUGS, `${bug}.patch`);
  const changed = [...(await readFile(patch, 'utf8')).matchAll(/^\+\+\+ b\/(.+)$/gm)].flatMap(([, path]) => path ?? []);
  for (const path of changed) await cp(join(ROOT, path), join(directory, path), { recursive: true });
  const { failed, stderr } = await execa('git', ['apply', '--whitespace=nowarn', patch], {
    cwd: directory,
    reject: false,
  });
  if (failed)
    throw new UsageError(
      `${bug}.patch no longer fits the code (${stderr.split('\n')[0]}); plant the fault by hand and write the patch anew.`,
    );
}

/** What stands above a patch: `Found by seed 17: A draft becomes ready only when …` */
const FOUND = /^Found by seed (\d+):.*\n/m;

async function lastSeedOf(bug: string): Promise<number | undefined> {
  const [, seed] = FOUND.exec(await readFile(join(BUGS, `${bug}.patch`), 'utf8')) ?? [];
  return seed === undefined ? undefined : Number(seed);
}

/** Writes above the patch where it was found. */
export async function record({ bug, seed, sentence }: Hunt): Promise<void> {
  const file = join(BUGS, `${bug}.patch`);
  const patch = (await readFile(file, 'utf8')).replace(FOUND, '');
  await writeFile(file, seed === undefined ? patch : `Found by seed ${seed}: ${sentence}\n${patch}`);
}
