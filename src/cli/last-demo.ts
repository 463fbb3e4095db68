/** Where a demo without `--keep` lies: the last one that ended is kept until the next one ends. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockDirectory } from '../adapters/database/directory-lock.ts';
import { StoreError } from '../errors.ts';
import { stateDirectory } from '../settings/env.ts';

/** A line for the last demo, and one for each before it that was in use when it should have gone. */
const POINTER = 'last-demo';

/** A new directory for one demo. */
export async function newDemoDirectory(): Promise<string> {
  const place = stateDirectory();
  await mkdir(place, { recursive: true, mode: 0o700 });
  return mkdtemp(join(place, 'demo-'));
}

/** This demo is the last one from now on; those before it go. Demos that still run are left alone. Returns those that somebody looks at, which stay until the next one ends. */
export async function keepAsLast(directory: string): Promise<readonly string[]> {
  const pointer = join(stateDirectory(), POINTER);
  const known = existsSync(pointer) ? (await readFile(pointer, 'utf8')).split('\n') : [];
  const before = known.filter((path) => path !== directory && path.startsWith(join(stateDirectory(), 'demo-')));
  const inUse: string[] = [];
  for (const path of before) if (!(await isGone(path))) inUse.push(path);
  await writeFile(pointer, [directory, ...inUse].join('\n'));
  return inUse;
}

/** Removed while it is locked, so that nothing is taken from under a Loopwright that uses it; false where one does. */
async function isGone(directory: string): Promise<boolean> {
  if (!existsSync(directory)) return true;
  try {
    using opened = new DisposableStack();
    opened.defer(lockDirectory(directory));
    await rm(directory, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
