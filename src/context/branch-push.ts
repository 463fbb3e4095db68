/** What the loop branch is at, where that is not where the loop left it: somebody's commit, which wins. */
import { folderOf } from '../documents/document-texts.ts';
import { GoneError } from '../errors.ts';
import type { EventOf } from '../loop/event.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Actor } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { movedUnder, newerBaseIn } from './base-move.ts';

type Reading = Pick<Ports, 'github' | 'workspace'>;

/** Reads a head that is not ours: what changed there, and whether it brings a newer base. */
export async function pushOf(
  loop: ReviewedLoop,
  { head, at, by }: { readonly head: string; readonly at: string; readonly by: Actor | undefined },
  ports: Reading,
): Promise<EventOf<'pushed'>> {
  const known = loop.started.base.sha;
  const merged = await newerBaseIn(loop, head, ports);
  return {
    type: 'pushed',
    at,
    ...(by === undefined ? {} : { by }),
    sha: head,
    codeTree: await ports.workspace.codeTree(loop.ref, head),
    documentsChanged: await touchesDocuments(loop, { from: loop.review.head, to: head }, ports),
    ...(merged === undefined ? {} : { base: { before: known, after: merged } }),
  };
}

/** GitHub compares with the last common commit, so what a forced push took away shows only when it is asked the other way round. */
async function touchesDocuments(
  loop: ReviewedLoop,
  { from, to }: { readonly from: string; readonly to: string },
  { github }: Reading,
): Promise<boolean> {
  const touched = async (base: string, head: string): Promise<boolean> => {
    const paths = await github.changedPaths(loop.ref, base, head);
    return paths === undefined || paths.some((path) => path.startsWith(`${folderOf(loop)}/`));
  };
  return (await touched(from, to)) || (await touched(to, from));
}

/**
 * What happened to the ground that an effect stands on, if anything: the base changed under the approval, or the branch has a commit that the loop
 * does not know, because a webhook is late or lost. `at` is where the branch is, where that was just asked. @throws {GoneError} when a branch is gone.
 */
export async function groundMoved(
  loop: ReviewedLoop,
  ports: Reading & Pick<Ports, 'clock' | 'guardrails'>,
  at?: string,
): Promise<EventOf<'pushed' | 'moved'> | undefined> {
  const head = at ?? (await headOf(loop, ports));
  const moved = await movedUnder(loop, ports);
  if (moved !== undefined || head === loop.review.head) return moved;
  return pushOf(loop, { head, at: ports.clock.now().toISOString(), by: undefined }, ports);
}

/** Where the loop branch is now. @throws {GoneError} when there is no such branch. */
export async function headOf({ ref, started }: ReviewedLoop, { github }: Pick<Ports, 'github'>): Promise<string> {
  const head = await github.head(ref, `refs/heads/${started.branch}`);
  if (head !== undefined) return head;
  throw new GoneError(`The branch ${started.branch} is gone; restore it.`, { status: 404 });
}
