/** The simulation's store keeps the promises of the real one. */

import { keyOf } from '../../src/adapters/queue-items.ts';
import type { QueueItem } from '../../src/ports.ts';
import { describeCalls } from '../adapters/calls-behaviour.ts';
import { describeLimits } from '../adapters/limits-behaviour.ts';
import { describeOnboardings } from '../adapters/onboardings-behaviour.ts';
import { describeStore, type StoreStage } from '../adapters/store-behaviour.ts';
import { createDatabase } from './app/database.ts';
import { createMemoryStore } from './app/memory-store.ts';

async function open(): Promise<StoreStage> {
  const queued = new Map<string, QueueItem>();
  const store = createMemoryStore(createDatabase(), {
    enqueue: (item) => void queued.set(keyOf(item), item),
    checked: true,
    leads: () => true,
    nowMs: Date.now,
  });
  return { store, queued: async () => [...queued.values()], close: async () => undefined };
}

describeStore('in the memory of the simulation', open);
describeCalls('in the memory of the simulation', open);
describeOnboardings('in the memory of the simulation', open);
describeLimits('in the memory of the simulation', open);
