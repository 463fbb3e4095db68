import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { LoopError } from '../../src/errors.ts';
import type { FailedDelivery } from '../../src/github/github-port.ts';
import { createSweep } from '../../src/intake/sweep.ts';
import { MEMORY } from '../prepared.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ url: MEMORY });
});
beforeEach(async () => {
  await engine.db.deleteFrom('missed_deliveries').execute();
  await engine.db.deleteFrom('deliveries').execute();
});
afterAll(() => engine.close());

const START_MS = Date.UTC(2026, 0, 10);
const START = new Date(START_MS).toISOString();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function failedAt(guid: string, agoMs: number, over: Partial<FailedDelivery> = {}): FailedDelivery {
  return {
    id: `id of ${guid}`,
    guid,
    name: 'issues.labeled',
    triedAt: new Date(START_MS - agoMs).toISOString(),
    ...over,
  };
}

/** A GitHub that remembers failures, the store, and a clock that is set by hand. */
function stage(failures: FailedDelivery[] = [], pageSize = 100) {
  const asked: string[] = [];
  const pages: (string | undefined)[] = [];
  const store = createStore(engine);
  const arrive = (id: string) =>
    store.receive({
      id,
      name: 'issues',
      receivedAt: START,
      repositoryId: undefined,
      payload: undefined,
      note: undefined,
    });
  const warnings: string[] = [];
  const gone = new Set<string>();
  const clock = { nowMs: START_MS };
  const sweep = createSweep({
    ports: {
      clock: { now: () => new Date(clock.nowMs) },
      store,
      github: {
        async failedDeliveries(cursor) {
          pages.push(cursor);
          const newest = failures.toSorted((left, right) => (left.triedAt < right.triedAt ? 1 : -1));
          const from = Number(cursor ?? 0);
          const to = from + pageSize;
          return { deliveries: newest.slice(from, to), next: to < newest.length ? String(to) : undefined };
        },
        async redeliver(id) {
          if (gone.has(id)) throw new LoopError('GitHub answered 404');
          asked.push(id);
        },
      },
    },
    isHeard: (name) => name !== 'star.created',
    log: pino(
      { level: 'warn' },
      { write: (line: string) => void warnings.push(String(Reflect.get(JSON.parse(line), 'msg'))) },
    ),
  });
  return { sweep, failures, asked, pages, arrive, clock, warnings, gone };
}

test('one look is enough where nothing failed', async () => {
  const { sweep, asked, pages } = stage();
  await sweep();
  expect(pages).toEqual([undefined]);
  expect(asked).toEqual([]);
});

test('while nothing fails GitHub is asked more and more seldom, and often again once something did', async () => {
  const { sweep, failures, pages, clock } = stage();
  const looksAtMs: number[] = [];
  const patrolUntil = async (endMs: number) => {
    for (; clock.nowMs < endMs; clock.nowMs += MINUTE_MS / 2) {
      const before = pages.length;
      await sweep();
      if (pages.length > before) looksAtMs.push(clock.nowMs - START_MS);
    }
  };
  await patrolUntil(START_MS + 60 * MINUTE_MS);
  expect(looksAtMs.slice(0, 6).map((ms) => ms / MINUTE_MS)).toEqual([0, 0.5, 1, 2, 4, 8]);
  expect(looksAtMs.length).toBeLessThan(20);
  const quiet = looksAtMs.length;
  failures.push(failedAt('a', -60 * MINUTE_MS));
  await patrolUntil(START_MS + 70 * MINUTE_MS);
  const pauses = looksAtMs.slice(quiet).map((ms, index, all) => ms - (all[index - 1] ?? ms));
  expect(Math.max(...pauses.slice(1, 3))).toBeLessThanOrEqual(MINUTE_MS);
});

test('what did not arrive is asked for, oldest first', async () => {
  const { sweep, asked } = stage([failedAt('b', MINUTE_MS), failedAt('a', 2 * DAY_MS), failedAt('c', 0)]);
  await sweep();
  expect(asked).toEqual(['id of a', 'id of b', 'id of c']);
});

