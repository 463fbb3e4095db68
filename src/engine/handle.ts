/** One queue item: what is done about it. What it throws, the queue tries again. */
import type { Logger } from 'pino';
import type { Ports, QueueItem, Tries } from '../ports.ts';
import { admitQueued } from './admission.ts';
import { apply, work } from './advance.ts';
import { workOnOnboarding } from './onboardings.ts';
import { workOnProof } from './proofs.ts';

export interface HandleOptions {
  readonly ports: Ports;
  /** Takes in what a repository sent. */
  readonly takeIn: (repositoryId: number) => Promise<void>;
  readonly log: Logger;
}

/** Makes the queue's handler. */
export function createHandler(options: HandleOptions): (item: QueueItem, tries: Tries) => Promise<void> {
  return async (item, tries) => {
    const startedMs = performance.now();
    await handle(item, tries, options);
    options.log.debug(
      { item, attempt: tries.attempt, durationMs: Math.round(performance.now() - startedMs) },
      'handled',
    );
  };
}

async function handle(item: QueueItem, tries: Tries, { ports, takeIn, log }: HandleOptions): Promise<void> {
  switch (item.type) {
    case 'intake':
      return takeIn(item.repositoryId);
    case 'wake':
      return work({ loopId: item.loopId, lane: item.lane, tries }, ports, log);
    case 'admit':
      return admitQueued(ports);
    case 'prove':
      return workOnProof(item, { ports, tries, log });
    case 'onboard':
      return workOnOnboarding(item.repositoryId, { ports, tries, log });
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
