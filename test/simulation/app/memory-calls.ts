/** Calls to models in memory, by the rules of adapters/database/call-rows.ts. */

import { callsOf, costUsd } from '../../../src/loop/costs.ts';
import type { Event } from '../../../src/loop/event.ts';
import type { Loop } from '../../../src/loop/loop.ts';
import { idOf } from '../../../src/loop/terms.ts';
import type { Store } from '../../../src/ports.ts';
import type { BookedRow, Database } from './database.ts';

const UNRESERVED = { entry: undefined, model: undefined, transcript: undefined } as const;

export function createCallRows(
  database: Database,
  putBlob: Store['putBlob'],
): Pick<Store, 'reserve' | 'release' | 'settle' | 'untold' | 'reserveFor' | 'calls'> {
  const untold = async (loopId: string) =>
    (database.calls.get(loopId) ?? []).filter(({ told }) => !told).map(({ call }) => structuredClone(call));
  const reserve: Store['reserve'] = async ({ loopId, entry, model, call, usd, at }) => {
    const booked = { ...UNRESERVED, entry, model, usd, at: new Date(at).toISOString() };
    return book(database, loopId, { ...booked, call, isSettled: false, told: false });
  };
  const account = async (repositoryId: number, runId: number) => {
    const isOf = ({ ref, built }: Loop) => ref.repositoryId === repositoryId && built.run?.id === runId;
    const row = [...database.loops.values()].findLast(({ loop }) => isOf(loop));
    if (row === undefined) return undefined;
    const { false: underWay = [], true: settled = [] } = Object.groupBy(
      (database.calls.get(idOf(row.loop.ref)) ?? []).filter(({ told }) => !told),
      ({ isSettled }) => `${isSettled}`,
    );
    const sum = (part: 'promptTokens' | 'completionTokens') =>
      settled.reduce((total, { call }) => total + call[part], 0);
    return {
      loop: row.loop,
      underWay: underWay.map(({ call }) => structuredClone(call)),
      took: { promptTokens: sum('promptTokens'), completionTokens: sum('completionTokens') },
    };
  };
  return {
    reserve,
    async release(id) {
      const loopId = id.slice(0, id.lastIndexOf('#'));
      const rows = database.calls.get(loopId) ?? [];
      const row = rowOf(database, id);
      if (row !== undefined && !row.isSettled && !row.told)
        Object.assign(row, { isTakenBack: true, isSettled: true, told: true });
      database.calls.set(
        loopId,
        rows.filter((one) => !one.isTakenBack || one === rows.at(-1)),
      );
    },
    async reserveFor({ repositoryId, runId }, reservation) {
      const before = await account(repositoryId, runId);
      return { id: await reserve(reservation), account: before };
    },
    async settle(id, { call, usd, transcript }) {
      const digest = transcript === undefined ? undefined : await putBlob(transcript);
      if (digest !== undefined) database.names.add(`${digest} ${id.slice(0, id.lastIndexOf('#'))}`);
      const row = rowOf(database, id);
      if (row !== undefined) Object.assign(row, { call: { ...call, id }, usd, transcript: digest, isSettled: true });
      return digest;
    },
    untold,
    calls: async (loopId) =>
      (database.calls.get(loopId) ?? [])
        .filter(({ isTakenBack }) => !isTakenBack)
        .map(({ call, told: _, isTakenBack: __, ...row }) => structuredClone({ ...call, ...row })),
  };
}

/** In the save that appends the event. */
export function tellCalls(database: Database, loop: Loop, event: Event): void {
  for (const call of callsOf(event)) {
    if (call.id === undefined) {
      const usd = loop.started?.price && costUsd(loop.started.price, [call]);
      const at = new Date(event.at).toISOString();
      book(database, idOf(loop.ref), { ...UNRESERVED, call, usd, at, isSettled: true, told: true });
    } else {
      const row = rowOf(database, call.id);
      if (row !== undefined) row.told = true;
    }
  }
}

function book(database: Database, loopId: string, row: BookedRow): string {
  const rows = database.calls.get(loopId) ?? [];
  const last = rows.at(-1)?.call.id ?? `${loopId}#0`;
  const id = `${loopId}#${Number(last.slice(last.lastIndexOf('#') + 1)) + 1}`;
  database.calls.set(loopId, [...rows, { ...row, call: { ...row.call, id } }]);
  return id;
}

function rowOf(database: Database, id: string): BookedRow | undefined {
  return database.calls.get(id.slice(0, id.lastIndexOf('#')))?.find(({ call }) => call.id === id);
}
