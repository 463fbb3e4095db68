/** Runs one seed: adversity first, then calm until everything rests, and the invariants over all of it. */
import { laneOf } from '../../src/loop/effect.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { isStarted } from '../../src/loop/stages.ts';
import type { Store } from '../../src/ports.ts';
import { INVARIANTS } from './invariants/invariants.ts';
import { ACTS, POUNCES } from './people/acts.ts';
import { openIssue, say } from './people/crowd.ts';
import { begin, tend } from './people/habits.ts';
import { loopOfRun } from './world/records.ts';
import { createWorld, killProcess, loopsOf, runProcess, type World, warmUp } from './world/world.ts';

export interface Failure {
  readonly invariant: string;
  readonly sentence: string;
  readonly detail: string;
}

export interface Outcome {
  readonly seed: number;
  readonly failures: readonly Failure[];
  readonly steps: number;
  readonly simulatedHours: number;
  /** Each loop's end, for the summary. */
  readonly ends: readonly string[];
  readonly trace: readonly string[];
}

const LOOK_MS = 60_000;
const COOPERATIVE_MS = 8 * 3600_000;
const LONGEST_CALM_MS = 18 * 3600_000;

let warm: Promise<void> | undefined;

export interface Options {
  /** Goes on after the first broken sentence, to see all of them. */
  readonly all: boolean;
  /** Puts another store around that of the memory. */
  readonly around?: (memory: Store) => Store;
}

/** The same seed gives the same outcome. */
export async function simulate(seed: number, { all, around }: Options = { all: false }): Promise<Outcome> {
  warm ??= warmUp();
  await warm;
  const world = createWorld(seed, around);
  populate(world);
  const { scheduler } = world;
  const adverseMs = world.odds.adverseHours * 3600_000;
  scheduler.after(adverseMs, () => calmDown(world));
  const look = { due: false };
  const tick = (): void => {
    look.due = true;
    scheduler.after(LOOK_MS, tick);
  };
  scheduler.after(LOOK_MS, tick);
  const deadlineMs = world.startMs + adverseMs + LONGEST_CALM_MS;
  while (scheduler.nowMs() < deadlineMs && (await scheduler.step())) {
    if (!look.due) continue;
    look.due = false;
    watch(world);
    if (isAtRest(world) || (!all && world.records.broken.size > 0)) break;
  }
  return outcomeOf(world, !all && world.records.broken.size > 0);
}

/** People open issues, label them, and do what they do. */
function populate(world: World): void {
  const { crowd, odds, scheduler, hub } = world;
  for (let count = 0; count < odds.processes; count += 1) scheduler.after(count * 500, () => runProcess(world));
  for (let count = 0; count < odds.issues; count += 1) {
    const author = hub.random.chance(0.05) ? undefined : crowd.people.maria;
    const { number } = openIssue(crowd, `Filter items ${count + 1}`, author);
    scheduler.after(2000 + hub.random.around(600_000) * count, () => begin(crowd, number));
  }
  const quiet = openIssue(crowd, 'A question, no loop', crowd.people.rita);
  scheduler.after(hub.random.around(3600_000), () => strangerSpeaks(world, quiet.number));
  interfere(world);
  const tending = (): void => {
    if (world.calmSinceMs !== undefined && scheduler.nowMs() > world.calmSinceMs + COOPERATIVE_MS) return;
    for (const loop of newestLoops(world)) tend(crowd, loop);
    scheduler.after(60_000 + hub.random.around(240_000), tending);
  };
  scheduler.after(120_000, tending);
}

