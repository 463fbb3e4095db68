/** A runner that is busy until a test says otherwise: a run has begun, and none of its steps has. */
import type { WorkflowExecution } from '../../src/local/actions/workflow-types.ts';
import { executeHere } from '../local/workflow-kit.ts';

export interface HeldRuns {
  readonly execute: typeof executeHere;
  /** From now on runs of this workflow file wait. */
  readonly hold: (file: string) => void;
  /** Those that wait go on, and others no longer wait. */
  readonly release: (file: string) => void;
}

export function createHeldRuns(): HeldRuns {
  const held = new Map<string, PromiseWithResolvers<void>>();
  return {
    hold: (file) => void held.set(file, Promise.withResolvers()),
    release: (file) => {
      held.get(file)?.resolve();
      held.delete(file);
    },
    async execute(request: WorkflowExecution) {
      const waiting = [...held].find(([file]) => request.path.endsWith(`/${file}`))?.[1];
      if (waiting !== undefined) await Promise.race([waiting.promise, aborted(request.signal)]);
      return executeHere(request);
    },
  };
}

/** A run that is cancelled while it waits ends at once. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
