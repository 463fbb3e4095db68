/** Retention in memory, by the rules of adapters/database/forget.ts. */
import { UNKNOWN } from '../../../src/adapters/database/begun-rows.ts';
import { idOf } from '../../../src/loop/terms.ts';
import type { Retention, Store } from '../../../src/ports.ts';
import { type Database, digestsIn } from './database.ts';

export function forget(database: Database, retention: Retention): Awaited<ReturnType<Store['forget']>> {
  const { loops, logs, deliveries, blobs, jobs, names } = database;
  const old = [...deliveries].filter(
    ([, { delivery }]) => delivery.payload === undefined && isBefore(delivery.receivedAt, retention.deliveriesBefore),
  );
  for (const [id] of old) deliveries.delete(id);
  const ended = [...loops.values()].filter(
    ({ endedAt, forgotten }) => endedAt !== undefined && !forgotten && isBefore(endedAt, retention.logsBefore),
  );
  for (const row of ended) {
    const id = idOf(row.loop.ref);
    const named = new Set(digestsIn(JSON.stringify(row.loop)));
    logs.delete(id);
    database.calls.delete(id);
    database.begun.set(id, new Set([UNKNOWN]));
    for (const name of names) if (name.endsWith(` ${id}`) && !named.has(name.split(' ')[0] ?? '')) names.delete(name);
    loops.set(id, { ...row, forgotten: true });
  }
  const kept = new Set([...names].map((name) => name.split(' ')[0]));
  const past = [...jobs].filter(([, atMs]) => atMs < Date.parse(retention.blobsBefore));
  for (const [digest] of past.slice(0, -1)) jobs.delete(digest);
  const stray = [...blobs].filter(
    ([digest, { atMs }]) => !kept.has(digest) && !jobs.has(digest) && atMs < Date.parse(retention.blobsBefore),
  );
  for (const [digest] of stray) blobs.delete(digest);
  return { deliveries: old.length, logs: ended.length, blobs: stray.length };
}

function isBefore(at: string, limit: string): boolean {
  return Date.parse(at) < Date.parse(limit);
}
