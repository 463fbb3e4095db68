/** Where a demo without `--keep` lies: the last one that ended is kept until the next one ends. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stateDirectory } from '../settings/env.ts';

const POINTER = 'last-demo';

/** A new directory for one demo. */
export async function newDemoDirectory(): Promise<string> {
  const place = stateDirectory();
  await mkdir(place, { recursive: true, mode: 0o700 });
  return mkdtemp(join(place, 'demo-'));
}

/** This demo is the last one from now on; the one before it goes. Demos that still run are left alone. */
export async function keepAsLast(directory: string): Promise<void> {
  const pointer = join(stateDirectory(), POINTER);
  const before = existsSync(pointer) ? await readFile(pointer, 'utf8') : undefined;
  await writeFile(pointer, directory);
  if (before !== undefined && before !== directory && before.startsWith(join(stateDirectory(), 'demo-')))
    await rm(before, { recursive: true, force: true });
}
