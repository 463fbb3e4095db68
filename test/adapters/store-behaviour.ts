/** What every store must do, whatever is under it: a database, or the memory of the simulation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyOf } from '../../src/adapters/queue-items.ts';
import { ConflictError, StoreError } from '../../src/errors.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { shippedBy } from '../../src/loop/shipping.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Change, Delivery, QueueItem, Store } from '../../src/ports.ts';
import { elapsed, loopOf, reviewIn, saveOf, startedOn } from './loops.ts';

/** A store, and a look at what it has queued. */
export interface StoreStage {
  readonly store: Store;
  /** Items that have not begun. */
  readonly queued: () => Promise<readonly QueueItem[]>;
  readonly close: () => Promise<void>;
}

/** Hours after a moment. */
function later(hours: number): string {
  return new Date(Date.UTC(2031, 0, 1) + hours * 3_600_000).toISOString();
}

/** Ends every loop that holds a slot or waits for one. */
async function freeAllSlots(store: Store): Promise<void> {
  for (const { id } of await store.overview({ open: true, limit: 1000 })) {
    const stored = await store.load(id);
    if (stored === undefined) continue;
    const { pausedFrom: _, ...loop } = stored.loop;
    await store.save(saveOf({ ...loop, status: 'stopped' }, stored.version));
  }
}

