/** One process of the App: the real engine, effects, intake and drafting over simulated ports; it can be killed between any two steps. */
import { pino } from 'pino';
import { apply, work } from '../../../src/engine/advance.ts';
import { reconcile } from '../../../src/engine/reconcile.ts';
import { digestOf } from '../../../src/guard/digest.ts';
import { isHeard } from '../../../src/intake/app.ts';
import { takeIn } from '../../../src/intake/intake.ts';
import { createSweep } from '../../../src/intake/sweep.ts';
import { nameOf } from '../../../src/loop/terms.ts';
import type { Ports, QueueItem, Store } from '../../../src/ports.ts';
import { createGitHubPort } from '../github/github-port.ts';
import { APP, type Hub } from '../github/hub.ts';
import { createWire, type RequestCount } from '../github/requests.ts';
import type { Work } from '../github/runs.ts';
import type { Life, Scheduler } from '../world/scheduler.ts';
import { createAuthoredModel, type Paid } from './authored-model.ts';
import { createMemoryQueue, freeClaims, type Queued, type QueueTable } from './memory-queue.ts';
import { createMemoryWorkspace } from './memory-workspace.ts';

/** What outlives every process. */
export interface Outside {
  readonly hub: Hub;
  readonly store: Store;
  readonly table: QueueTable;
  /** Briefs by their sha256. */
  readonly briefs: Map<string, string>;
  readonly work: Work;
  readonly requests: RequestCount;
  readonly paid: Paid[];
  readonly skills: ReadonlyMap<string, string>;
  readonly onFailure: (queued: Queued, error: unknown) => void;
}

export interface AppProcess {
  readonly life: Life;
  readonly ports: Ports;
  readonly kill: () => void;
}

/** As in server.ts. */
const PATROL_MS = 30_000;
const SILENT = pino({ level: 'silent' });

export function startProcess(outside: Outside): AppProcess {
  const { hub, table } = outside;
  const { scheduler, random } = hub;
  const life: Life = { alive: true };
  const queue = createMemoryQueue({ table, scheduler, random, life, onFailure: outside.onFailure });
  const wire = createWire(hub, life, outside.requests);
  const ports: Ports = {
    self: APP.login,
    modelFacts: {
      name: 'authored',
      scripted: true,
      price: { prompt: hub.odds.usdPerCall * 200, completion: hub.odds.usdPerCall * 200 },
      jobUrl: 'http://127.0.0.1:1/v1',
    },
    github: createGitHubPort({ hub, wire, work: outside.work }),
    model: createAuthoredModel(hub, life, outside.paid),
    store: { ...inTime(outside.store, scheduler, life), ...noting(outside, life) },
    queue,
    workspace: createMemoryWorkspace(hub, life),
    gateway: {
      async publish(brief) {
        const digest = digestOf(brief).slice('sha256:'.length);
        outside.briefs.set(digest, brief);
        return digest;
      },
      jobDigest: '0'.repeat(64),
      url: 'http://127.0.0.1:2',
    },
    clock: { now: scheduler.now },
    skills: outside.skills,
  };
  void queue.start((item) => handle(item, ports));
  startPatrol(ports, scheduler, life);
  return {
    life,
    ports,
    kill() {
      life.alive = false;
      void queue.stop();
      freeClaims(table, scheduler, life);
    },
  };
}

/** Each call of the store takes a moment; what a killed process asked for meanwhile is not done. */
function inTime(store: Store, scheduler: Scheduler, life: Life): Store {
  const timed =
    <Parameters extends readonly unknown[], Result>(operation: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      await scheduler.sleep(2, life);
      return scheduler.during(operation(...parameters));
    };
  return {
    receive: timed(store.receive),
    delivery: timed(store.delivery),
    load: timed(store.load),
    newest: timed(store.newest),
    byPull: timed(store.byPull),
    byBranch: timed(store.byBranch),
    byRun: timed(store.byRun),
    list: timed(store.list),
    save: timed(store.save),
    log: timed(store.log),
    putBlob: timed(store.putBlob),
    blob: timed(store.blob),
  };
}

/** Remembers which costs are safe: those that an outcome told. */
function noting({ hub: { scheduler }, store, paid }: Outside, life: Life): Pick<Store, 'save'> {
  return {
    async save(change) {
      await scheduler.sleep(2, life);
      await scheduler.during(store.save(change));
      const { loop, event } = change;
      if (event === undefined || !('calls' in event)) return;
      const issue = nameOf(loop.ref).replace(/^.*#/, '');
      for (const one of paid) if (one.life === life && one.issue === issue) one.saved = true;
    },
  };
}

/** As in server.ts. */
async function handle(item: QueueItem, ports: Ports): Promise<void> {
  switch (item.type) {
    case 'intake':
      return takeIn(item.deliveryId, ports);
    case 'wake':
      return work(item.loopId, item.lane, ports);
    case 'elapse': {
      const stored = await ports.store.load(item.loopId);
      const at = ports.clock.now().toISOString();
      if (stored !== undefined)
        await apply(stored.loop.ref, { type: 'elapsed', at, entry: item.entry, timer: item.timer }, ports.store);
    }
  }
}

/** As in server.ts: a round at the start and every 30 s, whatever became of the one before. */
function startPatrol(ports: Ports, scheduler: Scheduler, life: Life): void {
  const sweep = createSweep({ ports, isHeard, log: SILENT });
  const round = async (): Promise<void> => {
    await reconcile(ports).catch(() => undefined);
    await sweep().catch(() => undefined);
  };
  const turn = (): void => {
    void round();
    scheduler.after(PATROL_MS, turn, life);
  };
  turn();
}
