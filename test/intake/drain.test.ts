import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { CreationsLimitedError, LimitedError, LoopError, NotYetError, UnansweredError } from '../../src/errors.ts';
import { drain } from '../../src/intake/drain.ts';
import { deliveryOf } from '../../src/intake/reduce.ts';
import type { Ports, QueueItem } from '../../src/ports.ts';
import { openStage } from '../drafting/stage.ts';
import { atReview } from '../loop/stands.ts';
import { REF } from '../loop/world.ts';
import { MEMORY } from '../prepared.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = Date.UTC(2026, 0, 10);
const INTAKE = { type: 'intake', repositoryId: 5 };
let engine: Engine;
let closeStage: () => Promise<void>;
let refusing: Ports;
beforeAll(async () => {
  engine = await openEngine({ url: MEMORY });
  const stage = await openStage({});
  refusing = stage.ports;
  closeStage = () => stage.close();
});
beforeEach(async () => {
  await engine.db.deleteFrom('deliveries').execute();
  await engine.db.deleteFrom('loops').execute();
});
afterAll(async () => {
  await engine.close();
  await closeStage();
});

/** A store, a GitHub that fails for some people, and commands of people as deliveries. */
function stage(failsFor: readonly string[] = []) {
  const store = createStore(engine);
  const clock = { nowMs: START_MS };
  const asked: string[] = [];
  const sent: { readonly item: QueueItem; readonly delaySeconds: number }[] = [];
  const failing = new Set(failsFor);
  const behind = new Set<string>();
  const outage = new Set<string>();
  const limits: LimitedError[] = [];
  let isAway = false;
  const away = () => {
    isAway = true;
  };
  const ports: Ports = {
    ...refusing,
    store,
    clock: { now: () => new Date(clock.nowMs) },
    queue: { ...refusing.queue, send: async (item, delaySeconds = 0) => void sent.push({ item, delaySeconds }) },
    github: {
      ...refusing.github,
      permission: async (_, login) => {
        asked.push(login);
        const limit = limits.pop();
        if (limit !== undefined) throw limit;
        if (outage.size > 0) throw new UnansweredError('GitHub gave no answer');
        if (behind.has(login)) throw new NotYetError(`GitHub does not show ${login} yet`);
        if (failing.has(login)) throw new LoopError(`GitHub does not know ${login}`);
        return 'none';
      },
      locate: async ({ installationId, owner, repo }) => (isAway ? undefined : { installationId, owner, repo }),
    },
  };
  const arrive = async (login: string, issue = asked.length + 1) => {
    const sender = { id: 7, login, type: 'User' };
    const payload = {
      action: 'created',
      repository: { id: 5, name: 'shop', owner: { login: 'acme' }, default_branch: 'main' },
      installation: { id: 1 },
      sender,
      issue: { number: issue, title: 't', body: '', user: sender, labels: [] },
      comment: { id: 1, body: '/help', created_at: '2026-01-01T00:00:00Z' },
    };
    const receivedAt = new Date(clock.nowMs).toISOString();
    await store.receive(
      deliveryOf({ id: `of ${login}`, name: 'issue_comment', payload, receivedAt }, 'loopwright[bot]'),
    );
  };
  const go = () => drain(5, ports, pino({ level: 'silent' }));
  const unread = async () =>
    (await store.unread({ repositoryId: 5, at: '9999-01-01T00:00:00Z', since: '9999-01-01T00:00:00Z', limit: 99 })).map(
      ({ id }) => id,
    );
  return { store, clock, asked, sent, failing, behind, outage, limits, away, arrive, go, unread };
}

test('deliveries are taken in in their order, and of each only the id stays', async () => {
  const { store, arrive, go, asked, unread } = stage();
  for (const login of ['maria', 'ben', 'ada']) await arrive(login);
  await go();
  expect(asked).toEqual(['maria', 'ben', 'ada']);
  expect(await unread()).toEqual([]);
  expect(await store.delivery('of ben')).toMatchObject({ payload: undefined });
});

