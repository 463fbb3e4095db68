/** What admission must do, whatever database is under it: labels that come at once never run more loops than may, and all finish (AT-5). */
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { admitQueued } from '../../src/engine/admission.ts';
import { apply } from '../../src/engine/advance.ts';
import type { Event } from '../../src/loop/event.ts';
import type { LoopRef } from '../../src/loop/terms.ts';
import { labelledEvent } from '../loop/world.ts';

const slots = { overall: 5, installation: 4, repository: 2 };
const by = { id: 1, login: 'maria', type: 'User' as const };

function refOf(index: number): LoopRef {
  const repositoryId = 1 + (index % 4);
  return {
    installationId: repositoryId < 4 ? 1 : 2,
    repositoryId,
    owner: 'acme',
    repo: `r${repositoryId}`,
    issue: index,
    n: 1,
  };
}

function stopAt(at: string): Event {
  const said = { command: 'stop' as const, argument: '', permitted: true, createdAt: at, commentId: 1 };
  return { type: 'commanded', at, by, role: 'write', ...said };
}

export function describeAdmission(database: string, open: () => Promise<Engine>): void {
  describe(`admission on ${database}`, () => {
    it('never runs more loops than may, however many are labelled at once, and lets each of them end', async () => {
      const engine = await open();
      const store = createStore(engine);
      const queue = createQueue(engine, { concurrency: 4, log: pino({ level: 'silent' }) });
      const ports = { store, slots };
      const admitting = { store, slots, clock: { now: () => new Date() } };
      const worked = new Set<string>();
      let worst = 0;
      const count = async () => {
        const running = (await store.overview({ open: true, limit: 100 })).filter(({ status }) => status === 'working');
        const by = (key: (one: (typeof running)[number]) => number) =>
          Math.max(
            0,
            ...Map.groupBy(running, key)
              .values()
              .map(({ length }) => length),
          );
        worst = Math.max(
          worst,
          running.length / slots.overall,
          by(({ ref }) => ref.installationId) / slots.installation,
          by(({ ref }) => ref.repositoryId) / slots.repository,
        );
      };
      // Each loop works as soon as it may, and ends.
      await queue.start(async (item) => {
        if (item.type === 'admit') return admitQueued(admitting);
        if (item.type !== 'wake' || item.lane !== 'work') return;
        const stored = await store.load(item.loopId);
        if (stored?.loop.status !== 'working') return;
        await count();
        worked.add(item.loopId);
        await apply(stored.loop.ref, stopAt(new Date().toISOString()), ports);
      });
      const refs = Array.from({ length: 24 }, (_, index) => refOf(index));
      await Promise.all(refs.map((ref) => apply(ref, labelledEvent({ branch: `loopwright/${ref.issue}` }), ports)));
      await vi.waitUntil(() => worked.size === refs.length, { timeout: 30_000, interval: 50 });
      const open_ = async () => (await store.overview({ open: true, limit: 100 })).length;
      await vi.waitUntil(async () => (await open_()) === 0, { timeout: 10_000, interval: 50 });
      expect(worst).toBeGreaterThan(0);
      expect(worst).toBeLessThanOrEqual(1);
      await queue.stop();
      await engine.close();
    });

    it('says in the log that a loop was queued and admitted, and keeps its work for then', async () => {
      const engine = await open();
      const store = createStore(engine);
      const ports = { store, slots: { overall: 1, installation: 1, repository: 1 } };
      const admitting = { ...ports, clock: { now: () => new Date() } };
      const [first, second] = [refOf(1), refOf(2)];
      expect(await apply(first, labelledEvent(), ports)).toBe('saved');
      expect(await apply(second, labelledEvent(), ports)).toBe('queued');
      const id = '3/2/1';
      expect((await store.load(id))?.loop).toMatchObject({
        status: 'queued',
        pending: expect.arrayContaining([expect.objectContaining({ type: 'draft' })]),
      });
      await admitQueued(admitting);
      expect((await store.load(id))?.loop.status).toBe('queued');
      expect(await apply(first, { type: 'closed', at: new Date().toISOString(), by, role: 'write' }, ports)).toBe(
        'saved',
      );
      await admitQueued(admitting);
      expect((await store.load(id))?.loop.status).toBe('queued');
      await apply(first, { type: 'ended', at: new Date().toISOString(), by, how: 'branch deleted' }, ports);
      await admitQueued(admitting);
      expect((await store.load(id))?.loop.status).toBe('working');
      expect((await store.log(id)).map(({ event }) => event?.type)).toEqual(['labelled', 'queued', 'admitted']);
      await engine.close();
    });
  });
}
