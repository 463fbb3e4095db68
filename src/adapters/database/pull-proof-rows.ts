/** Proofs of pull requests as rows: one each, the newest that was asked for. */
import { ConflictError } from '../../errors.ts';
import type { Store, StoredPullProof } from '../../ports.ts';
import { pullProof as schema } from '../../proof/pull-proof.ts';
import { enqueue } from '../queue-items.ts';
import type { Engine } from './database.ts';
import { jsonOf, parseStored } from './loop-rows.ts';
import { wasSaid } from './saves.ts';
import type { PullProofRow, Queries } from './tables.ts';

type Row = Pick<PullProofRow, 'pull' | 'version' | 'proof'>;

/** The part of the store that keeps them. */
export function pullProofRows(
  engine: Engine,
): Pick<Store, 'pullProof' | 'pullProofByRun' | 'openPullProofs' | 'savePullProof'> {
  const { db } = engine;
  return {
    pullProof: (repositoryId, pull) => pullProof(db, repositoryId, pull),
    pullProofByRun: (repositoryId, runId) => pullProofByRun(db, repositoryId, runId),
    openPullProofs: () => openPullProofs(db),
    savePullProof: (saving) => savePullProof(engine, saving),
  };
}

function proofs(db: Queries) {
  return db.selectFrom('pull_proofs').select(['pull', 'version', 'proof']);
}

function storedOf({ pull, version, proof }: Row): StoredPullProof {
  return { version, proof: parseStored(schema, proof, `proof of pull request ${pull}`) };
}

async function pullProof(db: Queries, repositoryId: number, pull: number): Promise<StoredPullProof | undefined> {
  const row = await proofs(db).where('repository_id', '=', repositoryId).where('pull', '=', pull).executeTakeFirst();
  return row && storedOf(row);
}

async function pullProofByRun(db: Queries, repositoryId: number, runId: number): Promise<StoredPullProof | undefined> {
  const row = await proofs(db).where('repository_id', '=', repositoryId).where('run_id', '=', runId).executeTakeFirst();
  return row && storedOf(row);
}

async function openPullProofs(db: Queries): Promise<readonly StoredPullProof[]> {
  return (await proofs(db).where('stage', '<>', 'ended').execute()).map(storedOf);
}

type Saving = Parameters<Store['savePullProof']>[0];

async function savePullProof(engine: Engine, saving: Saving): ReturnType<Store['savePullProof']> {
  const { proof, said } = saving;
  const { repositoryId, pull } = proof;
  return engine.transaction(async (trx) => {
    if (said !== undefined && (await wasSaid(trx, { repositoryId }, said))) return 'repeated';
    if (!(await write(trx, saving)))
      throw new ConflictError(`the proof of pull request ${pull} was saved by another: load it and decide again`);
    // What runs is heard of by its webhook.
    if (proof.stage === 'asked')
      await enqueue(engine.boss, trx, { items: [{ type: 'prove', repositoryId, pull }], delaySeconds: 0 });
    return 'saved';
  });
}

async function write(trx: Queries, { proof, expectedVersion }: Saving): Promise<boolean> {
  const { repositoryId, pull, stage, run } = proof;
  const columns = {
    version: expectedVersion + 1,
    stage,
    run_id: run?.id ?? null,
    updated_at: new Date(),
    proof: jsonOf(schema, proof, `the proof of pull request ${pull}`),
  };
  const rows =
    expectedVersion === 0
      ? await trx
          .insertInto('pull_proofs')
          .values({ repository_id: repositoryId, pull, ...columns })
          .onConflict((conflict) => conflict.doNothing())
          .returning('pull')
          .execute()
      : await trx
          .updateTable('pull_proofs')
          .set(columns)
          .where('repository_id', '=', repositoryId)
          .where('pull', '=', pull)
          .where('version', '=', expectedVersion)
          .returning('pull')
          .execute();
  return rows.length === 1;
}
