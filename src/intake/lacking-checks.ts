/** Heads on which a required check of ours would never come: of pull requests that are no loop's, and of what a merge queue is about to merge. */
import { answerForeignPull, answerLaterHead, answerMergeGroup } from '../engine/neutral-checks.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { isReviewed } from '../loop/stages.ts';
import { SETUP_BRANCH, SETUP_CHECK } from '../onboarding/onboarding.ts';
import type { Ports, StoredLoop } from '../ports.ts';
import { PROOF_CHECK } from '../proof/pull-proof.ts';
import { ofPull } from './loop-lookup.ts';
import type { Payload, PayloadName, PayloadOf } from './payloads.ts';
import { saidOf } from './place.ts';
import { isProveLabel } from './proof-asks.ts';
import type { Taking } from './reader.ts';

/** Webhooks that tell of a head on which nothing of ours may be yet. */
export type HeadName =
  | 'pull_request.opened'
  | 'pull_request.edited'
  | 'pull_request.reopened'
  | 'pull_request.synchronize';
type Reader<Name extends PayloadName> = (payload: PayloadOf<Name>, taking: Taking) => Promise<string | undefined>;

const READERS: { readonly [Name in PayloadName]?: Reader<Name> } = {
  'pull_request.opened': onHead,
  // Into another branch, which may require more.
  'pull_request.edited': onHead,
  'pull_request.reopened': onHead,
  'pull_request.synchronize': onHead,
  async 'merge_group.checks_requested'(payload, { ports }) {
    const { head_sha: headSha, head_ref, base_ref } = payload.merge_group;
    const [, pull] = GROUP_REF.exec(head_ref) ?? [];
    const ref = saidOf(payload);
    const base = await baseOf(base_ref?.replace(/^refs\/heads\//, ''), payload, { ref, ...ports });
    return answerMergeGroup({ ref, base, headSha, pull: pull === undefined ? undefined : Number(pull) }, ports);
  },
};

/** https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue */
const GROUP_REF = /^refs\/heads\/gh-readonly-queue\/.+\/pr-([1-9]\d{0,8})-[0-9a-f]{40}$/;

/** Writes what is lacking; repeating it is harmless. The answer is why it could not. */
export async function takeInHeads(payload: Payload, taking: Taking): Promise<string | undefined> {
  return read(payload, taking);
}

function read<Name extends PayloadName>(
  payload: PayloadOf<Name>,
  taking: Taking,
): Promise<string | undefined> | undefined {
  const readers: { readonly [One in PayloadName]?: Reader<One> } = READERS;
  return readers[payload.name]?.(payload, taking);
}

/** A check belongs to a commit and not to a pull request: on the head of a loop nothing is written, whoever opens another one from it or from its branch. */
async function onHead(payload: PayloadOf<HeadName>, taking: Taking): Promise<string | undefined> {
  const { pull_request, repository } = payload;
  const { number, head } = pull_request;
  const { ports } = taking;
  if (head.sha === undefined) return undefined;
  const isOwnBranch = head.repo?.id === repository.id;
  const branchOf = async () => (isOwnBranch ? head.ref : undefined);
  const own = await ofPull(repository.id, { number, branchOf }, ports.store);
  if (own !== undefined) return onLaterHead(own, { payload, headSha: head.sha }, taking);
  const ref = saidOf(payload);
  if ((await ports.store.awaitingChecks(repository.id, head.sha)).length > 0) return undefined;
  if (isOwnBranch && (await isHeadOfLoop(ref, head.ref, ports))) return undefined;
  const awaited = [
    ...(isOwnBranch && head.ref === SETUP_BRANCH ? [SETUP_CHECK] : []),
    ...((await isToBeProved(payload, ports)) ? [PROOF_CHECK] : []),
  ];
  const base = await baseOf(pull_request.base?.ref, payload, { ref, ...ports });
  return answerForeignPull({ ref, base, headSha: head.sha, pull: number, awaited }, ports);
}

/** Whether a loop's own pull request is open from the branch: what is pushed there becomes its head, too. */
async function isHeadOfLoop(ref: RepositoryRef, branch: string, { store, github }: Ports): Promise<boolean> {
  const review = (await store.byBranch(ref.repositoryId, branch))?.loop.review;
  return review !== undefined && (await github.pull(ref, review.pull)).state === 'open';
}

/** Loops that are at work show by themselves what they say of a head. One that has ended does not, and the commit may be known from elsewhere, as nothing to judge. */
async function onLaterHead(
  { loop }: StoredLoop,
  { payload, headSha }: { readonly payload: PayloadOf<HeadName>; readonly headSha: string },
  { ports }: Taking,
): Promise<string | undefined> {
  if (loop.status !== 'succeeded' || !isReviewed(loop) || headSha === loop.review.head) return undefined;
  const ref = saidOf(payload);
  const base = await baseOf(payload.pull_request.base?.ref, payload, { ref, ...ports });
  return answerLaterHead({ ref, base, headSha, pull: loop.review.pull, judged: loop.review.head }, ports);
}

/** Whoever asked once for a proof has to ask again after a push: nothing is passed in its place. */
async function isToBeProved(
  { pull_request: { number, labels }, repository }: PayloadOf<HeadName>,
  { store }: Ports,
): Promise<boolean> {
  return labels.some(({ name }) => isProveLabel(name)) || (await store.pullProof(repository.id, number)) !== undefined;
}

/** The branch that it is to be merged into: its rules say what is required. */
async function baseOf(
  told: string | undefined,
  { repository }: PayloadOf<HeadName | 'merge_group.checks_requested'>,
  { ref, github }: { readonly ref: RepositoryRef } & Pick<Ports, 'github'>,
): Promise<string> {
  return told ?? repository.default_branch ?? (await github.repository(ref)).defaultBranch;
}
