/** Proofs of pull requests in memory: the same promises as on a database. */
import { ConflictError } from '../../../src/errors.ts';
import type { QueueItem, Store } from '../../../src/ports.ts';
import type { Database } from './database.ts';

type PullProofRows = Pick<Store, 'pullProof' | 'pullProofByRun' | 'openPullProofs' | 'savePullProof'>;

export function createPullProofRows(
  { pullProofs, heard }: Pick<Database, 'pullProofs' | 'heard'>,
  enqueue: (item: QueueItem) => void,
): PullProofRows {
  return {
    pullProof: async (repositoryId, pull) => pullProofs.get(`${repositoryId}/${pull}`),
    pullProofByRun: async (repositoryId, runId) =>
      [...pullProofs.values()].find(({ proof }) => proof.repositoryId === repositoryId && proof.run?.id === runId),
    openPullProofs: async () => [...pullProofs.values()].filter(({ proof }) => proof.stage !== 'ended'),
    savePullProof: async ({ proof, expectedVersion, said }) => {
      const { repositoryId, pull, stage } = proof;
      const [key, saying] = [`${repositoryId}/${pull}`, `${repositoryId} ${said}`];
      if (said !== undefined && heard.has(saying)) return 'repeated';
      if ((pullProofs.get(key)?.version ?? 0) !== expectedVersion) throw new ConflictError(`proof ${key}`);
      if (said !== undefined) heard.add(saying);
      pullProofs.set(key, { proof, version: expectedVersion + 1 });
      if (stage === 'asked') enqueue({ type: 'prove', repositoryId, pull });
      return 'saved';
    },
  };
}
