/** What every store must do with onboardings: keep one for each repository, and queue what is due. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConflictError } from '../../src/errors.ts';
import type { Onboarding } from '../../src/onboarding/onboarding.ts';
import type { StoreStage } from './store-behaviour.ts';

function onboardingOf(repositoryId: number, more: Partial<Onboarding> = {}): Onboarding {
  const place = { installationId: 5, repositoryId, owner: 'acme', repo: 'shop', at: '2026-03-01T09:00:00.000Z' };
  return { ...place, stage: 'asked', trials: 0, unasked: 0, ...more };
}

export function describeOnboardings(name: string, open: () => Promise<StoreStage>): void {
  describe(`onboardings ${name}`, () => {
    let stage: StoreStage;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    it('are kept as they were saved last, one for each repository', async () => {
      const { store } = stage;
      expect(await store.onboarding(1)).toBeUndefined();
      await store.saveOnboarding({ onboarding: onboardingOf(1), expectedVersion: 0 });
      const pulled = onboardingOf(1, { stage: 'waiting', pull: 4 });
      await store.saveOnboarding({ onboarding: pulled, expectedVersion: 1 });
      expect(await store.onboarding(1)).toEqual({ onboarding: pulled, version: 2 });
      expect(await store.onboarding(2)).toBeUndefined();
    });

    it('are not saved over what another has saved meanwhile', async () => {
      const { store } = stage;
      await store.saveOnboarding({ onboarding: onboardingOf(3), expectedVersion: 0 });
      for (const expectedVersion of [0, 2])
        await expect(store.saveOnboarding({ onboarding: onboardingOf(3), expectedVersion })).rejects.toThrow(
          ConflictError,
        );
      expect((await store.onboarding(3))?.version).toBe(1);
    });

    it('are saved once for what was said once', async () => {
      const { store } = stage;
      const said = 'installed/5/6';
      expect(await store.saveOnboarding({ onboarding: onboardingOf(6), expectedVersion: 0, said })).toBe('saved');
      const later = onboardingOf(6, { stage: 'declined' });
      expect(await store.saveOnboarding({ onboarding: later, expectedVersion: 1, said })).toBe('repeated');
      expect((await store.onboarding(6))?.onboarding.stage).toBe('asked');
    });

    it.each<[string, number, Partial<Onboarding>, boolean]>([
      ['that is asked for is queued', 101, { stage: 'asked' }, true],
      ['that is to be tried is queued', 102, { stage: 'trying', trials: 1 }, true],
      [
        'whose run is awaited waits for its webhook',
        103,
        { stage: 'trying', run: { id: 9, until: '2026-03-01T10:00:00.000Z' } },
        false,
      ],
      ['that waits for people is not queued', 104, { stage: 'waiting' }, false],
      ['that waits, and of which a preview is asked for, is queued', 105, { stage: 'waiting', preview: 'asked' }, true],
      ['that was declined is not queued', 106, { stage: 'declined' }, false],
    ])('one %s', async (_, repositoryId, more, isQueued) => {
      await stage.store.saveOnboarding({ onboarding: onboardingOf(repositoryId, more), expectedVersion: 0 });
      const queued = await stage.queued();
      expect(queued.some((item) => item.type === 'onboard' && item.repositoryId === repositoryId)).toBe(isQueued);
    });

    it('are listed while they have a step to take, or await a run', async () => {
      const { store } = stage;
      const stages = ['asked', 'trying', 'waiting', 'ready', 'declined'] as const;
      for (const [index, one] of stages.entries())
        await store.saveOnboarding({ onboarding: onboardingOf(200 + index, { stage: one }), expectedVersion: 0 });
      const open = (await store.openOnboardings()).map(({ onboarding }) => onboarding.repositoryId);
      expect(open.filter((id) => id >= 200)).toEqual([200, 201]);
    });
  });
}
