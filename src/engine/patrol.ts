/** The patrol: round after round, in one process at a time, it looks for what was missed and puts away what is old. */
import type { Logger } from 'pino';
import type { Ports } from '../ports.ts';

export interface PatrolStep {
  /** Said when it fails: `<what> failed, and is tried again in 30 s`. */
  readonly what: string;
  readonly take: () => Promise<void>;
}

export interface PatrolOptions {
  readonly ports: { readonly store: Pick<Ports['store'], 'leads'> };
  readonly steps: readonly PatrolStep[];
  readonly everyMs: number;
  readonly log: Logger;
}

/**
 * Goes round now, and again `everyMs` after each round has ended, so a GitHub that does not answer delays rounds instead of piling them up. Where several
 * processes share a database, the one that leads goes. A step that fails keeps no other back.
 */
export function startPatrol({ ports, steps, everyMs, log }: PatrolOptions): { close(): Promise<void> } {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const attempt = async (what: string, take: () => Promise<void>): Promise<void> => {
    if (closed) return;
    await take().catch((error: unknown) => {
      if (!closed) log.warn(`${what} failed, and is tried again in ${everyMs / 1000} s: ${String(error)}`);
    });
  };
  const round = async (): Promise<void> => {
    await attempt('going round', async () => {
      if (await ports.store.leads()) for (const { what, take } of steps) await attempt(what, take);
    });
    if (!closed) timer = setTimeout(next, everyMs).unref();
  };
  let going = Promise.resolve();
  const next = (): void => {
    going = round();
  };
  next();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      void going;
    },
  };
}
