/** What a probe is: one thing that is taken for granted of GitHub, and a way to see whether it is so. */
import type { Finding } from '../doctor/finding.ts';
import type { Scratch } from './scratch.ts';

export interface Probe {
  /** As the README's list of what nobody has seen names it. */
  readonly area: string;
  readonly subject: string;
  readonly probe: (scratch: Scratch) => Promise<Finding>;
}

export const TELL = 'Tell the maintainers: no loop should run here before that is mended.';
