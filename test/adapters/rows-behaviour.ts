/** What a store over a database must do beside: notice what was altered under it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { idOf } from '../../src/loop/terms.ts';
import { loopOf, saveOf } from './loops.ts';

export function describeRows(database: string, open: () => Promise<Engine>): void {
  describe(`rows on ${database}`, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine.close());

    it('are refused where a blob was altered', async () => {
      const store = createStore(engine);
      const digest = await store.putBlob('evidence');
      await engine.db
        .updateTable('blobs')
        .set({ content: new TextEncoder().encode('forged') })
        .where('digest', '=', digest)
        .execute();
      await expect(store.blob(digest)).rejects.toThrow(/the database was altered/);
    });

    it('are refused by the field of a stored loop that this version cannot read', async () => {
      const store = createStore(engine);
      const loop = loopOf({ issue: 7 });
      await store.save(saveOf(loop, 0));
      const odd = JSON.stringify({ ...loop, phase: 'DREAM' });
      await engine.db.updateTable('loops').set({ loop: odd }).where('id', '=', idOf(loop.ref)).execute();
      await expect(store.load(idOf(loop.ref))).rejects.toThrow(/phase/);
    });
  });
}
