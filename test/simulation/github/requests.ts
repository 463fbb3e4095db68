/** How requests of the App fare: how long they take, which of them fail, how many they are. */
import { GoneError, RelocatedError, UnansweredError } from '../../../src/errors.ts';
import type { RepositoryRef } from '../../../src/github/github-port.ts';
import type { Life } from '../world/scheduler.ts';
import type { Hub } from './hub.ts';

export interface Requested<Value> {
  /** `POST /repos/…/comments`, for the error. */
  readonly what: string;
  readonly count: number;
  readonly writes: boolean;
  /** How often it gets no answer, where that is another thing than with other writes. */
  readonly unanswered?: number;
  readonly perform: () => Value;
}

/** Requests by quarters of an hour, of the whole installation. */
export type RequestCount = Map<number, number>;

export const QUARTER_MS = 15 * 60_000;

export interface Wire {
  readonly request: <Value>(target: RepositoryRef | undefined, requested: Requested<Value>) => Promise<Value>;
  readonly requests: RequestCount;
}

/** The way of one process to GitHub. What arrived there is done, even when the process is killed meanwhile. */
export function createWire(hub: Hub, life: Life, requests: RequestCount): Wire {
  const { scheduler, random, odds } = hub;
  const travel = (count: number): number => count * (40 + random.around(90));
  return {
    requests,
    request(target, { what, count, writes, unanswered: silent = odds.unanswered, perform }) {
      return new Promise((resolve, reject) => {
        const answer = (delayMs: number, settle: () => void): void => scheduler.after(delayMs, settle, life);
        scheduler.after(travel(count), () => {
          count_(requests, scheduler.nowMs(), target === undefined ? 0 : count);
          const problem = problemOf(hub, target, { what, writes });
          if (problem !== undefined) return answer(4000, () => reject(problem));
          const unanswered = writes && !hub.calm && random.chance(silent);
          const silentMs = 2000 + random.around(12_000);
          if (unanswered && random.chance(0.5)) return answer(silentMs, () => reject(noAnswer(what)));
          try {
            const value = perform();
            if (unanswered) answer(silentMs, () => reject(noAnswer(what)));
            else answer(30 + random.around(80), () => resolve(value));
          } catch (error) {
            answer(50, () => reject(error));
          }
        });
      });
    },
  };
}

function count_(requests: RequestCount, nowMs: number, count: number): void {
  const quarter = Math.floor(nowMs / QUARTER_MS);
  requests.set(quarter, (requests.get(quarter) ?? 0) + count);
}

function problemOf(
  hub: Hub,
  target: RepositoryRef | undefined,
  { what, writes }: { readonly what: string; readonly writes: boolean },
): Error | undefined {
  const { repository, scheduler, random, odds, calm } = hub;
  if (scheduler.nowMs() < hub.outageUntilMs || (!calm && random.chance(odds.fails)))
    return new UnansweredError(`GitHub answered 502 to ${what}: Server Error`, { status: 502 });
  // Reads under a former name go on by the id, which costs a request more.
  if (writes && target !== undefined && target.repo !== repository.name)
    return new RelocatedError(`${what} was not sent: the repository has moved`);
  return undefined;
}

function noAnswer(what: string): Error {
  return new UnansweredError(`${what} got no answer in 4 tries: fetch failed`);
}

export function notFound(what: string): GoneError {
  return new GoneError(`GitHub answered 404 to ${what}: Not Found`, { status: 404 });
}

export function gone(what: string): GoneError {
  return new GoneError(`GitHub answered 410 to ${what}: This issue was deleted`, { status: 410 });
}
