/** Leaves an upstream alone for a while that has failed again and again: each call to it would wait in vain, in every run. */
import type { Clock } from '../ports.ts';
import { Refusal } from './refusal.ts';

export interface Breaker {
  /** @throws {Refusal} 503 while the upstream is left alone; after it one call tries, and the others wait for what comes of it. */
  admit(): void;
  /** What came of a try that was admitted. */
  heard(went: 'well' | 'wrong'): void;
}

export interface BreakerOptions {
  /** As people know the upstream: the variable that names it. */
  readonly name: string;
  readonly clock: Clock;
  /** So many failures in a row, */
  readonly failures?: number;
  /** for so long. */
  readonly pauseMs?: number;
}

export function createBreaker({ name, clock, failures = 8, pauseMs = 30_000 }: BreakerOptions): Breaker {
  let inRow = 0;
  let closedUntil = 0;
  return {
    admit() {
      const now = clock.now().getTime();
      const leftMs = closedUntil - now;
      if (inRow < failures) return;
      if (leftMs > 0)
        throw new Refusal(
          503,
          `The endpoint of ${name} failed ${inRow} times in a row, so it is left alone for a while.`,
          {
            retryAfterSeconds: Math.ceil(leftMs / 1000),
          },
        );
      closedUntil = now + pauseMs;
    },
    heard(went) {
      inRow = went === 'well' ? 0 : inRow + 1;
      closedUntil = inRow < failures ? 0 : clock.now().getTime() + pauseMs;
    },
  };
}
