/** The scheduler's forced stop, in its precedence: limits > stall. Safety stops come as events and never reach a retry; without money a loop waits (shortage.ts). */
import type { Loop } from './loop.ts';
import { LIMITS, PHASES } from './phases.ts';
import type { StartedLoop } from './stages.ts';
import type { PhaseName } from './terms.ts';

export interface ForcedStop {
  readonly cause: 'drafts' | 'iterations' | 'stall';
  /** One sentence for people. */
  readonly sentence: string;
}

interface Rule {
  readonly cause: ForcedStop['cause'];
  readonly applies: (loop: StartedLoop, signature: string, mender: PhaseName | undefined) => boolean;
  readonly sentence: (loop: StartedLoop, mender: PhaseName | undefined) => string;
}

const RULES: readonly Rule[] = [
  {
    cause: 'drafts',
    applies: (loop) => isUsedUp(loop, loop.phase),
    sentence: ({ phase, counters }) => `${phase} did not pass its gates in ${counters.drafts[phase] ?? 0} tries.`,
  },
  {
    cause: 'drafts',
    applies: (loop, _, mender) => mender !== undefined && isUsedUp(loop, mender),
    sentence: ({ phase, counters }, mender = phase) =>
      `${phase} found what only ${mender} can mend, and ${mender} had its ${counters.drafts[mender] ?? 0} tries.`,
  },
  {
    cause: 'iterations',
    applies: ({ phase, counters, started }) =>
      PHASES[phase].counts === 'iterations' && counters.iterations >= started.limits.iterations + counters.grants,
    sentence: ({ counters }) =>
      `The approved plan did not lead to a verified candidate in ${counters.iterations} iterations.`,
  },
  {
    cause: 'stall',
    applies: ({ signatures }, signature) =>
      signature !== '' && signatures.filter((earlier) => earlier === signature).length >= 2,
    sentence: () => 'The same failure came twice; another try would not change it.',
  },
];

function isUsedUp({ counters }: StartedLoop, phase: PhaseName): boolean {
  return PHASES[phase].counts === 'drafts' && (counters.drafts[phase] ?? 0) >= LIMITS.drafts + counters.grants;
}

/** Whether a candidate is, file for file, one that did not pass under this plan: then it is not judged again, because luck proves nothing. */
export function treeStopOf({ trees }: Loop, codeTree: string): ForcedStop | undefined {
  return trees.includes(codeTree) ? SAME_TREE : undefined;
}

/** What was built is what failed. */
export const SAME_TREE: ForcedStop = {
  cause: 'stall',
  sentence: 'The same tree came twice: what was built is, file for file, what failed before.',
};

/** Which forced stop applies before another try, if any. `signature` is that of the failure just recorded, `mender` the earlier phase that it goes back to. */
export function forcedStopOf(
  loop: StartedLoop,
  signature: string,
  mender: PhaseName | undefined,
): ForcedStop | undefined {
  const rule = RULES.find(({ applies }) => applies(loop, signature, mender));
  return rule === undefined ? undefined : { cause: rule.cause, sentence: rule.sentence(loop, mender) };
}
