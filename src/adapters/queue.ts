/** The queue: pg-boss for storage, claims, retries and heartbeats; own fetch loops, woken by NOTIFY. */
import type { Logger } from 'pino';
import { LoopError } from '../errors.ts';
import type { Queue } from '../ports.ts';
import type { Engine } from './database/database.ts';
import { enqueue, QUEUE_NAMES, WAKE_CHANNEL } from './queue-items.ts';
import { type QueueWorker, startQueueWorker } from './queue-worker.ts';

const PATIENCE_MS = 5000;

export interface QueueOptions {
  /** Slots of each of the queues (see QUEUE_NAMES). */
  readonly concurrency: number;
  readonly log: Logger;
  /** False where time is not real: then no queue rests after a fetch that found nothing. */
  readonly rests?: boolean;
}

export function createQueue(engine: Engine, { concurrency, log, rests = true }: QueueOptions): Queue {
  let started: { readonly workers: readonly QueueWorker[]; readonly listener: { close(): Promise<void> } } | undefined;
  return {
    start: async (handle) => {
      if (started) throw new LoopError('the queue is started already: start it once');
      const workers: QueueWorker[] = [];
      const wake = (queues?: string): void => {
        for (const [index, name] of QUEUE_NAMES.entries())
          if (queues === undefined || queues.split(' ').includes(name)) workers[index]?.wake();
      };
      started = { workers, listener: await engine.listen(WAKE_CHANNEL, wake) };
      for (const name of QUEUE_NAMES) {
        workers.push(startQueueWorker({ engine, name, slots: concurrency, log, handle, rests }));
      }
    },
    send: (item, delaySeconds) =>
      engine.transaction((trx) => enqueue(engine.boss, trx, { items: [item], delaySeconds })),
    stop: async () => {
      const stopping = started;
      started = undefined;
      await stopping?.listener.close();
      await Promise.all(stopping?.workers.map((worker) => worker.stop(PATIENCE_MS)) ?? []);
    },
  };
}
