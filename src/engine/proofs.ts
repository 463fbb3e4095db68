/** Proofs of pull requests: who asks is noted, and each step is taken until all was told. */
import type { Logger } from 'pino';
import { provePull, tellUnjudged } from '../effects/prove-pull.ts';
import { ConflictError, LimitedError, LoopError, RetryError } from '../errors.ts';
import type { Ports, Tries } from '../ports.ts';
import { asked, type ProofAsk, type PullProof } from '../proof/pull-proof.ts';
import { meaningOf } from './failures.ts';

const MAX_SAVES = 20;

/** Notes that somebody asks for a proof; once for each `said`. */
export async function askForProof(ask: ProofAsk, said: string, { store }: Pick<Ports, 'store'>): Promise<void> {
  for (let saves = 1; saves <= MAX_SAVES; saves += 1) {
    const stored = await store.pullProof(ask.repositoryId, ask.pull);
    const proof = asked(stored?.proof, ask);
    // One that has not begun answers this one too, and its step may be under way: nothing is changed below it.
    if (proof === stored?.proof) return;
    try {
      await store.savePullProof({ proof, expectedVersion: stored?.version ?? 0, said });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
    }
  }
  throw new ConflictError(`the proof of pull request ${ask.pull} was saved by others ${MAX_SAVES} times in a row`);
}

/** Takes the step of a proof that is due. @throws {RetryError} where trying again may help. */
export async function workOnProof(
  { repositoryId, pull }: { readonly repositoryId: number; readonly pull: number },
  { ports, tries, log }: { readonly ports: Ports; readonly tries: Tries; readonly log: Logger },
): Promise<void> {
  const stored = await ports.store.pullProof(repositoryId, pull);
  if (stored === undefined) return;
  const { proof, version } = stored;
  const next = await stepOf(proof, ports, tries).catch((error: unknown) =>
    afterFailure(error, { proof, ports, tries, log }),
  );
  if (next !== proof) await ports.store.savePullProof({ proof: next, expectedVersion: version });
}

/** What was tried before was another step, unless it is the same. */
function stepOf(proof: PullProof, ports: Ports, tries: Tries): Promise<PullProof> {
  return provePull(proof, ports, tries.of === stepNameOf(proof) ? tries.attempt : 1);
}

const stepNameOf = ({ serial, stage }: PullProof): string => `${serial} ${stage}`;

interface Failed {
  readonly proof: PullProof;
  readonly ports: Ports;
  readonly tries: Tries;
  readonly log: Logger;
}

async function afterFailure(error: unknown, { proof, ports, tries, log }: Failed): Promise<PullProof> {
  const name = `the proof of ${proof.owner}/${proof.repo}#${proof.pull}`;
  const of = stepNameOf(proof);
  const failed = tries.of === of ? tries.failed : {};
  const meaning = meaningOf(error, 'dispatch', { failed });
  const again = (failure: unknown, { kind, seconds }: Pick<RetryError, 'kind' | 'seconds'>): never => {
    throw new RetryError(name, failure, { kind, seconds, of });
  };
  switch (meaning.means) {
    case 'again':
      return again(error, { kind: meaning.kind, seconds: meaning.seconds });
    case 'relocated':
      return { ...proof, ...(await ports.github.locate(proof)) };
    case 'dropped':
    case 'refused': {
      log.warn(`${name} ends without a verdict: ${meaning.reason}`);
      return tellUnjudged(proof, meaning.reason, ports).catch((refusal: unknown) => {
        if (!(refusal instanceof LoopError)) throw refusal;
        if (refusal instanceof LimitedError) return again(refusal, { kind: 'limited', seconds: refusal.seconds });
        log.warn(`and it could not be told: ${refusal.message}`);
        return { ...proof, stage: 'ended' };
      });
    }
  }
}
