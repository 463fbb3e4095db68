/** What is written down at the moment when it happens, because it cannot be seen afterwards. */
import type { Loop } from '../../../src/loop/loop.ts';
import { idOf } from '../../../src/loop/terms.ts';
import type { Database } from '../app/database.ts';
import type { SavedChange } from '../app/memory-store.ts';
import { ciVerdictOf } from '../github/ci.ts';
import { APP, type Hub, type Pull, type Run } from '../github/hub.ts';
import { mergeableOf } from '../github/pull-operations.ts';

export interface Dispatched {
  readonly run: Run;
  /** The loop as it was stored when the run began. */
  readonly loop: Loop | undefined;
  /** Since when the loop had its status. */
  readonly sinceMs: number;
  /** The approval under which its dispatch was begun: that of the loop, or one that was taken back while the request was on its way. */
  readonly approval: Loop['approval'];
  /** Where the branch was. */
  readonly head: string | undefined;
}

export interface Readied {
  readonly pull: Pull;
  readonly headSha: string;
  /** A person's commit at the head that the App was told of long before. */
  readonly unverified: string | undefined;
  readonly ci: ReturnType<typeof ciVerdictOf>;
  readonly mergeable: boolean | undefined;
}

export interface Records {
  readonly dispatched: readonly Dispatched[];
  readonly readied: readonly Readied[];
  /** Since when a run has nobody who knows of it, by its id. */
  readonly orphanSinceMs: Map<number, number>;
  /** The first sentence that each invariant had to say while time ran. */
  readonly broken: Map<string, string>;
  mostQueued: number;
  /** How a loop was called when it began. */
  readonly firstRefs: Map<string, Loop['ref']>;
  readonly statusSince: Map<string, number>;
  readonly takenBack: Map<string, { readonly approval: Loop['approval']; readonly atMs: number }>;
  /** What set paused loops going again. */
  readonly resumed: { readonly id: string; readonly by: string }[];
}

export function recordsOf(hub: Hub, database: Database): Records {
  const dispatched: Dispatched[] = [];
  const readied: Readied[] = [];
  const statusSince = new Map<string, number>();
  const takenBack: Records['takenBack'] = new Map();
  hub.onDispatch.push((run) => {
    const loop = loopOfRun(database, run);
    const head = loop === undefined ? undefined : hub.refs.get(`refs/heads/${loop.started?.branch}`);
    hub.note(`run ${run.id} starts: ${run.title}`);
    const sinceMs = loop === undefined ? 0 : (statusSince.get(idOf(loop.ref)) ?? 0);
    const before = loop === undefined ? undefined : takenBack.get(idOf(loop.ref));
    const underWay = before !== undefined && before.atMs > hub.scheduler.nowMs() - UNDER_WAY_MS;
    const approval = loop?.approval ?? (underWay ? before.approval : undefined);
    dispatched.push({ run, loop, sinceMs, approval, head });
  });
  hub.onReady.push((pull) => {
    const { headSha } = pull;
    const unverified = toldPush(hub, pull);
    if (unverified === undefined && movedByPeople(hub, pull)) return;
    const rows = [...database.loops.values()].map(({ loop }) => loop);
    const excused = rows.find(({ review }) => review?.pull === pull.number)?.shipping?.excused ?? [];
    const ci = ciVerdictOf(
      hub,
      headSha,
      excused.map(({ sha }) => sha),
    );
    readied.push({ pull, headSha, unverified, ci, mergeable: mergeableOf(hub, pull) });
  });
  return {
    dispatched,
    readied,
    orphanSinceMs: new Map(),
    broken: new Map(),
    mostQueued: 0,
    firstRefs: new Map(),
    statusSince,
    takenBack,
    resumed: [],
  };
}

/** So long the requests of a dispatch may be on their way. */
const UNDER_WAY_MS = 20_000;

export interface Saved {
  readonly before: Loop | undefined;
  readonly after: Loop;
  readonly change: SavedChange;
  readonly nowMs: number;
}

/** Remembers what a save changed and the next one would hide. */
export function noteSaved(records: Records, { before, after, change, nowMs }: Saved): void {
  const id = idOf(after.ref);
  if (before === undefined) records.firstRefs.set(id, after.ref);
  if (before?.status !== after.status) records.statusSince.set(id, nowMs);
  if (before?.approval !== undefined && after.approval === undefined)
    records.takenBack.set(id, { approval: before.approval, atMs: nowMs });
  const goesOn = after.status === 'working' || after.status === 'waiting';
  if (before?.status === 'paused' && goesOn) records.resumed.push({ id, by: change.event?.type ?? 'nothing' });
}

/** The loop that a run was started for, by the number at the end of its name: names of repositories change. */
export function loopOfRun({ loops }: Database, { inputs }: Run): Loop | undefined {
  const suffix = (inputs.loop ?? '').replace(/^.*#/, '');
  return [...loops.values()].map(({ loop }) => loop).find(({ ref }) => suffixOf(ref) === suffix);
}

export function suffixOf({ issue, n }: Loop['ref']): string {
  return n > 1 ? `${issue}-${n}` : String(issue);
}

const UNHEARD_MS = 10 * 60_000;

/** What people pushed a moment ago, nobody can have looked at. */
function movedByPeople({ moves, scheduler }: Hub, { branch }: Pull): boolean {
  const refs = [`refs/heads/${branch}`, 'refs/heads/main'];
  return moves.some(
    ({ ref, by, atMs }) => refs.includes(ref) && by !== APP.login && atMs > scheduler.nowMs() - UNHEARD_MS,
  );
}

const HEARD_MS = 90_000;

/** The person's commit at the head of the branch, where the App had taken in the webhook of the push long enough before. */
function toldPush({ refs, commits, deliveries, scheduler }: Hub, { branch }: Pull): string | undefined {
  const sha = refs.get(`refs/heads/${branch}`);
  if (sha === undefined || commits.get(sha).by === 'app') return undefined;
  const push = deliveries.webhooks.find(({ name, payload }) => name === 'push' && payload.after === sha);
  const isOld = push?.takenInMs !== undefined && push.takenInMs < scheduler.nowMs() - HEARD_MS;
  return isOld ? sha : undefined;
}
