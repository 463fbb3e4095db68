/** Deliveries in memory: those to be taken in, and those that did not arrive. */
import type { QueueItem, Store } from '../../../src/ports.ts';
import type { Database, DeliveryRow } from './database.ts';

type Rows = Pick<
  Store,
  | 'receive'
  | 'delivery'
  | 'unread'
  | 'unreadRepositories'
  | 'markRead'
  | 'postpone'
  | 'noteMissed'
  | 'dueMissed'
  | 'askedFor'
>;

export function createDeliveryRows({ deliveries, missed }: Database, enqueue: (item: QueueItem) => void): Rows {
  let received = 0;
  const unreadRows = (): readonly DeliveryRow[] =>
    [...deliveries.values()].filter(({ delivery }) => delivery.payload !== undefined);
  return {
    async receive(delivery) {
      received += 1;
      if (deliveries.has(delivery.id)) return false;
      const { repositoryId } = delivery;
      // What a database keeps of it.
      const payload: unknown =
        delivery.payload === undefined ? undefined : JSON.parse(JSON.stringify(delivery.payload));
      deliveries.set(delivery.id, { serial: received, delivery: { ...delivery, payload }, dueMs: 0, tries: 0 });
      if (payload !== undefined && repositoryId !== undefined) enqueue({ type: 'intake', repositoryId });
      return true;
    },
    delivery: async (id) => structuredClone(deliveries.get(id)?.delivery),
    unread: async ({ repositoryId, at, since, after = 0, limit }) =>
      [...deliveries.values()]
        .filter(({ delivery, serial }) => delivery.payload !== undefined && serial > after)
        .filter(({ delivery }) => delivery.repositoryId === repositoryId)
        .filter(({ delivery, dueMs }) => dueMs <= Date.parse(at) || delivery.receivedAt > since)
        .slice(0, limit)
        .map(({ delivery, tries, dueMs, serial }) => ({
          ...structuredClone(delivery),
          tries,
          dueAt: new Date(dueMs).toISOString(),
          serial,
        })),
    async unreadRepositories() {
      const byRepository = Map.groupBy(unreadRows(), ({ delivery }) => delivery.repositoryId);
      return [...byRepository].flatMap(([repositoryId, rows]) => {
        const dueAt = new Date(Math.min(...rows.map(({ dueMs }) => dueMs))).toISOString();
        return repositoryId === undefined ? [] : [{ repositoryId, dueAt }];
      });
    },
    async markRead(ids, note) {
      for (const row of ids.flatMap((id) => deliveries.get(id) ?? []))
        row.delivery = { ...row.delivery, payload: undefined, ...(note === undefined ? {} : { note }) };
    },
    async postpone(id, until) {
      const row = deliveries.get(id);
      if (row === undefined) return;
      row.dueMs = Date.parse(until);
      row.tries += 1;
    },
    async noteMissed(tries) {
      for (const { guid, name, id, triedAt } of tries.toSorted((left, right) =>
        left.triedAt.localeCompare(right.triedAt),
      )) {
        const known = missed.get(guid);
        if (known === undefined)
          missed.set(guid, { guid, name, id, firstTriedAt: triedAt, triedAt, dueAt: triedAt, asked: 0 });
        else if (known.triedAt < triedAt) Object.assign(known, { id, triedAt });
      }
    },
    async dueMissed({ at, horizon, limit }) {
      for (const { guid, triedAt } of missed.values())
        if (triedAt < horizon || deliveries.has(guid)) missed.delete(guid);
      return [...missed.values()]
        .filter(({ dueAt }) => dueAt <= at)
        .toSorted(
          (left, right) => left.firstTriedAt.localeCompare(right.firstTriedAt) || left.guid.localeCompare(right.guid),
        )
        .slice(0, limit)
        .map(({ guid, name, id, triedAt, asked }) => ({ guid, name, id, triedAt, asked }));
    },
    async askedFor(guid, dueAt) {
      const row = missed.get(guid);
      if (row !== undefined) Object.assign(row, { asked: row.asked + 1, dueAt });
    },
  };
}
