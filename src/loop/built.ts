/** What runs made, as far as it still counts when a phase begins. Pure. */
import type { Loop } from './loop.ts';
import { PHASES } from './phases.ts';
import { bestOf, choiceText, type Snapshot } from './snapshots.ts';
import type { PhaseName } from './terms.ts';

/** An iteration begins with the best build so far as its start, and a run belongs to the phases that read it. */
export function builtFor({ built, phase: before }: Loop, phase: PhaseName): Loop['built'] {
  const { run, reports, ...rest } = built;
  const { opens, runOf } = PHASES[phase];
  const build = startOf(built)?.report ?? reports.build;
  const kept = opens === 'iteration' ? (build === undefined ? {} : { build }) : reports;
  return { ...rest, ...seededBy(reports), reports: kept, ...(run !== undefined && runOf === before ? { run } : {}) };
}

/** The best build, where the last thing that was built is whole; what failed on its way is gone on with. */
function startOf({ reports, snapshots = [] }: Loop['built']): Snapshot | undefined {
  return snapshots.at(-1)?.report === reports.build ? bestOf(snapshots) : undefined;
}

/** What people are told of an iteration's start, where that is not the last build. */
export function startText({ built }: Loop, phase: PhaseName): string | undefined {
  const last = built.snapshots?.at(-1);
  const start = startOf(built);
  if (PHASES[phase].opens !== 'iteration' || start === undefined || last === undefined) return undefined;
  return start.report === last.report ? undefined : choiceText(start, last);
}

export function seededBy({ seed }: Loop['built']['reports']): Pick<Loop['built'], 'seeded'> {
  return seed === undefined ? {} : { seeded: seed };
}
