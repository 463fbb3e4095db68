/** One process of the App: the real engine, effects, intake and drafting over simulated ports; it can be killed between any two steps. */
import { pino } from 'pino';
import { admitQueued } from '../../../src/engine/admission.ts';
import { createHandler } from '../../../src/engine/handle.ts';
import { createHousekeeping } from '../../../src/engine/housekeeping.ts';
import { createReconciler } from '../../../src/engine/reconcile.ts';
import { digestOf } from '../../../src/guard/digest.ts';
import { drain } from '../../../src/intake/drain.ts';
import { isHeard } from '../../../src/intake/payloads.ts';
import { createSweep } from '../../../src/intake/sweep.ts';
import type { Ports, Queue, Store } from '../../../src/ports.ts';
import { GUARDRAILS } from '../../guardrails.ts';
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
  /** Who goes round, where several processes share the database. */
  readonly leader: { life: Life | undefined };
  readonly paid: Paid[];
  readonly skills: ReadonlyMap<string, string>;
  readonly slots: Ports['slots'];
  readonly onFailure: (queued: Queued, error: unknown) => void;
  /** A real queue, instead of that in memory. */
  readonly queue?: Queue;
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
  const queue = outside.queue ?? createMemoryQueue({ table, scheduler, random, life, onFailure: outside.onFailure });
  const wire = createWire(hub, life, outside.requests);
  const ports: Ports = {
    self: APP.login,
    modelFacts: {
      name: 'authored',
      scripted: true,
      price: { prompt: hub.odds.usdPerCall * 200, completion: hub.odds.usdPerCall * 200 },
      jobUrl: 'http://127.0.0.1:1/v1',
      jobAudience: undefined,
    },
    github: createGitHubPort({ hub, wire, work: outside.work }),
    model: createAuthoredModel(hub, life, outside.paid),
    store: inTime(outside, life),
    guardrails: GUARDRAILS,
    slots: outside.slots,
    keepDays: { deliveries: 10, logs: 90, blobs: 40, commits: 10 },
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
  const takeIn = (repositoryId: number) => drain(repositoryId, ports, SILENT);
  void queue.start(createHandler({ ports, takeIn, log: SILENT }));
  void patrol(ports, scheduler, life);
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
function inTime({ hub: { scheduler }, store, leader }: Outside, life: Life): Store {
  const timed =
    <Parameters extends readonly unknown[], Result>(operation: (...parameters: Parameters) => Promise<Result>) =>
    async (...parameters: Parameters): Promise<Result> => {
      await scheduler.sleep(2, life);
      return scheduler.during(operation(...parameters));
    };
  return {
    receive: timed(store.receive),
    delivery: timed(store.delivery),
    unread: timed(store.unread),
    unreadRepositories: timed(store.unreadRepositories),
    markRead: timed(store.markRead),
    postpone: timed(store.postpone),
    load: timed(store.load),
    newest: timed(store.newest),
    byPull: timed(store.byPull),
    byBranch: timed(store.byBranch),
    byRun: timed(store.byRun),
    awaitingChecks: timed(store.awaitingChecks),
    awaitingMerge: timed(store.awaitingMerge),
    onBase: timed(store.onBase),
    overview: timed(store.overview),
    unfinished: timed(store.unfinished),
    save: timed(store.save),
    nextQueued: timed(store.nextQueued),
    log: timed(store.log),
    reserve: timed(store.reserve),
    release: timed(store.release),
    settle: timed(store.settle),
    untold: timed(store.untold),
    reserveFor: timed(store.reserveFor),
    calls: timed(store.calls),
    takeShown: timed(store.takeShown),
    keepShown: timed(store.keepShown),
    begins: timed(store.begins),
    pullProof: timed(store.pullProof),
    pullProofByRun: timed(store.pullProofByRun),
    openPullProofs: store.openPullProofs,
    savePullProof: timed(store.savePullProof),
    onboarding: store.onboarding,
    openOnboardings: store.openOnboardings,
    saveOnboarding: store.saveOnboarding,
    putBlob: timed(store.putBlob),
    blob: timed(store.blob),
    offerJob: timed(store.offerJob),
    job: timed(store.job),
    noteMissed: timed(store.noteMissed),
    dueMissed: timed(store.dueMissed),
    askedFor: timed(store.askedFor),
    askLimits: timed(store.askLimits),
    leads: timed(async () => {
      if (leader.life?.alive !== true) leader.life = life;
      return leader.life === life;
    }),
    forget: timed(store.forget),
  };
}

/** The rounds of engine/patrol.ts, in virtual time: the next one begins 30 s after the last has ended. */
async function patrol(ports: Ports, scheduler: Scheduler, life: Life): Promise<void> {
  const steps = [
    createReconciler(ports),
    () => admitQueued(ports),
    createSweep({ ports, isHeard, log: SILENT }),
    createHousekeeping(ports),
  ];
  for (;;) {
    if (await ports.store.leads()) for (const take of steps) await take().catch(() => undefined);
    await scheduler.sleep(PATROL_MS, life);
  }
}
