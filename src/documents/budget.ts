/** What a plan will cost, estimated from its size before any of it is spent. Pure. */

import type { Started } from '../loop/loop.ts';
import type { Plan } from './documents.ts';

export interface Estimate {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Undefined when nobody stated the model's price. */
  readonly usd: number | undefined;
  readonly runMinutes: number;
}

export interface Budget {
  /** Half of the loops stay below p50, nine of ten below p90. These are rules of thumb until enough loops are measured. */
  readonly p50: Estimate;
  readonly p90: Estimate;
  readonly ceilingUsd: number;
}

/** Calls of one iteration besides the tasks' own: test design, security review, code review, seed. */
const FIXED_CALLS = 4;
/** Turns of one task's conversation, and tokens of one call. */
const CASES = {
  p50: { turns: 8, iterations: 1 },
  p90: { turns: 20, iterations: Number.POSITIVE_INFINITY },
} as const;
const TOKENS = { prompt: 6_000, completion: 900 } as const;
const MINUTES = { fixed: 4, perTask: 3 } as const;

/** BUILD and VERIFY of this plan; what was spent before is on the board. p90 uses every iteration that the limits allow. */
export function budgetOf(started: Pick<Started, 'limits' | 'price'>, { tasks }: Pick<Plan, 'tasks'>): Budget {
  return {
    p50: estimate(started, tasks.length, CASES.p50),
    p90: estimate(started, tasks.length, CASES.p90),
    ceilingUsd: started.limits.usd,
  };
}

function estimate(
  { limits, price }: Pick<Started, 'limits' | 'price'>,
  tasks: number,
  { turns, iterations }: { readonly turns: number; readonly iterations: number },
): Estimate {
  const rounds = Math.min(iterations, limits.iterations);
  const calls = (tasks * turns + FIXED_CALLS) * rounds;
  const promptTokens = calls * TOKENS.prompt;
  const completionTokens = calls * TOKENS.completion;
  const usd =
    price === undefined ? undefined : (promptTokens * price.prompt + completionTokens * price.completion) / 1_000_000;
  const runMinutes = Math.min((MINUTES.fixed + tasks * MINUTES.perTask) * rounds, limits.runMinutes * rounds * 2);
  return { calls, promptTokens, completionTokens, usd, runMinutes };
}