/** People act at any moment, and sometimes just when the loop has taken a step. */
function interfere(world: World): void {
  const { crowd, odds, scheduler, hub } = world;
  const actOn = (loop: Loop | undefined, acts = ACTS): void => {
    if (world.calmSinceMs !== undefined || loop === undefined || !isStarted(loop)) return;
    const chosen = hub.random.weighted(acts);
    hub.note(`act: ${chosen?.name}`);
    chosen?.perform(crowd, loop);
  };
  const next = (): void => {
    actOn(started(world));
    if (world.calmSinceMs === undefined) scheduler.after(hub.random.around(odds.minutesBetweenActs) * 60_000, next);
  };
  if (Number.isFinite(odds.minutesBetweenActs)) scheduler.after(60_000, next);
  world.onSave.push((before, after) => {
    if (before?.entry === after.entry || world.calmSinceMs !== undefined || !hub.random.chance(odds.pounces)) return;
    // Soon enough to be heard while the first effects of the entry are under way.
    scheduler.after(hub.random.around(800), () => actOn(after, hub.random.chance(0.7) ? POUNCES : ACTS));
  });
  hub.onDispatch.push((run) => {
    // When the run is known by its webhooks, and perhaps not yet by the answer to its dispatch.
    const loop = loopOfRun(world.database, run);
    if (hub.random.chance(2 * odds.pounces)) scheduler.after(hub.random.around(12_000), () => actOn(loop, POUNCES));
  });
  world.onKill.push(() => {
    // While nobody holds what the process left behind.
    if (hub.random.chance(2 * odds.pounces))
      scheduler.after(hub.random.around(8000), () => actOn(started(world), POUNCES));
  });
  world.onSave.push(() => {
    if (world.calmSinceMs !== undefined || !hub.random.chance(odds.killsAtSave)) return;
    const living = world.processes.filter(({ life }) => life.alive);
    // Between the save and what its process does next: the store takes 2 ms, a request some 100.
    if (living.length > 0) scheduler.after(hub.random.around(3), () => killProcess(world, hub.random.pick(living)));
  });
}

function strangerSpeaks({ crowd }: World, number: number): void {
  say(crowd, number, crowd.people.stranger, '/approve');
}

function started(world: World): Loop | undefined {
  const loops = newestLoops(world).filter(isStarted);
  return loops.length === 0 ? undefined : world.hub.random.pick(loops);
}

function newestLoops(world: World): readonly Loop[] {
  const newest = new Map<number, Loop>();
  for (const loop of loopsOf(world)) {
    const known = newest.get(loop.ref.issue);
    if (known === undefined || known.ref.n < loop.ref.n) newest.set(loop.ref.issue, loop);
  }
  return [...newest.values()];
}

/** From now on nothing goes wrong by chance; what went wrong is there to be mended. */
function calmDown(world: World): void {
  const { hub, processes } = world;
  world.calmSinceMs = world.scheduler.nowMs();
  hub.calm = true;
  hub.deliveries.calm = true;
  hub.missingWorkflows.clear();
  hub.outageUntilMs = 0;
  hub.note('calm begins');
  if (processes.every(({ life }) => !life.alive)) runProcess(world);
}

function watch(world: World): void {
  for (const { name, during } of INVARIANTS) {
    const detail = during?.(world);
    if (detail === undefined || world.records.broken.has(name)) continue;
    world.hub.note(`BROKEN ${name}: ${detail}`);
    world.records.broken.set(name, detail);
  }
}

/** Nothing is under way any more, and people have had the time to answer. */
function isAtRest(world: World): boolean {
  const { calmSinceMs, scheduler, hub, table } = world;
  if (calmSinceMs === undefined || scheduler.nowMs() < calmSinceMs + 10 * 60_000) return false;
  const loops = loopsOf(world);
  const awaited = loops.some(({ status }) => status === 'waiting' || status === 'paused');
  return (
    (!awaited || scheduler.nowMs() > calmSinceMs + COOPERATIVE_MS + 10 * 60_000) &&
    loops.every(rests) &&
    [...hub.runs.values()].every(({ status }) => status === 'completed') &&
    hub.deliveries.webhooks.every(({ takenInMs, underWay }) => takenInMs !== undefined && underWay === 0) &&
    [...table.items].every(({ item, claimedBy }) => item.type === 'elapse' && claimedBy === undefined)
  );
}

export function rests({ status, pending }: Loop): boolean {
  if (status === 'working' || status === 'queued') return false;
  return pending.every((effect) => status === 'paused' && laneOf(effect) === 'work');
}

async function outcomeOf(world: World, cutShort: boolean): Promise<Outcome> {
  const { seed, scheduler, startMs, records, trace } = world;
  const failures: Failure[] = [];
  for (const { name, sentence, end } of INVARIANTS) {
    const detail = records.broken.get(name) ?? (cutShort ? undefined : await end?.(world));
    if (detail !== undefined) failures.push({ invariant: name, sentence, detail });
  }
  return {
    seed,
    failures,
    steps: scheduler.steps(),
    simulatedHours: (scheduler.nowMs() - startMs) / 3600_000,
    ends: loopsOf(world).map((loop) => `${loop.status} in ${loop.phase}`),
    trace: failures.length === 0 ? [] : trace.lines(),
  };
}
