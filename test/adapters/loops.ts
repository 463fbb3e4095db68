/** Loops, events and saves for tests. */
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import type { LoopRef } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';

type Change = Parameters<Store['save']>[0];

export function loopOf(ref: Partial<LoopRef> = {}, changes: Partial<Loop> = {}): Loop {
  const whole = {
    installationId: 1,
    repositoryId: 9_007_199_254,
    owner: 'acme',
    repo: 'shop',
    issue: 12,
    n: 1,
    ...ref,
  };
  return { ...newLoop(whole), ...changes };
}

export function elapsed(entry: number): Event {
  return { type: 'elapsed', at: '2030-01-02T03:04:05Z', entry, timer: 'run' };
}

export function saveOf(loop: Loop, expectedVersion: number, rest: Partial<Change> = {}): Change {
  return { loop, expectedVersion, event: undefined, settled: undefined, wakes: [], ...rest };
}
