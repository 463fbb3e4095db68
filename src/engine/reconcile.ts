/** Finds what was missed while the App was down: pending effects, runs that ended unheard, deliveries that nobody takes in. Lost webhooks are sweep.ts's. */
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { apply } from './advance.ts';

/** Webhooks tell when a run has ended, and those that did not arrive are looked for; without either it is asked about so often. */
const RUN_MS = 300_000;

/**
 * Makes the step of the patrol. The first round asks about every run that is awaited, because its end may have been told while nobody listened; later ones
 * about those that it was not asked about for five minutes.
 */
export function createReconciler(ports: Ports): () => Promise<void> {
  let seenMs: ReadonlyMap<string, number> | undefined;
  return async () => {
    const nowMs = ports.clock.now().getTime();
    const next = new Map<string, number>();
    await reconcile(ports, (run) => {
      const sinceMs = seenMs === undefined ? undefined : (seenMs.get(run) ?? nowMs);
      const isDue = sinceMs === undefined || nowMs - sinceMs >= RUN_MS;
      next.set(run, isDue ? nowMs : sinceMs);
      return isDue;
    });
    // Where GitHub did not answer, the next round asks again.
    seenMs = next;
  };
}

/**
 * Wakes what has something to do and asks GitHub about each run that is still awaited, as far as it is due. Repeating it is harmless.
 * @throws {AggregateError} when GitHub did not answer for some loops; the others were looked after.
 */
export async function reconcile(ports: Ports, isDue: (run: string) => boolean = () => true): Promise<void> {
  const { store, queue } = ports;
  const unfinished = await store.unfinished();
  for (const { id, lanes } of unfinished)
    for (const lane of lanes) await queue.send({ type: 'wake', loopId: id, lane });
  await wakeProofs(ports, isDue);
  await wakeOnboardings(ports, isDue);
  const at = ports.clock.now().toISOString();
  for (const { repositoryId, dueAt } of await store.unreadRepositories())
    if (dueAt <= at) await queue.send({ type: 'intake', repositoryId });
  const failures: unknown[] = [];
  for (const { id } of unfinished.filter(({ awaitsRun }) => awaitsRun))
    await askForRun(id, ports, isDue).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

/** A step that has not begun is taken; a run is asked about where it is due. */
async function wakeProofs({ store, queue }: Ports, isDue: (run: string) => boolean): Promise<void> {
  const open = (await store.openPullProofs()).map(({ proof }) => proof);
  for (const { repositoryId, pull, serial, stage } of open)
    if (stage !== 'running' || isDue(`${repositoryId}/${pull}/${serial}`))
      await queue.send({ type: 'prove', repositoryId, pull });
}

async function wakeOnboardings({ store, queue }: Ports, isDue: (run: string) => boolean): Promise<void> {
  for (const { onboarding } of await store.openOnboardings()) {
    const { repositoryId, trials, run } = onboarding;
    if (run === undefined || isDue(`${repositoryId}/setup/${trials}`))
      await queue.send({ type: 'onboard', repositoryId });
  }
}

/** While the App may not work in a repository, it is not asked for what runs there either. */
async function askForRun(loopId: string, ports: Ports, isDue: (run: string) => boolean): Promise<void> {
  const loop = (await ports.store.load(loopId))?.loop;
  const awaited = loop && awaitedBy(loop);
  if (loop === undefined || awaited === undefined || loop.withheld?.lanes.includes('work') === true) return;
  if (!isDue(`${loopId}/${awaited}`)) return;
  const ended = await endOfRun(loop, ports, ports.clock.now().toISOString());
  if (ended !== undefined) await apply(loop.ref, ended, ports);
}

/** The id of the run that the loop waits for. */
function awaitedBy({ status, entry, built: { run } }: Loop): number | undefined {
  return status === 'working' && run?.entry === entry ? run.id : undefined;
}

/** The end of the run that a loop waits for; undefined while it runs, and where it waits for none. */
export async function endOfRun(loop: Loop, { github }: Pick<Ports, 'github'>, at: string): Promise<Event | undefined> {
  const awaited = awaitedBy(loop);
  if (awaited === undefined) return undefined;
  const { id: runId, status, conclusion = 'unknown' } = await github.run(loop.ref, awaited);
  return status === 'completed' ? { type: 'completed', at, runId, conclusion } : undefined;
}
