/** What becomes of an onboarding whose step fails. */
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { workOnOnboarding } from '../../src/engine/onboardings.ts';
import { RetryError, UnansweredError, WriteRefusedError } from '../../src/errors.ts';
import type { Onboarding } from '../../src/onboarding/onboarding.ts';
import { AT, BASE, doors, REF } from '../intake/door.ts';

const openDoor = doors();
const trying: Onboarding = {
  ...{ installationId: 1, repositoryId: REF.repositoryId, owner: 'acme', repo: 'shop', at: AT },
  ...{ stage: 'trying', pull: 4, trials: 1, unasked: 1, base: BASE },
};
const FIRST = { attempt: 1, failed: {} };

it('is tried again where GitHub refuses the step and is away when people are to be told so', async () => {
  const { ports } = await openDoor();
  await ports.store.saveOnboarding({ onboarding: trying, expectedVersion: 0 });
  const github = {
    ...ports.github,
    repository: () => Promise.reject(new WriteRefusedError('GitHub answered 403')),
    checks: () => Promise.reject(new UnansweredError('GitHub answered 502')),
  };
  const working = workOnOnboarding(REF.repositoryId, {
    ...{ ports: { ...ports, github }, tries: FIRST, log: pino({ level: 'silent' }) },
  });
  await expect(working).rejects.toThrow(RetryError);
  expect((await ports.store.onboarding(REF.repositoryId))?.onboarding).toEqual(trying);
});
