/**
 * Calls to models in one table. What counts as spent is what the events of a loop tell of (`Loop.spent`, costs.ts); a row is `told` in the transaction that
 * appends such an event. One that is not was made by a process that was killed, or is being made.
 */
import { type Nullable, type Selectable, sql } from 'kysely';
import type { BookedCall } from '../../loop/brief.ts';
import { callsOf, costUsd } from '../../loop/costs.ts';
import { idOf } from '../../loop/terms.ts';
import type { Account, Change, Reservation, Store } from '../../ports.ts';
import { blobInsert, blobOf } from './blob-rows.ts';
import { storedLoopOf, withRun } from './loop-rows.ts';
import type { CallRow, LoopRow, Queries } from './tables.ts';

/** What the store says and does about calls. */
export function callRows(
  db: Queries,
): Pick<Store, 'reserve' | 'release' | 'settle' | 'untold' | 'reserveFor' | 'calls'> {
  return {
    reserve: (reservation) => reserve(db, reservation),
    release: (id) => release(db, id),
    settle: (id, settlement) => settle(db, id, settlement),
    untold: (loopId) => untold(db, loopId),
    reserveFor: (run, reservation) => reserveFor(db, run, reservation),
    calls: (loopId) => calls(db, loopId),
  };
}

async function reserve(db: Queries, reservation: Reservation): Promise<string> {
  const { number } = await numbered(() => reservationInsert(db, reservation).executeTakeFirstOrThrow());
  return idAt(reservation.loopId, number);
}

function reservationInsert(db: Pick<Queries, 'insertInto'>, { loopId, entry, model, call, usd, at }: Reservation) {
  const reserved = { reserved_tokens: call.promptTokens + call.completionTokens, reserved_usd: usd ?? null };
  const row = {
    ...rowOf(call, usd),
    ...reserved,
    loop_id: loopId,
    entry,
    model,
    settled: false,
    told: false,
    at: new Date(at),
    transcript: null,
  };
  return db
    .insertInto('calls')
    .values({ ...row, number: nextNumber(loopId) })
    .returning('number');
}

/** No number is given twice: whoever has read of the call may still speak of it. So the last row stays, as one for which nothing is reserved. */
async function release(db: Queries, id: string): Promise<void> {
  const { loopId, number } = placeOf(id);
  const nothing = { prompt_tokens: 0, completion_tokens: 0, usd: null, reserved_tokens: null, reserved_usd: null };
  await db
    .updateTable('calls')
    .set({ ...nothing, settled: true, told: true })
    .where('loop_id', '=', loopId)
    .where('number', '=', number)
    .where('settled', '=', false)
    .where('told', '=', false)
    .execute();
  const last = sql<number>`(select max(number) from calls where loop_id = ${loopId})`;
  await db
    .deleteFrom('calls')
    .where('loop_id', '=', loopId)
    .where('entry', 'is not', null)
    .where('reserved_tokens', 'is', null)
    .where('number', '<', last)
    .execute();
}

async function settle(
  db: Queries,
  id: string,
  { call, usd, transcript }: Parameters<Store['settle']>[1],
): ReturnType<Store['settle']> {
  const { loopId, number } = placeOf(id);
  const took = { ...rowOf(call, usd), settled: true };
  if (transcript === undefined) {
    const settled = db.updateTable('calls').set({ ...took, transcript: null });
    await settled.where('loop_id', '=', loopId).where('number', '=', number).execute();
    return undefined;
  }
  const blob = blobOf(transcript);
  // In one statement: an agent waits for it at the end of each of its calls.
  await db
    .with('kept', (rows) => blobInsert(rows, blob))
    .with('named', (rows) =>
      rows
        .insertInto('loop_blobs')
        .values({ loop_id: loopId, digest: blob.digest })
        .onConflict((conflict) => conflict.doNothing()),
    )
    .updateTable('calls')
    .set({ ...took, transcript: blob.digest })
    .where('loop_id', '=', loopId)
    .where('number', '=', number)
    .execute();
  return blob.digest;
}

async function untold(db: Queries, loopId: string): ReturnType<Store['untold']> {
  const rows = db.selectFrom('calls').select(CALL_COLUMNS).where('loop_id', '=', loopId);
  return (await rows.where('told', '=', false).orderBy('number').execute()).map(callIn);
}

