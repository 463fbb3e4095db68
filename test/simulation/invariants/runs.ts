/** Workflow runs: each has an owner, none is started twice, none works for nothing. */
import { idOf } from '../../../src/loop/terms.ts';
import type { Run } from '../github/hub.ts';
import { loopOfRun } from '../world/records.ts';
import { loopsOf, type World } from '../world/world.ts';
import type { Invariant } from './invariants.ts';

/** The App may need so long to hear of a run, or to cancel it. */
const PATIENCE_MS = 6 * 60_000;
const RESTING: readonly string[] = ['paused', 'stopped', 'succeeded', 'idle'];
const BY_PEOPLE: readonly string[] = ['commanded', 'labelled'];
const SETTLED_MS = 5 * 60_000;
/** What the configuration allows, and two hours in which processes may be down or the loop be paused. */
const LONGEST_MS = 3 * 3600_000;

export const RUNS: readonly Invariant[] = [
  {
    name: 'no-run-without-owner',
    sentence: 'Every run that is going on is awaited by its loop, or about to be cancelled.',
    during: (world) => orphan(world),
  },
  {
    name: 'paused-starts-nothing',
    sentence: 'A loop that is paused or has ended starts no run.',
    end({ records }) {
      const wrong = records.dispatched.find(
        ({ run, loop, sinceMs }) =>
          loop !== undefined && RESTING.includes(loop.status) && run.startedMs - sinceMs > SETTLED_MS,
      );
      return wrong && `run ${wrong.run.id} (${wrong.run.title}) started while its loop was ${wrong.loop?.status}`;
    },
  },
  {
    name: 'paused-until-told',
    sentence: 'A paused loop goes on when a person says so, by a word or by the label, and by nothing else.',
    end({ records }) {
      const wrong = records.resumed.find(({ by }) => !BY_PEOPLE.includes(by));
      return wrong && `${wrong.id} was set going again by: ${wrong.by}`;
    },
  },
  {
    name: 'no-run-too-long',
    sentence: 'A run that is awaited and does not end is cancelled when its time is up.',
    during({ hub, database, scheduler, processes }) {
      const isUp = processes.some(({ life }) => life.alive) && scheduler.nowMs() > hub.outageUntilMs;
      const late = [...hub.runs.values()].find((run) => {
        const loop = loopOfRun(database, run);
        const isAwaited = loop?.status === 'working' && loop.built.run?.id === run.id;
        return isUp && isAwaited && run.status !== 'completed' && scheduler.nowMs() - run.startedMs > LONGEST_MS;
      });
      return late && `run ${late.id} (${late.title})`;
    },
  },
  {
    name: 'no-work-twice',
    sentence: 'One entry of a loop starts one run; a further one that nobody could see is ended soon.',
    end({ hub }) {
      const isKept = ({ cancelAskedMs, startedMs, status, completedMs }: Run): boolean =>
        (cancelAskedMs ?? Number.POSITIVE_INFINITY) > startedMs + PATIENCE_MS &&
        (status !== 'completed' || completedMs > startedMs + PATIENCE_MS);
      const byTitle = Map.groupBy([...hub.runs.values()].filter(isKept), ({ title }) => title);
      const twice = [...byTitle].find(([, runs]) => runs.length > 1);
      return twice && `"${twice[0]}" was started ${twice[1].length} times`;
    },
  },
  {
    name: 'no-work-on-the-past',
    sentence: 'A loop does not build a second time on a commit that its branch had left long before.',
    end: (world) => workOnThePast(world),
  },
  {
    name: 'overdue-is-true',
    sentence: 'A run is called overdue only when its time is up.',
    end({ database, hub }) {
      for (const log of database.logs.values()) {
        for (const { event } of log) {
          const [, id] = event?.type === 'failed' ? (/run (\d+) did not finish within/.exec(event.reason) ?? []) : [];
          const run = hub.runs.get(Number(id));
          const minutes =
            run === undefined || event === undefined ? 99 : (Date.parse(event.at) - run.startedMs) / 60_000;
          if (minutes < 60) return `run ${id} was called overdue after ${Math.round(minutes)} minutes`;
        }
      }
      return undefined;
    },
  },
];

function orphan(world: World): string | undefined {
  const { hub, records, scheduler, processes } = world;
  const isUp = processes.some(({ life }) => life.alive) && scheduler.nowMs() > hub.outageUntilMs;
  for (const run of hub.runs.values()) {
    const hasOwner = run.status === 'completed' || run.cancelAskedMs !== undefined || isOwned(world, run) || !isUp;
    if (hasOwner) {
      records.orphanSinceMs.delete(run.id);
      continue;
    }
    const since = records.orphanSinceMs.get(run.id) ?? scheduler.nowMs();
    records.orphanSinceMs.set(run.id, since);
    if (scheduler.nowMs() - since > PATIENCE_MS) return `run ${run.id} (${run.title})`;
  }
  return undefined;
}

function isOwned(world: World, run: Run): boolean {
  const loop = loopOfRun(world.database, run);
  if (loop === undefined) return false;
  const live = loop.status === 'working' || loop.status === 'paused' || loop.status === 'waiting';
  const awaited =
    live &&
    (loop.built.run?.id === run.id || loop.held.some((event) => event.type === 'dispatched' && event.runId === run.id));
  return (
    awaited ||
    loop.pending.some(
      (effect) =>
        (effect.type === 'cancel' && effect.runId === run.id) ||
        (effect.type === 'dispatch' && live && String(effect.entry) === run.inputs.entry),
    )
  );
}

function workOnThePast(world: World): string | undefined {
  const { hub, records } = world;
  for (const loop of loopsOf(world)) {
    const builds = records.dispatched.filter(
      (one) => one.loop !== undefined && idOf(one.loop.ref) === idOf(loop.ref) && one.run.inputs.phase === 'BUILD',
    );
    const late = builds.filter(({ run }) => {
      const ref = `refs/heads/${loop.started?.branch}`;
      const left = hub.moves.find((move, index) => {
        const before = hub.moves.slice(0, index).findLast((earlier) => earlier.ref === ref);
        return move.ref === ref && before?.sha === run.inputs.candidate;
      });
      return left !== undefined && left.atMs + SETTLED_MS < run.startedMs;
    });
    const [first, second] = late;
    if (first !== undefined && second?.run.inputs.candidate === first.run.inputs.candidate)
      return `${loop.started?.branch} left ${first.run.inputs.candidate?.slice(0, 7)}, and it was built on twice after that`;
  }
  return undefined;
}
