/** Runs many seeds, on all cores unless told otherwise. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Outcome } from './simulate.ts';

export interface Batch {
  readonly from: number;
  readonly seeds: number;
  readonly all: boolean;
  /** The batch ends with the first seed that fails. */
  readonly untilFailure?: boolean;
  readonly threads?: number;
  /** Told in the order of the seeds. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** The outcomes in the order of the seeds. A thread that dies fails the batch with its own error. */
export async function runSeeds(batch: Batch): Promise<readonly Outcome[]> {
  const { from, seeds, all, untilFailure } = batch;
  const outcomes: Outcome[] = [];
  const early = new Map<number, Outcome>();
  let next = from;
  let ended = false;
  const take = (done: Outcome): void => {
    early.set(done.seed, done);
    while (!ended) {
      const outcome = early.get(from + outcomes.length);
      if (outcome === undefined) return;
      early.delete(outcome.seed);
      outcomes.push(outcome);
      batch.onOutcome?.(outcome);
      ended = untilFailure === true && outcome.failures.length > 0;
    }
  };
  const runOn = (worker: Worker): Promise<void> =>
    new Promise((resolve, reject) => {
      const ask = (): void => {
        if (ended || next >= from + seeds) resolve();
        else worker.postMessage({ seed: next, all });
        next += 1;
      };
      worker.on('error', reject);
      worker.on('message', (outcome: Outcome) => {
        take(outcome);
        ask();
      });
      ask();
    });
  const threads = Math.max(1, Math.min(seeds, batch.threads ?? availableParallelism()));
  const workers = Array.from({ length: threads }, () => new Worker(new URL('./worker.ts', import.meta.url)));
  try {
    await Promise.all(workers.map(runOn));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return outcomes;
}
