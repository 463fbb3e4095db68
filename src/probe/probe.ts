/** What a probe is: one thing that is taken for granted of GitHub, and a way to see whether it is so. */
import type { Finding } from '../doctor/finding.ts';
import { LimitedError, LoopError, WriteRefusedError } from '../errors.ts';
import type { Scratch } from './scratch.ts';

export interface Probe {
  /** As the README's list of what nobody has seen names it. */
  readonly area: string;
  readonly subject: string;
  readonly probe: (scratch: Scratch) => Promise<Finding>;
}

export const INIT = 'Write the workflow files with `loopwright init --force` and merge them.';

export const TELL = 'Tell the maintainers: no loop should run here before that is mended.';

/** What GitHub has answered to a push. @throws the error itself where it has answered nothing, or that it takes no more for now. */
export function answered(error: unknown): LoopError {
  if (error instanceof LoopError && error.status !== undefined && !(error instanceof LimitedError)) return error;
  // As the port tells a refusal by GitHub, whatever its status was.
  if (error instanceof WriteRefusedError) return error;
  throw error;
}
