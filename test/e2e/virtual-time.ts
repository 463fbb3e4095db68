/** Time that a test moves, for GitHub and App alike: an hour of SHIP passes in seconds. Runs, retries and HTTP keep to the machine's time. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { reconcile } from '../../src/engine/reconcile.ts';
import { LimitedError, RetryError } from '../../src/errors.ts';
import { isHeard } from '../../src/intake/payloads.ts';
import { createSweep } from '../../src/intake/sweep.ts';
import type { Ports, Queue, QueueItem } from '../../src/ports.ts';

export interface VirtualTime {
  readonly now: () => Date;
  /** Keeps the timers of the checks until the virtual time has come to them; all else goes to the real queue at once. */
  readonly queue: (real: Queue) => Queue;
  /** When the next kept timer is due, in milliseconds; undefined where none is kept. */
  readonly nextTimerMs: () => number | undefined;
  /** Moves both clocks to a moment, and hands over the timers that are due by then. */
  readonly moveTo: (moment: number, githubUrl: string) => Promise<void>;
}

interface Kept {
  readonly item: QueueItem;
  readonly dueMs: number;
}

export function createVirtualTime(): VirtualTime {
  let offsetMs = 0;
  let kept: readonly Kept[] = [];
  let send: Queue['send'] | undefined;
  const now = (): Date => new Date(Date.now() + offsetMs);
  return {
    now,
    queue: (real) => {
      send = (item) => real.send(item);
      return {
        ...real,
        send: async (item, delaySeconds) => {
          if (item.type !== 'elapse' || item.timer !== 'checks') return real.send(item, delaySeconds);
          kept = [...kept, { item, dueMs: now().getTime() + (delaySeconds ?? 0) * 1000 }];
        },
      };
    },
    nextTimerMs: () => (kept.length === 0 ? undefined : Math.min(...kept.map(({ dueMs }) => dueMs))),
    moveTo: async (moment, githubUrl) => {
      offsetMs += Math.max(0, moment - now().getTime());
      await fetch(`${githubUrl}/_local/clock`, { method: 'POST', body: JSON.stringify({ offsetMs }) });
      const due = kept.filter(({ dueMs }) => dueMs <= now().getTime());
      kept = kept.filter((one) => !due.includes(one));
      for (const { item } of due) await send?.(item);
    },
  };
}

/** The machine's time in which nothing that is tried again waits for more than a second; for one of GitHub's limits the time moves on, there and here. */
export function createHurriedTime(githubUrl: () => string): Pick<VirtualTime, 'now' | 'queue'> {
  const { now, moveTo } = createVirtualTime();
  const hurried = async (error: unknown): Promise<unknown> => {
    if (!(error instanceof RetryError)) return error;
    const { kind, of, cause } = error;
    if (cause instanceof LimitedError) await moveTo(now().getTime() + cause.seconds * 1000, githubUrl());
    return new RetryError('It', cause, { kind, of, seconds: 1 });
  };
  return {
    now,
    queue: (real) => ({
      ...real,
      start: (handle) =>
        real.start((item, tries) =>
          handle(item, tries).catch(async (error: unknown) => Promise.reject(await hurried(error))),
        ),
    }),
  };
}

/** The steps of the App's patrol that speak to GitHub, to be taken whenever 30 virtual seconds have passed. */
export function createPatrol(ports: Ports): () => Promise<void> {
  const sweep = createSweep({ ports, isHeard, log: pino({ level: 'silent' }) });
  return async () => {
    await reconcile(ports);
    await sweep();
  };
}

/** Gives a repository the quiet time that is there by default; the demo's own is short. */
export async function patientWithChecks(path: string): Promise<void> {
  const file = join(path, '.github', 'loopwright.yml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/checksQuietSeconds: \d+/, 'checksQuietSeconds: 120'));
}
