/** Loops as rows: the JSON that is the loop, and beside it the columns by which it is found. */
import { z } from 'zod';
import { StoreError, UnreadableError } from '../../errors.ts';
import { type EffectLane, effectLane, laneOf } from '../../loop/effect.ts';
import { event } from '../../loop/event.ts';
import { type Loop, loop as loopSchema } from '../../loop/loop.ts';
import { awaitsMerge } from '../../loop/people/handed-over.ts';
import { holdsSlot } from '../../loop/slots.ts';
import { nameOf, phaseName, status } from '../../loop/terms.ts';
import type { LoopOverview, Store, StoredLoop } from '../../ports.ts';
import { storable } from './migration-look-ups.ts';
import type { LoopRow, Queries } from './tables.ts';

/** Written as in the indexes, which hold only these. */
export const OPEN = ['queued', 'working', 'waiting', 'paused'] satisfies Loop['status'][];

export function loopsOf(db: Queries) {
  return db.selectFrom('loops').select(['id', 'version', 'loop']);
}

export function loopsIn(db: Queries, repositoryId: number) {
  return loopsOf(db).where('repository_id', '=', repositoryId);
}

/** Loops by the branch that their pull request is for: those that work on it, and those that are done. */
export function loopsOnBase(db: Queries): Pick<Store, 'onBase' | 'awaitingMerge'> {
  const onBase = (repositoryId: number, branch: string) =>
    loopsIn(db, repositoryId).where('base_branch', '=', branch).orderBy('serial');
  return {
    onBase: (repositoryId, branch) => several(onBase(repositoryId, branch).where('status', 'in', OPEN)),
    awaitingMerge: (repositoryId, branch) => several(onBase(repositoryId, branch).where('awaits_merge', '=', true)),
  };
}

/** The newest first. */
export function withRun(db: Queries, repositoryId: number, runId: number) {
  return loopsIn(db, repositoryId).where('run_id', '=', runId).orderBy('serial', 'desc');
}

type StoredRow = Pick<LoopRow, 'id' | 'version' | 'loop'>;

export async function one(query: {
  limit(count: number): { executeTakeFirst(): Promise<StoredRow | undefined> };
}): Promise<StoredLoop | undefined> {
  const row = await query.limit(1).executeTakeFirst();
  return row && storedLoopOf(row);
}

export async function several(query: { execute(): Promise<readonly StoredRow[]> }): Promise<readonly StoredLoop[]> {
  return (await query.execute()).map(storedLoopOf);
}

export function storedLoopOf(row: StoredRow): StoredLoop {
  return { version: row.version, loop: parseStored(loopSchema, row.loop, `loop ${row.id}`) };
}

/** @throws {StoreError} for what this version cannot read. */
export function parseStored<Schema extends z.ZodType>(schema: Schema, json: string, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(JSON.parse(json));
  if (parsed.success) return parsed.data;
  throw new StoreError(
    `stored ${what} does not have the shape that this version expects (${z.prettifyError(parsed.error)}): start the version that wrote it, or report this`,
  );
}

/** The JSON of a row. @throws {UnreadableError} for what could not be read again; then nothing is saved. */
export function jsonOf<Schema extends z.ZodType>(schema: Schema, value: z.infer<Schema>, what: string): string {
  const parsed = schema.safeParse(value);
  if (parsed.success) return JSON.stringify(value);
  throw new UnreadableError(`${what} could not be read again, so it was not saved (${z.prettifyError(parsed.error)})`);
}

