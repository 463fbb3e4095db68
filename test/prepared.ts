/** What tests need before the first of them runs, made once and kept: the bundles in `dist`, and an embedded database that was started before. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';
import { z } from 'zod';
import { openEngine } from '../src/adapters/database/database.ts';

const ROOT = join(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'loopwright');

/** The programs as they are delivered; each starts in a fraction of the time that its sources take. */
export const JOB = join(ROOT, 'dist', 'job.mjs');
export const LOCAL_GITHUB = join(ROOT, 'dist', 'local-github.js');
export const LOCAL_RUNNER = join(ROOT, 'dist', 'local-runner.js');
export const COMMAND = join(ROOT, 'dist', 'loopwright.js');

/** All that decides what is in a database after its first start. */
const DATABASE_SOURCES = [
  'package-lock.json',
  'src/adapters/queue-items.ts',
  ...['database', 'migrations', 'migration-look-ups', 'migration-heard', 'pglite'].map(
    (name) => `src/adapters/database/${name}.ts`,
  ),
];
const PREPARED = join(CACHE, `database-${digestOf(DATABASE_SOURCES)}`);

/**
 * An embedded database in memory that starts as a copy: no initdb, no migrations. That is 0.4 s of work instead of 3.5 s.
 * What a first start does is tested with `memory:` and with empty directories.
 */
export const MEMORY = `memory:${join(PREPARED, 'database.tar')}`;

/** Lays the files of a database that was started before into a directory which a process of its own will open. */
export async function layDatabase(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await cp(join(PREPARED, 'postgres'), join(directory, 'postgres'), { recursive: true });
}

/** What was asked for on the command line; Vitest does not tell it in its types. */
const filtered = z.object({ filenamePattern: z.array(z.string()).default([]) });
/** Rooms whose tests start nothing of ours; a fault in them is then asked for in seconds. */
const PURE = /(?:^|\/)test\/(?:loop|guard|render|documents)(?:\/|$)/;

/** Vitest calls this before the first test of a project, and what it gives after the last: a worker that ends cleans nothing up. */
export async function setup({ vitest }: TestProject): Promise<() => Promise<void>> {
  const { filenamePattern: asked } = filtered.parse(vitest);
  if (asked.length > 0 && asked.every((path) => PURE.test(path))) return async () => undefined;
  await prepare();
  const shared = await mkdtemp(join(tmpdir(), 'loopwright-shared-'));
  process.env.SHARED_BY_TESTS = shared;
  return () => rm(shared, { recursive: true, force: true });
}

/** Makes both where they are not there yet; for programs that no Vitest has begun. */
export async function prepare(): Promise<void> {
  // What it tells is not what the program was asked for.
  if (isBuildStale()) await execa('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (!existsSync(PREPARED)) await prepareDatabase();
}

function isBuildStale(): boolean {
  if (!existsSync(COMMAND)) return true;
  const { mtimeMs } = statSync(COMMAND);
  const sources = ['package-lock.json', 'rolldown.config.ts', 'src', ...everythingBelow('src')];
  return sources.some((path) => statSync(join(ROOT, path)).mtimeMs > mtimeMs);
}

/** Directories too: their time tells that a file was removed. */
function everythingBelow(directory: string): readonly string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path));
}

/** Under another name until it is whole, because several Vitests may prepare at the same time. */
async function prepareDatabase(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(join(CACHE, 'unfinished-'));
  const engine = await openEngine({ url: unfinished });
  await engine.close();
  const lite = await PGlite.create({ dataDir: join(unfinished, 'postgres') });
  const dump = await lite.dumpDataDir('none');
  await lite.close();
  await writeFile(join(unfinished, 'database.tar'), new Uint8Array(await dump.arrayBuffer()));
  await rename(unfinished, PREPARED).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!existsSync(PREPARED)) throw error;
  });
}

function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(readFileSync(join(ROOT, path)));
  return hash.digest('hex').slice(0, 16);
}
