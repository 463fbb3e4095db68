/** What pushes mean to loops: to the branch of one, and to the base of many. */

import { baseMove, newerBaseIn } from '../context/base-move.ts';
import { folderOf } from '../documents/document-texts.ts';
import type { Actor } from '../loop/terms.ts';
import type { Ports, StoredLoop } from '../ports.ts';
import { type Meaning, ofStored, repositoryRefOf } from './loop-lookup.ts';
import type { Repository } from './payloads.ts';

interface BranchPush {
  readonly before: string;
  readonly after: string;
  readonly sender: Actor;
  readonly at: string;
}

/** A push that brings a newer base into the branch is first of all a move of the base: GitHub tells the two in any order. */
export async function onBranchPushed(
  stored: StoredLoop | undefined,
  repository: Repository,
  { before, after, sender, at }: BranchPush,
  ports: Ports,
): Promise<readonly Meaning[]> {
  const known = stored?.loop.base;
  const merged = stored === undefined || known === undefined ? undefined : await newerBaseIn(stored.loop, after, ports);
  const moves = merged === undefined ? [] : await onBaseMoved(repository, at, ports);
  const pushes = await ofStored(stored, repository, async (ref, loop) => {
    const paths = await ports.github.changedPaths(ref, before, after);
    return {
      type: 'pushed',
      at,
      by: sender,
      sha: after,
      codeTree: await ports.workspace.codeTree(ref, after),
      documentsChanged: paths === undefined || paths.some((path) => path.startsWith(`${folderOf(loop)}/`)),
      ...(merged === undefined || known === undefined ? {} : { base: { before: known.sha, after: merged } }),
    };
  });
  return [...moves, ...pushes];
}

/** Read from where each open loop's base is to where the branch is now: pushes are told late, twice, or in another order. */
export async function onBaseMoved(repository: Repository, at: string, ports: Ports): Promise<readonly Meaning[]> {
  const here = repositoryRefOf(repository);
  const branch = repository.default_branch;
  const open = await ports.store.onBase(repository.id, branch);
  const after = open.length === 0 ? undefined : await ports.github.head(here, `refs/heads/${branch}`);
  const meanings: Meaning[] = [];
  for (const [before, loops] of Map.groupBy(open, ({ loop }) => loop.base?.sha)) {
    if (before === undefined || after === undefined || after === before) continue;
    const event = { ...(await baseMove(here, { before, after, at }, ports)), before };
    meanings.push(...loops.map(({ loop }) => ({ ref: loop.ref, event })));
  }
  return meanings;
}
