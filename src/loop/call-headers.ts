/** How a call of a model says what it is made for, and how the App's gateway marks what it says itself. Pure. */

/** Who asks the model what. */
export interface CallContext {
  readonly loop: string;
  readonly phase: string;
  readonly skill: string;
  readonly role: string;
  readonly attempt: number;
}

export function callHeaders({ loop, phase, skill, role, attempt }: CallContext): Record<string, string> {
  return {
    'X-Loopwright-Loop': loop,
    'X-Loopwright-Phase': phase,
    'X-Loopwright-Skill': skill,
    'X-Loopwright-Role': role,
    'X-Loopwright-Attempt': String(attempt),
  };
}

/** With each answer of the gateway: `true` where it refuses in its own words, `false` where an upstream speaks. Without it the App was not reached. */
export const REFUSAL_HEADER = 'x-loopwright-refusal';

/** The type of the refusal where all that is against a run is that no loop awaits it: its token has every claim that can be judged without one. */
export const UNAWAITED = 'loopwright_unawaited';
