/** What must hold in every world, one sentence each. */
import type { World } from '../world/world.ts';
import { BOUNDS } from './bounds.ts';
import { ENDINGS } from './endings.ts';
import { PROMISES } from './promises.ts';
import { RUNS } from './runs.ts';
import { TALK } from './talk.ts';

export interface Invariant {
  readonly name: string;
  readonly sentence: string;
  /** Looked at every simulated minute; what is wrong, or nothing. */
  readonly during?: (world: World) => string | undefined;
  /** Looked at when everything rests. */
  readonly end?: (world: World) => string | undefined | Promise<string | undefined>;
}

export const INVARIANTS: readonly Invariant[] = [...PROMISES, ...RUNS, ...TALK, ...BOUNDS, ...ENDINGS];
