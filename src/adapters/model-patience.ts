/** How long an answer is waited for: as long as something comes. A long answer is no late one. */

/** Nobody writes for so long; who still sends something then, sends it for its own sake. */
const LONGEST_MS = 3_600_000;

export interface Patience {
  /** Aborts the call when it is over. */
  readonly signal: AbortSignal;
  /** Something came. */
  heard(): void;
  /** The call is done with. */
  end(): void;
  /** Why it is over, as a failed try says it; undefined while it lasts. */
  problem(): string | undefined;
}

export function patienceOf(silenceMs: number): Patience {
  const controller = new AbortController();
  let problem: string | undefined;
  let words = `no answer within ${silenceMs / 1000} s`;
  const over = (what: string): void => {
    problem = what;
    controller.abort(new Error(what));
  };
  const start = () => setTimeout(() => over(words), silenceMs);
  const longest = setTimeout(() => over('an answer that did not end within an hour'), LONGEST_MS);
  let silence = start();
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(silence);
      words = `an answer that fell silent for ${silenceMs / 1000} s`;
      silence = start();
    },
    end() {
      clearTimeout(silence);
      clearTimeout(longest);
    },
    problem: () => problem,
  };
}
