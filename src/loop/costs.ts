/** What a loop has cost and may still spend: each model call is counted once, whatever came of it. Pure. */
import { z } from 'zod';
import type { ModelCall } from './brief.ts';
import type { Event } from './event.ts';
import type { Loop } from './loop.ts';
import { PHASES } from './phases.ts';
import { type Price, phaseName, price } from './terms.ts';

/** The model calls that an event tells of. */
export function callsOf(event: Event): readonly ModelCall[] {
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
      promptTokens: spent.promptTokens + sum(calls.map((call) => call.promptTokens)),
      completionTokens: spent.completionTokens + sum(calls.map((call) => call.completionTokens)),
      ...estimatedOf(spent.estimated, calls),
      usd: spent.usd + costUsd(loop.started?.price, calls),
    },
  };
}

function estimatedOf(before: number | undefined, calls: readonly ModelCall[]): { readonly estimated?: number } {
  const estimated = (before ?? 0) + calls.filter((call) => call.estimated === true).length;
  return estimated === 0 ? {} : { estimated };
}

/** What may still be spent, in USD, and what tokens cost. A loop whose price nobody stated has none: its cost is unknown. */
export const purse = z.strictObject({ usd: z.number(), price });
export type Purse = z.infer<typeof purse>;

export function purseOf({ started, spent }: Pick<Loop, 'started' | 'spent'>): Purse | undefined {
  if (started?.price === undefined) return undefined;
  return { usd: started.limits.usd - spent.usd, price: started.price };
}

/** What is left after these calls. */
export function leftAfter(given: Purse | undefined, calls: readonly ModelCall[]): Purse | undefined {
  return given && { ...given, usd: given.usd - costUsd(given.price, calls) };
}

/** Whether no further call may be made. A call is made while anything is left, so that one call's price is the most that a limit is passed by. */
export function isEmpty(given: Purse | undefined): boolean {
  return given !== undefined && given.usd <= 0;
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
