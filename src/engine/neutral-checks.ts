/** Writes required checks of ours where they would otherwise never come; what GitHub refuses there is told, and not tried again. */
import {
  type ForeignPull,
  type LaterHead,
  type MergeGroup,
  passForeignPull,
  passMergeGroup,
  type RequiringHead,
  refuseLaterHead,
} from '../effects/neutral-checks.ts';
import { GoneError, WriteRefusedError } from '../errors.ts';
import type { Ports } from '../ports.ts';

/** The answer is why they could not be written. @throws {LoopError} where trying again may help. */
export function answerForeignPull(head: ForeignPull, ports: Ports): Promise<string | undefined> {
  return unlessRefused(head, () => passForeignPull(head, ports));
}

export function answerMergeGroup(head: MergeGroup, ports: Ports): Promise<string | undefined> {
  return unlessRefused(head, () => passMergeGroup(head, ports));
}

export function answerLaterHead(head: LaterHead, ports: Ports): Promise<string | undefined> {
  return unlessRefused(head, () => refuseLaterHead(head, ports));
}

/** An archived repository, a head that is gone: nobody merges there. */
async function unlessRefused({ ref, headSha }: RequiringHead, write: () => Promise<void>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (!(error instanceof WriteRefusedError) && !(error instanceof GoneError)) throw error;
    return `no check was written on ${headSha} of ${ref.owner}/${ref.repo}: ${error.message}`;
  }
}
