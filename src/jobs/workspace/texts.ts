/** Small files of a working copy that a candidate may have laid, read from outside the sandbox. */
import { glob } from 'node:fs/promises';
import { placeOf, readRegular } from '../../sandbox/inside.ts';
import { JobError } from './environment.ts';

/** By path from the root. */
export type Texts = ReadonlyMap<string, string>;

/** No manifest or lock file is larger. */
const MOST_BYTES = 20_000_000;

/** Where a file of this name lies, but among installed packages; links are not followed. */
export async function pathsIn(tree: string, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of glob(`**/${name}`, { cwd: tree, exclude: ['**/node_modules', '.git'] })) found.push(path);
  return found.toSorted();
}

/** Those that are regular files. @throws {JobError} where one is too large to be what it is called. */
export async function textsAt(tree: string, paths: readonly string[]): Promise<Texts> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const place = await placeOf(tree, path);
    if (place.refusal !== undefined || place.stats?.isFile() !== true) continue;
    if (place.stats.size > MOST_BYTES)
      throw new JobError(`\`${path}\` has ${place.stats.size} bytes; at most ${MOST_BYTES} are read.`);
    texts.set(path, String(await readRegular(place.absolute)));
  }
  return texts;
}
