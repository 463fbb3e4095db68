/** A store over a database, for the behaviour that every store must have. */
import { sql } from 'kysely';
import type { Engine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { queueItem } from '../../src/adapters/queue-items.ts';
import type { StoreStage } from './store-behaviour.ts';

export function databaseStage(engine: Engine): StoreStage {
  return {
    store: createStore(engine),
    queued: async () => {
      const found = await sql<{ data: unknown }>`select data from pgboss.job where state < 'active'`.execute(engine.db);
      return found.rows.map(({ data }) => queueItem.parse(data));
    },
    close: () => engine.close(),
  };
}
