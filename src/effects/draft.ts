/** The door to the phases that the App works on itself. */

import { define } from '../drafting/define.ts';
import { discover } from '../drafting/discover.ts';
import { createDrafting, type Drafting, stamp } from '../drafting/drafting.ts';
import { plan } from '../drafting/plan.ts';
import { reflect } from '../drafting/reflect.ts';
import { ship } from '../drafting/ship.ts';
import { BudgetError, ConfigError, ModelError, PaidError } from '../errors.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { PhaseName } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';

/** The phases that are drafted here; the others run in Actions or wait for a person. */
const DRAFTS: Readonly<Partial<Record<PhaseName, (drafting: Drafting) => Promise<Event>>>> = {
  DISCOVER: discover,
  DEFINE: define,
  PLAN: plan,
  SHIP: ship,
  REFLECT: reflect,
};

/**
 * Drafts a phase: inputs → model → documents and measurements. A model or a set-up that fails is a `failed` event with the calls that were paid for;
 * anything else is thrown, with what was paid until then.
 */
export async function draft({ phase }: EffectOf<'draft'>, loop: StartedLoop, ports: Ports): Promise<Event> {
  const drafting = createDrafting(phase, loop, ports);
  try {
    const work = DRAFTS[phase];
    if (work === undefined) throw new ConfigError(`${phase} is not drafted in the App; it runs elsewhere.`);
    return await work(drafting);
  } catch (error) {
    if (error instanceof ModelError) return failed(drafting, 'model', error);
    if (error instanceof BudgetError) return failed(drafting, 'budget', error);
    if (error instanceof ConfigError) return failed(drafting, 'setup', error);
    throw drafting.calls.length === 0 ? error : new PaidError(error, drafting.calls);
  }
}

function failed(drafting: Drafting, cause: 'model' | 'setup' | 'budget', error: Error): Event {
  const paid = error instanceof ModelError || error instanceof BudgetError ? error.calls : [];
  const calls = [...drafting.calls, ...paid];
  const { answered } = drafting;
  const kept = answered.length === 0 ? {} : { answered: [...answered] };
  return { type: 'failed', ...stamp(drafting), cause, reason: error.message, calls, ...kept };
}
