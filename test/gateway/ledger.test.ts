/** What a call is judged by where another one was booked or settled after its caller was read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createLedger } from '../../src/gateway/ledger.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { isStarted } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import { loopOf, saveOf, startedOn } from '../adapters/loops.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ url: 'memory:' });
});
afterAll(() => engine.close());

const LABEL = { phase: 'BUILD', skill: 'agent', role: 'builder', attempt: 1 } as const;
const ASKED = { label: LABEL, model: 'm', expected: { promptTokens: 10, completionTokens: 10 } };

/** A loop with so many tokens, its ledger, and a caller as it is read at this moment. */
async function stage(issue: number, tokens: number) {
  const store = createStore(engine);
  const run = { id: 7000 + issue, entry: 5 };
  const plain = startedOn(`loopwright/${issue}`);
  const started = { ...plain, limits: { ...plain.limits, tokens } };
  const loop = loopOf({ issue }, { status: 'working', phase: 'BUILD', entry: 5, started, built: { reports: {}, run } });
  await store.save(saveOf(loop, 0));
  const ledger = createLedger({ store, clock: systemClock });
  const read = async () => {
    const moment = ledger.moment();
    const account = await store.account(loop.ref.repositoryId, run.id);
    if (account === undefined || !isStarted(account.loop)) throw new Error('the loop is gone');
    const allowed = (now: Loop | undefined) => {
      if (now !== undefined && isStarted(now) && now.status === 'working') return now;
      throw new Error(`the loop is ${now?.status}`);
    };
    const place = { repositoryId: loop.ref.repositoryId, runId: run.id };
    return { run: place, loop: account.loop, untold: account.untold, moment, allowed };
  };
  const change = (status: Loop['status']) => store.save(saveOf({ ...loop, status }, 1));
  const calls = async () => (await store.calls(idOf(loop.ref))).length;
  return { ledger, read, change, calls };
}

test('a caller that was read before another call was booked is judged by that one too', async () => {
  const { ledger, read } = await stage(1, 30);
  const [first, second] = [await read(), await read()];
  await ledger.reserve(first, ASKED);
  await expect(ledger.reserve(second, ASKED)).rejects.toThrow('may be used up by calls that are under way');
});

test('a caller that was read before another call was settled is judged by what that took, and not by what it was expected to', async () => {
  const { ledger, read } = await stage(2, 100);
  const booking = await ledger.reserve(await read(), ASKED);
  const caller = await read();
  await booking.settle({ promptTokens: 90, completionTokens: 90 }, 'said');
  await expect(ledger.reserve(caller, ASKED)).rejects.toThrow('No call is left');
});

test('a caller that is remembered from an earlier call is judged by the loop as it is now, and one that may not ask leaves no booking', async () => {
  const { ledger, read, change, calls } = await stage(3, 1000);
  const remembered = { ...(await read()), untold: undefined };
  expect((await ledger.reserve(remembered, ASKED)).loop.status).toBe('working');
  expect(await calls()).toBe(1);
  await change('stopped');
  await expect(ledger.reserve(remembered, ASKED)).rejects.toThrow('the loop is stopped');
  expect(await calls()).toBe(1);
});

test('a caller that is remembered is refused where nothing is left, as one that was read', async () => {
  const { ledger, read, calls } = await stage(4, 30);
  const remembered = { ...(await read()), untold: undefined };
  const booking = await ledger.reserve(remembered, ASKED);
  await expect(ledger.reserve(remembered, ASKED)).rejects.toThrow('may be used up by calls that are under way');
  await booking.settle({ promptTokens: 20, completionTokens: 20 }, 'said');
  await expect(ledger.reserve(remembered, ASKED)).rejects.toThrow('No call is left');
  expect(await calls()).toBe(1);
});
