/** PGlite: Postgres inside this process, in a locked directory or in memory. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import type { Logger } from 'pino';
import { z } from 'zod';
import { StoreError } from '../../errors.ts';
import { packageFile } from '../../settings/package-root.ts';
import { lockDirectory } from './directory-lock.ts';

export interface PgliteHandle {
  readonly lite: PGlite;
  /** Copied from a database in which schema and queues are made. */
  readonly prepared: boolean;
  /** To be called when schema and queues are there. */
  readonly onPrepared: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const POSTGRES_MAJOR = '18';
/** Each save leaves an old row behind, whose room only a vacuum gives back; what changed nothing costs one next to nothing. */
const VACUUM_INTERVAL_MS = 60_000;
/** Statistics and a checkpoint take longer, and can wait. */
const WHOLE_EVERY = 10;
// 16 MB of buffers instead of 128 save about as much resident memory; our tables are small.
const START_PARAMETERS = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];

const MEMORY = 'memory:';

/** Opens a directory, `memory:`, or `memory:FILE`: a copy of the database that FILE is a dump of. @throws {StoreError} when the directory is in use or of another Postgres. */
export async function openPglite(url: string, log: Logger): Promise<PgliteHandle> {
  return url.startsWith(MEMORY) ? openMemory(url.slice(MEMORY.length)) : openDirectory(url, log);
}

async function openMemory(dump: string): Promise<PgliteHandle> {
  const isCopy = dump !== '';
  const lite = await PGlite.create({
    startParams: START_PARAMETERS,
    ...(isCopy ? { loadDataDir: new Blob([await readFile(dump)]) } : {}),
  });
  return { lite, prepared: isCopy, onPrepared: async () => {}, close: () => lite.close() };
}

async function openDirectory(directory: string, log: Logger): Promise<PgliteHandle> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(directory);
  try {
    // A directory of its own, because initdb wants an empty one and the lock file lies beside it.
    const dataDir = join(directory, 'postgres');
    const unfinished = join(directory, 'first-start-unfinished');
    forgetUnfinishedStart(dataDir, unfinished);
    refuseOtherMajor(dataDir);
    const lite = await PGlite.create({ dataDir, startParams: START_PARAMETERS, ...(await emptyFor(dataDir)) });
    const maintenance = scheduleMaintenance(lite, log);
    return {
      lite,
      prepared: false,
      onPrepared: async () => {
        rmSync(unfinished, { force: true });
        await releaseOrphans(lite);
      },
      close: async () => {
        clearInterval(maintenance);
        await lite.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What a first start begins with; without the file Postgres makes it, which takes seconds. */
async function emptyFor(dataDir: string): Promise<{ readonly loadDataDir?: Blob }> {
  const file = emptyDatabase();
  if (existsSync(dataDir) || !existsSync(file)) return {};
  return { loadDataDir: new Blob([await readFile(file)], { type: 'application/gzip' }) };
}

const manifest = z.object({ version: z.string() });

/** Of the installed version: another could not open it. */
function emptyDatabase(): string {
  const path = findPackageJSON('@electric-sql/pglite', import.meta.url) ?? '';
  const { version } = manifest.parse(JSON.parse(readFileSync(path, 'utf8')));
  return packageFile('dist', `empty-database-${version}.tar.gz`);
}

/** Makes the database that first starts begin with, once. For the build, whose folder must be there. */
export async function makeEmptyDatabase(): Promise<void> {
  const file = emptyDatabase();
  if (existsSync(file)) return;
  for await (const old of glob(packageFile('dist', 'empty-database-*.tar.gz'))) await rm(old, { force: true });
  const lite = await PGlite.create();
  const dump = await lite.dumpDataDir('none');
  await lite.close();
  // Whole or not at all: several builds may run at the same time.
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, gzipSync(await dump.bytes()));
  await rename(unfinished, file);
}

/** A first start that was killed leaves half a database that holds nothing of anybody's: begin again. */
function forgetUnfinishedStart(dataDir: string, unfinished: string): void {
  if (existsSync(unfinished)) rmSync(dataDir, { recursive: true, force: true });
  if (!existsSync(dataDir))
    writeFileSync(unfinished, 'The first start has not finished; if no process runs, the next one begins again.\n');
}

function refuseOtherMajor(dataDir: string): void {
  const file = join(dataDir, 'PG_VERSION');
  if (!existsSync(file)) return;
  const major = readFileSync(file, 'utf8').trim();
  if (major === POSTGRES_MAJOR) return;
  throw new StoreError(
    `data directory ${dataDir} was made by Postgres ${major}, this version needs ${POSTGRES_MAJOR}: start the Loopwright version that made it and move the data to a PostgreSQL server, or use a new directory`,
  );
}

/** Whoever has the lock is the only worker, so what is active now was active in a process that died: it is free again at once. */
async function releaseOrphans(lite: PGlite): Promise<void> {
  await lite.query(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`);
}

/** PGlite has neither autovacuum nor a checkpointer: without this, tables and write-ahead log only grow. */
function scheduleMaintenance(lite: PGlite, log: Logger): NodeJS.Timeout {
  let rounds = 0;
  const maintain = (): void => {
    rounds += 1;
    const done = rounds % WHOLE_EVERY === 0 ? maintainPglite(lite) : lite.query('vacuum');
    done.catch((error: unknown) => log.error({ err: error }, 'store: maintenance failed'));
  };
  return setInterval(maintain, VACUUM_INTERVAL_MS).unref();
}

/** Vacuums, refreshes the planner's statistics, and writes a checkpoint so that old write-ahead log is dropped. */
export async function maintainPglite(lite: PGlite): Promise<void> {
  await lite.query('vacuum (analyze)');
  await lite.query('checkpoint');
}