test('one that fails keeps those behind it back for a few tries, and then goes behind them', async () => {
  const { arrive, go, asked, unread, clock } = stage(['ben']);
  for (const login of ['maria', 'ben', 'ada']) await arrive(login);
  for (const _ of [1, 2, 3, 4]) await expect(go()).rejects.toThrow('GitHub does not know ben');
  expect(asked).toEqual(['maria', 'ben', 'ben', 'ben', 'ben']);
  clock.nowMs += 6 * MINUTE_MS;
  await go();
  expect(asked.slice(5)).toEqual(['ben', 'ada']);
  expect(await unread()).toEqual(['of ben']);
  await go();
  expect(asked).toHaveLength(7);
  clock.nowMs += HOUR_MS;
  await go();
  expect(asked.at(-1)).toBe('ben');
});

test('one that GitHub does not bear out yet keeps back what is said of the same issue, and nothing else', async () => {
  const { arrive, go, asked, behind, clock, sent, unread } = stage();
  behind.add('ben');
  await arrive('ben', 1);
  await arrive('maria', 1);
  await arrive('ada', 2);
  await go();
  expect(asked).toEqual(['ben', 'ada']);
  expect(sent).toEqual([{ item: INTAKE, delaySeconds: 2 }]);
  await arrive('eve', 1);
  await arrive('tom', 3);
  await go();
  expect(asked.slice(2), 'it is not asked before its time').toEqual(['tom']);
  clock.nowMs += 2000;
  await go();
  expect(asked.slice(3)).toEqual(['ben']);
  behind.clear();
  clock.nowMs += 2000;
  await go();
  expect(asked.slice(4)).toEqual(['ben', 'maria', 'eve']);
  expect(await unread()).toEqual([]);
});

test.each(['pull', 'issue'])(
  'what is said of a pull request and of the issue of its loop keeps its order, with the %s first',
  async (first) => {
    const { arrive, go, asked, behind, store } = stage();
    const loop = { ...atReview(), ref: { ...REF, repositoryId: 5 } };
    await store.save({ loop, expectedVersion: 0, event: undefined, settled: undefined, wakes: [] });
    const { pull = 0 } = { pull: loop.review?.pull };
    behind.add('ben');
    await arrive('ben', first === 'pull' ? pull : REF.issue);
    await arrive('maria', first === 'pull' ? REF.issue : pull);
    await arrive('ada', 2);
    await go();
    expect(asked).toEqual(['ben', 'ada']);
  },
);

test('one that GitHub does not bear out for long is asked ever more seldom, and in the end keeps nothing back', async () => {
  const { arrive, go, asked, behind, clock, sent } = stage();
  behind.add('ben');
  await arrive('ben', 1);
  await arrive('maria', 1);
  for (let second = 0; second < 400; second += 1) {
    await go();
    clock.nowMs += 1000;
  }
  expect(asked.indexOf('maria')).toBeGreaterThan(8);
  expect(asked.filter((login) => login === 'ben').length).toBeLessThan(30);
  expect(sent.map(({ delaySeconds }) => delaySeconds).at(-1)).toBeGreaterThan(40);
});

test('while GitHub does not answer, nothing is told in another order, however long that lasts', async () => {
  const { arrive, go, asked, clock, outage, unread } = stage();
  outage.add('all');
  await arrive('ben', 1);
  clock.nowMs += 1000;
  await arrive('maria', 1);
  for (let second = 0; second < 2400; second += 10) {
    await expect(go()).rejects.toMatchObject({ name: 'RetryError' });
    clock.nowMs += 10_000;
  }
  expect(new Set(asked)).toEqual(new Set(['ben']));
  outage.clear();
  const before = asked.length;
  await go();
  expect(asked.slice(before)).toEqual(['ben', 'maria']);
  expect(await unread()).toEqual([]);
});

