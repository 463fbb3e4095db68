/**
 * Simulated worlds on a real database: the store and the queue are real, GitHub, its people and the time are the simulation's. Time goes on only when
 * the queue has nothing to begin, so hours pass in seconds and nothing is overdue for the sake of the machine.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { Engine } from '../../src/adapters/database/database.ts';
import { createStore } from '../../src/adapters/database/store.ts';
import { createQueue } from '../../src/adapters/queue.ts';
import { keyOf } from '../../src/adapters/queue-items.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { holdsSlot } from '../../src/loop/slots.ts';
import { idOf } from '../../src/loop/terms.ts';
import type { Queue, QueueItem, Store } from '../../src/ports.ts';
import { startProcess } from '../simulation/app/app-process.ts';
import { openIssue } from '../simulation/people/crowd.ts';
import { begin, tend } from '../simulation/people/habits.ts';
import { createWorld, type World, warmUp } from '../simulation/world/world.ts';

export interface Soaked {
  readonly ends: readonly string[];
  /** The most loops that held a slot at the same time, and how many may. */
  readonly most: number;
  readonly slots: number;
  readonly simulatedHours: number;
}

export interface SoakStage {
  readonly store: Store;
  /** One world with so many loops at once, until each has ended. */
  run(loops: number): Promise<Soaked>;
  close(): Promise<void>;
}

const LONGEST_MS = 72 * 3600_000;

type Handle = Parameters<Queue['start']>[0];

export async function openSoak(engine: Engine): Promise<SoakStage> {
  await warmUp();
  const store = createStore(engine);
  const log = pino({ level: 'silent' });
  // Slots for all: an item that waited for one would keep the time from going on, and so those that have one from ending.
  const real = createQueue(engine, { concurrency: 100, log, rests: false });
  const running = new Set<string>();
  let handle: Handle = async () => undefined;
  await real.start(async (item, tries) => {
    running.add(keyOf(item));
    await handle(item, tries).finally(() => running.delete(keyOf(item)));
  });
  let worlds = 0;
  return {
    store,
    async run(loops) {
      worlds += 1;
      const world = friendlyWorld(worlds, store);
      const { scheduler } = world;
      const held = watchSlots(world);
      const queue: Queue = {
        start: async (given) => {
          handle = given;
        },
        send: (item, delaySeconds = 0) => sendInTime(world, real, { item, delaySeconds }),
        stop: async () => undefined,
      };
      const app = startProcess({ ...world.outside, queue });
      world.processes.push(app);
      const issues = Array.from({ length: loops }, (_, index) => openIssue(world.crowd, `Filter items ${index + 1}`));
      for (const { number } of issues) scheduler.after(1000, () => begin(world.crowd, number));
      const ids = issues.map(({ number }) => `${world.hub.repository.id}/${number}/1`);
      const ended = lookAfter(world, ids);
      while (ended.size < loops && scheduler.nowMs() < world.startMs + LONGEST_MS) {
        await untilQuiet(engine, running);
        if (!(await scheduler.step())) break;
      }
      await untilQuiet(engine, running);
      app.kill();
      // As pg-boss does by the machine's time; here hours pass in seconds, and what is asked after every step would go through all of them.
      await sql`delete from pgboss.job where state = 'completed'`.execute(engine.db);
      const slots = world.outside.slots;
      return {
        ends: ids.map((id) => ended.get(id) ?? 'not ended'),
        most: held.most,
        slots: Math.min(slots.overall, slots.installation, slots.repository),
        simulatedHours: (scheduler.nowMs() - world.startMs) / 3600_000,
      };
    },
    async close() {
      await real.stop();
    },
  };
}

/** A world in which nothing goes wrong by chance, with a repository of its own. */
function friendlyWorld(number: number, store: Store): World {
  for (let seed = number * 1000; ; seed += 1) {
    const world = createWorld(seed, () => named(store, number));
    const { odds, hub } = world;
    if (Number.isFinite(odds.minutesBetweenActs) || odds.usdPerCall > 0.01) continue;
    Object.assign(hub.repository, { id: 10_000 + number });
    hub.calm = true;
    hub.deliveries.calm = true;
    hub.missingWorkflows.clear();
    return world;
  }
}

/** Each world counts its webhooks from one. */
function named(store: Store, world: number): Store {
  return { ...store, receive: (delivery) => store.receive({ ...delivery, id: `${world}/${delivery.id}` }) };
}

interface Sending {
  readonly item: QueueItem;
  readonly delaySeconds: number;
}

/** What is for later waits in the world's time. */
async function sendInTime({ scheduler }: World, real: Queue, { item, delaySeconds }: Sending): Promise<void> {
  if (delaySeconds === 0) return scheduler.during(real.send(item));
  scheduler.after(delaySeconds * 1000, () => void scheduler.during(real.send(item)));
}

/** Counts from the store's own answers how many loops hold a slot. */
function watchSlots({ outside }: World): { most: number } {
  const { store } = outside;
  const held = { most: 0 };
  const holding = new Set<string>();
  const note = (loop: Loop): void => {
    const id = idOf(loop.ref);
    if (holdsSlot(loop)) holding.add(id);
    else holding.delete(id);
    held.most = Math.max(held.most, holding.size);
  };
  const save = store.save;
  Object.assign(store, {
    save: async (change: Parameters<Store['save']>[0]) => {
      const answer = await save(change);
      const saved = answer === 'saved' ? change.loop : change.admission?.queued?.loop;
      if (answer !== 'repeated' && saved !== undefined) note(saved);
      return answer;
    },
  });
  return held;
}

/** People look at their loops every few minutes; gives those that have ended. */
function lookAfter({ crowd, scheduler, outside, hub }: World, ids: readonly string[]): ReadonlyMap<string, string> {
  const ended = new Map<string, string>();
  const look = async (): Promise<void> => {
    for (const id of ids) {
      const loop = ended.has(id) ? undefined : (await outside.store.load(id))?.loop;
      if (loop === undefined) continue;
      tend(crowd, loop);
      const isOver = loop.status === 'succeeded' || loop.status === 'stopped';
      if (isOver && loop.pending.length === 0) ended.set(id, loop.status);
    }
  };
  const tending = (): void => {
    void scheduler.during(look());
    scheduler.after(60_000 + hub.random.around(120_000), tending);
  };
  scheduler.after(60_000, tending);
  return ended;
}

/** Every item that may begin has begun, and every one that has ended is settled. */
async function untilQuiet(engine: Engine, running: ReadonlySet<string>): Promise<void> {
  for (;;) {
    const found = await sql<{ key: string }>`select singleton_key as key from pgboss.job
      where state = 'active' or (state < 'active' and start_after <= now())`.execute(engine.db);
    if (found.rows.every(({ key }) => running.has(key))) return;
    await delay(1);
  }
}
