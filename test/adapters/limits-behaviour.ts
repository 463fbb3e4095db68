/** What every store must do with the limits of installations: count for all who ask, one at a time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreStage } from './store-behaviour.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

export function describeLimits(name: string, open: () => Promise<StoreStage>): void {
  describe(`limits of installations ${name}`, () => {
    let stage: StoreStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    it('are counted one after another, each installation for itself, also where many ask at once', async () => {
      const asked = await Promise.all(
        Array.from({ length: 100 }, (_, one) =>
          stage.store.askLimits(1, { type: 'creation', who: `${one}`, nowMs: NOW }),
        ),
      );
      expect(asked.filter(({ waitMs }) => waitMs === 0)).toHaveLength(70);
      expect((await stage.store.askLimits(2, { type: 'creation', who: '1', nowMs: NOW })).waitMs).toBe(0);
    });

    it('hold what GitHub told one process for all of them', async () => {
      await stage.store.askLimits(3, { type: 'told', of: 'core', untilMs: NOW + 60_000, nowMs: NOW });
      const { closed } = await stage.store.askLimits(3, { type: 'points', nowMs: NOW });
      expect(closed).toEqual({ all: 0, core: NOW + 65_000, graphql: 0 });
    });
  });
}
