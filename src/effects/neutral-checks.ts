/** Required checks of ours on heads where they would otherwise never come: of pull requests that are no loop's, and of merge groups. */
import { storedVerifyReport } from '../documents/verify-report.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { type CheckRun, LOOP_CHECKS } from '../loop/check-run.ts';
import { isReviewed, type ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { PROOF_CHECK } from '../proof/pull-proof.ts';
import { checksOf } from '../render/checks.ts';
import { cameLater, type Grouped, inMergeGroup, nothingToJudge } from '../render/neutral-check.ts';

export interface RequiringHead {
  readonly ref: RepositoryRef;
  /** The branch whose rules say what is required. */
  readonly base: string;
  readonly headSha: string;
}

export interface ForeignPull extends RequiringHead {
  readonly pull: number;
  /** Names of those that come by themselves. */
  readonly awaited: readonly string[];
}

/** A commit on a loop's pull request, pushed after it was made ready. */
export interface LaterHead extends RequiringHead {
  readonly pull: number;
  /** The head that was judged. */
  readonly judged: string;
}

export interface MergeGroup extends RequiringHead {
  /** The pull request that the group is made for; undefined where it does not say. */
  readonly pull: number | undefined;
}

type World = Pick<Ports, 'github' | 'store' | 'modelFacts'>;

/** Repeating it is harmless: what is on the head already stays as it is. */
export async function passForeignPull({ ref, base, ...head }: ForeignPull, { github }: World): Promise<void> {
  const required = await github.requiredChecks(ref, base);
  const lacking = required.filter((name) => !head.awaited.includes(name));
  const { repositoryId } = ref;
  await github.addChecks(
    ref,
    lacking.map((name) => nothingToJudge(name, { repositoryId, ...head })),
  );
}

const OF_LOOPS: readonly string[] = Object.values(LOOP_CHECKS);

/** What was said of the commit elsewhere, as of the head of somebody's own pull request, is taken back: it would pass here. Repeating it is harmless. */
export async function refuseLaterHead({ ref, base, ...head }: LaterHead, { github }: World): Promise<void> {
  const required = (await github.requiredChecks(ref, base)).filter((name) => OF_LOOPS.includes(name));
  const { repositoryId } = ref;
  if (required.length === 0) return;
  await github.checks(
    ref,
    required.map((name) => cameLater(name, { repositoryId, ...head })),
  );
}

/** Repeating it is harmless, too. */
export async function passMergeGroup({ ref, base, headSha, pull }: MergeGroup, world: World): Promise<void> {
  const required = await world.github.requiredChecks(ref, base);
  if (required.length === 0) return;
  const groupedBy = await groupedOf(ref, pull, world);
  const place = { repositoryId: ref.repositoryId, headSha };
  await world.github.addChecks(
    ref,
    required.map((name) => inMergeGroup(name, groupedBy(name), place)),
  );
}

/** What is known of the pull request, for the check of a name. */
async function groupedOf(
  ref: RepositoryRef,
  pull: number | undefined,
  world: World,
): Promise<(name: string) => Grouped> {
  if (pull === undefined) return () => ({ kind: 'unknown' });
  const { repositoryId } = ref;
  const isAsked = (await world.store.pullProof(repositoryId, pull)) !== undefined;
  const loop = (await world.store.byPull(repositoryId, pull))?.loop;
  const own = loop && isReviewed(loop) ? await saidOn(loop, ref, world) : [];
  return (name) => {
    const said = own.find((one) => one.name === name);
    if (said !== undefined) return { kind: 'loop', pull, own: said };
    return { kind: name === PROOF_CHECK && isAsked ? 'proof' : 'other', pull };
  };
}

/** What the loop says of the head that its pull request has, which may be another than it knows of. */
async function saidOn(
  loop: ReviewedLoop,
  ref: RepositoryRef,
  { github, store, modelFacts }: World,
): Promise<readonly CheckRun[]> {
  const { pull, head: judged } = loop.review;
  const { headSha } = await github.pull(ref, pull);
  if (headSha === judged)
    return checksOf(loop, { ...modelFacts, headSha, report: await storedVerifyReport(loop, store) });
  return OF_LOOPS.map((name) => cameLater(name, { repositoryId: ref.repositoryId, headSha, pull, judged }));
}
