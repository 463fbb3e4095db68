/** Loops, events and saves for tests. */
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop, type Review, type Started } from '../../src/loop/loop.ts';
import type { LoopRef } from '../../src/loop/terms.ts';
import type { Store } from '../../src/ports.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;

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

/** What a label brings, on this branch of the loop. */
export function startedOn(branch: string): Started {
  const by = { id: 7, login: 'alice', type: 'User' } as const;
  return {
    at: '2030-01-02T03:04:05Z',
    by,
    issue: { title: 'Filter items', body: '', author: by },
    base: { branch: 'main', sha: 'b'.repeat(40) },
    config: { digest: DIGEST },
    lane: 'feature',
    branch,
    limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
  };
}

/** What the first packet brings, in this pull request. */
export function reviewIn(pull: number): Review {
  const packet = { entry: 4, digest: DIGEST, commentId: 90, publishedAt: '2030-01-02T03:04:05Z' };
  return { pull, nodeId: `PR_${pull}`, head: 'a'.repeat(40), packet };
}

export function elapsed(entry: number): Event {
  return { type: 'elapsed', at: '2030-01-02T03:04:05Z', entry, timer: 'run', key: `${entry}/wait/run` };
}

export function saveOf(loop: Loop, expectedVersion: number, rest: Partial<Change> = {}): Change {
  return { loop, expectedVersion, event: undefined, settled: undefined, wakes: [], ...rest };
}
