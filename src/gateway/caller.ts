/** Which loop a call is paid by: the one that awaits the run whose token came with it. */

import type { BookedCall } from '../loop/brief.ts';
import { UNAWAITED } from '../loop/call-headers.ts';
import { isStarted, type StartedLoop } from '../loop/stages.ts';
import type { Store } from '../ports.ts';
import type { Claims, Identity } from './identity.ts';
import { Refusal } from './refusal.ts';
import { claimProblem, problemOf } from './run-checks.ts';

export interface CallerPorts {
  readonly identity: Identity;
  readonly store: Pick<Store, 'account' | 'load' | 'overview'>;
}

/** Whose call it is. */
export interface Caller {
  readonly loop: StartedLoop;
  /** Calls that the loop was not told of, at the moment at which it was as it is here. */
  readonly untold: readonly BookedCall[];
}

/** @throws {Refusal} 401 for a token that proves nothing, 403 for one that allows nothing here, 425 where the App does not know its run yet. */
export async function callerOf(token: string | undefined, { identity, store }: CallerPorts): Promise<Caller> {
  if (token === undefined)
    throw new Refusal(401, 'No token came with the call; send the one that GitHub gives the job, as a bearer token.');
  const claims = await identity(token);
  const caller = await awaiting(claims, store);
  const problem = problemOf(claims, caller.loop);
  if (problem !== undefined) throw new Refusal(403, problem);
  return caller;
}

async function awaiting(claims: Claims, store: CallerPorts['store']): Promise<Caller> {
  const { repository_id, run_id } = claims;
  const repositoryId = Number(repository_id);
  const account = await store.account(repositoryId, Number(run_id));
  if (account !== undefined && isStarted(account.loop)) return { loop: account.loop, untold: account.untold };
  const named = `Run ${run_id} of the repository with id ${repository_id}`;
  if (await isDispatching(repositoryId, store))
    throw new Refusal(425, `${named} is not known yet: a run is being dispatched there; ask again.`, {
      retryAfterSeconds: 2,
    });
  // A probe asks from a run that nobody awaits, to see whether its token would do.
  const problem = claimProblem(claims);
  const unawaited = `${named} is none that a loop of this App awaits.`;
  if (problem === undefined) throw new Refusal(403, unawaited, { type: UNAWAITED });
  throw new Refusal(403, `${unawaited} ${problem}`);
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
