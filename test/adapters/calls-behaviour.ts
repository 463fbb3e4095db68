/** How every store books calls to models: what a process was killed over is known to the next one, and nothing is told twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelCall } from '../../src/loop/brief.ts';
import type { Event } from '../../src/loop/event.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';
import { loopOf, saveOf } from './loops.ts';
import type { StoreStage } from './store-behaviour.ts';

const AT = '2030-01-02T03:04:05.000Z';

function callOf(promptTokens: number, completionTokens: number): ModelCall {
  const context = { phase: 'PLAN', skill: 'planning', role: 'planner', attempt: 1 };
  return { ...context, promptTokens, completionTokens, durationMs: 7 };
}

const EXPECTED: ModelCall = { ...callOf(1000, 4000), estimated: true };

export function describeCalls(name: string, open: () => Promise<StoreStage>): void {
  describe(`calls in a store ${name}`, () => {
    let stage: StoreStage;
    let store: Store;
    beforeAll(async () => {
      stage = await open();
      store = stage.store;
    });
    afterAll(() => stage.close());

    async function savedLoop(issue: number) {
      const loop = loopOf({ issue });
      await store.save(saveOf(loop, 0));
      const id = idOf(loop.ref);
      const reserve = () => store.reserve({ loopId: id, entry: 1, model: 'm', call: EXPECTED, usd: 0.01, at: AT });
      const told = (version: number, event: Event) => store.save(saveOf(loop, version, { event }));
      return { id, reserve, told };
    }

    it('are untold from their reservation on, and are what they took once they are settled', async () => {
      const { id, reserve } = await savedLoop(1);
      const [first, second] = [await reserve(), await reserve()];
      await store.settle(second, { call: callOf(10, 3), usd: undefined });
      expect(await store.untold(id)).toEqual([
        { ...EXPECTED, id: first },
        { ...callOf(10, 3), id: second },
      ]);
    });

    it('are booked and their account read at the same moment, without the one that is booked', async () => {
      const run = { id: 4031, entry: 1 };
      const loop = loopOf({ issue: 31 }, { built: { reports: {}, run } });
      await store.save(saveOf(loop, 0));
      const reservation = { loopId: idOf(loop.ref), entry: 1, model: 'm', call: EXPECTED, usd: 0.01, at: AT };
      const place = { repositoryId: loop.ref.repositoryId, runId: run.id };
      const first = await store.reserveFor(place, reservation);
      const second = await store.reserveFor(place, reservation);
      const took = { promptTokens: 0, completionTokens: 0 };
      expect(first).toMatchObject({ account: { loop: { ref: loop.ref }, underWay: [], took } });
      expect(second.account).toMatchObject({ underWay: [{ ...EXPECTED, id: first.id }], took });
      await store.settle(first.id, { call: callOf(10, 3), usd: undefined });
      await store.settle(second.id, { call: callOf(20, 4), usd: undefined });
      const third = await store.reserveFor(place, reservation);
      expect(third.account).toMatchObject({ underWay: [], took: { promptTokens: 30, completionTokens: 7 } });
      expect(second.id).not.toBe(first.id);
      const unknown = await store.reserveFor({ ...place, runId: 4032 }, reservation);
      expect(unknown.account).toBeUndefined();
      await store.release(unknown.id);
      expect((await store.untold(reservation.loopId)).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
    });

    it('that are taken back were never there, and those that are settled or told are not taken back', async () => {
      const { id, reserve } = await savedLoop(32);
      const [first, second] = [await reserve(), await reserve()];
      await store.settle(first, { call: callOf(10, 3), usd: undefined });
      await store.release(first);
      await store.release(second);
      await store.release(second);
      expect(await store.untold(id)).toEqual([{ ...callOf(10, 3), id: first }]);
      const third = await reserve();
      expect((await store.calls(id)).map((call) => call.id)).toEqual([first, third]);
      expect(third).not.toBe(second);
    });

    it('are many at the same time, each with an id of its own', async () => {
      const { id, reserve } = await savedLoop(33);
      const ids = await Promise.all(Array.from({ length: 12 }, reserve));
      expect(new Set(ids).size).toBe(12);
      for (const each of ids) await store.release(each);
      expect(await store.calls(id)).toEqual([]);
      expect(ids).not.toContain(await reserve());
    });

    it('are shown in their order, each with when it was made, what it cost and what was said in it', async () => {
      const { id, reserve, told } = await savedLoop(20);
      const [first, second] = [await reserve(), await reserve()];
      const transcript = await store.settle(second, { call: callOf(10, 3), usd: 0.5, transcript: 'what was said' });
      expect(Buffer.from(await store.blob(transcript ?? '')).toString('utf8')).toBe('what was said');
      await told(1, { type: 'paid', at: AT, calls: [callOf(5, 1)] });
      const nothing = { entry: undefined, model: undefined, usd: undefined, transcript: undefined };
      expect(await store.calls(id)).toEqual([
        { ...EXPECTED, ...nothing, id: first, at: AT, entry: 1, model: 'm', usd: 0.01, isSettled: false },
        { ...callOf(10, 3), id: second, at: AT, entry: 1, model: 'm', usd: 0.5, isSettled: true, transcript },
        { ...callOf(5, 1), ...nothing, id: expect.any(String), at: AT, isSettled: true },
      ]);
    });

    it('keep what was said in one of them once, however often it is said', async () => {
      const { id, reserve } = await savedLoop(21);
      const said = { call: callOf(10, 3), usd: 0.5, transcript: 'the same words' };
      const digests = [await store.settle(await reserve(), said), await store.settle(await reserve(), said)];
      expect(new Set(digests).size).toBe(1);
      expect((await store.calls(id)).map(({ transcript }) => transcript)).toEqual(digests);
      await store.forget({ deliveriesBefore: AT, logsBefore: AT, blobsBefore: '2031-01-01T00:00:00.000Z' });
      expect(Buffer.from(await store.blob(digests[0] ?? '')).toString('utf8')).toBe('the same words');
    });

    it('come with the loop of a run as it is at the same moment, those that are untold', async () => {
      const loop = loopOf({ issue: 22 }, { built: { reports: {}, run: { id: 4022, entry: 1 } } });
      const id = idOf(loop.ref);
      await store.save(saveOf(loop, 0));
      const reserve = () => store.reserve({ loopId: id, entry: 1, model: 'm', call: EXPECTED, usd: 0.01, at: AT });
      const [first, second] = [await reserve(), await reserve()];
      await store.save(saveOf(loop, 1, { event: { type: 'paid', at: AT, calls: [{ ...EXPECTED, id: first }] } }));
      const { repositoryId } = loop.ref;
      const reservation = { loopId: id, entry: 1, model: 'm', call: EXPECTED, usd: 0.01, at: AT };
      const { account } = await store.reserveFor({ repositoryId, runId: 4022 }, reservation);
      expect(account?.loop).toEqual((await store.byRun(repositoryId, 4022))?.loop);
      expect(account?.underWay).toEqual([{ ...EXPECTED, id: second }]);
      for (const place of [
        { repositoryId, runId: 4023 },
        { repositoryId: repositoryId + 1, runId: 4022 },
      ])
        expect((await store.reserveFor(place, reservation)).account).toBeUndefined();
    });

    it('are told by the save whose event has them, and by none that is refused', async () => {
      const { id, reserve, told } = await savedLoop(2);
      const [first, second] = [await reserve(), await reserve()];
      const event: Event = { type: 'paid', at: AT, calls: [{ ...EXPECTED, id: first }] };
      await expect(told(7, event)).rejects.toThrow('is not at version 7');
      expect(await store.untold(id)).toHaveLength(2);
      await told(1, event);
      expect(await store.untold(id)).toEqual([{ ...EXPECTED, id: second }]);
    });

    it('of a job are told as soon as they are booked', async () => {
      const { id, reserve, told } = await savedLoop(3);
      await told(1, { type: 'paid', at: AT, calls: [callOf(5, 1), callOf(6, 2)] });
      const after = await reserve();
      expect(await store.untold(id)).toEqual([{ ...EXPECTED, id: after }]);
    });

    it('of another loop are its own, and go with its log', async () => {
      const { id, reserve } = await savedLoop(4);
      const ended = await savedLoop(5);
      await Promise.all([reserve(), ended.reserve()]);
      const { loop, version } = (await store.load(ended.id)) ?? { loop: loopOf(), version: 0 };
      await store.save(saveOf({ ...loop, status: 'stopped' }, version, { event: { type: 'paid', at: AT, calls: [] } }));
      await store.forget({ deliveriesBefore: AT, logsBefore: '2031-01-01T00:00:00.000Z', blobsBefore: AT });
      expect([(await store.untold(id)).length, (await store.untold(ended.id)).length]).toEqual([1, 0]);
    });
  });
}
