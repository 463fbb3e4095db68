/** The store in memory: the same promises as on a database (test/adapters/store-behaviour.ts), and what it holds survives the process. */
import { UNKNOWN } from '../../../src/adapters/database/begun-rows.ts';
import { jsonOf, OPEN } from '../../../src/adapters/database/loop-rows.ts';
import { ConflictError, StoreError } from '../../../src/errors.ts';
import { answered, UNUSED } from '../../../src/github/installation-limits.ts';
import { digestOf } from '../../../src/guard/digest.ts';
import { laneOf } from '../../../src/loop/effect.ts';
import { event as eventSchema } from '../../../src/loop/event.ts';
import { type Loop, loop as loopSchema } from '../../../src/loop/loop.ts';
import { awaitsMerge } from '../../../src/loop/people/handed-over.ts';
import { idOf, nameOf } from '../../../src/loop/terms.ts';
import type { Change, QueueItem, Store, StoredLoop } from '../../../src/ports.ts';
import { type Database, digestsIn, type LogEntry, type LoopRow } from './database.ts';
import { createCallRows, tellCalls } from './memory-calls.ts';
import { createDeliveryRows } from './memory-deliveries.ts';
import { forget } from './memory-forget.ts';
import { createOnboardingRows } from './memory-onboardings.ts';
import { overviewOf } from './memory-overview.ts';
import { createPullProofRows } from './memory-pull-proofs.ts';
import { hasSlot, nextQueued } from './memory-slots.ts';

export type SavedChange = Pick<LogEntry, 'event' | 'settled'>;

export interface MemoryStoreOptions {
  /** Queues in the transaction of the save. */
  readonly enqueue: (item: QueueItem) => void;
  /** Whether each saved loop is read back through the schema, as a database does it. */
  readonly checked: boolean;
  /** Who leads, where several processes share the database. */
  readonly leads: () => boolean;
  readonly nowMs: () => number;
  readonly onSave?: (before: Loop | undefined, after: Loop, change: SavedChange) => void;
}

/** Everything happens at once; the simulation puts time around it. */
export function createMemoryStore(database: Database, options: MemoryStoreOptions): Store {
  const { loops, logs, blobs, jobs } = database;
  const rowsOf = (matches: (loop: Loop) => boolean): readonly LoopRow[] =>
    [...loops.values()].filter(({ loop }) => matches(loop));
  const newestOf = (matches: (loop: Loop) => boolean): StoredLoop | undefined => toldOf(rowsOf(matches).at(-1));
  const isOpen = ({ status }: Loop): boolean => OPEN.some((open) => open === status);
  const putBlob: Store['putBlob'] = async (content) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    const digest = digestOf(bytes);
    blobs.set(digest, { bytes, atMs: options.nowMs() });
    return digest;
  };
  const inRepository = (id: number, loop: Loop): boolean => loop.ref.repositoryId === id;
  return {
    ...createDeliveryRows(database, options.enqueue),
    ...createCallRows(database, putBlob),
    ...createPullProofRows(database, options.enqueue),
    ...createOnboardingRows(database, options.enqueue),
    takeShown: async (id) => {
      const shown = database.shown.get(id);
      database.shown.delete(id);
      return shown;
    },
    keepShown: async (id, shown) => void database.shown.set(id, shown),
    begins: async (id, name) => {
      const names = database.begun.get(id) ?? new Set();
      database.begun.set(id, new Set([...names, name]));
      return !names.has(name) && !names.has(UNKNOWN);
    },
    load: async (id) => toldOf(loops.get(id)),
    newest: async (repositoryId, issue) =>
      toldOf(
        rowsOf((loop) => inRepository(repositoryId, loop) && loop.ref.issue === issue).toSorted(
          (left, right) => right.loop.ref.n - left.loop.ref.n,
        )[0],
      ),
    byPull: async (id, pull) => newestOf((loop) => inRepository(id, loop) && loop.review?.pull === pull),
    byBranch: async (id, branch) =>
      newestOf((loop) => inRepository(id, loop) && (loop.started?.branch ?? '') === branch),
    byRun: async (id, runId) => newestOf((loop) => inRepository(id, loop) && loop.built.run?.id === runId),
    awaitingChecks: async (id, sha) =>
      rowsOf((loop) => inRepository(id, loop) && isOpen(loop) && loop.review?.head === sha).map(told),
    awaitingMerge: async (id, branch) =>
      rowsOf((loop) => inRepository(id, loop) && awaitsMerge(loop) && loop.started?.base.branch === branch).map(told),
    onBase: async (id, branch) =>
      rowsOf((loop) => inRepository(id, loop) && isOpen(loop) && loop.started?.base.branch === branch).map(told),
    overview: async (filter) => overviewOf([...loops.values()], filter),
    unfinished: async () =>
      [...loops].flatMap(([id, { loop }]) => {
        const lanes = [...new Set(loop.pending.map(laneOf))];
        const awaitsRun = loop.status === 'working' && loop.built.run?.entry === loop.entry;
        return lanes.length > 0 || awaitsRun ? [{ id, lanes, awaitsRun }] : [];
      }),
    save: async (change) => save(database, change, options),
    nextQueued: async (limits, at) => toldOf(nextQueued([...loops.values()], limits, at)),
    log: async (id) => (logs.get(id) ?? []).map(({ seq, event, settled }) => ({ seq, event, settled })),
    putBlob,
    async blob(digest) {
      const found = blobs.get(digest);
      if (found === undefined)
        throw new StoreError(`nothing is stored under ${digest}: was it stored in another database?`);
      return found.bytes;
    },
    async offerJob(content) {
      const digest = await putBlob(content);
      jobs.delete(digest);
      jobs.set(digest, options.nowMs());
      return digest;
    },
    job: async (digest) => (jobs.has(digest) ? blobs.get(digest)?.bytes : undefined),
    async askLimits(installationId, ask) {
      const { limits, answer } = answered(database.limits.get(installationId) ?? UNUSED, ask);
      database.limits.set(installationId, limits);
      return answer;
    },
    leads: async () => options.leads(),
    forget: async (retention) => forget(database, retention),
  };
}

