/**
 * Works one pg-boss queue with an own fetch loop: `boss.work()` fetches one item per poll and so stalls on a backlog (2 a second), and with batches it
 * settles a batch only as a whole. This loop fetches as many as there are free slots until nothing is left, and sleeps until something wakes it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { RetryError } from '../errors.ts';
import type { QueueItem, Tries } from '../ports.ts';
import type { Engine } from './database/database.ts';
import { countedFailures, QUEUE_OPTIONS, type QueueName, queueItem } from './queue-items.ts';
import { createSignal } from './signal.ts';

export interface QueueWorker {
  wake(): void;
  /** Fetches nothing more, waits for what runs, at most `patienceMs`, and gives the rest back. */
  stop(patienceMs: number): Promise<void>;
}

interface Work {
  readonly engine: Engine;
  readonly name: QueueName;
  readonly slots: number;
  readonly log: Logger;
  readonly rests: boolean;
  readonly handle: (item: QueueItem, tries: Tries) => Promise<void>;
  /** Claims that were given back at a stop: another process may be at work on the item, so what comes of it here is nobody's. */
  readonly givenBack: Set<Job>;
}

/** A claim: with its retry count, so that settling it changes nothing when another process has taken the item over. */
interface Job {
  readonly id: string;
  readonly retryCount: number;
  readonly data: unknown;
}

/** What an item's `data` holds: the item, and beside it the failures of its tries by kind, and what these tried. */
const kept = z.looseObject({ failed: z.record(z.string(), z.int()).default({}), of: z.string().optional() });

/** pg-boss gives more than its types say. */
const commandResponse = z.object({ affected: z.int() });

/** A wake-up is by NOTIFY; the poll is for retries and delayed items, and for a NOTIFY that was lost. */
const POLL_MS = 1000;
/** After a fetch that found nothing: a fetch is the dearest query there is. While webhooks pour in, each of them rings, and those of a tenth of a second are taken in together. */
const PAUSE_MS: Readonly<Record<QueueName, number>> = { work: 20, quick: 20, intake: 100 };
/** With the 10 s of the heartbeat, a dead process's items run again within 12 s. */
const TICK_MS = 2000;

export function startQueueWorker(options: Omit<Work, 'givenBack'>): QueueWorker {
  const work: Work = { ...options, givenBack: new Set() };
  const signal = createSignal();
  const running = new Map<Job, Promise<void>>();
  let stopping = false;
  const pauseMs = work.rests ? PAUSE_MS[work.name] : 1;
  const begin = (job: Job): void => {
    const done = performAlone(work, job, running).finally(() => {
      running.delete(job);
      signal.set();
    });
    running.set(job, done);
  };
  const loop = async (): Promise<void> => {
    while (!stopping) {
      const jobs = await fetchJobs(work, work.slots - running.size);
      for (const job of jobs) begin(job);
      if (jobs.length > 0) continue;
      // The pause runs beside the wait: after a time of rest a wake-up is followed at once.
      await Promise.all([signal.wait(POLL_MS), delay(pauseMs)]);
    }
  };
  const looping = loop();
  const ticking = setInterval(() => void tick(work, [...running.keys()]), TICK_MS);
  return {
    wake: signal.set,
    stop: async (patienceMs) => {
      stopping = true;
      signal.set();
      await looping;
      await Promise.race([Promise.all(running.values()), delay(patienceMs, undefined, { ref: false })]);
      clearInterval(ticking);
      await giveBack(work, [...running.keys()]);
    },
  };
}

/** A database that does not answer is logged, and asked again after the poll. */
async function fetchJobs({ engine, name, log }: Work, freeSlots: number): Promise<readonly Job[]> {
  if (freeSlots === 0) return [];
  try {
    return await engine.boss.fetch<object>(name, { batchSize: freeSlots });
  } catch (error) {
    log.error({ err: error, queue: name }, 'queue: could not fetch; trying again');
    return [];
  }
}

/**
 * Across processes the database keeps items of one key apart. Within this one it cannot after the process slept for longer than its heartbeat (a closed
 * laptop): the item is claimed anew while the old handler still runs, so the new claim waits for it.
 */
async function performAlone(work: Work, job: Job, running: ReadonlyMap<Job, Promise<void>>): Promise<void> {
  const earlier = [...running].filter(([other]) => other.id === job.id).map(([, done]) => done);
  await Promise.all(earlier);
  await perform(work, job);
}

/** Never throws: what cannot be settled is free again when its heartbeat ends. */
async function perform({ engine, name, log, handle, givenBack }: Work, job: Job): Promise<void> {
  const startedAt = performance.now();
  const attempt = job.retryCount + 1;
  const failure = await failureOf(async () => {
    const { failed, of, ...item } = kept.parse(job.data);
    await handle(queueItem.parse(item), { attempt, failed, of });
  });
  if (givenBack.has(job)) return;
  const durationMs = Math.round(performance.now() - startedAt);
  const fields = { queue: name, item: job.data, attempt, durationMs };
  if (failure instanceof RetryError) log.warn(fields, `queue: ${failure.message}`);
  else if (failure !== undefined) log.error({ ...fields, err: failure }, 'queue: an item failed; it is tried again');
  const unsettled = await failureOf(async () => {
    const settled = await (failure === undefined
      ? engine.boss.complete(name, job)
      : engine.boss.fail(name, job, { message: String(failure) }));
    if (commandResponse.parse(settled).affected === 0)
      log.warn(fields, 'queue: another process had taken this item over');
    else if (failure instanceof RetryError) await noteRetry(failure, { engine, name }, job);
  });
  if (unsettled !== undefined) log.error({ ...fields, err: unsettled }, 'queue: an item could not be settled');
}

/** pg-boss knows only its growing pause and counts all tries alike; who failed may know when the next has a chance, and what this one counts as. */
async function noteRetry(
  { seconds, kind, of }: RetryError,
  { engine, name }: Pick<Work, 'engine' | 'name'>,
  { id, data }: Job,
): Promise<void> {
  const { failed, of: before, ...item } = kept.parse(data);
  const told = { ...item, of, failed: countedFailures({ failed, of: before }, { kind, of }) };
  await sql`update pgboss.job set data = ${JSON.stringify(told)}::jsonb,
      start_after = coalesce(now() + ${seconds ?? null}::float8 * interval '1 second', start_after)
    where name = ${name} and id = ${id} and state = 'retry'`.execute(engine.db);
}

async function failureOf(action: () => Promise<void>): Promise<unknown> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return error ?? new Error('the handler threw nothing');
  }
}

/** Says that our items live, and frees those whose process has not said so for 10 s. */
async function tick({ engine, name, log }: Work, running: readonly Job[]): Promise<void> {
  const failure = await failureOf(async () => {
    if (running.length > 0) await engine.boss.touch(name, [...running]);
    // pg-boss does this too, but once a minute, and adds the delay of a failure. Policy and state as written use its unique index.
    await sql`update pgboss.job set state = 'retry', start_after = now()
      where name = ${name} and state = 'active' and policy = ${QUEUE_OPTIONS.policy}
      and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`.execute(engine.db);
  });
  if (failure !== undefined) log.error({ err: failure, queue: name }, 'queue: no heartbeat; trying again');
}

async function giveBack({ engine, name, log, givenBack }: Work, left: readonly Job[]): Promise<void> {
  if (left.length === 0) return;
  for (const job of left) givenBack.add(job);
  log.warn({ queue: name, items: left.length }, 'queue: stopped while items were running; they run again');
  await engine.boss.fail(name, [...left], { message: 'given back: the process stopped' });
}
