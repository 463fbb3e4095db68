/** What a failed try of an effect means: an event, another try after a pause, or nothing more than a line in the log. Pure. */
import {
  ArtifactError,
  ConfigError,
  GoneError,
  LoopError,
  ModelError,
  NotYetError,
  RelocatedError,
  UnansweredError,
  WriteRefusedError,
} from '../errors.ts';
import type { ModelCall } from '../loop/brief.ts';
import type { EventOf } from '../loop/event.ts';

type Cause = EventOf<'failed'>['cause'];

export type Meaning =
  /** No further try can change it. Where the row says `dropped`, people are told nothing. */
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
  /** Another try; without `seconds` after a pause that grows with each. */
  | { readonly means: 'again'; readonly seconds?: number }
  /** The repository is called otherwise by now: ask where it is, then try again. */
  | { readonly means: 'relocated' };

/** What GitHub does not have is asked for again after 5 s and after 20 s: its answers lag behind its own webhooks. */
const PAUSES_WHEN_GONE: readonly number[] = [5, 15];
/** Another answer of GitHub said it already; after so many tries it is left to the patrol and to the run's own timer. */
const TRIES_FOR_NOT_YET = 8;
/** What we do not expect may pass (a database that restarts), or never will (a document that nobody can read). */
const TRIES_FOR_UNEXPECTED = 6;

interface Rule {
  readonly applies: (error: unknown) => boolean;
  readonly meaning: (error: unknown, attempt: number) => Meaning;
}

const RULES: readonly Rule[] = [
  { applies: (error) => error instanceof ModelError, meaning: refusedFor('model') },
  { applies: (error) => error instanceof ConfigError, meaning: refusedFor('setup') },
  { applies: (error) => error instanceof ArtifactError, meaning: refusedFor('safety') },
  { applies: (error) => error instanceof WriteRefusedError, meaning: refusedFor('setup') },
  { applies: (error) => error instanceof RelocatedError, meaning: () => ({ means: 'relocated' }) },
  // While GitHub does not answer, nothing is known; it is asked until it does.
  { applies: (error) => error instanceof UnansweredError, meaning: () => ({ means: 'again' }) },
  { applies: (error) => error instanceof GoneError, meaning: gone },
  { applies: (error) => error instanceof NotYetError, meaning: notYet },
  { applies: () => true, meaning: unexpected },
];

/** `attempt` is the number of the try that failed, from 1. */
export function meaningOf(error: unknown, attempt: number): Meaning {
  const rule = RULES.find(({ applies }) => applies(error));
  return rule?.meaning(error, attempt) ?? { means: 'again' };
}

function refusedFor(cause: Cause): Rule['meaning'] {
  return (error) => ({
    means: 'refused',
    cause,
    reason: wordsOf(error),
    calls: error instanceof ModelError ? error.calls : [],
    // What we ourselves found to be gone says all there is to say.
    isGone: error instanceof GoneError && error.cause !== undefined,
  });
}

function gone(error: unknown, attempt: number): Meaning {
  const pause = error instanceof GoneError && error.status === 404 ? PAUSES_WHEN_GONE[attempt - 1] : undefined;
  return pause === undefined ? refusedFor('setup')(error, attempt) : { means: 'again', seconds: pause };
}

function notYet(error: unknown, attempt: number): Meaning {
  return attempt < TRIES_FOR_NOT_YET ? { means: 'again' } : { means: 'dropped', reason: wordsOf(error) };
}

function unexpected(error: unknown, attempt: number): Meaning {
  return attempt < TRIES_FOR_UNEXPECTED ? { means: 'again' } : refusedFor('setup')(error, attempt);
}

function wordsOf(error: unknown): string {
  if (error instanceof LoopError) return error.message;
  return `Loopwright itself failed: ${error instanceof Error ? error.message : String(error)}`;
}
