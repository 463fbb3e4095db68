/** What pushes mean to loops: to the branch of one, and to the base of many. */

import { baseMove } from '../context/base-move.ts';
import { pushOf } from '../context/branch-push.ts';
import { isReviewed } from '../loop/stages.ts';
import type { Actor } from '../loop/terms.ts';
import type { Ports, StoredLoop } from '../ports.ts';
import { type Meaning, refOfStored, repositoryRefOf } from './loop-lookup.ts';
import type { Repository } from './payloads.ts';

interface BranchPush {
  readonly sender: Actor;
  readonly at: string;
}

/** A push that brings a newer base into the branch is first of all a move of the base: GitHub tells the two in any order. */
export async function onBranchPushed(
  stored: StoredLoop | undefined,
  repository: Repository,
  { sender, at }: BranchPush,
  ports: Ports,
): Promise<readonly Meaning[]> {
  const ref = refOfStored(stored, repository);
  if (stored === undefined || ref === undefined || !isReviewed(stored.loop)) return [];
  const loop = { ...stored.loop, ref };
  const head = await ports.github.head(ref, `refs/heads/${loop.started.branch}`);
  if (head === undefined) return [{ ref, event: { type: 'ended', at, by: sender, how: 'branch deleted' } }];
  if (head === loop.review.head) return [];
  const pushed = await pushOf(loop, { head, at, by: sender }, ports);
  const moves = pushed.base === undefined ? [] : await onBaseMoved(repository, at, ports);
  return [...moves, { ref, event: pushed }];
}

/** Read from where each open loop's base is to where the branch is now: pushes are told late, twice, or in another order. */
export async function onBaseMoved(repository: Repository, at: string, ports: Ports): Promise<readonly Meaning[]> {
  const here = repositoryRefOf(repository);
  const branch = repository.default_branch;
  const open = await ports.store.onBase(repository.id, branch);
  const after = open.length === 0 ? undefined : await ports.github.head(here, `refs/heads/${branch}`);
  const meanings: Meaning[] = [];
  for (const [before, loops] of Map.groupBy(open, ({ loop }) => loop.started?.base.sha)) {
    if (before === undefined || after === undefined || after === before) continue;
    const event = { ...(await baseMove(here, { before, after, at }, ports)), before };
    meanings.push(...loops.map(({ loop }) => ({ ref: loop.ref, event })));
  }
  return meanings;
}
