/** One simulated world: a GitHub, its people, the App's processes and what they share; all of it made from one seed. */
import { loadSkills } from '../../../src/adapters/skills.ts';
import { diagramProblems } from '../../../src/context/mermaid-check.ts';
import { deliveryOf } from '../../../src/intake/reduce.ts';
import type { Loop } from '../../../src/loop/loop.ts';
import type { Store } from '../../../src/ports.ts';
import { packageFile } from '../../../src/settings/package-root.ts';
import { ownParsers } from '../../../src/syntax/parsers.ts';
import { FILES } from '../../drafting/authored.ts';
import { type AppProcess, type Outside, startProcess } from '../app/app-process.ts';
import { createDatabase, type Database } from '../app/database.ts';
import { createQueueTable, enqueue, type QueueTable } from '../app/memory-queue.ts';
import { createMemoryStore, type SavedChange } from '../app/memory-store.ts';
import { installCi } from '../github/ci.ts';
import { createDelivering, type Webhook } from '../github/deliveries.ts';
import { APP, createHub, type Hub } from '../github/hub.ts';
import { startingFiles } from '../jobs/builder.ts';
import { createJobs, type Jobs } from '../jobs/job.ts';
import { type Crowd, createPeople } from '../people/crowd.ts';
import { drawOdds, type Odds } from './odds.ts';
import { createRandom } from './random.ts';
import { noteSaved, type Records, recordsOf } from './records.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createTrace, type Trace } from './trace.ts';

export interface World {
  readonly seed: number;
  readonly odds: Odds;
  readonly scheduler: Scheduler;
  readonly hub: Hub;
  readonly crowd: Crowd;
  readonly database: Database;
  readonly store: Store;
  readonly table: QueueTable;
  readonly outside: Outside;
  readonly jobs: Jobs;
  readonly trace: Trace;
  readonly records: Records;
  readonly onSave: ((before: Loop | undefined, after: Loop, change: SavedChange) => void)[];
  readonly onKill: (() => void)[];
  readonly processes: AppProcess[];
  readonly startMs: number;
  calmSinceMs: number | undefined;
}

const START_MS = Date.UTC(2026, 0, 5, 9);
const ANSWER_MS = 10_000;

let skills: ReadonlyMap<string, string> | undefined;

/** Loads what takes real time, so that no step waits for a disk. */
export async function warmUp(): Promise<void> {
  const loaded = await loadSkills(packageFile('skills'));
  skills = new Map([...loaded].map(([name, { text }]) => [name, text]));
  await diagramProblems('flowchart TD\n  a --> b', 'flowchart');
  await diagramProblems('sequenceDiagram\n  a->>b: c', 'sequenceDiagram');
  await ownParsers();
}

/** `around` puts another store around that of the memory. */
export function createWorld(seed: number, around: (memory: Store) => Store = (memory) => memory): World {
  const random = createRandom(seed);
  const odds = drawOdds(random);
  const scheduler = createScheduler(START_MS);
  const trace = createTrace(scheduler);
  const database = createDatabase();
  const table = createQueueTable();
  const processes: AppProcess[] = [];
  const onSave: World['onSave'] = [];
  const deliveries = createDelivering({ scheduler, random, odds }, (webhook) => door(world, webhook));
  const people = createPeople();
  const hub = createHub(
    { scheduler, random, odds, deliveries, people: Object.values(people), note: trace.note },
    startingFiles(FILES),
  );
  const crowd: Crowd = { hub, people, said: [], approvals: [], pushed: [], serial: 0 };
  const briefs = new Map<string, string>();
  const jobs = createJobs(hub, briefs);
  const memory = createMemoryStore(database, {
    checked: seed % 8 === 0,
    nowMs: scheduler.nowMs,
    leads: () => true,
    enqueue: (item) => enqueue(table, scheduler, item),
    onSave(before, after, change) {
      trace.saved(before, after, change);
      for (const told of onSave) told(before, after, change);
    },
  });
  const store = around(memory);
  const outside: Outside = {
    hub,
    store,
    table,
    briefs,
    work: jobs.work,
    leader: { life: undefined },
    requests: new Map(),
    paid: [],
    skills: skills ?? new Map(),
    slots: { overall: 5, installation: 4, repository: random.chance(0.2) ? 1 : 3 },
    onFailure: trace.failed,
  };
  const world: World = {
    seed,
    odds,
    scheduler,
    hub,
    crowd,
    database,
    store,
    table,
    outside,
    jobs,
    trace,
    records: recordsOf(hub, database),
    processes,
    onSave,
    onKill: [],
    startMs: START_MS,
    calmSinceMs: undefined,
  };
  onSave.unshift((before, after, change) =>
    noteSaved(world.records, { before, after, change, nowMs: scheduler.nowMs() }),
  );
  installCi(hub);
  return world;
}

/** A webhook is taken in when a living process has stored it in time. */
function door({ hub, processes, scheduler }: World, { guid, name, payload }: Webhook): Promise<boolean> {
  const living = processes.filter(({ life }) => life.alive);
  if (living.length === 0) return Promise.resolve(false);
  const { store } = hub.random.pick(living).ports;
  return new Promise((resolve) => {
    scheduler.after(ANSWER_MS, () => resolve(false));
    void store
      .receive(deliveryOf({ id: guid, name, payload, receivedAt: scheduler.now().toISOString() }, APP.login))
      .then(() => resolve(true));
  });
}

export function loopsOf({ database }: World): readonly Loop[] {
  return [...database.loops.values()].map(({ loop }) => loop);
}

/** Starts a process, and another one some time after it was killed. */
export function runProcess(world: World): void {
  const { outside, processes, scheduler, hub, odds } = world;
  const process = startProcess(outside);
  processes.push(process);
  if (!Number.isFinite(odds.hoursBetweenKills)) return;
  scheduler.after(hub.random.around(odds.hoursBetweenKills) * 3600_000, () => killProcess(world, process));
}

/** Kills a process, unless that was done already or the world is calm; another one starts soon, and sometimes much later. */
export function killProcess(world: World, { life, kill }: AppProcess): void {
  const { scheduler, hub, onKill } = world;
  if (world.calmSinceMs !== undefined || !life.alive) return;
  hub.note('a process is killed');
  kill();
  for (const told of onKill) told();
  const downMs = hub.random.chance(0.03) ? hub.random.between(4, 50) * 3600_000 : hub.random.around(30_000);
  scheduler.after(downMs, () => {
    if (world.calmSinceMs === undefined) runProcess(world);
  });
}
