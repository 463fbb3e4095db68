/** Pays for calls of jobs: each is reserved before it is made and settled after it, in the rows that the App's own calls stand in. */
import type { ModelCall } from '../loop/brief.ts';
import { charged, costUsd, isEmpty, leftAfter, purseOf } from '../loop/costs.ts';
import { hasMeans, shortSentence } from '../loop/shortage.ts';
import { isStarted, type StartedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Clock, Store } from '../ports.ts';
import { Refusal } from './refusal.ts';
import type { Usage } from './usage.ts';

/** Whose call it is, as the row says it. */
export type Label = Pick<ModelCall, 'phase' | 'skill' | 'role' | 'attempt'>;

export interface Booking {
  readonly id: string;
  /** Once, with the digest of what was said; gives what the call came to. */
  settle(used: Usage, transcript: string): Promise<{ readonly call: ModelCall; readonly usd: number | undefined }>;
}

export interface Ledger {
  /** @throws {Refusal} 402 where nothing is left to pay with, 429 where it depends on calls that are under way. */
  reserve(
    loop: StartedLoop,
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
  readonly store: Pick<Store, 'load' | 'reserve' | 'settle' | 'untold'>;
  readonly clock: Clock;
}): Ledger {
  const underWay = new Map<string, Set<string>>();
  const inTurn = createTurns();
  return {
    reserve: ({ ref, entry }, { label, model, expected }) =>
      inTurn(idOf(ref), async () => {
        const loopId = idOf(ref);
        const startedAt = clock.now();
        const open = underWay.get(loopId) ?? new Set();
        const call: ModelCall = { ...label, ...expected, durationMs: 0 };
        const loop = await affording(loopId, { call, open, store });
        const usd = usdOf(loop, call);
        const id = await store.reserve({ loopId, entry, model, call, usd, at: startedAt.toISOString() });
        underWay.set(loopId, open.add(id));
        return {
          id,
          async settle(used, transcript) {
            const took: ModelCall = { ...label, ...used, durationMs: clock.now().getTime() - startedAt.getTime() };
            const settled = { call: took, usd: usdOf(loop, took) };
            try {
              await store.settle(id, { ...settled, transcript });
            } finally {
              open.delete(id);
              if (open.size === 0) underWay.delete(loopId);
            }
            return settled;
          },
        };
      }),
  };
}

interface Wanted {
  readonly call: ModelCall;
  /** Calls of this process that are under way. */
  readonly open: ReadonlySet<string>;
  readonly store: Pick<Store, 'load' | 'untold'>;
}

async function affording(loopId: string, { call, open, store }: Wanted): Promise<StartedLoop> {
  if (open.size >= MOST_UNDER_WAY)
    throw new Refusal(429, `${open.size} calls of the loop are under way, as many as may be; ask again.`, WAIT);
  // Before the loop: a call that is told meanwhile is counted twice rather than not at all.
  const calls = await store.untold(loopId);
  const stored = await store.load(loopId);
  if (stored === undefined || !isStarted(stored.loop)) throw new Refusal(403, `The loop ${loopId} is gone.`);
  const { loop } = stored;
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
