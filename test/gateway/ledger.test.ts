/** What a call is judged by where another one is booked or settled, or its loop changes, at the same time. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/adapters/clock.ts';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createLedger } from '../../src/gateway/ledger.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { isStarted } from '../../src/loop/stages.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';
import { loopOf, saveOf, startedOn } from '../adapters/loops.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ url: 'memory:' });
});
afterAll(() => engine.close());

const LABEL = { phase: 'BUILD', skill: 'agent', role: 'builder', attempt: 1 } as const;

/** A loop with so many tokens, and the ledger of each replica that is asked for. */
async function stage(issue: number, tokens: number, replaced: (store: Store) => Partial<Store> = () => ({})) {
  const real = createStore(engine);
  const store = { ...real, ...replaced(real) };
  const run = { id: 7000 + issue, entry: 5 };
  const plain = startedOn(`loopwright/${issue}`);
  const started = { ...plain, limits: { ...plain.limits, tokens } };
  const loop = loopOf({ issue }, { status: 'working', phase: 'BUILD', entry: 5, started, built: { reports: {}, run } });
  if (!isStarted(loop)) throw new Error('the loop has not started');
  await store.save(saveOf(loop, 0));
  const allowed = (now: Loop | undefined) => {
    if (now !== undefined && isStarted(now) && now.status === 'working') return now;
    throw new Error(`the loop is ${now?.status}`);
  };
  const caller = { run: { repositoryId: loop.ref.repositoryId, runId: run.id }, loop, allowed };
  const errors: unknown[] = [];
  const replica = () => {
    const ledger = createLedger({
      store,
      clock: systemClock,
      log: { error: (told: unknown) => void errors.push(told) },
    });
    return (promptTokens = 10) =>
      ledger.reserve(caller, { label: LABEL, model: 'm', expected: { promptTokens, completionTokens: 10 } });
  };
  const change = (status: Loop['status']) => store.save(saveOf({ ...loop, status }, 1));
  const calls = async () => (await store.calls(idOf(loop.ref))).length;
  const reserved = async () => (await store.untold(idOf(loop.ref))).length;
  return { reserve: replica(), replica, change, calls, reserved, errors };
}

test('a call is judged by one that was booked meanwhile, of this process or another', async () => {
  const { reserve, replica } = await stage(1, 30);
  await reserve();
  await expect(reserve()).rejects.toThrow('may be used up by calls that are under way');
  // What another process has under way counts as it is reserved, and one call may pass the limit.
  await replica()();
  await expect(replica()()).rejects.toThrow('No call is left');
});

test('and by what one took that was settled, and not by what it was expected to', async () => {
  const { reserve, replica } = await stage(2, 100);
  await (await reserve()).settle({ promptTokens: 90, completionTokens: 90 }, 'said');
  await expect(reserve()).rejects.toThrow('No call is left');
  await expect(replica()()).rejects.toThrow('No call is left');
});

test('a call of a loop that was stopped meanwhile is not made, and leaves no booking', async () => {
  const { reserve, change, calls } = await stage(3, 1000);
  expect((await reserve()).loop.status).toBe('working');
  await change('stopped');
  await expect(reserve()).rejects.toThrow('the loop is stopped');
  expect(await calls()).toBe(1);
});

test('one that is settled while another is booked counts as one that is under way, so that what is left is asked for again', async () => {
  let during = async (): Promise<void> => undefined;
  const { reserve } = await stage(4, 100, ({ reserveFor }) => ({
    async reserveFor(...asked) {
      const read = await reserveFor(...asked);
      await during();
      return read;
    },
  }));
  const first = await reserve(200);
  during = () => first.settle({ promptTokens: 1, completionTokens: 0 }, 'said').then(() => undefined);
  await expect(reserve()).rejects.toThrow('may be used up by calls that are under way');
  during = async () => undefined;
  expect((await reserve()).loop.status).toBe('working');
});

test('a refusal stays what it is where its booking cannot be taken back, which the log says', async () => {
  const { reserve, change, errors, reserved } = await stage(5, 1000, () => ({
    release: () => Promise.reject(new Error('the database is away')),
  }));
  await change('stopped');
  await expect(reserve()).rejects.toThrow('the loop is stopped');
  expect(errors).toMatchObject([{ err: { message: 'the database is away' } }]);
  expect(await reserved()).toBe(1);
});

test('a loop that this version cannot read leaves no booking', async () => {
  const { reserve, reserved } = await stage(6, 1000);
  await sql`update loops set loop = '{"of":"a newer version"}' where issue = 6`.execute(engine.db);
  await expect(reserve()).rejects.toThrow('does not have the shape');
  expect(await reserved()).toBe(0);
});
