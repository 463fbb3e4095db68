/** Which loop a webhook speaks to, and which are open. */
import type { Loop } from '../loop/loop.ts';
import { idOf, type LoopRef } from '../loop/terms.ts';
import type { Ports, Store, StoredLoop } from '../ports.ts';
import type { Issue } from './payloads.ts';
import type { Place } from './place.ts';

/** The loop that a label on the issue speaks to: the live or idle one, or a new one after the last has ended. */
export async function newOrLive(newest: StoredLoop | undefined, place: Place, issue: number): Promise<LoopRef> {
  if (newest === undefined) return { ...place.said, issue, n: 1 };
  const { ref, status } = newest.loop;
  const hasEnded = status === 'succeeded' || status === 'stopped';
  return { ...(await place.of(ref)), n: ref.n + (hasEnded ? 1 : 0) };
}

/**
 * The loop of a pull request. Between opening one and knowing its number lies a moment in which people may speak on it already; then its branch,
 * which `branchOf` tells where it is the repository's own, names the loop.
 */
export async function ofPull(
  repositoryId: number,
  { number, branchOf }: { readonly number: number; readonly branchOf: () => Promise<string | undefined> },
  store: Store,
): Promise<StoredLoop | undefined> {
  const known = await store.byPull(repositoryId, number);
  if (known !== undefined) return known;
  const branch = await branchOf();
  const found = branch === undefined ? undefined : await store.byBranch(repositoryId, branch);
  return found?.loop.review === undefined ? found : undefined;
}

/** The loop that a comment speaks to. */
export interface Commented {
  readonly ref: LoopRef;
  /** False on an issue where the label never started a loop. */
  readonly isStarted: boolean;
  /** The newest loop of the issue that was started after it, where there is one. */
  readonly newer: Loop | undefined;
}

/** The loop of an issue or pull request that somebody commented on; none for pull requests of others. */
export async function ofComment(
  place: Place,
  { number, user, pull_request }: Issue,
  { store, github, self }: Ports,
): Promise<Commented | undefined> {
  const { said } = place;
  const branchOf = async () => (user.login === self ? (await github.pull(said, number)).branch : undefined);
  const newest = async (issue: number) => newestStarted(said.repositoryId, issue, store);
  const stored =
    pull_request === undefined ? await newest(number) : await ofPull(said.repositoryId, { number, branchOf }, store);
  if (stored === undefined)
    return pull_request === undefined
      ? { ref: { ...said, issue: number, n: 1 }, isStarted: false, newer: undefined }
      : undefined;
  const { ref } = stored.loop;
  const last = pull_request === undefined ? stored : await newest(ref.issue);
  const newer = last !== undefined && last.loop.ref.n > ref.n ? last.loop : undefined;
  return { ref: await place.of(ref), isStarted: true, newer };
}

/** The newest loop of an issue that was started; a label that was refused started none. */
async function newestStarted(repositoryId: number, issue: number, store: Store): Promise<StoredLoop | undefined> {
  let found = await store.newest(repositoryId, issue);
  while (found?.loop.status === 'idle') {
    const { ref } = found.loop;
    if (ref.n === 1) return undefined;
    found = await store.load(idOf({ ...ref, n: ref.n - 1 }));
  }
  return found;
}

/** Our check runs name their loop in `external_id`. */
export async function ofCheck(
  repositoryId: number,
  { external_id }: { readonly external_id: string },
  store: Store,
): Promise<StoredLoop | undefined> {
  const [, id = ''] = /^(\d+\/\d+\/\d+)\//.exec(external_id) ?? [];
  return id.startsWith(`${repositoryId}/`) ? store.load(id) : undefined;
}

/** More than a repository will ever have at once. */
const MOST = 10_000;

/** The open loops of repositories. */
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
