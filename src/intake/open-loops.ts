/** The open loops of repositories. */
import type { Store, StoredLoop } from '../ports.ts';

/** More than a repository will ever have at once. */
const MOST = 10_000;

export async function openIn(
  store: Pick<Store, 'overview' | 'load'>,
  repositoryIds: ReadonlySet<number>,
): Promise<readonly StoredLoop[]> {
  const found: StoredLoop[] = [];
  for (const repositoryId of repositoryIds) {
    for (const { id } of await store.overview({ repositoryId, open: true, limit: MOST })) {
      const stored = await store.load(id);
      if (stored !== undefined) found.push(stored);
    }
  }
  return found;
}
