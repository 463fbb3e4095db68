/** Onboardings as rows: one for each repository. */
import { ConflictError } from '../../errors.ts';
import { isDue, onboarding as schema } from '../../onboarding/onboarding.ts';
import type { Store, StoredOnboarding } from '../../ports.ts';
import { enqueue } from '../queue-items.ts';
import type { Engine } from './database.ts';
import { jsonOf, parseStored } from './loop-rows.ts';
import { wasSaid } from './saves.ts';
import type { OnboardingRow, Queries } from './tables.ts';

/** The part of the store that keeps them. */
export function onboardingRows(engine: Engine): Pick<Store, 'onboarding' | 'openOnboardings' | 'saveOnboarding'> {
  const { db } = engine;
  return {
    async onboarding(repositoryId) {
      const row = await rows(db).where('repository_id', '=', repositoryId).executeTakeFirst();
      return row && storedOf(row);
    },
    openOnboardings: async () => (await rows(db).where('stage', 'in', ['asked', 'trying']).execute()).map(storedOf),
    saveOnboarding: (saving) => saveOnboarding(engine, saving),
  };
}

function rows(db: Queries) {
  return db.selectFrom('onboardings').select(['repository_id', 'version', 'onboarding']);
}

type Row = Pick<OnboardingRow, 'repository_id' | 'version' | 'onboarding'>;

function storedOf({ repository_id: id, version, onboarding }: Row): StoredOnboarding {
  return { version, onboarding: parseStored(schema, onboarding, `onboarding of repository ${id}`) };
}

type Saving = Parameters<Store['saveOnboarding']>[0];

async function saveOnboarding(engine: Engine, saving: Saving): ReturnType<Store['saveOnboarding']> {
  const { onboarding, said } = saving;
  const { repositoryId } = onboarding;
  return engine.transaction(async (trx) => {
    if (said !== undefined && (await wasSaid(trx, { repositoryId }, said))) return 'repeated';
    if (!(await write(trx, saving)))
      throw new ConflictError(`the onboarding of ${repositoryId} was saved by another: load it and decide again`);
    if (isDue(onboarding))
      await enqueue(engine.boss, trx, { items: [{ type: 'onboard', repositoryId }], delaySeconds: 0 });
    return 'saved';
  });
}

async function write(trx: Queries, { onboarding, expectedVersion }: Saving): Promise<boolean> {
  const { repositoryId, stage } = onboarding;
  const columns = {
    version: expectedVersion + 1,
    stage,
    updated_at: new Date(),
    onboarding: jsonOf(schema, onboarding, `the onboarding of repository ${repositoryId}`),
  };
  const written =
    expectedVersion === 0
      ? await trx
          .insertInto('onboardings')
          .values({ repository_id: repositoryId, ...columns })
          .onConflict((conflict) => conflict.doNothing())
          .returning('version')
          .execute()
      : await trx
          .updateTable('onboardings')
          .set(columns)
          .where('repository_id', '=', repositoryId)
          .where('version', '=', expectedVersion)
          .returning('version')
          .execute();
  return written.length === 1;
}
