/** Which loop a call is paid by: the one that awaits the run whose token came with it. */
import { LRUCache } from 'lru-cache';
import { UNAWAITED } from '../loop/call-headers.ts';
import type { Loop } from '../loop/loop.ts';
import { isStarted, type StartedLoop } from '../loop/stages.ts';
import type { Store } from '../ports.ts';
import type { Claims, Identity } from './identity.ts';
import { Refusal } from './refusal.ts';
import { claimProblem, problemOf } from './run-checks.ts';

export interface CallerPorts {
  readonly identity: Identity;
  readonly store: Pick<Store, 'byRun' | 'load' | 'overview'>;
}

/** Whose call it is. */
export interface Caller {
  readonly run: { readonly repositoryId: number; readonly runId: number };
  /** As it was a moment ago, or at an earlier call; what the call is judged by is read when it is booked. */
  readonly loop: StartedLoop;
  /** The loop, where its run may ask while it is as this one. @throws {Refusal} 403 where it may not, or no loop awaits it. */
  readonly allowed: (loop: Loop | undefined) => StartedLoop;
}

export interface Callers {
  /** @throws {Refusal} 401 for a token that proves nothing, 403 for one that allows nothing here, 425 where the App does not know its run yet. */
  of(token: string | undefined): Promise<Caller>;
  /** A loop as it was when a call of the run was booked; the next one need not read it before it books. */
  remember(caller: Caller, loop: StartedLoop): void;
  forget(caller: Caller): void;
}

/** More runs than ask at the same time. */
const MOST_REMEMBERED = 200;

export function createCallers({ identity, store }: CallerPorts): Callers {
  const remembered = new LRUCache<string, StartedLoop>({ max: MOST_REMEMBERED });
  return {
    async of(token) {
      if (token === undefined)
        throw new Refusal(
          401,
          'No token came with the call; send the one that GitHub gives the job, as a bearer token.',
        );
      const claims = await identity(token);
      const run = { repositoryId: Number(claims.repository_id), runId: Number(claims.run_id) };
      const allowed = (loop: Loop | undefined) => allowedTo(claims, loop);
      const before = remembered.get(keyOf(run));
      // What is wrong with it as it was may be right now.
      if (before !== undefined && problemOf(claims, before) === undefined) return { run, loop: before, allowed };
      const stored = await store.byRun(run.repositoryId, run.runId);
      if (stored === undefined) await assertKnown(claims, run, store);
      return { run, loop: allowed(stored?.loop), allowed };
    },
    remember: ({ run }, loop) => void remembered.set(keyOf(run), loop),
    forget: ({ run }) => void remembered.delete(keyOf(run)),
  };
}

function keyOf({ repositoryId, runId }: Caller['run']): string {
  return `${repositoryId}/${runId}`;
}

/** @throws {Refusal} 425 where the run may be one that is being dispatched. */
async function assertKnown(
  claims: Claims,
  { repositoryId }: Caller['run'],
  store: CallerPorts['store'],
): Promise<void> {
  if (await isDispatching(repositoryId, store))
    throw new Refusal(425, `${nameOf(claims)} is not known yet: a run is being dispatched there; ask again.`, {
      retryAfterSeconds: 2,
    });
}

function allowedTo(claims: Claims, loop: Loop | undefined): StartedLoop {
  if (loop !== undefined && isStarted(loop)) {
    const problem = problemOf(claims, loop);
    if (problem === undefined) return loop;
    throw new Refusal(403, problem);
  }
  // A probe asks from a run that nobody awaits, to see whether its token would do.
  const problem = claimProblem(claims);
  const unawaited = `${nameOf(claims)} is none that a loop of this App awaits.`;
  if (problem === undefined) throw new Refusal(403, unawaited, { type: UNAWAITED });
  throw new Refusal(403, `${unawaited} ${problem}`);
}

function nameOf({ repository_id, run_id }: Claims): string {
  return `Run ${run_id} of the repository with id ${repository_id}`;
}

/** More loops of one repository than this never run at the same time. */
const MOST_OPEN = 200;

/** A runner may be faster than the answer that tells the App of its run. */
async function isDispatching(repositoryId: number, store: CallerPorts['store']): Promise<boolean> {
  const open = await store.overview({ repositoryId, open: true, limit: MOST_OPEN });
  for (const { id } of open.filter(({ status }) => status === 'working')) {
    const stored = await store.load(id);
    if (stored?.loop.pending.some(({ type }) => type === 'dispatch')) return true;
  }
  return false;
}
