/** Pays for calls of jobs: each is reserved before it is made and settled after it, in the rows that the App's own calls stand in. */
import type { BookedCall, ModelCall } from '../loop/brief.ts';
import { charged, costUsd, isEmpty, leftAfter, purseOf } from '../loop/costs.ts';
import { hasMeans, shortSentence } from '../loop/shortage.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Clock, Reservation, Store } from '../ports.ts';
import type { Caller } from './caller.ts';
import { Refusal } from './refusal.ts';
import type { Usage } from './usage.ts';

/** Whose call it is, as the row says it. */
export type Label = Pick<ModelCall, 'phase' | 'skill' | 'role' | 'attempt'>;

export interface Booking {
  readonly id: string;
  /** As it was when the call was booked. */
  readonly loop: StartedLoop;
  /** Once, with what was said; gives what the call came to, and the digest under which that is kept. */
  settle(used: Usage, transcript: string): Promise<Settled>;
}

interface Settled {
  readonly call: ModelCall;
  readonly usd: number | undefined;
  readonly transcript: string | undefined;
}

export interface Ledger {
  /** How often this process has booked or settled a call: while it stays the same, what was read of a caller is as it was. */
  moment(): number;
  /**
   * `moment`: what that was before the caller was read. @throws {Refusal} 402 where nothing is left to pay with, 403 where the run may not ask any more, 429 where it depends on
   * calls that are under way.
   */
  reserve(
    caller: Caller & { readonly moment: number },
    call: { readonly label: Label; readonly model: string; readonly expected: Usage },
  ): Promise<Booking>;
}

/** Far more than an agent makes at the same time; a job that makes more only burns money. */
const MOST_UNDER_WAY = 32;
const WAIT = { retryAfterSeconds: 2 };

/**
 * Events tell a loop of its calls before its next work begins, as of those of a process that was killed; until then they are untold, and what is left is the loop's purse without them.
 * A call whose expectation the purse does not hold is made alone, so that one call is the most that a limit is passed by. Two processes know of each other's calls by their rows only.
 */
export function createLedger({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'reserve' | 'reserveFor' | 'release' | 'settle'>;
  readonly clock: Clock;
}): Ledger {
  const underWay = new Map<string, Set<string>>();
  const inTurn = createTurns();
  let moment = 0;
  return {
    moment: () => moment,
    reserve: (caller, { label, model, expected }) =>
      inTurn(idOf(caller.loop.ref), async () => {
        const { ref, entry } = caller.loop;
        const loopId = idOf(ref);
        const startedAt = clock.now();
        const open = underWay.get(loopId) ?? new Set();
        const call: ModelCall = { ...label, ...expected, durationMs: 0 };
        const usd = usdOf(caller.loop, call);
        const booked = { loopId, entry, model, call, usd, at: startedAt.toISOString() };
        const { untold } = caller;
        // What was read before another call was booked or settled does not tell of that.
        const isNow = untold !== undefined && caller.moment === moment;
        const { id, loop } = isNow
          ? { loop: affording({ loop: caller.loop, untold }, call, open), id: await store.reserve(booked) }
          : await bookedFirst(caller, booked, { store, open });
        underWay.set(loopId, open.add(id));
        moment += 1;
        return {
          id,
          loop,
          async settle(used, transcript) {
            const took: ModelCall = { ...label, ...used, durationMs: clock.now().getTime() - startedAt.getTime() };
            const settled = { call: took, usd: usdOf(loop, took) };
            try {
              return { ...settled, transcript: await store.settle(id, { ...settled, transcript }) };
            } finally {
              moment += 1;
              open.delete(id);
              if (open.size === 0) underWay.delete(loopId);
            }
          },
        };
      }),
  };
}

/** Reads while it books, and takes the booking back where the call may not be made: of hundreds of calls that is one. */
async function bookedFirst(
  caller: Caller,
  booked: Reservation,
  { store, open }: { readonly store: Pick<Store, 'reserveFor' | 'release'>; readonly open: ReadonlySet<string> },
): Promise<Pick<Booking, 'id' | 'loop'>> {
  const { id, account } = await store.reserveFor(caller.run, booked);
  try {
    const known = { loop: caller.allowed(account?.loop), untold: account?.untold ?? [] };
    return { id, loop: affording(known, booked.call, open) };
  } catch (error) {
    await store.release(id);
    throw error;
  }
}

/** `open`: calls of this process that are under way. */
function affording(
  { loop, untold: calls }: { readonly loop: StartedLoop; readonly untold: readonly BookedCall[] },
  call: ModelCall,
  open: ReadonlySet<string>,
): StartedLoop {
  if (open.size >= MOST_UNDER_WAY)
    throw new Refusal(429, `${open.size} calls of the loop are under way, as many as may be; ask again.`, WAIT);
  const known = charged(
    loop,
    calls.filter(({ id }) => id === undefined || !open.has(id)),
  );
  if (!hasMeans(known)) throw new Refusal(402, `No call is left: ${shortSentence(known)}`);
  const alone = open.size === 0;
  if (!alone && isEmpty(leftAfter(purseOf(loop), [...calls, call])))
    throw new Refusal(429, 'What is left may be used up by calls that are under way; ask again when they ended.', WAIT);
  return loop;
}

function usdOf({ started }: StartedLoop, call: ModelCall): number | undefined {
  return started.price === undefined ? undefined : costUsd(started.price, [call]);
}

/** Runs what has the same key one after another. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
