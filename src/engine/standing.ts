/** Loops whose repository the App may not work in for now: what they are told of it, and the step of the patrol that looks whether it may again. */
import { GoneError, WithheldError } from '../errors.ts';
import { effectLane } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { LoopRef, Withheld } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { apply } from './advance.ts';
import { endOfRun } from './reconcile.ts';

/** Webhooks tell that a right is back; where none came, GitHub is asked so often, for each repository. */
const LOOK_MS = 600_000;
/** More than there will ever be at once. */
const MOST = 10_000;

/** Takes in what people said and did while GitHub told nothing of it. */
export type HearMeanwhile = (loop: Loop) => Promise<void>;

/**
 * What a loop hears where the rights of the App are so: that it waits, or that it goes on, and then how the run ended of whose end nobody told it meanwhile.
 * What people said is heard before that, and before it goes on with a part of its work.
 */
export async function newsOf(
  loop: Loop,
  { withheld, at }: { readonly withheld: Withheld | undefined; readonly at: string },
  { github, hearMeanwhile }: Pick<Ports, 'github'> & { readonly hearMeanwhile: HearMeanwhile },
): Promise<readonly Event[]> {
  if (withheld !== undefined) {
    const { reason, isWhole, since = at } = withheld;
    const goesOn = !isWhole && (!isHeldWhole(loop) || (await isHeard(loop, hearMeanwhile)));
    return [{ type: 'withheld', at: since, reason, lanes: goesOn ? [] : [...effectLane.options] }];
  }
  if (loop.withheld === undefined) return [];
  await hearMeanwhile(loop);
  const ended = await endOfRun(loop, { github }, at).catch(unlessDeleted);
  return [{ type: 'regained', at }, ...(ended === undefined ? [] : [ended])];
}

/** Whether it waits with all that it has, and was told nothing perhaps. */
function isHeldWhole({ withheld }: Loop): boolean {
  return withheld?.lanes.length === effectLane.options.length;
}

/** Whether what people said is known; the right that is missing may be the one to read it. */
async function isHeard(loop: Loop, hearMeanwhile: HearMeanwhile): Promise<boolean> {
  try {
    await hearMeanwhile(loop);
    return true;
  } catch (error) {
    if (!(error instanceof WithheldError)) throw error;
    return false;
  }
}

/** Of a run that somebody deleted meanwhile nobody tells the end any more; the loop goes on, and its own timer finds that. */
function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof GoneError)) throw error;
}

/** Makes the step: a repository is looked at in the first round, and then every ten minutes while a loop of it waits. */
export function createRegaining(ports: Ports, hearMeanwhile: HearMeanwhile): () => Promise<void> {
  const looking: Looking = { ...ports, hearMeanwhile };
  let seenMs: ReadonlyMap<number, number> | undefined;
  return async () => {
    const nowMs = ports.clock.now().getTime();
    const known = seenMs;
    const sinceMs = (id: number): number => (known === undefined ? nowMs - LOOK_MS : (known.get(id) ?? nowMs));
    const isDue = (id: number): boolean => nowMs - sinceMs(id) >= LOOK_MS;
    const waiting = await waitingIn(ports);
    seenMs = new Map([...waiting.keys()].map((id) => [id, isDue(id) ? nowMs : sinceMs(id)]));
    const looks = [...waiting].filter(([id]) => isDue(id)).map(([, ref]) => lookAt(ref, looking));
    const looked = await Promise.allSettled(looks);
    throwAll(looked.flatMap((look) => (look.status === 'rejected' ? [look.reason] : [])));
  };
}

type Looking = Ports & { readonly hearMeanwhile: HearMeanwhile };

/** @throws {AggregateError} where there are any. */
function throwAll(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '));
}

/** A place of each repository in which a loop waits. */
async function waitingIn({ store }: Pick<Ports, 'store'>): Promise<ReadonlyMap<number, LoopRef>> {
  const waiting = await store.overview({ withheld: true, limit: MOST });
  return new Map(waiting.map(({ ref }) => [ref.repositoryId, ref]));
}

async function lookAt(ref: LoopRef, ports: Looking): Promise<void> {
  const withheld = await ports.github.withheld(ref);
  const place = withheld?.isWhole === true ? undefined : await ports.github.locate(ref);
  const at = ports.clock.now().toISOString();
  const here = await ports.store.overview({ repositoryId: ref.repositoryId, withheld: true, limit: MOST });
  const failures: unknown[] = [];
  // What keeps one from going on keeps no other.
  for (const { id } of here)
    await tell(id, { withheld, at, place }, ports).catch((error: unknown) => failures.push(error));
  throwAll(failures);
}

interface Found {
  readonly withheld: Withheld | undefined;
  readonly at: string;
  /** Where the repository is now. */
  readonly place: Pick<LoopRef, 'installationId' | 'owner' | 'repo'> | undefined;
}

/** With a former installation nothing can be asked, so the place is told first. */
async function tell(id: string, { place, ...found }: Found, ports: Looking): Promise<void> {
  const stored = await ports.store.load(id);
  if (stored === undefined) return;
  const ref = { ...stored.loop.ref, ...place };
  if (place !== undefined && isElsewhere(stored.loop.ref, place))
    await apply(ref, { type: 'relocated', at: found.at, ...place }, ports);
  for (const event of await newsOf({ ...stored.loop, ref }, found, ports)) await apply(ref, event, ports);
}

function isElsewhere(known: LoopRef, { installationId, owner, repo }: NonNullable<Found['place']>): boolean {
  return known.installationId !== installationId || known.owner !== owner || known.repo !== repo;
}
