/** What every store must do, whatever database is under it. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/adapters/engine.ts';
import { createStore } from '../../src/adapters/store.ts';
import { ConflictError, StoreError } from '../../src/errors.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';
import { elapsed, loopOf, reviewIn, saveOf, startedOn } from './loops.ts';

async function jobCount(engine: Engine, key: string): Promise<number> {
  const found = await sql<{
    count: number;
  }>`select count(*)::int as count from pgboss.job where singleton_key = ${key}`.execute(engine.db);
  return found.rows[0]?.count ?? -1;
}

export function describeStore(database: string, open: () => Promise<Engine>): void {
  describe(`store on ${database}`, () => {
    let engine: Engine;
    let store: Store;
    beforeAll(async () => {
      engine = await open();
      store = createStore(engine);
    });
    afterAll(() => engine.close());

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
      expect(await jobCount(engine, `wake ${id} work`)).toBe(0);
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
      expect(await jobCount(engine, `wake ${id} voice`)).toBe(2);
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
      expect([await jobCount(engine, `wake ${id} work`), await jobCount(engine, `wake ${id} voice`)]).toEqual([1, 1]);
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

    it('lists all loops or the open ones, newest first', async () => {
      const owner = 'lister';
      const loops = (['succeeded', 'waiting', 'stopped', 'paused', 'idle', 'working'] as const).map((status, index) =>
        loopOf({ issue: 100 + index, owner }, { status }),
      );
      for (const loop of loops) await store.save(saveOf(loop, 0));
      const listed = async (open: boolean) =>
        (await store.list({ open })).filter(({ loop }) => loop.ref.owner === owner).map(({ loop }) => loop.status);
      expect(await listed(false)).toEqual(['working', 'idle', 'paused', 'stopped', 'waiting', 'succeeded']);
      expect(await listed(true)).toEqual(['working', 'idle', 'paused', 'waiting']);
    });

    it('stores a delivery and its intake once, however often and simultaneously it arrives', async () => {
      const delivery = {
        id: 'b1c2',
        name: 'issues.labeled',
        receivedAt: '2030-01-02T03:04:05.006+02:00',
        payload: { z: 1, a: ['\u0000'] },
      };
      const answers = await Promise.all([1, 2, 3].map(() => store.receive(delivery)));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await store.receive(delivery)).toBe(false);
      const stored = await store.delivery('b1c2');
      expect(JSON.stringify(stored)).toBe(JSON.stringify(delivery));
      expect(await jobCount(engine, 'intake b1c2')).toBe(1);
      expect(await store.delivery('other')).toBeUndefined();
    });

    it('keeps text and bytes under their sha256', async () => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
      const [text, binary] = [await store.putBlob('hellö'), await store.putBlob(bytes)];
      expect(await store.putBlob('hellö')).toBe(text);
      expect(text).toBe('sha256:be9a98ffabc8a2e49dbd8c3b05b82343b81cd1d810d8ad09329f3562ba2b04d7');
      expect(new TextDecoder().decode(await store.blob(text))).toBe('hellö');
      expect(await store.blob(binary)).toEqual(bytes);
    });

    it('throws for a blob that is not there or was altered', async () => {
      const missing = `sha256:${'0'.repeat(64)}`;
      await expect(store.blob(missing)).rejects.toThrow(StoreError);
      await expect(store.blob(missing)).rejects.toThrow(missing);
      const digest = await store.putBlob('evidence');
      await engine.db
        .updateTable('blobs')
        .set({ content: new TextEncoder().encode('forged') })
        .where('digest', '=', digest)
        .execute();
      await expect(store.blob(digest)).rejects.toThrow(/the database was altered/);
    });

    it('names the field of a stored loop that this version cannot read', async () => {
      const loop = loopOf({ issue: 7 });
      await store.save(saveOf(loop, 0));
      const odd = JSON.stringify({ ...loop, phase: 'DREAM' });
      await engine.db.updateTable('loops').set({ loop: odd }).where('id', '=', idOf(loop.ref)).execute();
      await expect(store.load(idOf(loop.ref))).rejects.toThrow(/phase/);
      await engine.db.deleteFrom('loops').where('id', '=', idOf(loop.ref)).execute();
    });
  });
}
