/** What runs made, as far as it still counts when a phase begins. Pure. */
import { z } from 'zod';
import type { Loop } from './loop.ts';
import { commitSha, digest } from './measurement.ts';
import { PHASES } from './phases.ts';
import { bestOf, choiceText, type Snapshot, snapshot } from './snapshots.ts';
import type { PhaseName } from './terms.ts';

/** What runs made under the approved plan. */
export const built = z.strictObject({
  /** Stored reports of the current iteration, and what the next one starts from. */
  reports: z.strictObject({ build: digest.optional(), seed: digest.optional(), verify: digest.optional() }),
  /** The builds of this plan, in order. */
  snapshots: z.array(snapshot).optional(),
  /** The report of the last seed: what it brought, the next one may bring anew. */
  seeded: digest.optional(),
  /** The last builds of plans that were taken back, oldest first: what they froze binds nobody any more. */
  retired: z.array(digest).optional(),
  /** The run that is awaited, or whose second job is. */
  run: z.strictObject({ id: z.int(), entry: z.int() }).optional(),
  candidate: z.strictObject({ sha: commitSha, codeTree: commitSha, entry: z.int() }).optional(),
  sandbox: z.enum(['bubblewrap', 'none']).optional(),
});

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

/** More plans than a loop has in practice; those that are older than so many have no test on the branch any more, or a person's. */
const RETIRED = 20;

/** With the build that is taken back together with its plan. */
export function retiredBy({ reports: { build }, retired = [] }: Loop['built']): Pick<Loop['built'], 'retired'> {
  return build === undefined ? {} : { retired: [...retired, build].slice(-RETIRED) };
}
