/** Which open loops something concerns that is said to a repository as a whole. */
import type { Store, StoredLoop } from '../ports.ts';

/** Loops that await the checks of a commit. */
export async function awaitingChecks(
  store: Pick<Store, 'list'>,
  repositoryId: number,
  sha: string,
): Promise<readonly StoredLoop[]> {
  const open = await openIn(store, new Set([repositoryId]));
  return open.filter(({ loop }) => loop.phase === 'SHIP' && loop.promotedAt !== undefined && loop.head === sha);
}

/** Loops whose base is a branch. */
export async function onBase(
  store: Pick<Store, 'list'>,
  repositoryId: number,
  branch: string,
): Promise<readonly StoredLoop[]> {
  return (await openIn(store, new Set([repositoryId]))).filter(({ loop }) => loop.base?.branch === branch);
}

export async function openIn(
  store: Pick<Store, 'list'>,
  repositoryIds: ReadonlySet<number>,
): Promise<readonly StoredLoop[]> {
  return (await store.list({ open: true })).filter(({ loop }) => repositoryIds.has(loop.ref.repositoryId));
}
