/** Carries out one effect and says what came of it: what happened, what is to be forgotten, or when to try again. */
import { NotYetError, PaidError, WithheldError } from '../errors.ts';
import type { ModelCall } from '../loop/brief.ts';
import { EFFECTS, type Effect } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Withheld } from '../loop/terms.ts';
import { type Meaning, mayBeWithheld, meaningOf } from './failures.ts';
import { type Performance, performEffect } from './performers.ts';

export type Outcome =
  /** The effect is done with; `dropped` says why nothing came of it. */
  | { readonly type: 'settled'; readonly event: Event | undefined; readonly dropped?: string }
  /** It is tried again, after `seconds` where that is known. */
  | {
      readonly type: 'again';
      readonly error: unknown;
      readonly kind: string;
      readonly seconds?: number | undefined;
      /** What was paid for in vain. */
      readonly calls: readonly ModelCall[];
    }
  | { readonly type: 'relocated'; readonly error: unknown }
  /** It waits until the App may do it. */
  | ({ readonly type: 'withheld'; readonly calls: readonly ModelCall[] } & Withheld);

/** Performs an effect. It never throws: each failure has the meaning that failures.ts and the effect's traits give it. */
export async function perform(effect: Effect, performance: Performance): Promise<Outcome> {
  try {
    const event = await performEffect(effect, performance);
    return unheard(event, effect, performance) ?? { type: 'settled', event };
  } catch (thrown) {
    const { error, calls } = paidBefore(thrown);
    return afterFailure(error, { effect, performance, calls });
  }
}

async function afterFailure(error: unknown, tried: Tried): Promise<Outcome> {
  const { effect, performance, calls } = tried;
  const meaning = meaningOf(error, effect.type, performance.tries);
  if (!mayBeWithheld(error, meaning)) return outcomeOf(error, meaning, tried);
  try {
    const withheld = await performance.ports.github.withheld(performance.loop.ref);
    // A permission that is missing for something else explains no other refusal.
    const explains = withheld?.isWhole === true || error instanceof WithheldError;
    return withheld !== undefined && explains
      ? { type: 'withheld', ...withheld, calls }
      : outcomeOf(error, meaning, tried);
  } catch (unknown) {
    return outcomeOf(unknown, meaningOf(unknown, effect.type, performance.tries), tried);
  }
}

/** Seconds for which the webhook of a push is waited for: it says who pushed, and comes later than the head shows it. */
const PAUSES_UNHEARD: readonly number[] = [1, 2, 4, 8];

/** Another try where an effect found a push that nobody told of; at last it is told as it is. What a loop was told before it listened is not told again. */
function unheard(event: Event | undefined, { type }: Effect, { tries }: Performance): Outcome | undefined {
  if (event?.type !== 'pushed' || event.by !== undefined || type === 'redraft') return undefined;
  const seconds = PAUSES_UNHEARD[tries.failed.unheard ?? 0];
  if (seconds === undefined) return undefined;
  const error = new NotYetError(
    `The branch is at ${event.sha}, and no webhook said who pushed it; it is looked at again.`,
  );
  return { type: 'again', error, kind: 'unheard', seconds, calls: [] };
}

interface Tried {
  readonly effect: Effect;
  readonly performance: Performance;
  readonly calls: readonly ModelCall[];
}

function paidBefore(thrown: unknown): { readonly error: unknown; readonly calls: readonly ModelCall[] } {
  return thrown instanceof PaidError ? { error: thrown.cause, calls: thrown.calls } : { error: thrown, calls: [] };
}

function outcomeOf(error: unknown, meaning: Meaning, { effect, performance, calls }: Tried): Outcome {
  switch (meaning.means) {
    case 'again':
      return { type: 'again', error, kind: meaning.kind, seconds: meaning.seconds, calls };
    case 'relocated':
      return { type: 'relocated', error };
    case 'dropped':
      return { type: 'settled', event: undefined, dropped: meaning.reason };
    case 'refused': {
      const { refused, lookAt } = EFFECTS[effect.type];
      if (refused === 'dropped' || !('entry' in effect)) {
        return { type: 'settled', event: undefined, dropped: meaning.reason };
      }
      const { cause, isGone } = meaning;
      const reason =
        lookAt === undefined || !isGone ? meaning.reason : `${meaning.reason.replace(/\.?$/, '.')} ${lookAt}`;
      const at = performance.ports.clock.now().toISOString();
      return {
        type: 'settled',
        event: { type: 'failed', at, entry: effect.entry, cause, reason, calls: [...calls, ...meaning.calls] },
      };
    }
  }
}
