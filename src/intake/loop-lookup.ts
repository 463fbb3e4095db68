/** Which loop a webhook speaks to, and which are open. */
import type { EventOf } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { isHandedOver } from '../loop/people/handed-over.ts';
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
  /** Undefined where none was started. */
  readonly loop: Loop | undefined;
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
  const stored =
    pull_request === undefined
      ? await newestStarted(said.repositoryId, number, store)
      : await ofPull(said.repositoryId, { number, branchOf }, store);
  if (stored === undefined)
    return pull_request === undefined
      ? { ref: { ...said, issue: number, n: 1 }, isStarted: false, loop: undefined, newer: undefined }
      : undefined;
  const { loop } = stored;
  const newer = pull_request === undefined ? undefined : await newerThan(loop, store);
  return { ref: await place.of(loop.ref), isStarted: true, loop, newer };
}

/** The newest loop of the issue that was started after this one, where there is one. */
export async function newerThan({ ref }: Loop, store: Store): Promise<Loop | undefined> {
  const last = await newestStarted(ref.repositoryId, ref.issue, store);
  return last !== undefined && last.loop.ref.n > ref.n ? last.loop : undefined;
}

/** What an event says of a newer loop. */
export function asNewer(newer: Loop | undefined): Pick<EventOf<'commanded' | 'reviewed'>, 'newer'> {
  if (newer === undefined) return {};
  return { newer: newer.review === undefined ? {} : { pull: newer.review.pull } };
}

/** How the pull request stands that a loop made ready; nobody tells the loop of it any more. */
export async function pullStateOf(
  ref: LoopRef,
  loop: Loop,
  { github }: Pick<Ports, 'github'>,
): Promise<Pick<EventOf<'commanded' | 'reviewed'>, 'pull'>> {
  if (loop.review === undefined || !isHandedOver(loop)) return {};
  const { state, merged } = await github.pull(ref, loop.review.pull);
  return { pull: merged ? 'merged' : state };
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

/** The open loops of repositories, and those that wait there for a right of the App. */
export async function openIn(store: Look, repositoryIds: ReadonlySet<number>): Promise<readonly StoredLoop[]> {
  const found: StoredLoop[] = [];
  for (const repositoryId of repositoryIds) found.push(...(await openAmong(store, { repositoryId })));
  return found;
}

/** The same of an installation. */
export async function openOf(store: Look, installationId: number): Promise<readonly StoredLoop[]> {
  const found = await openAmong(store, {});
  return found.filter(({ loop }) => loop.ref.installationId === installationId);
}

/** The loops of a repository whose pull request is ready and not merged. */
export function readyIn(store: Look, repositoryId: number): Promise<readonly StoredLoop[]> {
  return readyAmong(store, { repositoryId });
}

/** The same of an installation. */
export async function readyOf(store: Look, installationId: number): Promise<readonly StoredLoop[]> {
  const found = await readyAmong(store, {});
  return found.filter(({ loop }) => loop.ref.installationId === installationId);
}

type Look = Pick<Store, 'overview' | 'load'>;
interface Among {
  readonly repositoryId?: number;
}

async function openAmong(store: Look, of: Among): Promise<readonly StoredLoop[]> {
  const open = await store.overview({ ...of, open: true, limit: MOST });
  const waiting = await store.overview({ ...of, withheld: true, limit: MOST });
  return loadAll(store, [...open, ...waiting]);
}

async function readyAmong(store: Look, of: Among): Promise<readonly StoredLoop[]> {
  return loadAll(store, await store.overview({ ...of, awaitsMerge: true, limit: MOST }));
}

async function loadAll(store: Look, listed: readonly { readonly id: string }[]): Promise<readonly StoredLoop[]> {
  const found: StoredLoop[] = [];
  for (const id of new Set(listed.map((one) => one.id))) {
    const stored = await store.load(id);
    if (stored !== undefined) found.push(stored);
  }
  return found;
}
