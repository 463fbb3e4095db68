/** One queue item: what is done about it. What it throws, the queue tries again. */
import type { Logger } from 'pino';
import type { Ports, QueueItem } from '../ports.ts';
import { admitQueued } from './admission.ts';
import { apply, work } from './advance.ts';

export interface HandleOptions {
  readonly ports: Ports;
  /** Takes in what a repository sent. */
  readonly takeIn: (repositoryId: number) => Promise<void>;
  readonly log: Logger;
}

/** Makes the queue's handler; `attempt` counts the tries of the item from 1. */
export function createHandler(options: HandleOptions): (item: QueueItem, attempt: number) => Promise<void> {
  return async (item, attempt) => {
    const startedMs = performance.now();
    await handle(item, attempt, options);
    options.log.debug({ item, attempt, durationMs: Math.round(performance.now() - startedMs) }, 'handled');
  };
}

async function handle(item: QueueItem, attempt: number, { ports, takeIn, log }: HandleOptions): Promise<void> {
  switch (item.type) {
    case 'intake':
      return takeIn(item.repositoryId);
    case 'wake':
      return work({ loopId: item.loopId, lane: item.lane, attempt }, ports, log);
    case 'admit':
      return admitQueued(ports);
    case 'elapse': {
      const stored = await ports.store.load(item.loopId);
      const at = ports.clock.now().toISOString();
      if (stored !== undefined)
        await apply(
          stored.loop.ref,
          { type: 'elapsed', at, entry: item.entry, timer: item.timer, key: item.key },
          ports,
        );
    }
  }
}
