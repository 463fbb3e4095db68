/** One process per data directory: PGlite does not lock its files, and two processes lose each other's commits without a sign. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../../errors.ts';

const FILE = 'lock.sqlite';

/**
 * Locks an existing directory until the returned function is called or the process ends, kill -9 included: the lock is the operating system's.
 * @throws {StoreError} when another process holds it.
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, FILE));
  try {
    database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new StoreError(
      `The data directory ${directory} cannot be locked, most likely because another Loopwright process uses it: stop that one, or give this one another directory, or a postgres:// URL, which several processes may share`,
      { cause },
    );
  }
  return () => database.close();
}