function told({ loop, version }: StoredLoop): StoredLoop {
  return { loop, version };
}

function toldOf(row: StoredLoop | undefined): StoredLoop | undefined {
  return row === undefined ? undefined : told(row);
}

function save(database: Database, change: Change, options: MemoryStoreOptions): 'saved' | 'repeated' | 'queued' {
  const { admission, loop, expectedVersion, source } = change;
  const id = idOf(loop.ref);
  if ((database.loops.get(id)?.version ?? 0) !== expectedVersion) throw conflictOf(change);
  const key = source === undefined ? undefined : `${source.delivery} ${source.ordinal}`;
  const earlier = source?.once === 'by-issue' ? loop.ref.n - 1 : 0;
  const heardBy = [id, ...Array.from({ length: earlier }, (_, index) => idOf({ ...loop.ref, n: index + 1 }))];
  const isHeard = heardBy.some((one) => database.logs.get(one)?.some((entry) => entry.source === key));
  if (key !== undefined && isHeard) return 'repeated';
  const said = source?.said === undefined ? undefined : `${loop.ref.repositoryId} ${source.said}`;
  if (said !== undefined && database.heard.has(said)) return 'repeated';
  const mayRun = admission === undefined || hasSlot([...database.loops.values()], loop.ref, admission.limits);
  if (mayRun) {
    write(database, change, options);
    return 'saved';
  }
  const { queued } = admission;
  if (queued === undefined) return 'queued';
  write(database, { ...change, wakes: [] }, options);
  write(database, { ...queued, expectedVersion: expectedVersion + 1, settled: undefined }, options);
  return 'queued';
}

function conflictOf({ loop, expectedVersion }: Change): ConflictError {
  return new ConflictError(
    `loop ${nameOf(loop.ref)} is not at version ${expectedVersion} any more: load it and decide again`,
  );
}

function write(database: Database, change: Change, { checked, enqueue, onSave }: MemoryStoreOptions): void {
  const { loop, expectedVersion, event, settled, source, wakes, freesSlot } = change;
  const id = idOf(loop.ref);
  if (source?.said !== undefined) database.heard.add(`${loop.ref.repositoryId} ${source.said}`);
  const before = database.loops.get(id);
  const readBack: unknown = checked ? JSON.parse(jsonOf(loopSchema, loop, `loop ${nameOf(loop.ref)}`)) : undefined;
  if (checked && event !== undefined) jsonOf(eventSchema, event, `what happened to ${nameOf(loop.ref)}`);
  database.serial += 1;
  database.loops.set(id, {
    loop: checked ? loopSchema.parse(readBack) : loop,
    version: expectedVersion + 1,
    serial: before?.serial ?? database.serial,
    queuedAt: loop.status === 'queued' ? (before?.queuedAt ?? event?.at) : undefined,
    endedAt: loop.status === 'succeeded' || loop.status === 'stopped' ? (before?.endedAt ?? event?.at) : undefined,
    forgotten: false,
  });
  if (event !== undefined || settled !== undefined) {
    const log = database.logs.get(id) ?? [];
    const key = source === undefined ? undefined : `${source.delivery} ${source.ordinal}`;
    log.push({ seq: expectedVersion + 1, event: structuredClone(event), settled, source: key });
    database.logs.set(id, log);
    for (const digest of digestsIn(JSON.stringify(event) ?? '')) database.names.add(`${digest} ${id}`);
  }
  if (event !== undefined) tellCalls(database, loop, event);
  for (const lane of new Set(wakes)) enqueue({ type: 'wake', loopId: id, lane });
  if (freesSlot === true) enqueue({ type: 'admit' });
  onSave?.(before?.loop, loop, { event, settled });
}
