/** Ends a run that nobody awaits any more. */
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';

export async function cancel({ runId }: EffectOf<'cancel'>, { ref }: Loop, { github }: Ports): Promise<undefined> {
  await github.cancelRun(ref, runId);
}
