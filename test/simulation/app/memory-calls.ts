/** Calls to models in memory, by the rules of adapters/call-rows.ts. */

import { callsOf } from '../../../src/loop/costs.ts';
import type { Event } from '../../../src/loop/event.ts';
import type { Store } from '../../../src/ports.ts';
import type { BookedRow, Database } from './database.ts';

export function createCallRows(database: Database): Pick<Store, 'reserve' | 'settle' | 'untold'> {
  return {
    reserve: async ({ loopId, call }) => book(database, loopId, { call, told: false }),
    async settle(id, { call }) {
      const row = rowOf(database, id);
      if (row !== undefined) row.call = { ...call, id };
    },
    untold: async (loopId) =>
      (database.calls.get(loopId) ?? []).filter(({ told }) => !told).map(({ call }) => structuredClone(call)),
  };
}

/** In the save that appends the event. */
export function tellCalls(database: Database, loopId: string, event: Event): void {
  for (const call of callsOf(event)) {
    if (call.id === undefined) book(database, loopId, { call, told: true });
    else {
      const row = rowOf(database, call.id);
      if (row !== undefined) row.told = true;
    }
  }
}

function book(database: Database, loopId: string, row: BookedRow): string {
  const rows = database.calls.get(loopId) ?? [];
  const id = `${loopId}#${rows.length + 1}`;
  database.calls.set(loopId, [...rows, { ...row, call: { ...row.call, id } }]);
  return id;
}

function rowOf(database: Database, id: string): BookedRow | undefined {
  const at = id.lastIndexOf('#');
  return database.calls.get(id.slice(0, at))?.[Number(id.slice(at + 1)) - 1];
}
