/** Onboardings in memory: the same promises as on a database. */
import { ConflictError } from '../../../src/errors.ts';
import { isDue } from '../../../src/onboarding/onboarding.ts';
import type { QueueItem, Store } from '../../../src/ports.ts';
import type { Database } from './database.ts';

type OnboardingRows = Pick<Store, 'onboarding' | 'openOnboardings' | 'saveOnboarding'>;

export function createOnboardingRows(
  { onboardings, heard }: Pick<Database, 'onboardings' | 'heard'>,
  enqueue: (item: QueueItem) => void,
): OnboardingRows {
  return {
    onboarding: async (repositoryId) => onboardings.get(repositoryId),
    openOnboardings: async () =>
      [...onboardings.values()].filter(({ onboarding: { stage } }) => stage === 'asked' || stage === 'trying'),
    saveOnboarding: async ({ onboarding, expectedVersion, said }) => {
      const { repositoryId } = onboarding;
      const saying = `${repositoryId} ${said}`;
      if (said !== undefined && heard.has(saying)) return 'repeated';
      if ((onboardings.get(repositoryId)?.version ?? 0) !== expectedVersion)
        throw new ConflictError(`onboarding ${repositoryId}`);
      if (said !== undefined) heard.add(saying);
      onboardings.set(repositoryId, { onboarding, version: expectedVersion + 1 });
      if (isDue(onboarding)) enqueue({ type: 'onboard', repositoryId });
      return 'saved';
    },
  };
}
