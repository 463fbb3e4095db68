/** Turns at the processors: so many commands work at a time, in the order they came, and one that only waits makes room for the next. */
import { availableParallelism } from 'node:os';

export interface Turns {
  /** Does the work when its turn comes; the turn ends with it, or when it says that it waits for something. */
  take<Result>(work: (waits: () => void) => Promise<Result>): Promise<Result>;
}

const MOST = 4;

/** As many commands as the machine has processors for. */
export const PROCESSORS = Math.min(availableParallelism(), MOST);

/** With more at a time each of them would only take longer, and what is measured against a limit with it. */
export function turnsFor(most: number): Turns {
  const waiting: (() => void)[] = [];
  let free = most;
  const end = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const turn = (): Promise<void> => {
    if (free === 0) return new Promise((begin) => waiting.push(begin));
    free -= 1;
    return Promise.resolve();
  };
  return {
    async take(work) {
      await turn();
      let isOver = false;
      const endOnce = () => {
        if (isOver) return;
        isOver = true;
        end();
      };
      try {
        return await work(endOnce);
      } finally {
        endOnce();
      }
    },
  };
}
