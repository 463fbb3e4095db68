/** What a loop does with its workflow runs: what they reported, and the candidate that came of it. Pure; one handler per event. */

import { charged } from './costs.ts';
import type { Effect } from './effect.ts';
import type { EventOf } from './event.ts';
import { type ForcedStop, SAME_TREE, treeStopOf } from './forced-stops.ts';
import { endingOf, judge, NO_FINDINGS } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { PHASES } from './phases.ts';
import { cancellation } from './rest.ts';
import { withSnapshot } from './snapshots.ts';
import type { StartedLoop } from './stages.ts';
import { type Ending, only, runOf, stopAt } from './walk.ts';

/** The run of an entry is known, by the answer to its dispatch or by the run's own webhook, whichever is heard first. A further one is ended. */
export function dispatched(loop: StartedLoop, { entry, runId }: EventOf<'dispatched' | 'surfaced'>): Decision {
  const known = loop.built.run;
  if (known?.entry === entry) return known.id === runId ? only(loop) : ends(loop, runId);
  const seconds = loop.started.limits.runMinutes * 60;
  const wait: Effect = { type: 'wait', key: `${entry}/wait/run`, entry, timer: 'run', seconds };
  return { loop: { ...loop, built: { ...loop.built, run: { id: runId, entry } } }, effects: [wait] };
}

/** A run of ours that the loop does not know: the one that it is about to await, or one that nobody will read, whoever started it. */
export function surfaced(loop: StartedLoop, event: EventOf<'surfaced'>): Decision {
  return isDispatching(loop, event) ? dispatched(loop, event) : ends(loop, event.runId);
}

function isDispatching({ pending }: Loop, { entry }: EventOf<'surfaced'>): boolean {
  return pending.some((effect) => effect.type === 'dispatch' && effect.entry === entry);
}

function ends(loop: StartedLoop, runId: number): Decision {
  return { loop, effects: [cancellation(runId)] };
}

export function completed(loop: StartedLoop, _event: EventOf<'completed'>): Decision {
  return collect(loop, 'ended');
}

/** Pulls the report of the run that the loop waits for; one whose time is up is cancelled. */
export function collect(loop: StartedLoop, because: 'ended' | 'overdue'): Decision {
  const { run } = loop.built;
  const { report, job } = PHASES[loop.phase];
  if (run === undefined || report === undefined || job === undefined) return only(loop);
  const key = `${loop.entry}/collect/${because}`;
  return {
    loop,
    effects: [{ type: 'collect', key, phase: loop.phase, report, entry: loop.entry, runId: run.id, because }],
  };
}

export function reported(loop: StartedLoop, event: EventOf<'reported'>): Decision {
  const { report } = PHASES[loop.phase];
  if (report === undefined) return only(loop);
  const paid = charged(loop, event.calls);
  const reports = { ...paid.built.reports, [report]: event.report };
  const snapshots = withSnapshot(paid.built.reports.build === undefined ? [] : (paid.built.snapshots ?? []), {
    report: event.report,
    iteration: paid.counters.iterations,
    measurements: event.measurements,
  });
  const isBuild = PHASES[loop.phase].opens === 'iteration';
  const told: StartedLoop = {
    ...paid,
    built: { ...paid.built, sandbox: event.sandbox, reports, ...(isBuild && { snapshots }) },
  };
  return event.unchanged === true ? stalled(told, SAME_TREE, event.at) : judge(told, event);
}

export function landed(loop: StartedLoop, event: EventOf<'landed'>): Decision {
  const candidate = { sha: event.candidate, codeTree: event.codeTree, entry: event.entry };
  const { review } = loop;
  const onBranch = event.head === undefined || review === undefined ? {} : { review: { ...review, head: event.head } };
  const tried: StartedLoop = { ...loop, ...onBranch, built: { ...loop.built, candidate } };
  const stall = treeStopOf(loop, event.codeTree);
  return stall === undefined ? { loop: tried, effects: [runOf(loop)] } : stalled(tried, stall, event.at);
}

/** Stops before anybody is paid to judge again what failed. */
function stalled(loop: StartedLoop, { sentence }: ForcedStop, at: string): Decision {
  const ending = endingOf(loop, { at, ...NO_FINDINGS });
  const closing: Ending = { ...ending, outcome: 'failed', gates: [], reason: sentence };
  // What that tree failed for is still open, though its builds have passed since: the next try, and people, have to know it.
  const feedback = loop.feedback.length > 0 ? loop.feedback : (loop.red?.defects ?? []);
  return stopAt(
    { ...loop, feedback },
    closing,
    `${sentence} Say with \`/context\` what to do differently, then \`/rerun\`.`,
  );
}