export function describeStore(name: string, open: () => Promise<StoreStage>): void {
  describe(`store ${name}`, () => {
    let stage: StoreStage;
    let store: Store;
    beforeAll(async () => {
      stage = await open();
      store = stage.store;
    });
    afterAll(() => stage.close());
    const queuedCount = async (key: string) => (await stage.queued()).filter((item) => keyOf(item) === key).length;

    it('gives back a saved loop with its version, unpaired surrogates and NUL characters included', async () => {
      const loop = loopOf({ issue: 1 }, { note: 'a\u0000b \ud800 ü 🙂', started: startedOn('loopwright/1') });
      await store.save(saveOf(loop, 0));
      expect(await store.load(idOf(loop.ref))).toEqual({ loop, version: 1 });
    });

    it('knows nothing of a loop that was never saved', async () => {
      expect(await store.load('1/2/3')).toBeUndefined();
      expect(await store.newest(1, 2)).toBeUndefined();
      expect(await store.byPull(1, 2)).toBeUndefined();
    });

    it('refuses a save on another version and leaves neither state nor log nor wake', async () => {
      const loop = loopOf({ issue: 2 });
      const id = idOf(loop.ref);
      await store.save(saveOf(loop, 0, { event: elapsed(1) }));
      const late = saveOf({ ...loop, note: 'late' }, 0, { event: elapsed(2), wakes: ['work'] });
      await expect(store.save(late)).rejects.toThrow(ConflictError);
      await expect(store.save({ ...late, expectedVersion: 2 })).rejects.toThrow(/acme\/shop#2 is not at version 2/);
      expect(await store.load(id)).toEqual({ loop, version: 1 });
      expect(await store.log(id)).toHaveLength(1);
      expect(await queuedCount(`wake ${id} work`)).toBe(0);
    });

    it('lets exactly one of several simultaneous saves of one version win', async () => {
      const loop = loopOf({ issue: 3 });
      const id = idOf(loop.ref);
      const save = (expectedVersion: number) =>
        Promise.allSettled(
          [1, 2, 3, 4, 5].map((entry) =>
            store.save(saveOf({ ...loop, entry }, expectedVersion, { event: elapsed(entry), wakes: ['voice'] })),
          ),
        );
      for (const expectedVersion of [0, 1]) {
        const results = await save(expectedVersion);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const result of results) {
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ConflictError);
        }
      }
      const stored = await store.load(id);
      const log = await store.log(id);
      expect(stored?.version).toBe(2);
      expect(log.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(log.at(-1)?.event).toEqual(elapsed(stored?.loop.entry ?? -1));
      expect(await queuedCount(`wake ${id} voice`)).toBe(1);
    });

    it('keeps events and settled effects in the order of the saves', async () => {
      const loop = loopOf({ issue: 4 });
      await store.save(saveOf(loop, 0, { event: elapsed(1) }));
      await store.save(saveOf(loop, 1, { settled: 'draft/1' }));
      await store.save(saveOf(loop, 2));
      await store.save(saveOf(loop, 3, { event: elapsed(2), settled: 'draft/2' }));
      expect(await store.log(idOf(loop.ref))).toEqual([
        { seq: 1, event: elapsed(1), settled: undefined },
        { seq: 2, event: undefined, settled: 'draft/1' },
        { seq: 4, event: elapsed(2), settled: 'draft/2' },
      ]);
    });

    it('queues one item per lane that a save wakes', async () => {
      const loop = loopOf({ issue: 5 });
      const id = idOf(loop.ref);
      await store.save(saveOf(loop, 0, { wakes: ['work', 'voice', 'work'] }));
      expect([await queuedCount(`wake ${id} work`), await queuedCount(`wake ${id} voice`)]).toEqual([1, 1]);
    });

    it('finds the newest loop of an issue, pull request, branch or run, within its repository only', async () => {
      const run = { id: 30_000_000_001, entry: 1 };
      const known = { started: startedOn('b'), review: reviewIn(7) };
      const awaiting = { ...known, built: { reports: {}, run } };
      const first = loopOf({ issue: 6 }, { ...known, status: 'stopped' });
      const second = loopOf({ issue: 6, n: 2 }, awaiting);
      const foreign = loopOf({ issue: 6, repositoryId: 5 }, awaiting);
      for (const loop of [first, second, foreign]) await store.save(saveOf(loop, 0));
      const { repositoryId } = second.ref;
      const found = { loop: second, version: 1 };
      expect(await store.newest(repositoryId, 6)).toEqual(found);
      expect(await store.byPull(repositoryId, 7)).toEqual(found);
      expect(await store.byBranch(repositoryId, 'b')).toEqual(found);
      expect(await store.byRun(repositoryId, run.id)).toEqual(found);
      await store.save(saveOf({ ...second, built: { reports: {}, run: { id: 8, entry: 2 } } }, 1));
      expect(await store.byRun(repositoryId, run.id)).toBeUndefined();
    });

    it('gives an overview from columns: newest first, by page, of one repository, open or ended', async () => {
      const repositoryId = 41;
      const statuses = ['succeeded', 'waiting', 'stopped', 'paused', 'idle', 'working', 'queued'] as const;
      const issue = { title: 'Sort \u0000 items', body: '', author: { id: 1, login: 'maria', type: 'User' as const } };
      const started = { ...startedOn('b'), issue, at: 'then' };
      const spent = { ...loopOf().spent, usd: 0.25 };
      for (const [index, status] of statuses.entries())
        await store.save(
          saveOf(loopOf({ issue: 100 + index, repositoryId }, { status, started, spent, review: reviewIn(7) }), 0),
        );
      const seen = async (filter: Omit<Parameters<Store['overview']>[0], 'limit'>) =>
        (await store.overview({ repositoryId, limit: 100, ...filter })).map(({ status }) => status);
      expect(await seen({})).toEqual(statuses.toReversed());
      expect(await seen({ open: true })).toEqual(['queued', 'working', 'paused', 'waiting']);
      expect(await seen({ open: false })).toEqual(['idle', 'stopped', 'succeeded']);
      const [first, second] = await store.overview({ repositoryId, limit: 2 });
      expect(await seen({ before: second?.cursor })).toEqual(statuses.slice(0, 5).toReversed());
      expect(first).toEqual({
        id: `${repositoryId}/106/1`,
        ref: loopOf({ issue: 106, repositoryId }).ref,
        title: 'Sort  items',
        status: 'queued',
        phase: 'DISCOVER',
        waitingFor: undefined,
        priority: 'routine',
        pull: 7,
        startedAt: 'then',
        usd: 0.25,
        cursor: expect.any(Number),
      });
    });

    it('finds open loops by their head and by their base, within the repository', async () => {
      const repositoryId = 42;
      const [head, other] = ['a'.repeat(40), 'b'.repeat(40)];
      const there = (issue: number, status: Loop['status'], place = { head, branch: 'main' }) => {
        const started = { ...startedOn('b'), base: { branch: place.branch, sha: other } };
        return loopOf({ issue, repositoryId }, { status, started, review: { ...reviewIn(7), head: place.head } });
      };
      const open = (['working', 'waiting', 'paused', 'queued'] as const).map((status, index) =>
        there(index + 1, status),
      );
      const rest = [
        there(10, 'stopped'),
        there(11, 'idle'),
        there(12, 'working', { head: other, branch: 'next' }),
        { ...there(13, 'working'), ref: loopOf({ issue: 13, repositoryId: 43 }).ref },
      ];
      for (const loop of [...open, ...rest]) await store.save(saveOf(loop, 0));
      const expected = open.map((loop) => ({ loop, version: 1 }));
      expect(await store.awaitingChecks(repositoryId, head)).toEqual(expected);
      expect(await store.onBase(repositoryId, 'main')).toEqual(expected);
      expect(await store.onBase(repositoryId, 'none')).toEqual([]);
      const [first] = open;
      if (first === undefined) throw new Error('no loop');
      await store.save(saveOf({ ...first, status: 'stopped', review: { ...reviewIn(7), head: other } }, 1));
      expect(await store.awaitingChecks(repositoryId, head)).toHaveLength(3);
    });

    it('finds finished loops whose pull request awaits its merge, by their base', async () => {
      const repositoryId = 440;
      const done = (issue: number, over: Partial<Loop> = {}) =>
        loopOf(
          { issue, repositoryId },
          {
            status: 'succeeded',
            started: startedOn('b'),
            review: reviewIn(7),
            shipping: shippedBy(undefined),
            ...over,
          },
        );
      const { branch } = startedOn('b').base;
      const waiting = done(1);
      const rest = [done(2, { review: { ...reviewIn(8), isOver: true } }), done(3, { status: 'working' })];
      for (const loop of [waiting, ...rest]) await store.save(saveOf(loop, 0));
      expect(await store.awaitingMerge(repositoryId, branch)).toEqual([{ loop: waiting, version: 1 }]);
      expect(await store.awaitingMerge(repositoryId, 'none')).toEqual([]);
      const listed = await store.overview({ repositoryId, awaitsMerge: true, limit: 10 });
      expect(listed.map(({ ref }) => ref.issue)).toEqual([1]);
      await store.save(saveOf({ ...waiting, review: { ...reviewIn(7), isOver: true } }, 1));
      expect(await store.awaitingMerge(repositoryId, branch)).toEqual([]);
    });

    it('tells what is unfinished: pending effects by lane, and runs that are awaited', async () => {
      const repositoryId = 44;
      const run = { id: 5, entry: 3 };
      const effects = {
        work: { type: 'draft', key: '3/draft', phase: 'PLAN', entry: 3 },
        voice: { type: 'show', key: 'show/3' },
      } as const;
      const loops = [
        loopOf({ issue: 1, repositoryId }, { status: 'working', pending: [effects.work, effects.voice, effects.work] }),
        loopOf({ issue: 2, repositoryId }, { status: 'stopped', pending: [effects.voice] }),
        loopOf({ issue: 3, repositoryId }, { status: 'working', entry: 3, built: { reports: {}, run } }),
        loopOf({ issue: 4, repositoryId }, { status: 'working', entry: 4, built: { reports: {}, run } }),
        loopOf({ issue: 5, repositoryId }, { status: 'paused', entry: 3, built: { reports: {}, run } }),
        loopOf({ issue: 6, repositoryId }, { status: 'waiting' }),
      ];
      for (const loop of loops) await store.save(saveOf(loop, 0));
      const found = (await store.unfinished()).filter(({ id }) => id.startsWith(`${repositoryId}/`));
      expect(found).toEqual([
        { id: `${repositoryId}/1/1`, lanes: ['work', 'voice'], awaitsRun: false },
        { id: `${repositoryId}/2/1`, lanes: ['voice'], awaitsRun: false },
        { id: `${repositoryId}/3/1`, lanes: [], awaitsRun: true },
      ]);
    });

    it('saves what a delivery said to a loop once, whatever it would decide the second time', async () => {
      const loop = loopOf({ issue: 8 });
      const id = idOf(loop.ref);
      const source = { delivery: 'd-8', ordinal: 0, once: 'by-loop' } as const;
      expect(await store.save(saveOf(loop, 0, { event: elapsed(1), source, wakes: ['voice'] }))).toBe('saved');
      const again = saveOf({ ...loop, note: 'again' }, 1, { event: elapsed(2), source, wakes: ['work'] });
      expect(await store.save(again)).toBe('repeated');
      expect(await store.load(id)).toEqual({ loop, version: 1 });
      expect(await store.log(id)).toHaveLength(1);
      expect(await queuedCount(`wake ${id} work`)).toBe(0);
      expect(await store.save({ ...again, source: { ...source, ordinal: 1 } })).toBe('saved');
      expect(await store.save({ ...again, expectedVersion: 2, source: { ...source, delivery: 'd-9' } })).toBe('saved');
      const other = loopOf({ issue: 9 });
      expect(await store.save(saveOf(other, 0, { event: elapsed(1), source }))).toBe('saved');
    });

    it('saves nothing that could not be read again, and says what', async () => {
      const loop = loopOf({ issue: 28 });
      const endless = { ...loop, spent: { ...loop.spent, usd: Number.POSITIVE_INFINITY } };
      await expect(store.save(saveOf(endless, 0))).rejects.toThrow(/could not be read again.*spent/s);
      const nameless = { ...elapsed(1), at: 'noon' };
      await expect(store.save(saveOf(loop, 0, { event: nameless }))).rejects.toThrow(/could not be read again.*at/s);
      expect(await store.load(idOf(loop.ref))).toBeUndefined();
    });

    it('saves what people said to an issue by one of its loops, also when the next has begun before it is told again', async () => {
      const [first, next] = [loopOf({ issue: 18 }), loopOf({ issue: 18, n: 2 })];
      const source = { delivery: 'd-18', ordinal: 2, once: 'by-issue' } as const;
      expect(await store.save(saveOf(first, 0, { event: elapsed(1), source }))).toBe('saved');
      expect(await store.save(saveOf(next, 0, { event: elapsed(1), source }))).toBe('repeated');
      expect(await store.load(idOf(next.ref))).toBeUndefined();
      expect(await store.save(saveOf(next, 0, { event: elapsed(1), source: { ...source, ordinal: 3 } }))).toBe('saved');
      const told = { ...source, ordinal: 2, once: 'by-loop' } as const;
      expect(await store.save(saveOf(next, 1, { event: elapsed(2), source: told }))).toBe('saved');
    });

    it('saves what has an id of its own once in a repository, whatever delivery brings it, to whichever loop, and for ever', async () => {
      const [first, next] = [loopOf({ issue: 38 }), loopOf({ issue: 38, n: 2 })];
      const said = 'comment/5/0';
      const by = (delivery: string, over = {}) => ({ delivery, ordinal: 2, once: 'by-loop', said, ...over }) as const;
      const at = '2019-01-01T00:00:00.000Z';
      const ended: Event = { type: 'ended', at, how: 'branch deleted' };
      const first2: Loop = { ...first, status: 'stopped' };
      expect(await store.save(saveOf(first, 0, { event: elapsed(1), source: by('d-38') }))).toBe('saved');
      expect(await store.save(saveOf(first2, 1, { event: ended, source: by('d-39'), wakes: ['work'] }))).toBe(
        'repeated',
      );
      expect(await store.load(idOf(first.ref))).toEqual({ loop: first, version: 1 });
      expect(await queuedCount(`wake ${idOf(first.ref)} work`)).toBe(0);
      await store.save(saveOf(first2, 1, { event: ended }));
      const before = '2019-02-01T00:00:00.000Z';
      await store.forget({ deliveriesBefore: before, logsBefore: before, blobsBefore: before });
      expect(await store.log(idOf(first.ref))).toEqual([]);
      expect(await store.save(saveOf(next, 0, { event: elapsed(1), source: by('d-40') }))).toBe('repeated');
      expect(await store.load(idOf(next.ref))).toBeUndefined();
      const other = by('d-40', { said: 'comment/5/1' });
      expect(await store.save(saveOf(next, 0, { event: elapsed(1), source: other }))).toBe('saved');
      const elsewhere = loopOf({ issue: 38, repositoryId: 81 });
      expect(await store.save(saveOf(elsewhere, 0, { event: elapsed(1), source: by('d-38') }))).toBe('saved');
    });

    it('saves one of those that say the same at the same time, and a save that is refused has said nothing', async () => {
      const loops = [1, 2, 3, 4].map((n) => loopOf({ issue: 39, n }));
      const source = { delivery: 'd', ordinal: 2, once: 'by-loop', said: 'comment/6/0' } as const;
      await expect(store.save(saveOf(loopOf({ issue: 39 }), 7, { event: elapsed(1), source }))).rejects.toThrow(
        ConflictError,
      );
      const answers = await Promise.all(
        loops.map((loop, index) =>
          store.save(saveOf(loop, 0, { event: elapsed(1), source: { ...source, delivery: `d-${index}` } })),
        ),
      );
      expect(answers.toSorted()).toEqual(['repeated', 'repeated', 'repeated', 'saved']);
    });

    const limits = { overall: 4, installation: 3, repository: 2 };
    /** A save that takes a slot, and what is saved where there is none. */
    const taking = (loop: Loop, expectedVersion = 0): Change => ({
      ...saveOf({ ...loop, status: 'working' }, expectedVersion, { event: elapsed(1), wakes: ['work'] }),
      admission: {
        limits,
        queued: { loop: { ...loop, status: 'queued' }, event: { type: 'queued', at: later(0) }, wakes: ['voice'] },
      },
    });
    const admitting = (loop: Loop, expectedVersion: number): Change => ({
      ...saveOf({ ...loop, status: 'working' }, expectedVersion, { event: { type: 'admitted', at: later(1) } }),
      admission: { limits, queued: undefined },
    });

    it('gives slots up to the limits of repository, installation and all, and queues the rest in the same save', async () => {
      await freeAllSlots(store);
      const save = (issue: number, repositoryId: number, installationId: number) =>
        store.save(taking(loopOf({ issue, repositoryId, installationId })));
      expect(await save(1, 51, 1)).toBe('saved');
      expect(await save(2, 51, 1)).toBe('saved');
      expect(await save(3, 51, 1)).toBe('queued');
      expect(await save(1, 52, 1)).toBe('saved');
      expect(await save(1, 53, 1)).toBe('queued');
      expect(await save(1, 54, 2)).toBe('saved');
      expect(await save(1, 55, 3)).toBe('queued');
      expect(await store.load('51/3/1')).toMatchObject({ version: 2, loop: { status: 'queued' } });
      expect((await store.log('51/3/1')).map(({ seq, event }) => [seq, event?.type])).toEqual([
        [1, 'elapsed'],
        [2, 'queued'],
      ]);
      expect([await queuedCount('wake 51/3/1 work'), await queuedCount('wake 51/3/1 voice')]).toEqual([0, 1]);
    });

    it('gives a slot back when a loop waits or ends, and keeps that of a loop that is paused in its work', async () => {
      await freeAllSlots(store);
      const loops = [1, 2, 3].map((issue) => loopOf({ issue, repositoryId: 56 }));
      const [first, second, third] = loops;
      if (first === undefined || second === undefined || third === undefined) throw new Error('no loops');
      for (const loop of loops) await store.save(taking(loop));
      const queued = { ...third, status: 'queued' as const };
      expect(await store.save(admitting(queued, 2))).toBe('queued');
      expect(await store.load('56/3/1')).toMatchObject({ version: 2, loop: { status: 'queued' } });
      await store.save(saveOf({ ...first, status: 'paused', pausedFrom: 'working' }, 1));
      expect(await store.save(admitting(queued, 2))).toBe('queued');
      await store.save(saveOf({ ...first, status: 'waiting' }, 2, { freesSlot: true }));
      expect(await queuedCount('admit')).toBe(1);
      expect(await store.save(admitting(queued, 2))).toBe('saved');
      expect(await store.load('56/3/1')).toMatchObject({ version: 3, loop: { status: 'working' } });
    });

    it('never gives more slots than there are, however many ask at once', async () => {
      await freeAllSlots(store);
      const loops = Array.from({ length: 12 }, (_, index) => loopOf({ issue: index + 1, repositoryId: 57 }));
      const answers = await Promise.all(loops.map((loop) => store.save(taking(loop))));
      expect(answers.filter((answer) => answer === 'saved')).toHaveLength(limits.repository);
      expect(answers.filter((answer) => answer === 'queued')).toHaveLength(10);
    });

    it.each([
      { repositoryId: 58, afterHours: 3.5, order: [3, 4, 2, 1] },
      // The routine one has waited for two classes, the incident for one, and so have those that are before it anyway.
      { repositoryId: 59, afterHours: 8.5, order: [3, 4, 1, 2] },
    ])(
      'names the queued loop that goes next $afterHours hours later: by class, lifted by waiting, then the oldest',
      async ({ repositoryId, afterHours, order }) => {
        await freeAllSlots(store);
        const priorities = ['routine', 'incident', 'vulnerability', 'vulnerability'] as const;
        for (const [index, priority] of priorities.entries()) {
          const loop = loopOf({ issue: index + 1, repositoryId }, { status: 'queued', priority });
          await store.save(saveOf(loop, 0, { event: { type: 'queued', at: later(index) } }));
          // A later save keeps the time since which it waits.
          await store.save(saveOf(loop, 1, { settled: 'show/1' }));
        }
        const found: number[] = [];
        for (;;) {
          const next = await store.nextQueued(limits, later(afterHours));
          if (next === undefined) break;
          found.push(next.loop.ref.issue);
          await store.save(saveOf({ ...next.loop, status: 'stopped' }, next.version, { event: elapsed(1) }));
        }
        expect(found).toEqual(order);
      },
    );

    it('names no queued loop where its repository, its installation or all slots are full', async () => {
      await freeAllSlots(store);
      const ref = (issue: number) => ({ issue, repositoryId: 60, installationId: 6 });
      await store.save(saveOf(loopOf(ref(1), { status: 'working' }), 0));
      const queued = loopOf(ref(2), { status: 'queued' });
      await store.save(saveOf(queued, 0, { event: { type: 'queued', at: later(0) } }));
      for (const full of ['overall', 'installation', 'repository'])
        expect(await store.nextQueued({ ...limits, [full]: 1 }, later(1))).toBeUndefined();
      expect(await store.nextQueued(limits, later(1))).toEqual({ loop: queued, version: 1 });
    });

    const delivery = (id: string, over: Partial<Delivery> = {}): Delivery => ({
      id,
      name: 'issues',
      receivedAt: '2030-01-02T03:04:05.006+02:00',
      repositoryId: 61,
      payload: { z: 1, a: ['\u0000'] },
      note: undefined,
      ...over,
    });

    it('stores a delivery once, however often and simultaneously it arrives, and queues the intake of its repository', async () => {
      const first = delivery('b1c2');
      const answers = await Promise.all([1, 2, 3].map(() => store.receive(first)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.receive(first)).toBe(false);
      const stored = await store.delivery('b1c2');
      expect(stored).toEqual(first);
      expect(JSON.stringify(stored?.payload)).toBe(JSON.stringify(first.payload));
      expect(await queuedCount('intake 61')).toBe(1);
      expect(await store.delivery('other')).toBeUndefined();
    });

    it('keeps of a delivery that decides nothing its id alone, and queues nothing', async () => {
      const idle = delivery('idle', { repositoryId: undefined, payload: undefined, note: 'not readable' });
      expect(await store.receive(idle)).toBe(true);
      expect(await store.receive(delivery('idle', { repositoryId: 62 }))).toBe(false);
      expect(await store.delivery('idle')).toEqual(idle);
      expect(await queuedCount('intake 62')).toBe(0);
    });

    it('hands out what a repository sent in the order in which it came, until it was taken in', async () => {
      const at = later(0);
      const ids = Array.from({ length: 30 }, (_, index) => `order-${index}`);
      await Promise.all(ids.map((id) => store.receive(delivery(id, { repositoryId: 63 }))));
      await store.receive(delivery('elsewhere', { repositoryId: 64 }));
      const unread = async (limit = 100, now = at) =>
        (await store.unread({ repositoryId: 63, at: now, since: later(9), limit })).map(({ id }) => id);
      expect(await unread()).toEqual(ids);
      expect(await unread(2)).toEqual(ids.slice(0, 2));
      await store.markRead(['order-0']);
      await store.markRead(['order-1'], 'given up: it rained');
      await store.postpone('order-2', later(1));
      expect(await unread(2)).toEqual(['order-3', 'order-4']);
      const waited = { id: 'order-2', tries: 1, dueAt: later(1) };
      const among = { repositoryId: 63, limit: 1 };
      expect(await store.unread({ ...among, at: later(1), since: later(9) })).toMatchObject([waited]);
      expect(await store.unread({ ...among, at, since: '2020-01-01T00:00:00.000Z' })).toMatchObject([waited]);
      expect(await store.delivery('order-1')).toMatchObject({ payload: undefined, note: 'given up: it rained' });
      const waiting = await store.unreadRepositories();
      expect(waiting.map(({ repositoryId }) => repositoryId)).toEqual(expect.arrayContaining([63, 64]));
      await store.markRead(ids);
      await store.markRead([]);
      expect((await store.unreadRepositories()).map(({ repositoryId }) => repositoryId)).not.toContain(63);
      expect(await store.receive(delivery('order-0'))).toBe(false);
    });

    it('queues one item for what is queued already and has not begun', async () => {
      const loop = loopOf({ issue: 65 });
      for (let version = 0; version < 5; version += 1) await store.save(saveOf(loop, version, { wakes: ['work'] }));
      await Promise.all([1, 2, 3].map((n) => store.receive(delivery(`merged-${n}`, { repositoryId: 65 }))));
      await store.receive(delivery('merged-4', { repositoryId: 65 }));
      expect([await queuedCount(`wake ${idOf(loop.ref)} work`), await queuedCount('intake 65')]).toEqual([1, 1]);
    });

    it('remembers missed webhooks: by their newest try, due after waits, until they arrive or nobody can bring them', async () => {
      const missed = (guid: string, hours: number, id = `id of ${guid}`) => ({
        guid,
        id,
        name: 'issues.labeled',
        triedAt: later(hours),
      });
      const due = async (hours: number, limit = 9) =>
        (await store.dueMissed({ at: later(hours), horizon: later(hours - 72), limit })).map(({ guid, id, asked }) => [
          guid,
          id,
          asked,
        ]);
      await store.noteMissed([missed('m-2', 2), missed('m-1', 1), missed('m-1', 3, 'newer'), missed('m-3', 3)]);
      await store.noteMissed([missed('m-2', 1, 'older')]);
      await store.noteMissed([]);
      expect(await due(4)).toEqual([
        ['m-1', 'newer', 0],
        ['m-2', 'id of m-2', 0],
        ['m-3', 'id of m-3', 0],
      ]);
      expect(await due(4, 1)).toEqual([['m-1', 'newer', 0]]);
      await store.askedFor('m-1', later(5));
      await store.noteMissed([missed('m-1', 4, 'newest')]);
      await store.receive(delivery('m-3', { payload: undefined }));
      expect(await due(4)).toEqual([['m-2', 'id of m-2', 0]]);
      expect(await due(5)).toEqual([
        ['m-1', 'newest', 1],
        ['m-2', 'id of m-2', 0],
      ]);
      expect(await due(75)).toEqual([['m-1', 'newest', 1]]);
      expect(await due(200)).toEqual([]);
    });

    it('forgets what is old: ids of webhooks, logs of ended loops with what only these name, blobs that nothing names', async () => {
      const repositoryId = 71;
      const [old, young] = ['2020-01-01T00:00:00.000Z', '2020-03-01T00:00:00.000Z'];
      const blobs = { open: '', ended: '', named: '', stray: '' };
      for (const key of ['open', 'ended', 'named', 'stray'] as const) blobs[key] = await store.putBlob(`blob ${key}`);
      const told = (digest: string, at: string): Event => ({
        type: 'failed',
        at,
        entry: 1,
        cause: 'work',
        reason: digest,
        calls: [],
      });
      const documents = [{ path: 'spec.md', digest: blobs.named }];
      const open = loopOf({ issue: 1, repositoryId }, { status: 'working' });
      const ended = loopOf({ issue: 2, repositoryId }, { status: 'stopped', documents });
      const recent = loopOf({ issue: 3, repositoryId }, { status: 'succeeded' });
      await store.save(saveOf(open, 0, { event: told(blobs.open, old) }));
      await store.save(saveOf(ended, 0, { event: told(`${blobs.ended} ${blobs.named}`, old) }));
      await store.save(saveOf(recent, 0, { event: told('', young) }));
      await store.receive(delivery('old-read', { receivedAt: old, payload: undefined }));
      await store.receive(delivery('old-unread', { receivedAt: old }));
      await store.receive(delivery('young', { receivedAt: young, payload: undefined }));
      const before = '2020-02-01T00:00:00.000Z';
      const kept = await store.forget({ deliveriesBefore: before, logsBefore: before, blobsBefore: before });
      expect(kept).toEqual({ deliveries: 1, logs: 1, blobs: 0 });
      expect(await store.delivery('old-read')).toBeUndefined();
      expect(await store.delivery('old-unread')).toBeDefined();
      expect(await store.delivery('young')).toBeDefined();
      expect(
        [await store.log(idOf(open.ref)), await store.log(idOf(ended.ref)), await store.log(idOf(recent.ref))].map(
          ({ length }) => length,
        ),
      ).toEqual([1, 0, 1]);
      expect(await store.load(idOf(ended.ref))).toEqual({ loop: ended, version: 1 });
      const soon = new Date(Date.now() + 60_000).toISOString();
      await store.forget({ deliveriesBefore: before, logsBefore: before, blobsBefore: soon });
      const found = Object.values(blobs).map((digest) =>
        store.blob(digest).then(
          () => true,
          () => false,
        ),
      );
      expect(await Promise.all(found)).toEqual([true, false, true, false]);
    });

    it('keeps the code of a job for as long as it was in use, and a retention longer', async () => {
      const bytes = (text: string) => new TextEncoder().encode(text);
      const offer = (text: string) => store.offerJob(bytes(text));
      const first = await offer('first');
      const [long, soon] = ['2020-01-01T00:00:00.000Z', new Date(Date.now() + 60_000).toISOString()];
      const codes = async (...digests: readonly string[]) => {
        const found = await Promise.all(digests.map((digest) => store.job(digest)));
        return found.map((code) => code && new TextDecoder().decode(code));
      };
      await store.forget({ deliveriesBefore: long, logsBefore: long, blobsBefore: soon });
      expect(await codes(first, await store.putBlob('no job'))).toEqual(['first', undefined]);
      const second = await offer('second');
      await store.forget({ deliveriesBefore: long, logsBefore: long, blobsBefore: long });
      expect(await codes(first, second)).toEqual(['first', 'second']);
      await store.forget({ deliveriesBefore: long, logsBefore: long, blobsBefore: soon });
      expect(await codes(first, second)).toEqual([undefined, 'second']);
      await expect(store.blob(first)).rejects.toThrow('nothing is stored');
      expect(await offer('first')).toBe(first);
      expect(await codes(first)).toEqual(['first']);
    });

    it('gives what is shown of a loop to whoever takes it, once, until it is kept again', async () => {
      const loop = loopOf({ issue: 51 });
      await store.save(saveOf(loop, 0));
      const id = idOf(loop.ref);
      expect(await store.takeShown(id)).toBeUndefined();
      const shown = { board: { id: 7, digest: 'a' }, pull: 'b', checks: [] };
      await store.keepShown(id, { checks: [] });
      await store.keepShown(id, shown);
      expect(await store.takeShown(id)).toEqual(shown);
      expect(await store.takeShown(id)).toBeUndefined();
    });

    it('says once of each name that it is begun for the first time, and of a forgotten loop never', async () => {
      const loop = loopOf({ issue: 52 }, { status: 'stopped' });
      await store.save(saveOf(loop, 0, { event: elapsed(1) }));
      const id = idOf(loop.ref);
      const begun = async (...names: readonly string[]) => {
        const answers: boolean[] = [];
        for (const name of names) answers.push(await store.begins(id, name));
        return answers;
      };
      expect(await begun('ask/1/1', 'ask/1/2', 'ask/1/1')).toEqual([true, true, false]);
      const soon = '2100-01-01T00:00:00.000Z';
      const long = '2020-01-01T00:00:00.000Z';
      await store.forget({ deliveriesBefore: long, logsBefore: soon, blobsBefore: long });
      expect(await begun('ask/1/1', 'ask/1/3')).toEqual([false, false]);
    });

    it('leads where nobody else does', async () => {
      expect(await store.leads()).toBe(true);
      expect(await store.leads()).toBe(true);
    });

    it('keeps text and bytes under their sha256', async () => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
      const [text, binary] = [await store.putBlob('hellö'), await store.putBlob(bytes)];
      expect(await store.putBlob('hellö')).toBe(text);
      expect(text).toBe('sha256:be9a98ffabc8a2e49dbd8c3b05b82343b81cd1d810d8ad09329f3562ba2b04d7');
      expect(new TextDecoder().decode(await store.blob(text))).toBe('hellö');
      expect(await store.blob(binary)).toEqual(bytes);
    });

    it('throws for a blob that is not there', async () => {
      const missing = `sha256:${'0'.repeat(64)}`;
      await expect(store.blob(missing)).rejects.toThrow(StoreError);
      await expect(store.blob(missing)).rejects.toThrow(missing);
    });
  });
}
