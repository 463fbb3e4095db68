/** What a failed try of an effect means: an event, another try, or nothing more than a line in the log. Pure. */
import {
  ArtifactError,
  ConfigError,
  GoneError,
  LimitedError,
  LoopError,
  ModelError,
  NotYetError,
  RelocatedError,
  UnansweredError,
  WithheldError,
  WriteRefusedError,
} from '../errors.ts';
import type { ModelCall } from '../loop/brief.ts';
import { EFFECTS, type Effect } from '../loop/effect.ts';
import type { EventOf } from '../loop/event.ts';
import type { Tries } from '../ports.ts';

type Cause = EventOf<'failed'>['cause'];

export type Meaning =
  /** No further try can change it. Where the effect's traits say `dropped`, people are told nothing. */
  | {
      readonly means: 'refused';
      readonly cause: Cause;
      readonly reason: string;
      readonly calls: readonly ModelCall[];
      /** GitHub does not have what the effect needs. */
      readonly isGone: boolean;
    }
  /** Nothing is lost by forgetting it: what it looked for is looked for elsewhere too. */
  | { readonly means: 'dropped'; readonly reason: string }
  /** Another try, after `seconds` or after a pause that grows to a minute; tries are counted by `kind`. */
  | { readonly means: 'again'; readonly kind: string; readonly seconds?: number | undefined }
  /** The repository is called otherwise by now: ask where it is, then try again. */
  | { readonly means: 'relocated' };

interface Kind {
  readonly kind: string;
  readonly is: (error: unknown) => boolean;
  /** How often it is tried before it is given up; the pause between tries grows to a minute. */
  readonly tries: (error: unknown, type: Effect['type']) => number;
  /** Seconds before the next try, where they are known; `failed` tries of this kind were made, from 1. */
  readonly pause?: (error: unknown, failed: number) => number | undefined;
  readonly final: (error: unknown) => Meaning;
}

const ONCE = (): number => 1;
const FOR_EVER = (): number => Number.POSITIVE_INFINITY;

/** What GitHub does not have is asked for again after 5 s and after 20 s: its answers lag behind its own webhooks. */
const PAUSES_WHEN_GONE: readonly number[] = [5, 15];

/** The first that fits. Each has tries of its own, so that a hiccup after others is not the last straw. */
const KINDS: readonly Kind[] = [
  { kind: 'model', is: (error) => error instanceof ModelError, tries: ONCE, final: refusedFor('model') },
  { kind: 'configuration', is: (error) => error instanceof ConfigError, tries: ONCE, final: refusedFor('setup') },
  { kind: 'artifact', is: (error) => error instanceof ArtifactError, tries: ONCE, final: refusedFor('safety') },
  // No right was taken, or it is back: once more with a token that knows.
  { kind: 'withheld', is: (error) => error instanceof WithheldError, tries: () => 2, final: refusedFor('setup') },
  { kind: 'refused', is: (error) => error instanceof WriteRefusedError, tries: ONCE, final: refusedFor('setup') },
  {
    kind: 'relocated',
    is: (error) => error instanceof RelocatedError,
    tries: ONCE,
    final: () => ({ means: 'relocated' }),
  },
  // GitHub says when it takes requests again.
  {
    kind: 'limited',
    is: (error) => error instanceof LimitedError,
    tries: FOR_EVER,
    pause: (error) => (error instanceof LimitedError ? error.seconds : undefined),
    final: refusedFor('setup'),
  },
  // While GitHub does not answer, nothing is known. But what it fails at for so long, it may fail at because of what is asked.
  {
    kind: 'unanswered',
    is: (error) => error instanceof UnansweredError,
    tries: (_, type) => EFFECTS[type].hours * 60,
    final: refusedFor('setup'),
  },
  {
    kind: 'gone',
    is: (error) => error instanceof GoneError,
    tries: (error) => (error instanceof GoneError && error.status === 404 ? PAUSES_WHEN_GONE.length + 1 : 1),
    pause: (_, failed) => PAUSES_WHEN_GONE[failed - 1],
    final: refusedFor('setup'),
  },
  // Another answer of GitHub said it already; after some minutes it is left to the patrol and to the run's own timer.
  {
    kind: 'not yet',
    is: (error) => error instanceof NotYetError,
    tries: () => 8,
    final: (error) => ({ means: 'dropped', reason: wordsOf(error) }),
  },
];
/** It may pass (a database that restarts), or never will (a document that nobody can read). */
const UNEXPECTED: Omit<Kind, 'is'> = { kind: 'unexpected', tries: () => 6, final: refusedFor('setup') };

/** Whether a right that the App no longer has may be behind it: before it counts as a failure GitHub is asked. */
export function mayBeWithheld(error: unknown, { means }: Meaning): boolean {
  if (error instanceof WithheldError || means === 'relocated') return true;
  const isPlain = error instanceof GoneError || (error instanceof LoopError && error.name === 'LoopError');
  return means === 'refused' && isPlain;
}

/** `tries` are those of the effect: its try that failed now, and the earlier failures by kind. */
export function meaningOf(error: unknown, type: Effect['type'], { failed }: Pick<Tries, 'failed'>): Meaning {
  const { kind, tries, pause, final } = KINDS.find(({ is }) => is(error)) ?? UNEXPECTED;
  const count = (failed[kind] ?? 0) + 1;
  return count < tries(error, type) ? { means: 'again', kind, seconds: pause?.(error, count) } : final(error);
}

function refusedFor(cause: Cause): Kind['final'] {
  return (error) => ({
    means: 'refused',
    cause,
    reason: wordsOf(error),
    calls: error instanceof ModelError ? error.calls : [],
    // What we ourselves found to be gone says all there is to say.
    isGone: error instanceof GoneError && error.cause !== undefined,
  });
}

function wordsOf(error: unknown): string {
  if (error instanceof LoopError) return error.message;
  return `Loopwright itself failed: ${error instanceof Error ? error.message : String(error)}`;
}
