/** Runs of the App's own workflows: queued, at work, ended in every way in which a run can end. */
import type { Hub, Run } from './hub.ts';
import { sendRun } from './payloads.ts';

/** GitHub ends a job after this time, whatever the App does. */
const LONGEST_MS = 6 * 3600_000;
/** For so long a new run is missing in lists. */
const LIST_LAG_MS = 8000;

/** What the job of a run delivers; undefined when it could not do its work at all. */
export type Work = (run: Run) => ReadonlyMap<string, Uint8Array> | undefined;

export function startRun(hub: Hub, workflow: string, inputs: Readonly<Record<string, string>>, work: Work): Run {
  const { random, odds, scheduler } = hub;
  const { loop = '', entry = '', phase = '' } = inputs;
  const run: Run = {
    id: hub.nextId(),
    workflow,
    title: `${workflow.replace(/\.ya?ml$/, '')} ${loop} entry ${entry} (${phase})`,
    inputs,
    startedMs: scheduler.nowMs(),
    status: 'queued',
    conclusion: undefined,
    completedMs: 0,
    cancelAskedMs: undefined,
    artifacts: new Map(),
  };
  hub.runs.set(run.id, run);
  for (const told of hub.onDispatch) told(run);
  sendRun(hub, 'requested', run);
  const hangs = !hub.calm && random.chance(odds.runHangs);
  const dies = !hub.calm && random.chance(odds.runDies);
  scheduler.after(2000 + random.around(10_000), () => {
    if (run.status !== 'queued') return;
    run.status = 'in_progress';
    sendRun(hub, 'in_progress', run);
    if (hangs) return;
    const delivered = dies ? undefined : work(run);
    scheduler.after(30_000 + random.around(phase === 'BUILD' ? 600_000 : 200_000), () => {
      for (const [name, bytes] of delivered ?? []) if (run.status !== 'completed') run.artifacts.set(name, bytes);
      end(hub, run, delivered !== undefined ? 'success' : random.chance(0.5) ? 'cancelled' : 'failure');
    });
  });
  scheduler.after(LONGEST_MS, () => end(hub, run, 'cancelled'));
  return run;
}

/** Asked for by the App or by a person; the run ends some time later. */
export function cancel(hub: Hub, run: Run): void {
  run.cancelAskedMs ??= hub.scheduler.nowMs();
  hub.scheduler.after(1000 + hub.random.around(8000), () => end(hub, run, 'cancelled'));
}

function end(hub: Hub, run: Run, conclusion: string): void {
  if (run.status === 'completed') return;
  run.status = 'completed';
  run.conclusion = conclusion;
  run.completedMs = hub.scheduler.nowMs();
  sendRun(hub, 'completed', run);
}

/** The runs of a title as a list shows them: a new one is not there yet; one that was cancelled comes last. */
export function listedRuns(hub: Hub, title: string): readonly Run[] {
  const lag = hub.calm ? 0 : LIST_LAG_MS * hub.odds.stale;
  const listed = [...hub.runs.values()].filter(
    (run) => run.title === title && run.startedMs + lag <= hub.scheduler.nowMs(),
  );
  const isCancelled = ({ conclusion }: Run): boolean => conclusion === 'cancelled';
  return listed.toSorted((left, right) => Number(isCancelled(left)) - Number(isCancelled(right)));
}
