/** When the tests of a candidate are added to because they notice too few faults, although their strength blocks nothing. Pure. */
import { UNNOTICED } from './defect.ts';
import { blocks } from './gates.ts';
import type { EntryRecord, Loop, Verdict } from './loop.ts';
import { hasMeans } from './shortage.ts';
import type { StartedLoop } from './stages.ts';
import type { StrengthPolicy } from './terms.ts';
import type { Ending } from './walk.ts';

/** So often for one plan; after that the requirement reads weakly proved. */
const MOST = 2;

/** Whether the next verdict may send the loop back for it: an iteration is left, and nobody would have to be asked for money. */
function mayStrengthen(loop: StartedLoop): boolean {
  const { counters, started } = loop;
  const hasIteration = counters.iterations < started.limits.iterations + counters.grants;
  return hasIteration && hasMeans(loop) && earlierOf(loop).length < MOST;
}

/** By which standard the next verdict is asked for: only a strict one names each fault that nobody noticed. */
export function strengthAsked(loop: StartedLoop): StrengthPolicy {
  return mayStrengthen(loop) ? 'required' : (loop.started.strength ?? 'reported');
}

/** The ending as a failed one, where every gate that blocks is green and further tests may notice more; undefined elsewhere. */
export function strengthening(loop: StartedLoop, ending: Ending): Ending | undefined {
  const weak = weakOf(ending.gates);
  if (weak?.value === undefined || !ending.defects.some(({ rule }) => rule === UNNOTICED)) return undefined;
  // Tests that were added and noticed nothing more would be added for ever.
  const before = weakOf(earlierOf(loop).at(-1)?.gates ?? [])?.value;
  if (!mayStrengthen(loop) || (before !== undefined && weak.value <= before)) return undefined;
  const reason = `VERIFY: the tests notice too few faults (${weak.name} ${weak.value}, wanted ${weak.threshold}), so tests are added.`;
  return { ...ending, outcome: 'failed', reason, signature: '' };
}

/** Whether an entry went back for further tests alone: nothing of what was built had failed. */
export function isStrengthening({ outcome, gates }: Pick<EntryRecord, 'outcome' | 'gates'>): boolean {
  return outcome === 'failed' && weakOf(gates) !== undefined;
}

/** The gate that is missed, where it blocks nothing and is the only one. */
function weakOf(gates: readonly Verdict[]): Verdict | undefined {
  const missed = gates.filter(({ passed }) => !passed);
  return missed.some(blocks) ? undefined : missed[0];
}

/** Of the current plan. */
function earlierOf({ entries }: Loop): readonly EntryRecord[] {
  const planned = entries.findLastIndex(({ phase }) => phase === 'PLAN');
  return entries.slice(planned + 1).filter(isStrengthening);
}
