/** What a loop has cost and may still spend: each model call is counted once, whatever came of it. Pure. */
import { z } from 'zod';
import type { BookedCall, ModelCall } from './brief.ts';
import type { Event } from './event.ts';
import type { Loop } from './loop.ts';
import { PHASES } from './phases.ts';
import { type Price, phaseName, price } from './terms.ts';

/** The model calls that an event tells of. */
export function callsOf(event: Event): readonly BookedCall[] {
  return 'calls' in event ? event.calls : [];
}

/** Phases whose model calls are made by jobs. */
const IN_ACTIONS: readonly string[] = phaseName.options.filter((name) => PHASES[name].report !== undefined);

export function charged<Some extends Loop>(loop: Some, calls: readonly ModelCall[]): Some {
  const { spent } = loop;
  return {
    ...loop,
    spent: {
      calls: spent.calls + calls.length,
      callsOutsideBuild: spent.callsOutsideBuild + calls.filter(({ phase }) => !IN_ACTIONS.includes(phase)).length,
      promptTokens: sum([spent.promptTokens, ...calls.map((call) => call.promptTokens)]),
      completionTokens: sum([spent.completionTokens, ...calls.map((call) => call.completionTokens)]),
      ...estimatedOf(spent.estimated, calls),
      usd: spent.usd + costUsd(loop.started?.price, calls),
    },
  };
}

function estimatedOf(before: number | undefined, calls: readonly ModelCall[]): { readonly estimated?: number } {
  const estimated = (before ?? 0) + calls.filter((call) => call.estimated === true).length;
  return estimated === 0 ? {} : { estimated };
}

/** What may still be spent: USD where somebody stated what tokens cost, and tokens where the goal limits them. */
export const purse = z.strictObject({
  money: z.strictObject({ usd: z.number(), price }).optional(),
  tokens: z.int().optional(),
});
export type Purse = z.infer<typeof purse>;

/** Undefined where nothing limits the loop: nobody stated a price, so its cost is unknown, and the goal says nothing of tokens. */
export function purseOf({ started, spent }: Pick<Loop, 'started' | 'spent'>): Purse | undefined {
  if (started === undefined) return undefined;
  const { price: stated, limits } = started;
  const money = stated === undefined ? {} : { money: { usd: limits.usd - spent.usd, price: stated } };
  const tokens = limits.tokens === undefined ? {} : { tokens: limits.tokens - tokensOf(spent) };
  const given = { ...money, ...tokens };
  return Object.keys(given).length === 0 ? undefined : given;
}

/** Tokens of prompts and answers together. */
export function tokensOf({ promptTokens, completionTokens }: Loop['spent'] | ModelCall): number {
  return sum([promptTokens, completionTokens]);
}

/** What is left after these calls. */
export function leftAfter(given: Purse | undefined, calls: readonly ModelCall[]): Purse | undefined {
  if (given === undefined) return undefined;
  const { money, tokens } = given;
  return {
    ...(money && { money: { ...money, usd: money.usd - costUsd(money.price, calls) } }),
    ...(tokens !== undefined && { tokens: tokens - sum(calls.map(tokensOf)) }),
  };
}

/** Whether no further call may be made. A call is made while anything is left, so that one call is the most that a limit is passed by. */
export function isEmpty(given: Purse | undefined): boolean {
  return (given?.money?.usd ?? 1) <= 0 || (given?.tokens ?? 1) <= 0;
}

/** USD for these calls; 0 where the price is unknown. */
export function costUsd(price: Price | undefined, calls: readonly ModelCall[]): number {
  if (price === undefined) return 0;
  return sum(
    calls.map(
      ({ promptTokens, completionTokens }) =>
        (promptTokens * price.prompt + completionTokens * price.completion) / 1_000_000,
    ),
  );
}

/** Up to the largest whole number that is exact: a job may state such a bound, and a loop with more could not be read again. */
function sum(values: readonly number[]): number {
  return values.reduce((total, value) => Math.min(total + value, Number.MAX_SAFE_INTEGER), 0);
}