test('what is stored, what nobody listens to and what GitHub has forgotten is not asked for', async () => {
  const { sweep, asked, arrive } = stage([
    failedAt('arrived', MINUTE_MS),
    failedAt('unheard', MINUTE_MS, { name: 'star.created' }),
    failedAt('old', 3 * DAY_MS + MINUTE_MS),
    failedAt('missed', MINUTE_MS),
  ]);
  await arrive('arrived');
  await sweep();
  expect(asked).toEqual(['id of missed']);
});

test('all pages are looked at once, and afterwards only what is new', async () => {
  const failures = Array.from({ length: 5 }, (_, index) => failedAt(`d${index}`, (index + 1) * 60 * MINUTE_MS));
  const { sweep, pages, asked, arrive, clock } = stage(failures, 2);
  await sweep();
  expect(pages).toEqual([undefined, '2', '4']);
  expect(asked).toHaveLength(5);
  for (const { guid } of failures) await arrive(guid);
  clock.nowMs += MINUTE_MS;
  failures.push(failedAt('new', -MINUTE_MS));
  await sweep();
  expect(pages.slice(3)).toEqual([undefined, '2']);
  expect(asked.slice(5)).toEqual(['id of new']);
});

test('a failure that is listed after a later one is not overlooked', async () => {
  const { sweep, failures, asked, clock } = stage([failedAt('quick', 0)]);
  await sweep();
  failures.push(failedAt('slow', 20_000));
  clock.nowMs += 20_000;
  await sweep();
  expect(asked).toEqual(['id of quick', 'id of slow']);
});

test('what fails again is asked for again by its newest try, after waits that double', async () => {
  const { sweep, failures, asked, clock } = stage([failedAt('a', MINUTE_MS)]);
  const askedAfterMs: number[] = [];
  for (; clock.nowMs <= START_MS + 8 * MINUTE_MS; clock.nowMs += 30_000) {
    const before = asked.length;
    await sweep();
    if (asked.length === before) continue;
    askedAfterMs.push(clock.nowMs - START_MS);
    failures.push(failedAt('a', START_MS - clock.nowMs, { id: `try ${asked.length}` }));
  }
  expect(askedAfterMs).toEqual([0, 0.5, 1.5, 3.5, 7.5].map((minutes) => minutes * MINUTE_MS));
  expect(asked).toEqual(['id of a', 'try 1', 'try 2', 'try 3', 'try 4']);
});

test('what fails for ever is given up, also by the processes after this one', async () => {
  const { sweep, failures, asked, clock } = stage([failedAt('a', 0)]);
  for (let hour = 0; hour < 24 * 20; hour += 1) {
    const before = asked.length;
    await sweep();
    if (asked.length > before) failures.push(failedAt('a', START_MS - clock.nowMs, { id: `try ${asked.length}` }));
    clock.nowMs += 60 * MINUTE_MS;
  }
  expect(asked).toHaveLength(13);
  const next = stage(failures);
  next.clock.nowMs = clock.nowMs;
  await next.sweep();
  expect(next.asked).toEqual([]);
});

test('a restart goes on where the process before it stopped: what was asked for is not asked for at once again', async () => {
  const failures = [failedAt('a', 0)];
  await stage(failures).sweep();
  const next = stage(failures);
  await next.sweep();
  expect(next.asked).toEqual([]);
  next.clock.nowMs += MINUTE_MS;
  await next.sweep();
  expect(next.asked).toEqual(['id of a']);
});

test('many are asked for in turns', async () => {
  const failures = Array.from({ length: 70 }, (_, index) => failedAt(`d${index}`, index * 1000));
  const { sweep, asked } = stage(failures);
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await sweep();
    counts.push(asked.length);
  }
  expect(counts).toEqual([30, 60, 70, 70]);
  expect(new Set(asked).size).toBe(70);
});

test('one that GitHub cannot bring again is said, and keeps no other back', async () => {
  const { sweep, asked, gone, warnings } = stage([failedAt('a', 2 * MINUTE_MS), failedAt('b', MINUTE_MS)]);
  gone.add('id of a');
  await sweep();
  expect(asked).toEqual(['id of b']);
  expect(warnings).toEqual(['a webhook that did not arrive cannot be had again: GitHub answered 404']);
});