test('many that wait do not hide one behind them that need not', async () => {
  const { arrive, go, asked, behind } = stage();
  behind.add('ben');
  await arrive('ben', 1);
  for (let index = 0; index < 120; index += 1) await arrive(`p${index}`, 1);
  await arrive('ada', 2);
  await go();
  expect(asked).toEqual(['ben', 'ada']);
});

test('what fails for good waits by its own failures, not by those of others', async () => {
  const { arrive, go, failing } = stage(['ben', 'ada']);
  await arrive('ben', 1);
  await arrive('ada', 2);
  for (const seconds of [1, 2, 4]) await expect(go()).rejects.toMatchObject({ name: 'RetryError', seconds });
  failing.delete('ben');
  for (const seconds of [1, 2, 4]) await expect(go()).rejects.toMatchObject({ name: 'RetryError', seconds });
});

test("a limit of GitHub is nobody's fault: all wait for as long as it says, and their order stays", async () => {
  const { arrive, go, asked, limits } = stage();
  for (const login of ['maria', 'ben']) await arrive(login);
  for (const _ of [1, 2, 3, 4, 5, 6]) {
    limits.push(new LimitedError('GitHub answered 403: API rate limit exceeded', 2400));
    await expect(go()).rejects.toMatchObject({ name: 'RetryError', seconds: 2400 });
  }
  await go();
  expect(asked).toEqual(['maria', 'maria', 'maria', 'maria', 'maria', 'maria', 'maria', 'ben']);
});

test('an answer that waits for its turn to be created holds up nobody else, and comes then', async () => {
  const { arrive, go, asked, limits, clock, unread, sent } = stage();
  await arrive('maria', 1);
  await arrive('ben', 2);
  limits.push(new CreationsLimitedError('GitHub takes no more new comments', 75));
  await go();
  expect(asked).toEqual(['maria', 'ben']);
  expect(sent).toEqual([{ item: INTAKE, delaySeconds: 75 }]);
  clock.nowMs += 75_000;
  await go();
  expect(asked).toEqual(['maria', 'ben', 'maria']);
  expect(await unread()).toEqual([]);
});

test('one that succeeds at last is taken in once', async () => {
  const { arrive, go, failing, unread, asked } = stage(['ben']);
  await arrive('ben');
  await expect(go()).rejects.toThrow();
  failing.clear();
  await go();
  await go();
  expect(asked).toEqual(['ben', 'ben']);
  expect(await unread()).toEqual([]);
});

test('one that fails for three days is given up, with the reason', async () => {
  const { store, arrive, go, clock, unread } = stage(['ben']);
  await arrive('ben');
  for (let hour = 0; hour <= 73; hour += 1) {
    await go().catch(() => undefined);
    clock.nowMs += HOUR_MS;
  }
  expect(await unread()).toEqual([]);
  expect(await store.delivery('of ben')).toMatchObject({ note: 'given up: LoopError: GitHub does not know ben' });
});

test('one that the App can do nothing with is done with at once, and its row says why', async () => {
  const { store, arrive, go, asked, unread, away } = stage(['ben']);
  await arrive('ben');
  await arrive('ada');
  away();
  await go();
  expect(await unread()).toEqual([]);
  expect(asked).toEqual(['ben', 'ada']);
  expect(await store.delivery('of ada')).toMatchObject({ payload: undefined, note: undefined });
  expect(await store.delivery('of ben')).toMatchObject({
    payload: undefined,
    note: 'issue_comment.created was left alone, because the App no longer reaches acme/shop: GitHub does not know ben',
  });
});

test('many give other repositories their turn in between', async () => {
  const { arrive, go, sent, unread } = stage();
  for (let index = 0; index < 60; index += 1) await arrive(`p${index}`);
  await go();
  expect(await unread()).toHaveLength(10);
  expect(sent).toEqual([{ item: INTAKE, delaySeconds: 0 }]);
  await go();
  expect(await unread()).toEqual([]);
  expect(sent).toHaveLength(1);
});
