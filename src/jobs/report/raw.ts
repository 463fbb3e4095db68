/** Raw outputs, stored under their own digest, so that every number can be read again from what it came from. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Stores a text and returns `sha256:<hex>`; storing the same text again changes nothing. */
export type RawStore = (text: string) => Promise<string>;

/** A store that writes `raw/<hex>` below the directory. */
export function createRawStore(directory: string): RawStore {
  return async (text) => {
    const hex = createHash('sha256').update(text).digest('hex');
    await mkdir(join(directory, 'raw'), { recursive: true });
    await writeFile(join(directory, 'raw', hex), text);
    return `sha256:${hex}`;
  };
}
