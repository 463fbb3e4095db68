/** The loop's documents with their stored text. */
import type { Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';

export interface DocumentText {
  readonly path: string;
  readonly text: string;
}

export async function documentTexts(loop: Loop, store: Store): Promise<readonly DocumentText[]> {
  return Promise.all(loop.documents.map(async ({ path, digest }) => ({ path, text: await storedText(store, digest) })));
}

export async function storedText(store: Pick<Store, 'blob'>, digest: string): Promise<string> {
  return Buffer.from(await store.blob(digest)).toString('utf8');
}

/** The file name of a document within the loop's folder: `spec.md`. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Text of the loop's document with this file name; undefined when there is none yet. */
export async function documentNamed(loop: Loop, name: string, store: Store): Promise<string | undefined> {
  const found = loop.documents.find(({ path }) => fileNameOf(path) === name);
  return found === undefined ? undefined : storedText(store, found.digest);
}

/** Folder of a loop's documents in the repository. */
export function folderOf(loop: Loop): string {
  return `.loopwright/${loop.ref.issue}${loop.ref.n > 1 ? `-${loop.ref.n}` : ''}`;
}
