/** Required checks of ours on heads where they would otherwise never come: of pull requests that are no loop's, and of merge groups. */
import { storedVerifyReport } from '../documents/verify-report.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { isReviewed } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { PROOF_CHECK } from '../proof/pull-proof.ts';
import { checksOf } from '../render/checks.ts';
import { type Grouped, inMergeGroup, nothingToJudge } from '../render/neutral-check.ts';

export interface RequiringHead {
  readonly ref: RepositoryRef;
  /** The branch whose rules say what is required. */
  readonly trunk: string;
  readonly headSha: string;
}

export interface ForeignPull extends RequiringHead {
  readonly pull: number;
  /** Names of those that come by themselves. */
  readonly awaited: readonly string[];
}

export interface MergeGroup extends RequiringHead {
  /** The pull request that the group is made for; undefined where it does not say. */
  readonly pull: number | undefined;
}

type World = Pick<Ports, 'github' | 'store' | 'modelFacts'>;

/** Repeating it is harmless: what is on the head already stays as it is. */
export async function passForeignPull({ ref, trunk, ...head }: ForeignPull, { github }: World): Promise<void> {
  const required = await github.requiredChecks(ref, trunk);
  const lacking = required.filter((name) => !head.awaited.includes(name));
  const { repositoryId } = ref;
  await github.addChecks(
    ref,
    lacking.map((name) => nothingToJudge(name, { repositoryId, ...head })),
  );
}

/** Repeating it is harmless, too. */
export async function passMergeGroup({ ref, trunk, headSha, pull }: MergeGroup, world: World): Promise<void> {
  const required = await world.github.requiredChecks(ref, trunk);
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
  { repositoryId }: RepositoryRef,
  pull: number | undefined,
  { store, modelFacts }: World,
): Promise<(name: string) => Grouped> {
  if (pull === undefined) return () => ({ kind: 'unknown' });
  const isAsked = (await store.pullProof(repositoryId, pull)) !== undefined;
  const loop = (await store.byPull(repositoryId, pull))?.loop;
  const report = loop && isReviewed(loop) ? await storedVerifyReport(loop, store) : undefined;
  const own = loop && isReviewed(loop) ? checksOf(loop, { ...modelFacts, headSha: loop.review.head, report }) : [];
  return (name) => {
    const said = own.find((one) => one.name === name);
    if (said !== undefined) return { kind: 'loop', pull, own: said };
    return { kind: name === PROOF_CHECK && isAsked ? 'proof' : 'foreign', pull };
  };
}
