/** Pays for calls of jobs: each is reserved before it is made and settled after it, in the rows that the App's own calls stand in. */
import type { Logger } from 'pino';
import type { ModelCall } from '../loop/brief.ts';
import { charged, costUsd, isEmpty, leftAfter, purseOf } from '../loop/costs.ts';
import { hasMeans, shortSentence } from '../loop/shortage.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Account, Clock, Store } from '../ports.ts';
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
  /** @throws {Refusal} 402 where nothing is left to pay with, 403 where the run may not ask any more, 429 where it depends on calls that are under way. */
  reserve(
    caller: Caller,
    call: { readonly label: Label; readonly model: string; readonly expected: Usage },
  ): Promise<Booking>;
}

export interface LedgerPorts {
  readonly store: Pick<Store, 'reserveFor' | 'release' | 'settle'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

/** Far more than an agent makes at the same time; a job that makes more only burns money. */
const MOST_UNDER_WAY = 32;
const WAIT = { retryAfterSeconds: 2 };
const NOTHING: Omit<Account, 'loop'> = { underWay: [], took: { promptTokens: 0, completionTokens: 0 } };

/**
 * Events tell a loop of its calls before its next work begins, as of those of a process that was killed; until then they are untold, and what is left is the loop's purse without them.
 * A call is booked first and judged by what the same statement has read, so that no other process pays by what was read before; where it may not be made, its booking is taken back.
 * One whose expectation the purse does not hold is made alone, so that one call is the most that a limit is passed by, as long as none takes more than it was expected to: a bound that
 * is stated holds, and for what none is stated of a long answer is expected. Another process may make one more.
 */
export function createLedger({ store, clock, log }: LedgerPorts): Ledger {
  const underWay = new Map<string, Set<string>>();
  const inTurn = createTurns();
  return {
    reserve: (caller, { label, model, expected }) =>
      inTurn(idOf(caller.loop.ref), async () => {
        const { ref, entry } = caller.loop;
        const loopId = idOf(ref);
        const startedAt = clock.now();
        const open = underWay.get(loopId) ?? new Set();
        // As they are before the rows are read: one that is settled meanwhile stands there with what it was expected to take, or with what it took.
        const before = new Set(open);
        const call: ModelCall = { ...label, ...expected, durationMs: 0 };
        const usd = usdOf(caller.loop, call);
        const booked = { loopId, entry, model, call, usd, at: startedAt.toISOString() };
        const { id, account } = await store.reserveFor(caller.run, booked);
        const loop = await judged(
          () => affording({ ...NOTHING, ...account, loop: caller.allowed(account?.loop) }, call, before),
          { id, store, log },
        );
        underWay.set(loopId, open.add(id));
        return {
          id,
          loop,
          async settle(used, transcript) {
            const took: ModelCall = { ...label, ...used, durationMs: clock.now().getTime() - startedAt.getTime() };
            const settled = { call: took, usd: usdOf(loop, took) };
            try {
              return { ...settled, transcript: await store.settle(id, { ...settled, transcript }) };
            } finally {
              open.delete(id);
              if (open.size === 0) underWay.delete(loopId);
            }
          },
        };
      }),
  };
}

/** Takes the booking back where the call may not be made: of hundreds of calls that is one. */
async function judged(
  judge: () => StartedLoop,
  { id, store, log }: Pick<LedgerPorts, 'log'> & { readonly id: string; readonly store: Pick<Store, 'release'> },
): Promise<StartedLoop> {
  try {
    return judge();
  } catch (error) {
    await store.release(id).catch((failure: unknown) => {
      log.error({ call: id, err: failure }, 'a booking could not be taken back; it counts as it was reserved');
    });
    throw error;
  }
}

/** `open`: calls of this process that are under way. */
function affording(
  { loop, underWay, took }: Omit<Account, 'loop'> & { readonly loop: StartedLoop },
  call: ModelCall,
  open: ReadonlySet<string>,
): StartedLoop {
  if (open.size >= MOST_UNDER_WAY)
    throw new Refusal(429, `${open.size} calls of the loop are under way, as many as may be; ask again.`, WAIT);
  const before: ModelCall = { ...call, ...took };
  const others = underWay.filter(({ id }) => id === undefined || !open.has(id));
  const known = charged(loop, [before, ...others]);
  if (!hasMeans(known)) throw new Refusal(402, `No call is left: ${shortSentence(known)}`);
  const alone = open.size === 0;
  if (!alone && isEmpty(leftAfter(purseOf(loop), [before, ...underWay, call])))
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
