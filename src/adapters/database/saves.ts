/** A save: state, log and wakes in one transaction, once per source, and with a free slot where it takes one. */
import { sql } from 'kysely';
import { ConflictError } from '../../errors.ts';
import { event as eventSchema } from '../../loop/event.ts';
import type { Loop } from '../../loop/loop.ts';
import { idOf, type LoopRef, nameOf } from '../../loop/terms.ts';
import type { Change, Source, Store } from '../../ports.ts';
import { enqueue } from '../queue-items.ts';
import { digestsIn } from './blob-rows.ts';
import { tellCalls } from './call-rows.ts';
import type { Engine } from './database.ts';
import { columnsOf, jsonOf } from './loop-rows.ts';
import { hasSlot } from './slots.ts';
import type { Queries } from './tables.ts';

/** Rolls the transaction back; the answer of the save. */
class Unsaved extends Error {
  readonly answer: 'repeated' | 'queued';
  constructor(answer: 'repeated' | 'queued') {
    super(answer);
    this.answer = answer;
  }
}

export async function save(engine: Engine, change: Change): ReturnType<Store['save']> {
  try {
    return await engine.transaction((trx) => write(engine, trx, change));
  } catch (error) {
    if (error instanceof Unsaved) return error.answer;
    throw error;
  }
}

async function write(engine: Engine, trx: Queries, change: Change): ReturnType<Store['save']> {
  const { admission, loop } = change;
  const mayRun = admission === undefined || (await hasSlot(trx, loop.ref, admission.limits));
  if (mayRun) {
    await writeOne(engine, trx, change);
    return 'saved';
  }
  const { queued } = admission;
  if (queued === undefined) throw new Unsaved('queued');
  await writeOne(engine, trx, { ...change, wakes: [] });
  await writeOne(engine, trx, { ...queued, expectedVersion: change.expectedVersion + 1, settled: undefined });
  return 'queued';
}

async function writeOne(engine: Engine, trx: Queries, change: Change): Promise<void> {
  await writeLoop(trx, change);
  await appendLog(trx, change);
  const loopId = idOf(change.loop.ref);
  const wakes = [...new Set(change.wakes)].map((lane) => ({ type: 'wake', loopId, lane }) as const);
  const items = change.freesSlot === true ? [...wakes, { type: 'admit' } as const] : wakes;
  await enqueue(engine.boss, trx, { items });
}

async function writeLoop(trx: Queries, change: Change): Promise<void> {
  const { loop, expectedVersion } = change;
  const written = expectedVersion === 0 ? await insertLoop(trx, change) : await updateLoop(trx, change);
  if (written) return;
  throw new ConflictError(
    `loop ${nameOf(loop.ref)} is not at version ${expectedVersion} any more: load it and decide again`,
  );
}

/** Whether it was saved already, by another loop or brought by another delivery. */
async function wasHeard(trx: Queries, ref: LoopRef, source: Source): Promise<boolean> {
  if (source.once === 'by-issue' && (await wasHeardEarlier(trx, ref, source))) return true;
  return source.said !== undefined && (await wasSaid(trx, ref, source.said));
}

/** Whether an earlier loop of the issue was told; a later one cannot have been, because the newest is the one that is spoken to. */
async function wasHeardEarlier(trx: Queries, ref: LoopRef, { delivery, ordinal }: Source): Promise<boolean> {
  const earlier = Array.from({ length: ref.n - 1 }, (_, index) => idOf({ ...ref, n: index + 1 }));
  if (earlier.length === 0) return false;
  const found = await trx
    .selectFrom('loop_log')
    .select('seq')
    .where('loop_id', 'in', earlier)
    .where('delivery_id', '=', delivery)
    .where('ordinal', '=', ordinal)
    .executeTakeFirst();
  return found !== undefined;
}

/** Notes what somebody said; whether it was noted already. Waits for a save of the same that is under way. */
export async function wasSaid(
  trx: Queries,
  { repositoryId }: Pick<LoopRef, 'repositoryId'>,
  said: string,
): Promise<boolean> {
  const written = await trx
    .insertInto('heard')
    .values({ repository_id: repositoryId, said })
    .onConflict((conflict) => conflict.doNothing())
    .returning('said')
    .execute();
  return written.length === 0;
}

/** The log's number is the version that the save makes, so a gap is a save that decided nothing. */
async function appendLog(trx: Queries, { loop, expectedVersion, event, settled, source }: Change): Promise<void> {
  if (event === undefined && settled === undefined) return;
  if (source !== undefined && (await wasHeard(trx, loop.ref, source))) throw new Unsaved('repeated');
  const text = event === undefined ? null : jsonOf(eventSchema, event, `what happened to ${nameOf(loop.ref)}`);
  const written = await trx
    .insertInto('loop_log')
    .values({
      loop_id: idOf(loop.ref),
      seq: expectedVersion + 1,
      event: text,
      settled: settled ?? null,
      delivery_id: source?.delivery ?? null,
      ordinal: source?.ordinal ?? null,
    })
    .onConflict((conflict) =>
      conflict.columns(['loop_id', 'delivery_id', 'ordinal']).where('delivery_id', 'is not', null).doNothing(),
    )
    .returning('seq')
    .execute();
  if (written.length === 0) throw new Unsaved('repeated');
  await nameBlobs(trx, loop, text ?? '');
  await tellCalls(trx, { loop, event });
}

/** Every blob that a loop ever needs was told to it by an event. */
async function nameBlobs(trx: Queries, loop: Loop, text: string): Promise<void> {
  const digests = digestsIn(text);
  if (digests.length === 0) return;
  await trx
    .insertInto('loop_blobs')
    .values(digests.map((digest) => ({ digest, loop_id: idOf(loop.ref) })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function insertLoop(trx: Queries, change: Change): Promise<boolean> {
  const { ref } = change.loop;
  const { repositoryId, issue, n } = ref;
  const rows = await trx
    .insertInto('loops')
    .values({
      ...columnsOf(change.loop),
      ...{ id: idOf(ref), repository_id: repositoryId, issue, n, version: 1 },
      queued_at: isQueued(change.loop) ? timeOf(change) : null,
      ended_at: isEnded(change.loop) ? timeOf(change) : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
}

async function updateLoop(trx: Queries, change: Change): Promise<boolean> {
  const { loop, expectedVersion } = change;
  const rows = await trx
    .updateTable('loops')
    .set({
      ...columnsOf(loop),
      version: expectedVersion + 1,
      updated_at: new Date(),
      queued_at: isQueued(loop) ? sql`coalesce(queued_at, ${timeOf(change)}::timestamptz)` : null,
      ended_at: isEnded(loop) ? sql`coalesce(ended_at, ${timeOf(change)}::timestamptz)` : null,
    })
    .where('id', '=', idOf(loop.ref))
    .where('version', '=', expectedVersion)
    .returning('id')
    .execute();
  return rows.length === 1;
}

function isQueued({ status }: Loop): boolean {
  return status === 'queued';
}

function isEnded({ status }: Loop): boolean {
  return status === 'succeeded' || status === 'stopped';
}

/** When it happened, as told; the state of a loop changes by events only. */
function timeOf({ event }: Change): string {
  return event?.at ?? new Date().toISOString();
}
