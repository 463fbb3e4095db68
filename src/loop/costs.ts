/** What a loop has cost: each model call is counted once, whatever came of it. Pure. */
import type { ModelCall } from './brief.ts';
import type { Event } from './event.ts';
import type { Loop } from './loop.ts';
import { PHASES } from './phases.ts';
import { type Price, phaseName } from './terms.ts';

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
      usd: spent.usd + costUsd(loop.started?.price, calls),
    },
  };
}

function costUsd(price: Price | undefined, calls: readonly ModelCall[]): number {
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
