/** What a job must be to ask a model, as one table over its claims and the loop that awaits it. Pure. */
import type { Loop } from '../loop/loop.ts';
import { PHASES } from '../loop/phases.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { nameOf } from '../loop/terms.ts';
import { JOB_ENVIRONMENT, WORKFLOWS } from '../settings/config.ts';
import type { Claims } from './identity.ts';

interface Check {
  readonly claim: keyof Claims;
  /** Undefined where that is known with a loop only, and there is none. */
  readonly wanted: (claims: Claims, loop: StartedLoop | undefined) => string | undefined;
  /** Why, and what to do. */
  readonly because: string;
  /** A token without it passes. */
  readonly optional?: true;
}

/** Repository and run are no rows: by them the loop was found. */
const CHECKS: readonly Check[] = [
  {
    claim: 'event_name',
    wanted: () => 'workflow_dispatch',
    because: 'only a run that this App dispatched may ask a model',
  },
  {
    claim: 'run_attempt',
    wanted: () => '1',
    because: 'a run that was started again is not the one that was dispatched; say `/rerun` instead',
  },
  {
    claim: 'environment',
    wanted: () => JOB_ENVIRONMENT,
    because: 'the job that asks must have this environment; write the workflow anew with `loopwright init`',
  },
  {
    claim: 'ref',
    wanted: (_, loop) => loop && `refs/heads/${loop.started.base.branch}`,
    because: 'workflows of other branches are not those that were merged',
  },
  {
    claim: 'workflow_ref',
    wanted: ({ repository, ref }) => `${repository}/.github/workflows/${WORKFLOWS.build}@${ref}`,
    because: 'only the BUILD workflow of the default branch may ask a model',
  },
  {
    claim: 'job_workflow_ref',
    wanted: ({ workflow_ref }) => workflow_ref,
    because: 'a job of a reusable workflow is none of ours',
    // A token of GitHub's own was not seen yet: its pages speak of it for reusable workflows only.
    optional: true,
  },
];

/** What is wrong with the job, in one sentence; undefined where it may ask. The run must be one that the loop dispatched. */
export function problemOf(claims: Claims, loop: StartedLoop): string | undefined {
  return runProblem(loop) ?? claimProblem(claims, loop);
}

/** As far as it can be judged without the loop of the run. */
export function claimProblem(claims: Claims, loop?: StartedLoop): string | undefined {
  for (const { claim, wanted, because, optional } of CHECKS) {
    const found = claims[claim];
    const expected = wanted(claims, loop);
    if (expected === undefined || found === expected || (found === undefined && optional)) continue;
    const stands = found === undefined ? 'is missing' : `is ${JSON.stringify(found.slice(0, 200))}`;
    return `The token's ${claim} ${stands}, not "${expected}": ${because}.`;
  }
  return undefined;
}

/** A paused loop's run goes on, and what it delivers is held. */
const ALIVE: ReadonlySet<Loop['status']> = new Set(['working', 'paused']);

/** A run is over once its report is being read, though its token may be valid for minutes. */
function runProblem(loop: StartedLoop): string | undefined {
  const { built, entry, pending, phase, ref, status } = loop;
  if (!ALIVE.has(status)) return `The loop ${nameOf(ref)} is ${status}, so its runs may ask no model.`;
  const isRead = pending.some((effect) => effect.type === 'collect' && effect.entry === entry);
  if (built.run?.entry === entry && PHASES[phase].job === 'build' && !isRead) return undefined;
  return `The run ${built.run?.id} of ${nameOf(ref)} is over, or makes no BUILD: the loop is in entry ${entry} (${phase}). Its token opens nothing any more.`;
}
