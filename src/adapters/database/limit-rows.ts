/** What GitHub may still be asked for an installation, a row each: replicas take turns at it. */
import {
  answered,
  type LimitAnswer,
  type LimitAsk,
  installationLimits as schema,
  UNUSED,
} from '../../github/installation-limits.ts';
import type { Engine } from './database.ts';
import { parseStored } from './loop-rows.ts';

/** Committed before it is told: of a process that dies then, more is counted than it has asked of GitHub, and never less. */
export function askLimits(engine: Engine, installationId: number, ask: LimitAsk): Promise<LimitAnswer> {
  return engine.transaction(async (trx) => {
    const row = await trx
      .insertInto('installation_limits')
      .values({ installation_id: installationId, limits: JSON.stringify(UNUSED) })
      // Writing it, though nothing is changed, locks it.
      .onConflict((conflict) => conflict.column('installation_id').doUpdateSet({ installation_id: installationId }))
      .returning('limits')
      .executeTakeFirstOrThrow();
    const before = parseStored(schema, row.limits, `limits of installation ${installationId}`);
    const { limits, answer } = answered(before, ask);
    if (limits !== before)
      await trx
        .updateTable('installation_limits')
        .set({ limits: JSON.stringify(limits) })
        .where('installation_id', '=', installationId)
        .execute();
    return answer;
  });
}
