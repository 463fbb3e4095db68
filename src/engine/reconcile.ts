/** Finds what was missed while the App was down: pending effects and runs that ended unheard. Lost webhooks are sweep.ts's. */

import { EFFECT_LANES } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { apply } from './advance.ts';

/**
 * Wakes every open loop and asks GitHub about each run that is still awaited. Repeating it is harmless.
 * @throws {AggregateError} when GitHub did not answer for some loops; the others were looked after.
 */
export async function reconcile(ports: Ports): Promise<void> {
  const failures: unknown[] = [];
  for (const { loop } of await ports.store.list({ open: true })) {
    for (const lane of new Set(loop.pending.map(({ type }) => EFFECT_LANES[type]))) {
      await ports.queue.send({ type: 'wake', loopId: idOf(loop.ref), lane });
    }
    await askForRun(loop, ports).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

async function askForRun(loop: Loop, { github, store, clock }: Ports): Promise<void> {
  const awaited = loop.built.run;
  if (awaited === undefined || loop.status !== 'working' || awaited.entry !== loop.entry) return;
  const run = await github.run(loop.ref, awaited.id);
  if (run.status !== 'completed') return;
  await apply(
    loop.ref,
    { type: 'completed', at: clock.now().toISOString(), runId: run.id, conclusion: run.conclusion ?? 'unknown' },
    store,
  );
}