/** In one statement, whose parts see the rows as they were before it: an agent waits for it at the start of each of its calls. */
async function reserveFor(
  db: Queries,
  { repositoryId, runId }: Parameters<Store['reserveFor']>[0],
  reservation: Reservation,
): ReturnType<Store['reserveFor']> {
  const { number, ...row } = await numbered(() =>
    db
      .with('reserved', (rows) => reservationInsert(rows, reservation))
      .selectFrom('reserved')
      .leftJoin(withRun(db, repositoryId, runId).limit(1).as('loop'), (join) => join.onTrue())
      .leftJoinLateral(
        ({ selectFrom }) =>
          selectFrom('calls')
            .whereRef('calls.loop_id', '=', 'loop.id')
            .where('told', '=', false)
            // In one pass. A run has hundreds of settled ones, and what they took is one number.
            .select(({ fn }) => [
              fn.jsonAgg('calls').orderBy('calls.number').filterWhere('settled', '=', false).as('underWay'),
              fn.sum('prompt_tokens').filterWhere('settled', '=', true).as('prompt'),
              fn.sum('completion_tokens').filterWhere('settled', '=', true).as('completion'),
            ])
            .as('untold'),
        (join) => join.onTrue(),
      )
      .select(['reserved.number', 'id', 'version', 'loop', 'underWay', 'prompt', 'completion'])
      .executeTakeFirstOrThrow(),
  );
  const id = idAt(reservation.loopId, number);
  try {
    return { id, account: accountIn(row) };
  } catch (error) {
    await release(db, id);
    throw error;
  }
}

interface AccountRow extends Nullable<Pick<LoopRow, 'id' | 'version' | 'loop'>> {
  readonly underWay: readonly Pick<Selectable<CallRow>, (typeof CALL_COLUMNS)[number]>[] | null;
  readonly prompt: number | bigint | string | null;
  readonly completion: number | bigint | string | null;
}

function accountIn({ id, version, loop, underWay, prompt, completion }: AccountRow): Account | undefined {
  if (id === null || version === null || loop === null) return undefined;
  return {
    loop: storedLoopOf({ id, version, loop }).loop,
    underWay: (underWay ?? []).map(callIn),
    took: { promptTokens: Number(prompt ?? 0), completionTokens: Number(completion ?? 0) },
  };
}

async function calls(db: Queries, loopId: string): ReturnType<Store['calls']> {
  const rows = await db.selectFrom('calls').selectAll().where('loop_id', '=', loopId).orderBy('number').execute();
  const made = rows.filter(({ entry, reserved_tokens }) => entry === null || reserved_tokens !== null);
  return made.map((row) => ({
    ...callIn(row),
    at: row.at.toISOString(),
    model: row.model ?? undefined,
    entry: row.entry ?? undefined,
    usd: row.usd ?? undefined,
    isSettled: row.settled,
    transcript: row.transcript ?? undefined,
  }));
}

/** Inside the transaction of the save that appends the event. */
export async function tellCalls(trx: Queries, { loop, event }: Pick<Change, 'loop' | 'event'>): Promise<void> {
  const loopId = idOf(loop.ref);
  for (const call of event === undefined ? [] : callsOf(event)) {
    if (call.id !== undefined) await markTold(trx, call.id);
    else {
      const usd = loop.started?.price && costUsd(loop.started.price, [call]);
      const row = { ...rowOf(call, usd), loop_id: loopId, number: nextNumber(loopId), settled: true, told: true };
      const unreserved = { entry: null, model: null, reserved_tokens: null, reserved_usd: null, transcript: null };
      await trx
        .insertInto('calls')
        .values({ ...row, ...unreserved, at: new Date(event?.at ?? 0) })
        .execute();
    }
  }
}

async function markTold(trx: Queries, id: string): Promise<void> {
  const { loopId, number } = placeOf(id);
  await trx
    .updateTable('calls')
    .set({ told: true })
    .where('loop_id', '=', loopId)
    .where('number', '=', number)
    .execute();
}

function nextNumber(loopId: string) {
  return sql<number>`(select coalesce(max(number), 0) + 1 from calls where loop_id = ${loopId})`;
}

const MOST_TRIES = 20;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505';

/** Two processes that book for one loop at the same moment meet at the primary key, and the second takes the next number. */
async function numbered<Row>(insert: () => Promise<Row>, tries = MOST_TRIES): Promise<Row> {
  try {
    return await insert();
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
    if (!isTaken || tries <= 1) throw error;
    return numbered(insert, tries - 1);
  }
}

function idAt(loopId: string, number: number): string {
  return `${loopId}#${number}`;
}

function placeOf(id: string): { readonly loopId: string; readonly number: number } {
  const at = id.lastIndexOf('#');
  return { loopId: id.slice(0, at), number: Number(id.slice(at + 1)) };
}

function rowOf(call: BookedCall, usd: number | undefined) {
  const { phase, skill, role, attempt, promptTokens, completionTokens, durationMs, estimated = false } = call;
  const tokens = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
  return { phase, skill, role, attempt, ...tokens, usd: usd ?? null, estimated, duration_ms: durationMs };
}

const CALL_COLUMNS = [
  ...(['loop_id', 'number', 'phase', 'skill', 'role', 'attempt'] as const),
  ...(['prompt_tokens', 'completion_tokens', 'estimated', 'duration_ms'] as const),
] as const;

function callIn(row: Pick<Selectable<CallRow>, (typeof CALL_COLUMNS)[number]>): BookedCall {
  const { loop_id: loopId, number, phase, skill, role, attempt } = row;
  return {
    ...{ id: idAt(loopId, number), phase, skill, role, attempt },
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    ...(row.estimated ? { estimated: true } : {}),
    durationMs: row.duration_ms,
  };
}
