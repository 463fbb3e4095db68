/** Gives up what nothing comes from. Only the time counts in which something is waited for: a job that reads slowly is none of the upstream's silence. */

export interface Silence {
  /** Aborts when it has lasted too long. */
  readonly signal: AbortSignal;
  /** Waits for the next thing that comes. */
  during<Result>(wait: () => Promise<Result>): Promise<Result>;
}

export class SilenceError extends Error {
  override name = 'SilenceError';
}

export function createSilence(longestMs: number): Silence {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new SilenceError(`nothing came for ${longestMs / 1000} s`));
  return {
    signal: controller.signal,
    async during(wait) {
      const timer = setTimeout(giveUp, longestMs);
      try {
        return await wait();
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
