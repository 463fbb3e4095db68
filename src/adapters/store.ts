/** Loops, their logs, deliveries and blobs in Postgres; a save writes state, log and wakes in one transaction. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConflictError, StoreError } from '../errors.ts';
import { event } from '../loop/event.ts';
import { type Loop, loop } from '../loop/loop.ts';
import { idOf, nameOf } from '../loop/terms.ts';
import type { Delivery, Store, StoredLoop } from '../ports.ts';
import type { Engine } from './engine.ts';
import { enqueue } from './queue-items.ts';
import type { LoopRow, Queries } from './tables.ts';

const ENDED = ['succeeded', 'stopped'] satisfies Loop['status'][];

export function createStore(engine: Engine): Store {
  const { db } = engine;
  return {
    receive: (delivery) => receive(engine, delivery),
    delivery: (id) => readDelivery(db, id),
    load: (id) => one(loopsOf(db).where('id', '=', id)),
    newest: (repositoryId, issue) => one(loopsIn(db, repositoryId).where('issue', '=', issue).orderBy('n', 'desc')),
    byPull: (repositoryId, pull) => one(loopsIn(db, repositoryId).where('pull', '=', pull).orderBy('serial', 'desc')),
    byBranch: (repositoryId, branch) =>
      one(loopsIn(db, repositoryId).where('branch', '=', branch).orderBy('serial', 'desc')),
    byRun: (repositoryId, runId) =>
      one(loopsIn(db, repositoryId).where('run_id', '=', runId).orderBy('serial', 'desc')),
    list: ({ open }) => list(db, open),
    save: (change) => save(engine, change),
    log: (id) => readLog(db, id),
    putBlob: (content) => putBlob(db, content),
    blob: (digest) => readBlob(db, digest),
  };
}

function receive(engine: Engine, delivery: Delivery): Promise<boolean> {
  const { id, name, receivedAt, payload } = delivery;
  return engine.transaction(async (trx) => {
    const inserted = await trx
      .insertInto('deliveries')
      .values({ id, name, received_at: receivedAt, payload: JSON.stringify(payload ?? null) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    if (inserted.length === 0) return false;
    await enqueue(engine.boss, trx, { item: { type: 'intake', deliveryId: id } });
    return true;
  });
}

async function readDelivery(db: Queries, id: string): Promise<Delivery | undefined> {
  const row = await db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  return row && { id: row.id, name: row.name, receivedAt: row.received_at, payload: JSON.parse(row.payload) };
}

function loopsOf(db: Queries) {
  return db.selectFrom('loops').select(['id', 'version', 'loop']);
}

function loopsIn(db: Queries, repositoryId: number) {
  return loopsOf(db).where('repository_id', '=', repositoryId);
}

type StoredRow = Pick<LoopRow, 'id' | 'version' | 'loop'>;

async function one(query: {
  limit(count: number): { executeTakeFirst(): Promise<StoredRow | undefined> };
}): Promise<StoredLoop | undefined> {
  const row = await query.limit(1).executeTakeFirst();
  return row && storedLoopOf(row);
}

async function list(db: Queries, open: boolean): Promise<readonly StoredLoop[]> {
  const all = loopsOf(db).orderBy('serial', 'desc');
  const rows = await (open ? all.where('status', 'not in', ENDED) : all).execute();
  return rows.map(storedLoopOf);
}

function storedLoopOf(row: StoredRow): StoredLoop {
  return { version: row.version, loop: parseStored(loop, row.loop, `loop ${row.id}`) };
}

function parseStored<Schema extends z.ZodType>(schema: Schema, json: string, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new StoreError(
    `stored ${what} does not have the shape that this version expects (${z.prettifyError(parsed.error)}): start the version that wrote it, or report this`,
  );
}

type Change = Parameters<Store['save']>[0];

function save(engine: Engine, change: Change): Promise<void> {
  return engine.transaction(async (trx) => {
    await writeLoop(trx, change);
    await appendLog(trx, change);
    for (const lane of new Set(change.wakes)) {
      await enqueue(engine.boss, trx, { item: { type: 'wake', loopId: idOf(change.loop.ref), lane } });
    }
  });
}

async function writeLoop(trx: Queries, { loop, expectedVersion }: Change): Promise<void> {
  const written = expectedVersion === 0 ? await insertLoop(trx, loop) : await updateLoop(trx, loop, expectedVersion);
  if (written) return;
  throw new ConflictError(
    `loop ${nameOf(loop.ref)} is not at version ${expectedVersion} any more: load it and decide again`,
  );
}

/** The log's number is the version that the save makes, so a gap is a save that decided nothing. */
async function appendLog(trx: Queries, { loop, expectedVersion, event, settled }: Change): Promise<void> {
  if (event === undefined && settled === undefined) return;
  await trx
    .insertInto('loop_log')
    .values({
      loop_id: idOf(loop.ref),
      seq: expectedVersion + 1,
      event: event === undefined ? null : JSON.stringify(event),
      settled: settled ?? null,
    })
    .execute();
}

async function insertLoop(trx: Queries, loop: Loop): Promise<boolean> {
  const { repositoryId, issue, n } = loop.ref;
  const rows = await trx
    .insertInto('loops')
    .values({ id: idOf(loop.ref), repository_id: repositoryId, issue, n, version: 1, ...columnsOf(loop) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
}

async function updateLoop(trx: Queries, loop: Loop, expectedVersion: number): Promise<boolean> {
  const rows = await trx
    .updateTable('loops')
    .set({ ...columnsOf(loop), version: expectedVersion + 1, updated_at: new Date() })
    .where('id', '=', idOf(loop.ref))
    .where('version', '=', expectedVersion)
    .returning('id')
    .execute();
  return rows.length === 1;
}

/** What look-ups need beside the JSON. */
function columnsOf(loop: Loop): Pick<LoopRow, 'status' | 'branch' | 'pull' | 'run_id' | 'loop'> {
  return {
    status: loop.status,
    branch: loop.started?.branch ?? '',
    pull: loop.review?.pull ?? null,
    run_id: loop.built.run?.id ?? null,
    loop: JSON.stringify(loop),
  };
}

async function readLog(db: Queries, id: string): ReturnType<Store['log']> {
  const rows = await db.selectFrom('loop_log').selectAll().where('loop_id', '=', id).orderBy('seq').execute();
  return rows.map((row) => ({
    seq: row.seq,
    event: row.event === null ? undefined : parseStored(event, row.event, `event ${row.seq} of loop ${id}`),
    settled: row.settled ?? undefined,
  }));
}

async function putBlob(db: Queries, content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = digestOf(bytes);
  await db
    .insertInto('blobs')
    .values({ digest, content: bytes })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return digest;
}

async function readBlob(db: Queries, digest: string): Promise<Uint8Array> {
  const row = await db.selectFrom('blobs').select('content').where('digest', '=', digest).executeTakeFirst();
  if (!row) throw new StoreError(`nothing is stored under ${digest}: was it stored in another database?`);
  // A plain copy, because pg gives a Buffer, and PGlite a view that may lie in a larger buffer.
  const bytes = new Uint8Array(row.content);
  const found = digestOf(bytes);
  if (found === digest) return bytes;
  throw new StoreError(
    `what is stored under ${digest} has the digest ${found}: the database was altered; restore a backup`,
  );
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
