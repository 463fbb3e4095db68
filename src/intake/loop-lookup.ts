/** Which loop a webhook speaks to. */
import type { RepositoryRef } from '../github/github-port.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { idOf, type LoopRef } from '../loop/terms.ts';
import type { Ports, StoredLoop } from '../ports.ts';
import type { Issue, Repository } from './payloads.ts';

export function repositoryRefOf({ id, name, owner, installationId }: Repository): RepositoryRef {
  return { installationId, repositoryId: id, owner: owner.login, repo: name };
}

/** The loop that a label on the issue speaks to: the live or idle one, or a new one after the last has ended. */
export async function refFor(repository: Repository, issue: number, { store }: Ports): Promise<LoopRef> {
  const newest = await store.newest(repository.id, issue);
  const ended = newest?.loop.status === 'succeeded' || newest?.loop.status === 'stopped';
  return { ...repositoryRefOf(repository), issue, n: (newest?.loop.ref.n ?? 1) + (ended ? 1 : 0) };
}

/** The stored loop under the repository's present name. */
export function refOfStored(stored: StoredLoop | undefined, repository: Repository): LoopRef | undefined {
  return stored === undefined ? undefined : { ...stored.loop.ref, ...repositoryRefOf(repository) };
}

/**
 * The loop of a pull request. Between opening one and knowing its number lies a moment in which people may speak on it already; then its branch,
 * which `branchOf` tells where it is the repository's own, names the loop.
 */
export async function ofPull(
  repository: Repository,
  { number, branchOf }: { readonly number: number; readonly branchOf: () => Promise<string | undefined> },
  { store }: Ports,
): Promise<StoredLoop | undefined> {
  const known = await store.byPull(repository.id, number);
  if (known !== undefined) return known;
  const branch = await branchOf();
  const found = branch === undefined ? undefined : await store.byBranch(repository.id, branch);
  return found?.loop.review === undefined ? found : undefined;
}

/** The loop of an issue or pull request that somebody commented on. */
export async function refOfComment(
  repository: Repository,
  { number, user, pull_request }: Issue,
  ports: Ports,
): Promise<LoopRef | undefined> {
  if (pull_request === undefined) {
    const newest = await ports.store.newest(repository.id, number);
    return { ...repositoryRefOf(repository), issue: number, n: newest?.loop.ref.n ?? 1 };
  }
  const branchOf = async () =>
    user.login === ports.self ? (await ports.github.pull(repositoryRefOf(repository), number)).branch : undefined;
  return refOfStored(await ofPull(repository, { number, branchOf }, ports), repository);
}

/** The newest loop of the issue after this one, where there is one; a label that was refused started none. */
export async function newerLoop(ref: LoopRef, { store }: Ports): Promise<Loop | undefined> {
  const newest = await store.newest(ref.repositoryId, ref.issue);
  for (let n = newest?.loop.ref.n ?? 0; n > ref.n; n -= 1) {
    const stored = await store.load(idOf({ ...ref, n }));
    if (stored !== undefined && stored.loop.status !== 'idle') return stored.loop;
  }
  return undefined;
}

/** Our check runs name their loop in `external_id`. */
export async function ofCheck(
  repository: Repository,
  { external_id }: { readonly external_id: string },
  { store }: Ports,
): Promise<StoredLoop | undefined> {
  const [, id = ''] = /^(\d+\/\d+\/\d+)\//.exec(external_id) ?? [];
  return id.startsWith(`${repository.id}/`) ? store.load(id) : undefined;
}

/** What a webhook means to one loop. */
export interface Meaning {
  readonly ref: LoopRef;
  readonly event: Event;
}

/** What is read for a stored loop; nothing where there is none. */
export async function ofStored(
  stored: StoredLoop | undefined,
  repository: Repository,
  read: (ref: LoopRef, loop: Loop) => Promise<Event>,
): Promise<readonly Meaning[]> {
  const ref = refOfStored(stored, repository);
  return ref === undefined || stored === undefined ? [] : [{ ref, event: await read(ref, stored.loop) }];
}
