/** The phases as data: who works, where a pass and a failure lead, which limit bounds it. `decide` knows no phase names but these rows. */
import type { PhaseName } from './terms.ts';

export interface Phase {
  /** The effect that does the work when the phase is entered. */
  readonly work: 'draft' | 'publish' | 'dispatch' | 'collect' | 'land';
  readonly onPass: PhaseName | 'done';
  /** Where a failed gate or a failed effect leads, while the limit allows. */
  readonly onFail: PhaseName | 'done';
  /** Which counter bounds the failures: tries of a draft in this round, or iterations of the approved plan. */
  readonly limit: 'drafts' | 'iterations';
}

export const PHASES: Readonly<Record<PhaseName, Phase>> = {
  DISCOVER: { work: 'draft', onPass: 'DEFINE', onFail: 'DISCOVER', limit: 'drafts' },
  DEFINE: { work: 'draft', onPass: 'PLAN', onFail: 'DEFINE', limit: 'drafts' },
  PLAN: { work: 'draft', onPass: 'ARCH_REVIEW', onFail: 'PLAN', limit: 'drafts' },
  ARCH_REVIEW: { work: 'publish', onPass: 'BUILD', onFail: 'DEFINE', limit: 'drafts' },
  BUILD: { work: 'dispatch', onPass: 'SEED_DATA', onFail: 'BUILD', limit: 'iterations' },
  SEED_DATA: { work: 'collect', onPass: 'VERIFY', onFail: 'BUILD', limit: 'iterations' },
  VERIFY: { work: 'land', onPass: 'SHIP', onFail: 'BUILD', limit: 'iterations' },
  SHIP: { work: 'draft', onPass: 'REFLECT', onFail: 'BUILD', limit: 'iterations' },
  REFLECT: { work: 'draft', onPass: 'done', onFail: 'done', limit: 'drafts' },
};

/** Fixed bounds of PRODUCT.md "Words and counting"; iterations per plan come with the loop's limits. */
export const LIMITS = { plans: 2, rounds: 5, interviews: 2, drafts: 3 } as const;

/** Phases that judge a candidate: what fails here is its tree. */
export const JUDGING_TREE: readonly PhaseName[] = ['VERIFY', 'SHIP'];

/** Phases in which the approved plan is being built and judged; an approval stays bound to them. */
export const AFTER_APPROVAL: readonly PhaseName[] = ['BUILD', 'SEED_DATA', 'VERIFY', 'SHIP'];
