/** What an entry was red for. Pure. */
import { defect } from './defect.ts';
import type { EntryRecord, Loop, Verdict } from './loop.ts';
import type { Defect } from './measurement.ts';

interface Judged {
  readonly gates: readonly Verdict[];
  readonly defects?: readonly Defect[];
}

/** What was wrong; where nobody said more, the gates that are red. */
export function foundBy({ phase }: Loop, { gates, defects = [] }: Judged): readonly Defect[] {
  if (defects.length > 0) return defects;
  return gates
    .filter(({ passed }) => !passed)
    .map(({ name, value, threshold }) => {
      const measured = value === undefined ? 'was not measured' : `is ${value}`;
      return defect({ rule: 'gate', about: name, message: `${phase}: ${name} ${measured}; it needs ${threshold}.` });
    });
}

/** So many defects of the last red entry are remembered. */
const REMEMBERED_DEFECTS = 20;

/** What a loop remembers of an entry that failed; what it remembered before, where this one says nothing. */
export function redBy(
  loop: Loop,
  { outcome, ...judged }: Judged & { readonly outcome: EntryRecord['outcome'] },
): Pick<Loop, 'red'> {
  const found = outcome === 'failed' ? foundBy(loop, judged) : [];
  if (found.length === 0) return {};
  const kept = found.slice(0, REMEMBERED_DEFECTS);
  return { red: { entry: loop.entry, phase: loop.phase, defects: kept, left: found.length - kept.length } };
}
