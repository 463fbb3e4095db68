/** What pushes and deleted branches mean to loops: to the branch of one, and to the base of many. The branch as it is decides, not what is told of it. */
import { baseMove } from '../context/base-move.ts';
import { pushOf } from '../context/branch-push.ts';
import { NotYetError } from '../errors.ts';
import type { Loop } from '../loop/loop.ts';
import { asReviewed, isReviewed, type ReviewedLoop } from '../loop/stages.ts';
import type { Actor, LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { type Place, placeOf } from './place.ts';
import { afterAMoment, type Meaning, type Readers, type Taking } from './reader.ts';

const HEADS = 'refs/heads/';

export const pushReaders: Readers<'push' | 'delete'> = {
  async push(payload, taking) {
    const { ref, after, sender } = payload;
    if (sender.login === taking.ports.self || !ref.startsWith(HEADS)) return [];
    const branch = ref.slice(HEADS.length);
    const place = placeOf(payload, taking.ports);
    const moves = await onBaseMoved(place, { branch, told: after }, taking);
    return [...moves, ...(await onBranchMoved(place, { branch, by: sender, after }, taking))];
  },
  async delete(payload, taking) {
    const { ref: branch, ref_type, sender } = payload;
    if (ref_type !== 'branch') return [];
    return onBranchMoved(placeOf(payload, taking.ports), { branch, by: sender, after: undefined }, taking);
  },
};

interface BranchMove {
  readonly branch: string;
  readonly by: Actor;
  /** Where the webhook says the branch is. */
  readonly after: string | undefined;
}

async function onBranchMoved(
  place: Place,
  { branch, by, after }: BranchMove,
  taking: Taking,
): Promise<readonly Meaning[]> {
  const { at, ports } = taking;
  const stored = await ports.store.byBranch(place.said.repositoryId, branch);
  if (stored === undefined || !isAtStake(stored.loop)) return [];
  const loop = asReviewed({ ...stored.loop, ref: await place.of(stored.loop.ref) });
  const head = await headNow(loop, after, taking);
  if (head === undefined) return [{ ref: loop.ref, event: { type: 'ended', at, by, how: 'branch deleted' } }];
  const isKnown = head === loop.review.head;
  if (!isKnown && head !== after && isWriting(loop)) return [];
  if (isYoung(taking) && (await isAhead(after, { ref: loop.ref, head }, ports)))
    throw new NotYetError(`GitHub told of ${after}, and still has ${head}.`);
  if (isKnown) return [];
  const pushed = await pushOf(loop, { head, at, by }, ports);
  // A push that brings a newer base into the branch is first of all a move of the base: GitHub tells the two in any order.
  const moves = pushed.base === undefined ? [] : await onBaseMoved(place, { branch: loop.started.base.branch }, taking);
  return [...moves, { ref: loop.ref, event: pushed }];
}

/** Where the branch is, as GitHub says; where it was told to be deleted, GitHub has a moment to show that. */
async function headNow(
  { ref, started }: ReviewedLoop,
  after: string | undefined,
  taking: Taking,
): Promise<string | undefined> {
  const head = await taking.ports.github.head(ref, `${HEADS}${started.branch}`);
  if (head !== undefined && after === undefined)
    afterAMoment(`GitHub says that ${started.branch} is at ${head}`, taking);
  return head;
}

/** So long the API may lag behind a webhook. */
const LAG_MS = 5 * 60_000;

function isYoung({ at, ports }: Taking): boolean {
  return ports.clock.now().getTime() - Date.parse(at) < LAG_MS;
}

/** Whether a webhook tells of a commit that the API does not show yet; one that the head holds is old news. */
async function isAhead(
  after: string | undefined,
  { ref, head }: { readonly ref: LoopRef; readonly head: string },
  { workspace }: Ports,
): Promise<boolean> {
  if (after === undefined || after === head || /^0+$/.test(after)) return false;
  return (await workspace.mergeBase(ref, after, head)) !== after;
}

/** Whether the loop has put something on its branch that it still needs. A stopped one may be set going again, and then builds on what is there. */
function isAtStake(loop: Loop): boolean {
  return isReviewed(loop) && loop.status !== 'idle' && loop.status !== 'succeeded';
}

/** Whether the App itself is about to move the branch: then a head that nobody told of may be its own, and its outcome tells of it. */
function isWriting({ pending }: Loop): boolean {
  return pending.some(({ type }) => type === 'publish' || type === 'land' || type === 'promote');
}

interface BaseMove {
  readonly branch: string;
  /** Where a webhook says the branch is. */
  readonly told?: string | undefined;
}

/** Read from where each loop's base is to where the branch is now: pushes are told late, twice, or in another order. */
async function onBaseMoved(place: Place, move: BaseMove, taking: Taking): Promise<readonly Meaning[]> {
  const { at, ports } = taking;
  const { ended, open } = await readyOn(place, move.branch, taking);
  const working = await ports.store.onBase(place.said.repositoryId, move.branch);
  const loops = [...working.map(({ loop }) => loop), ...open];
  const [first] = loops;
  if (first === undefined) return ended;
  const here = await place.of(first.ref);
  const after = await baseNow(here, move, taking);
  const meanings: Meaning[] = [];
  for (const [before, those] of Map.groupBy(loops, ({ started }) => started?.base.sha)) {
    if (before === undefined || after === undefined || after === before) continue;
    const event = { ...(await baseMove(here, { before, after, at }, ports)), before };
    for (const { ref } of those) meanings.push({ ref: await place.of(ref), event });
  }
  return [...ended, ...meanings];
}

/** Where the base is. A loop that has ended looks at it no more: a move that GitHub tells of and does not show yet is waited for. */
async function baseNow(here: LoopRef, { branch, told }: BaseMove, taking: Taking): Promise<string | undefined> {
  const head = await taking.ports.github.head(here, `${HEADS}${branch}`);
  if (head !== undefined && isYoung(taking) && (await isAhead(told, { ref: here, head }, taking.ports)))
    throw new NotYetError(`GitHub told of ${told}, and still has ${head}.`);
  return head;
}

interface Ready {
  /** Of pull requests that were merged or closed, and of which no webhook told. */
  readonly ended: readonly Meaning[];
  /** Whose evidence is not void yet. */
  readonly open: readonly ReviewedLoop[];
}

/** Pull requests that are ready: asked for once each, until one is merged, closed, or known to be behind its base. */
async function readyOn(place: Place, branch: string, { at, ports }: Taking): Promise<Ready> {
  const ended: Meaning[] = [];
  const open: ReviewedLoop[] = [];
  for (const { loop } of await ports.store.awaitingMerge(place.said.repositoryId, branch)) {
    if (!isReviewed(loop) || loop.shipping?.outdated !== undefined) continue;
    const ref = await place.of(loop.ref);
    const { state, merged } = await ports.github.pull(ref, loop.review.pull);
    if (state !== 'closed') open.push(loop);
    else ended.push({ ref, event: { type: 'ended', at, how: merged ? 'pull request merged' : 'pull request closed' } });
  }
  return { ended, open };
}
