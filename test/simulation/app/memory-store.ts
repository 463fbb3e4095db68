/** The store in memory: the same promises as on a database (test/adapters/store-behaviour.ts), and what it holds survives the process. */
import { ConflictError, StoreError } from '../../../src/errors.ts';
import { digestOf } from '../../../src/guard/digest.ts';
import type { Event } from '../../../src/loop/event.ts';
import { type Loop, loop as loopSchema } from '../../../src/loop/loop.ts';
import { idOf, nameOf } from '../../../src/loop/terms.ts';
import type { Delivery, QueueItem, Store, StoredLoop } from '../../../src/ports.ts';

export interface LogEntry {
  readonly seq: number;
  readonly event: Event | undefined;
  readonly settled: string | undefined;
}

/** What a database would hold. */
export interface Database {
  readonly loops: Map<string, StoredLoop>;
  readonly logs: Map<string, LogEntry[]>;
  readonly deliveries: Map<string, Delivery>;
  readonly blobs: Map<string, Uint8Array>;
}

export interface MemoryStoreOptions {
  /** Queues in the transaction of the save. */
  readonly enqueue: (item: QueueItem) => void;
  /** Whether each saved loop is read back through the schema, as a database does it. */
  readonly checked: boolean;
  readonly onSave?: (before: Loop | undefined, after: Loop, change: SavedChange) => void;
}

export type SavedChange = Pick<LogEntry, 'event' | 'settled'>;

const ENDED: readonly Loop['status'][] = ['succeeded', 'stopped'];

export function createDatabase(): Database {
  return { loops: new Map(), logs: new Map(), deliveries: new Map(), blobs: new Map() };
}

/** Everything happens at once; the simulation puts time around it. */
export function createMemoryStore(database: Database, { enqueue, checked, onSave }: MemoryStoreOptions): Store {
  const { loops, logs, deliveries, blobs } = database;
  /** Newest first. */
  const stored = (): StoredLoop[] => [...loops.values()].toReversed();
  const first = (matches: (loop: Loop) => boolean): StoredLoop | undefined =>
    stored().find(({ loop }) => matches(loop));
  return {
    async receive(delivery) {
      if (deliveries.has(delivery.id)) return false;
      deliveries.set(delivery.id, structuredClone(delivery));
      enqueue({ type: 'intake', deliveryId: delivery.id });
      return true;
    },
    delivery: async (id) => structuredClone(deliveries.get(id)),
    load: async (id) => loops.get(id),
    newest: async (repositoryId, issue) =>
      stored()
        .filter(({ loop: { ref } }) => ref.repositoryId === repositoryId && ref.issue === issue)
        .toSorted((left, right) => right.loop.ref.n - left.loop.ref.n)[0],
    byPull: async (repositoryId, pull) => first((loop) => loop.ref.repositoryId === repositoryId && loop.pull === pull),
    byBranch: async (repositoryId, branch) =>
      first((loop) => loop.ref.repositoryId === repositoryId && loop.branch === branch),
    byRun: async (repositoryId, runId) =>
      first((loop) => loop.ref.repositoryId === repositoryId && loop.run?.id === runId),
    list: async ({ open }) => stored().filter(({ loop }) => !open || !ENDED.includes(loop.status)),
    async save({ loop, expectedVersion, event, settled, wakes }) {
      const id = idOf(loop.ref);
      const before = loops.get(id);
      if ((before?.version ?? 0) !== expectedVersion)
        throw new ConflictError(
          `loop ${nameOf(loop.ref)} is not at version ${expectedVersion} any more: load it and decide again`,
        );
      const written: unknown = JSON.parse(JSON.stringify(loop));
      loops.set(id, { loop: checked ? loopSchema.parse(written) : loop, version: expectedVersion + 1 });
      if (event !== undefined || settled !== undefined) {
        const log = logs.get(id) ?? [];
        log.push({ seq: expectedVersion + 1, event: structuredClone(event), settled });
        logs.set(id, log);
      }
      for (const lane of new Set(wakes)) enqueue({ type: 'wake', loopId: id, lane });
      onSave?.(before?.loop, loop, { event, settled });
    },
    log: async (id) => [...(logs.get(id) ?? [])],
    async putBlob(content) {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
      const digest = digestOf(bytes);
      blobs.set(digest, bytes);
      return digest;
    },
    async blob(digest) {
      const bytes = blobs.get(digest);
      if (bytes === undefined)
        throw new StoreError(`nothing is stored under ${digest}: was it stored in another database?`);
      if (digestOf(bytes) !== digest) throw new StoreError(`what is stored under ${digest}: the database was altered`);
      return bytes;
    },
  };
}
