/** Finds what was missed while the App was down: pending effects, runs that ended unheard, deliveries that nobody takes in. Lost webhooks are sweep.ts's. */
import type { Ports } from '../ports.ts';
import { apply } from './advance.ts';

/**
 * Wakes what has something to do and asks GitHub about each run that is still awaited. Repeating it is harmless.
 * @throws {AggregateError} when GitHub did not answer for some loops; the others were looked after.
 */
export async function reconcile(ports: Ports): Promise<void> {
  const { store, queue } = ports;
  const unfinished = await store.unfinished();
  for (const { id, lanes } of unfinished)
    for (const lane of lanes) await queue.send({ type: 'wake', loopId: id, lane });
  for (const { proof } of await store.openPullProofs())
    await queue.send({ type: 'prove', repositoryId: proof.repositoryId, pull: proof.pull });
  const at = ports.clock.now().toISOString();
  for (const { repositoryId, dueAt } of await store.unreadRepositories())
    if (dueAt <= at) await queue.send({ type: 'intake', repositoryId });
  const failures: unknown[] = [];
  for (const { id } of unfinished.filter(({ awaitsRun }) => awaitsRun))
    await askForRun(id, ports).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

async function askForRun(loopId: string, ports: Ports): Promise<void> {
  const loop = (await ports.store.load(loopId))?.loop;
  const awaited = loop?.built.run;
  if (loop === undefined || awaited === undefined || loop.status !== 'working' || awaited.entry !== loop.entry) return;
  const run = await ports.github.run(loop.ref, awaited.id);
  if (run.status !== 'completed') return;
  await apply(
    loop.ref,
    {
      type: 'completed',
      at: ports.clock.now().toISOString(),
      runId: run.id,
      conclusion: run.conclusion ?? 'unknown',
    },
    ports,
  );
}