/** What look-ups need beside the JSON. */
export function columnsOf(loop: Loop) {
  return {
    status: loop.status,
    branch: loop.started?.branch ?? '',
    pull: loop.review?.pull ?? null,
    run_id: loop.built.run?.id ?? null,
    installation_id: loop.ref.installationId,
    owner: loop.ref.owner,
    repo: loop.ref.repo,
    title: storable(loop.started?.issue.title ?? ''),
    phase: loop.phase,
    waiting_for: loop.waitingFor ?? null,
    withheld: loop.withheld === undefined ? null : storable(loop.withheld.reason),
    head: loop.review?.head ?? null,
    base_branch: loop.started?.base.branch ?? null,
    priority: loop.priority,
    lanes: [...new Set(loop.pending.map(laneOf))].join(','),
    awaits_run: loop.status === 'working' && loop.built.run?.entry === loop.entry,
    holds_slot: holdsSlot(loop),
    awaits_merge: awaitsMerge(loop),
    usd: loop.spent.usd,
    started_at: loop.started?.at ?? '',
    forgotten: false,
    loop: jsonOf(loopSchema, loop, `loop ${nameOf(loop.ref)}`),
  };
}

export async function readLog(db: Queries, id: string): ReturnType<Store['log']> {
  const rows = await db.selectFrom('loop_log').selectAll().where('loop_id', '=', id).orderBy('seq').execute();
  return rows.map((row) => ({
    seq: row.seq,
    event: row.event === null ? undefined : parseStored(event, row.event, `event ${row.seq} of loop ${id}`),
    settled: row.settled ?? undefined,
  }));
}

const lanes = z.array(effectLane);

function lanesOf(text: string): readonly EffectLane[] {
  return lanes.parse(text.split(',').filter((lane) => lane !== ''));
}

export async function unfinished(db: Queries): ReturnType<Store['unfinished']> {
  const rows = await db
    .selectFrom('loops')
    .select(['id', 'lanes', 'awaits_run'])
    .where((where) => where.or([where('lanes', '<>', ''), where('awaits_run', '=', true)]))
    .orderBy('serial')
    .execute();
  return rows.map((row) => ({ id: row.id, lanes: lanesOf(row.lanes), awaitsRun: row.awaits_run }));
}

type Filter = Parameters<Store['overview']>[0];

export async function overview(
  db: Queries,
  { repositoryId, open, withheld, awaitsMerge: awaits, limit, before }: Filter,
): Promise<LoopOverview[]> {
  let query = db
    .selectFrom('loops')
    .select([
      ...(['id', 'serial', 'installation_id', 'repository_id', 'owner', 'repo', 'issue', 'n', 'title'] as const),
      ...(['status', 'phase', 'waiting_for', 'withheld', 'priority', 'pull', 'started_at', 'usd'] as const),
    ]);
  if (repositoryId !== undefined) query = query.where('repository_id', '=', repositoryId);
  if (open === true) query = query.where('status', 'in', OPEN);
  if (open === false) query = query.where('status', 'not in', OPEN);
  if (withheld === true) query = query.where('withheld', 'is not', null);
  if (awaits === true) query = query.where('awaits_merge', '=', true);
  if (before !== undefined) query = query.where('serial', '<', before);
  return (await query.orderBy('serial', 'desc').limit(limit).execute()).map(overviewOf);
}

const words = z.object({ status, phase: phaseName, priority: loopSchema.shape.priority });

type OverviewRow = Pick<
  LoopRow,
  'id' | 'repository_id' | 'issue' | 'n' | 'status' | 'waiting_for' | 'withheld' | 'pull'
> & {
  readonly serial: number;
  readonly installation_id: number;
  readonly owner: string;
  readonly repo: string;
  readonly title: string;
  readonly phase: string;
  readonly priority: string;
  readonly started_at: string;
  readonly usd: number;
};

function overviewOf(row: OverviewRow): LoopOverview {
  return {
    ...words.parse(row),
    id: row.id,
    ref: {
      // pg reads a bigint as text.
      installationId: Number(row.installation_id),
      repositoryId: Number(row.repository_id),
      owner: row.owner,
      repo: row.repo,
      issue: row.issue,
      n: row.n,
    },
    title: row.title,
    waitingFor: row.waiting_for ?? undefined,
    withheld: row.withheld ?? undefined,
    pull: row.pull ?? undefined,
    startedAt: row.started_at,
    usd: row.usd,
    cursor: row.serial,
  };
}
