/** The last events of a world, for whoever reads a failure. */
import type { Loop } from '../../../src/loop/loop.ts';
import { nameOf } from '../../../src/loop/terms.ts';
import type { Queued } from '../app/memory-queue.ts';
import type { SavedChange } from '../app/memory-store.ts';
import type { Scheduler } from './scheduler.ts';

export interface Trace {
  readonly note: (text: string) => void;
  readonly saved: (before: Loop | undefined, after: Loop, change: SavedChange) => void;
  readonly failed: (queued: Queued, error: unknown) => void;
  readonly lines: () => readonly string[];
}

const KEPT = 5000;

export function createTrace(scheduler: Scheduler): Trace {
  const kept: (() => string)[] = [];
  const add = (text: () => string): void => {
    const at = scheduler.now().toISOString().slice(8, 19).replace('T', ' ');
    kept.push(() => `${at} ${text()}`);
    if (kept.length > 2 * KEPT) kept.splice(0, KEPT);
  };
  return {
    note: (text) => add(() => text),
    saved: (_, after, { event, settled }) =>
      add(() => {
        const why = [event?.type, settled === undefined ? undefined : `settled ${settled}`].filter(Boolean).join(', ');
        const detail =
          event?.type === 'commanded'
            ? ` /${event.command}`
            : event?.type === 'failed'
              ? ` ${event.cause}: ${event.reason.slice(0, 120)}`
              : '';
        return `${nameOf(after.ref)} ${after.phase} ${after.status}${after.waitingFor === undefined ? '' : ` for ${after.waitingFor}`} (${why}${detail})`;
      }),
    failed: ({ item, attempt }, error) =>
      add(() => `${JSON.stringify(item)} failed in try ${attempt}: ${String(error).slice(0, 900)}`),
    lines: () => kept.slice(-KEPT).map((line) => line()),
  };
}
