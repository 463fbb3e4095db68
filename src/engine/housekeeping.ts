/** Housekeeping: the step of the patrol that puts away what is no longer needed. */
import type { Ports } from '../ports.ts';

const DAY_MS = 24 * 3600_000;
const EVERY_MS = 3600_000;

/** Makes the step: it acts once an hour, however often it is taken. */
export function createHousekeeping(
  ports: Pick<Ports, 'store' | 'workspace' | 'clock' | 'keepDays'>,
): () => Promise<void> {
  const { keepDays } = ports;
  let actedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = ports.clock.now().getTime();
    if (nowMs - actedMs < EVERY_MS) return;
    const before = (count: number) => new Date(nowMs - count * DAY_MS).toISOString();
    await ports.store.forget({
      deliveriesBefore: before(keepDays.deliveries),
      logsBefore: before(keepDays.logs),
      blobsBefore: before(keepDays.blobs),
    });
    await ports.workspace.forget(before(keepDays.commits));
    actedMs = nowMs;
  };
}
