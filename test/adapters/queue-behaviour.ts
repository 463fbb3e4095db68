/** What every queue must do, whatever database is under it. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { ConflictError, RetryError } from '../../src/errors.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Queue, QueueItem, Tries } from '../../src/ports.ts';
import { elapsed, loopOf, saveOf } from './loops.ts';

const log = pino({ level: 'silent' });
const wake = (loopId: string): QueueItem => ({ type: 'wake', loopId, lane: 'work' });
const elapse = (entry: number): QueueItem => ({
  type: 'elapse',
  loopId: 'a',
  key: `${entry}/wait`,
  entry,
  timer: 'run',
});

/** A door that handlers wait at. */
function createDoor(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function withQueue(
  openDatabase: () => Promise<Engine>,
  test: (opened: { readonly engine: Engine; readonly queue: Queue }) => Promise<void>,
): Promise<void> {
  const engine = await openDatabase();
  const queue = createQueue(engine, { concurrency: 3, log });
  try {
    await test({ engine, queue });
  } finally {
    await queue.stop();
    await engine.close();
  }
}

export function describeQueue(database: string, openDatabase: () => Promise<Engine>): void {
  describe(`queue on ${database}`, () => {
    const until = (condition: () => boolean, timeout = 10_000) => vi.waitUntil(condition, { timeout, interval: 5 });

    it('hands over each item as it was sent, also those that were sent before the start', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const sent: readonly QueueItem[] = [
          { type: 'intake', repositoryId: 1 },
          { type: 'wake', loopId: '1/2/3', lane: 'voice' },
          { type: 'wake', loopId: '1/2/3', lane: 'work' },
          { type: 'elapse', loopId: '1/2/3', key: '4/wait', entry: 4, timer: 'checks' },
        ];
        const [before, after] = [sent.slice(0, 2), sent.slice(2)];
        for (const item of before) await queue.send(item);
        const seen: QueueItem[] = [];
        await queue.start(async (item) => void seen.push(item));
        for (const item of after) await queue.send(item);
        await until(() => seen.length === 4);
        expect(seen).toEqual(expect.arrayContaining([...sent]));
      }));

    // What is concurrent here sleeps most of the time, so it may sleep together.
    it.concurrent('never runs two items of one key at once, and runs again for what arrived meanwhile', () =>
      withQueue(openDatabase, async ({ queue }) => {
        let [now, most, runs] = [0, 0, 0];
        const door = createDoor();
        await queue.start(async () => {
          runs += 1;
          now += 1;
          most = Math.max(most, now);
          await door.opened;
          now -= 1;
        });
        await queue.send(wake('a'));
        await until(() => runs === 1);
        await queue.send(wake('a'));
        await delay(1300);
        expect(runs).toBe(1);
        door.open();
        await until(() => runs === 2);
        await until(() => now === 0);
        expect(most).toBe(1);
      }));

    it.concurrent('runs different keys side by side, as many as it has slots', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const running = new Set<string>();
        const door = createDoor();
        await queue.start(async (item) => {
          if (item.type !== 'wake') return;
          running.add(item.loopId);
          await door.opened;
        });
        for (const id of ['a', 'b', 'c', 'd', 'e']) await queue.send(wake(id));
        await until(() => running.size === 3);
        await delay(1300);
        expect(running.size).toBe(3);
        door.open();
        await until(() => running.size === 5);
      }));

    it('hears a delivery while every slot for long work is taken', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const door = createDoor();
        const seen: string[] = [];
        await queue.start(async (item) => {
          seen.push(item.type);
          if (item.type === 'wake') await door.opened;
        });
        for (const id of ['a', 'b', 'c', 'd']) await queue.send(wake(id));
        await until(() => seen.length === 3);
        await queue.send({ type: 'intake', repositoryId: 2 });
        await until(() => seen.includes('intake'), 2000);
        door.open();
      }));

    it('logs a failure with the item and the error', () =>
      withQueue(openDatabase, async ({ engine }) => {
        const lines: string[] = [];
        const loud = createQueue(engine, {
          concurrency: 1,
          log: pino({ level: 'error' }, { write: (line) => lines.push(line) }),
        });
        await loud.start(() => Promise.reject(new Error('no such branch: x')));
        await loud.send(wake('a'));
        await until(() => lines.length > 0);
        await loud.stop();
        expect(JSON.parse(lines[0] ?? '')).toMatchObject({
          item: wake('a'),
          attempt: 1,
          err: { message: 'no such branch: x' },
        });
      }));

    it('wakes within 50 ms when idle', () =>
      withQueue(openDatabase, async ({ queue }) => {
        let arrivedAt = 0;
        await queue.start(async () => {
          arrivedAt = performance.now();
        });
        const waits: number[] = [];
        for (let round = 0; round < 9; round += 1) {
          await delay(60);
          arrivedAt = 0;
          await queue.send(wake(`r${round}`));
          const sentAt = performance.now();
          await until(() => arrivedAt > 0);
          waits.push(arrivedAt - sentAt);
        }
        const median = waits.sort((a, b) => a - b)[4] ?? Number.NaN;
        expect(median).toBeLessThan(50);
      }));

    it('does not stall on a backlog', () =>
      withQueue(openDatabase, async ({ queue }) => {
        await Promise.all(Array.from({ length: 150 }, (_, index) => queue.send(wake(`l${index}`))));
        let handled = 0;
        await queue.start(async () => {
          handled += 1;
        });
        // One each time that it looks by itself, twice a second as pg-boss does, would take 75 s.
        await until(() => handled === 150, 30_000);
      }));

    it.concurrent('shows a woken handler the save that woke it, and wakes nobody for a save that failed', () =>
      withQueue(openDatabase, async ({ engine, queue }) => {
        const store = createStore(engine);
        const versions: (number | undefined)[] = [];
        await queue.start(async (item) => {
          if (item.type === 'wake') versions.push((await store.load(item.loopId))?.version);
        });
        await store.save(saveOf(loopOf(), 0, { wakes: ['work'] }));
        await until(() => versions.length === 1);
        await expect(store.save(saveOf(loopOf(), 0, { wakes: ['work'] }))).rejects.toThrow(ConflictError);
        await delay(1200);
        expect(versions).toEqual([1]);
      }));

    it.concurrent('tries a failing item again with a growing delay, and nothing else waits for it', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const order: string[] = [];
        const attempts: number[] = [];
        await queue.start(async (item) => {
          if (item.type !== 'wake') return;
          order.push(item.loopId);
          if (item.loopId !== 'a') return;
          attempts.push(performance.now());
          if (attempts.length === 1) await queue.send(wake('b'));
          if (attempts.length < 3) throw new Error('not yet');
        });
        await queue.send(wake('a'));
        await until(() => attempts.length === 3, 15_000);
        const [first = 0, second = 0, third = 0] = attempts;
        // pg-boss spreads the n-th delay between 2^(n-1) and 2^n seconds; the poll adds up to one.
        expect(second - first).toBeGreaterThan(990);
        expect(third - second).toBeGreaterThan(1990);
        await delay(300);
        expect(order.toSorted()).toEqual(['a', 'a', 'a', 'b']);
        // Not before the second try: where the machine does much else, it may come a second late.
        expect(order.at(-1)).toBe('a');
      }));

    it.concurrent('tries again exactly when the one who failed says so', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const at: number[] = [];
        await queue.start(async () => {
          at.push(performance.now());
          if (at.length === 1) throw new RetryError('a show', new Error('not found'), { seconds: 3 });
          if (at.length === 2) throw new RetryError('a show', new Error('moved'), { seconds: 0 });
        });
        await queue.send(wake('a'));
        await until(() => at.length === 3, 15_000);
        const [first = 0, second = 0, third = 0] = at;
        // pg-boss alone would wait for one to two seconds, and then for two to four; the poll adds up to one.
        expect(second - first).toBeGreaterThan(2990);
        expect(third - second).toBeLessThan(1900);
      }));

    it.concurrent('tells the handler which attempt it is, and how many failed of each kind at the same thing', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const told: Tries[] = [];
        const failures = [
          new RetryError('a', new Error('502'), { seconds: 0, kind: 'unanswered', of: 'ask/1' }),
          new RetryError('a', new Error('502'), { seconds: 0, kind: 'unanswered', of: 'ask/1' }),
          new RetryError('a', new Error('404'), { seconds: 0, kind: 'gone', of: 'ask/1' }),
          new RetryError('a', new Error('404'), { seconds: 0, kind: 'gone', of: 'reply/1' }),
        ];
        const items: QueueItem[] = [];
        await queue.start(async (item, tries) => {
          items.push(item);
          told.push(tries);
          const failure = failures[told.length - 1];
          if (failure !== undefined) throw failure;
        });
        await queue.send(wake('a'));
        await until(() => told.length === 5, 15_000);
        expect(told).toEqual([
          { attempt: 1, failed: {} },
          { attempt: 2, failed: { unanswered: 1 }, of: 'ask/1' },
          { attempt: 3, failed: { unanswered: 2 }, of: 'ask/1' },
          { attempt: 4, failed: { unanswered: 2, gone: 1 }, of: 'ask/1' },
          { attempt: 5, failed: { gone: 1 }, of: 'reply/1' },
        ]);
        expect(items).toEqual(Array.from({ length: 5 }, () => wake('a')));
      }));

    it('runs what was sent many times before it began once, and once more for what is sent while it runs', () =>
      withQueue(openDatabase, async ({ engine, queue }) => {
        const door = createDoor();
        let runs = 0;
        const send = async () => {
          for (let times = 0; times < 20; times += 1) await queue.send(wake('a'));
        };
        await send();
        await queue.start(async () => {
          runs += 1;
          if (runs === 1) await door.opened;
        });
        await until(() => runs === 1);
        await send();
        const jobs = await sql<{ count: number }>`select count(*)::int as count from pgboss.job`.execute(engine.db);
        expect(jobs.rows).toEqual([{ count: 2 }]);
        door.open();
        await until(() => runs === 2);
        await delay(1300);
        expect(runs).toBe(2);
      }));

    it('loses no wake while savers and handlers race: after the last save of each loop a handler sees it', () =>
      withQueue(openDatabase, async ({ engine, queue }) => {
        const store = createStore(engine);
        const seen = new Map<string, number>();
        let runs = 0;
        await queue.start(async (item) => {
          if (item.type !== 'wake') return;
          runs += 1;
          seen.set(item.loopId, (await store.load(item.loopId))?.version ?? 0);
        });
        const saves = 80;
        const loops = [1, 2, 3, 4].map((issue) => loopOf({ issue, repositoryId: 900 }));
        const saveAll = async (loop: (typeof loops)[number]) => {
          for (let version = 0; version < saves; version += 1)
            await store.save(saveOf(loop, version, { event: elapsed(version), wakes: ['work', 'voice'] }));
        };
        await Promise.all(loops.map(saveAll));
        await until(() => loops.every(({ ref }) => seen.get(idOf(ref)) === saves), 20_000);
        expect(runs).toBeLessThanOrEqual(loops.length * saves * 2);
      }));

    it.concurrent('runs a timer after its delay and once, however often it is sent, even after it ran', () =>
      withQueue(openDatabase, async ({ queue }) => {
        const seen: number[] = [];
        await queue.start(async (item) => {
          if (item.type === 'elapse') seen.push(item.entry);
        });
        const sentAt = performance.now();
        await queue.send(elapse(1), 2);
        await queue.send(elapse(1), 2);
        await queue.send(elapse(1));
        await queue.send(elapse(2), 1);
        await until(() => seen.length === 2);
        expect(performance.now() - sentAt).toBeGreaterThan(1950);
        expect(seen.toSorted()).toEqual([1, 2]);
        await queue.send(elapse(1));
        await delay(1300);
        expect(seen.toSorted()).toEqual([1, 2]);
      }));

    it.concurrent('waits for a running handler when it stops, and starts nothing more', () =>
      withQueue(openDatabase, async ({ queue }) => {
        let ended = 0;
        await queue.start(async () => {
          await delay(400);
          ended += 1;
        });
        await queue.send(wake('a'));
        await queue.send(wake('a'));
        await delay(150);
        await queue.stop();
        expect(ended).toBe(1);
        await delay(1200);
        expect(ended).toBe(1);
      }));

    it.concurrent('gives back what does not end within 5 s, and it runs again, whatever comes of the first try', () =>
      withQueue(openDatabase, async ({ engine }) => {
        const errors: string[] = [];
        const errorLog = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
        const queue = createQueue(engine, { concurrency: 1, log: errorLog });
        const door = createDoor();
        let begun = 0;
        await queue.start(async () => {
          begun += 1;
          await door.opened;
          throw new Error('everything is closed');
        });
        await queue.send(wake('a'));
        await until(() => begun === 1);
        const stoppedAt = performance.now();
        await queue.stop();
        const stopMs = performance.now() - stoppedAt;
        expect(stopMs).toBeGreaterThan(4900);
        const seen: QueueItem[] = [];
        const next = createQueue(engine, { concurrency: 1, log });
        await next.start(async (item) => void seen.push(item));
        await until(() => seen.length === 1, 5000);
        await next.stop();
        door.open();
        await delay(100);
        expect(errors).toEqual([]);
      }));
  });
}
