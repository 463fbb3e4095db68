/** Ctrl-C, SIGTERM and a terminal that hangs up: the first asks to stop, a later one does not wait. */
import { once } from 'node:events';

/** npm hands a terminal's Ctrl-C on, so that one press may arrive twice. */
const ONE_PRESS_MS = 1000;

/** Conventional exit code of a program that was ended by SIGINT. */
export const INTERRUPTED = 130;

/** What is said at once, as ending everything may take some seconds. */
export const STOPPING = '\nStopping…';

/**
 * Aborted by the first signal, which is told at once; a second one, later than the same press can arrive, ends this process at once, after `unended` was
 * called. That a terminal hangs up may be said several times, and is nobody's second press.
 */
export function interruption(told: () => void, unended: () => void = () => undefined): AbortSignal {
  const controller = new AbortController();
  let firstMs: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (firstMs !== undefined && signal !== 'SIGHUP' && Date.now() - firstMs > ONE_PRESS_MS) {
      unended();
      process.exit(INTERRUPTED);
    }
    if (firstMs !== undefined) return;
    firstMs = Date.now();
    told();
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return controller.signal;
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
