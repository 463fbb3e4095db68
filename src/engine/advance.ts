/** Runs loops: save what was decided, perform it, decide again on what came back. */
import type { Logger } from 'pino';
import { ConflictError, RetryError, UnreadableError } from '../errors.ts';
import type { ModelCall } from '../loop/brief.ts';
import { decide, settle } from '../loop/decide.ts';
import { type Effect, type EffectLane, effectLane, laneOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import { type Decision, type Loop, newLoop } from '../loop/loop.ts';
import { holdsSlot } from '../loop/slots.ts';
import { idOf, type LoopRef, nameOf, type Withheld } from '../loop/terms.ts';
import type { Change, Ports, Source, Store, Tries } from '../ports.ts';
import { nextEffect, REST_SECONDS } from './next-effect.ts';
import { type Outcome, perform } from './perform.ts';

type Saving = Pick<Ports, 'store' | 'slots'>;
type Answer = Awaited<ReturnType<Store['save']>> | 'unchanged';

/** Applies one event to one loop and queues what follows from it, all in one transaction. An event that does not apply changes nothing. */
export function apply(ref: LoopRef, event: Event, ports: Saving): Promise<Answer> {
  return update(ref, ports, { event, settled: undefined, source: undefined }, decideOn);
}

/** Applies an event unless the loop's log has its source already: a delivery is taken in again when the process died after it was applied. */
export function applyOnce(ref: LoopRef, event: Event, source: Source, ports: Saving): Promise<Answer> {
  return update(ref, ports, { event, settled: undefined, source }, decideOn);
}

/** One lane of a loop that was woken, and how often this waking was tried. */
export interface Waking {
  readonly loopId: string;
  readonly lane: EffectLane;
  readonly tries: Tries;
}

/**
 * Performs the pending effects of one lane, in order, until none is left. Called by the queue, one at a time per loop and lane.
 * @throws {RetryError} when an effect is to be tried again; the queue does so.
 */
export async function work(waking: Waking, ports: Ports, log: Logger): Promise<void> {
  const { loopId, lane } = waking;
  for (;;) {
    const next = await step(waking, ports, log);
    if (next === 'done') return;
    if (next !== 'on') return ports.queue.send({ type: 'wake', loopId, lane }, next);
  }
}

/** Performs one effect, where there is one; gives the seconds after which the lane is to be woken again, where it is not to go on here. */
async function step({ loopId, lane, tries }: Waking, ports: Ports, log: Logger): Promise<'on' | 'done' | number> {
  const stored = await ports.store.load(loopId);
  if (stored === undefined) return 'done';
  const { loop } = stored;
  if (lane === 'work' && (await countLost(loop, ports))) return 'on';
  const effect = nextEffect(loop, lane, ports.clock.now);
  if (effect === undefined) return 'done';
  if (effect === 'rests') return REST_SECONDS;
  const outcome = await perform(effect, { loop, ports, tries: triesOf(effect, tries) });
  await settleWith(outcome, { effect, loop }, ports, log);
  // The next effect begins with a first try of its own.
  return tries.attempt > 1 ? 0 : 'on';
}

/**
 * Tells the loop of the calls of a process that was killed over its work: before anything else is begun, because only then is it known what is left,
 * and also when nothing is, because somebody may have stopped it meanwhile.
 */
async function countLost({ ref }: Loop, ports: Ports): Promise<boolean> {
  const calls = await ports.store.untold(idOf(ref));
  if (calls.length === 0) return false;
  const at = ports.clock.now().toISOString();
  return (await apply(ref, { type: 'paid', at, calls: [...calls] }, ports)) === 'saved';
}

/** What tries are counted for: an effect by its key; of boards only the newest is shown, so that they are one. */
function subjectOf({ type, key }: Effect): string {
  return type === 'show' ? type : key;
}

/** Failures of an effect that was withdrawn meanwhile are not those of the one after it. */
function triesOf(effect: Effect, tries: Tries): Tries {
  return tries.of === undefined || tries.of === subjectOf(effect) ? tries : { ...tries, failed: {} };
}

interface Performed {
  readonly effect: Effect;
  /** As it was when the effect was begun. */
  readonly loop: Loop;
}

async function settleWith(outcome: Outcome, { effect, loop }: Performed, ports: Ports, log: Logger): Promise<void> {
  switch (outcome.type) {
    case 'again':
      await payFor(outcome.calls, loop, ports);
      throw new RetryError(`${effect.type} of ${nameOf(loop.ref)}`, outcome.error, {
        ...outcome,
        of: subjectOf(effect),
      });
    case 'relocated':
      throw new RetryError(`${effect.type} of ${nameOf(loop.ref)}`, outcome.error, {
        seconds: await relocate(loop, ports),
      });
    case 'withheld':
      await payFor(outcome.calls, loop, ports);
      return withhold(outcome, { effect, loop }, ports, log);
    case 'settled':
      if (outcome.dropped !== undefined)
        log.warn({ loop: nameOf(loop.ref), effect: effect.type }, `an effect was dropped: ${outcome.dropped}`);
      await settleAs(outcome.event, { effect, loop }, ports).catch(async (error: unknown) => {
        if (!(error instanceof UnreadableError)) throw error;
        log.error({ loop: nameOf(loop.ref), effect: effect.type, err: error }, 'what came of an effect is not saved');
        await settleAs(failedFor(error, effect, ports), { effect, loop }, ports);
      });
  }
}

async function payFor(calls: readonly ModelCall[], { ref }: Loop, ports: Ports): Promise<void> {
  if (calls.length === 0) return;
  await apply(ref, { type: 'paid', at: ports.clock.now().toISOString(), calls: [...calls] }, ports);
}

/** The loop waits with what it has: where nothing can be written as a whole, else with the lane that was refused. */
async function withhold(
  { reason, isWhole, since }: Withheld,
  { effect, loop }: Performed,
  ports: Ports,
  log: Logger,
): Promise<void> {
  const lanes = isWhole ? [...effectLane.options] : [laneOf(effect)];
  const at = since ?? ports.clock.now().toISOString();
  await apply(loop.ref, { type: 'withheld', at, reason, lanes }, ports);
  if (loop.withheld?.reason !== reason)
    log.warn({ loop: nameOf(loop.ref), effect: effect.type }, `it waits: ${reason}`);
}

function settleAs(event: Event | undefined, { effect, loop }: Performed, ports: Ports): Promise<Answer> {
  return update(loop.ref, ports, { event, settled: effect.key, source: undefined }, (current, told) =>
    settle(current, effect.key, told),
  );
}

/** Performing it again would end the same, and be paid for again: the entry failed, where the effect belongs to one. */
function failedFor(error: UnreadableError, effect: Effect, { clock }: Ports): Event | undefined {
  if (!('entry' in effect)) return undefined;
  const reason = `Loopwright itself failed: ${error.message}`;
  return { type: 'failed', at: clock.now().toISOString(), entry: effect.entry, cause: 'setup', reason, calls: [] };
}

/** While no installation has the repository, though GitHub says that nothing is withheld, it is asked for so often. */
const AWAY_SECONDS = 600;

/** Finds the repository by its id and tells the loop where it is; gives the seconds after which the effect is tried again. */
async function relocate({ ref }: Loop, ports: Ports): Promise<number> {
  const found = await ports.github.locate(ref);
  if (found === undefined) return AWAY_SECONDS;
  const { installationId, owner, repo } = found;
  await apply(ref, { type: 'relocated', at: ports.clock.now().toISOString(), installationId, owner, repo }, ports);
  return 0;
}

const MAX_SAVES = 20;

type Made = Pick<Change, 'event' | 'settled' | 'source'>;
type Deciding = (loop: Loop, event: Event | undefined) => Decision;

const decideOn: Deciding = (loop, event) => (event === undefined ? { loop, effects: [] } : decide(loop, event));

/** Loads, changes and saves; starts over when another process saved first, so `deciding` must be pure. */
async function update(ref: LoopRef, ports: Saving, made: Made, deciding: Deciding): Promise<Answer> {
  for (let saves = 1; saves <= MAX_SAVES; saves += 1) {
    const answer = await tryUpdate(ref, ports, made, deciding);
    if (answer !== 'conflict') return answer;
  }
  throw new ConflictError(
    `loop ${idOf(ref)} was saved by others ${MAX_SAVES} times in a row; the effect is tried again later`,
  );
}

async function tryUpdate(
  ref: LoopRef,
  { store, slots }: Saving,
  given: Made,
  deciding: Deciding,
): Promise<Answer | 'conflict'> {
  const stored = await store.load(idOf(ref));
  const before = stored?.loop ?? newLoop(ref);
  // After the loop was loaded: who counts a call later than this saves the loop, and this save is in conflict with theirs.
  const made = { ...given, event: given.event && (await withoutCounted(given.event, idOf(ref), store)) };
  const { loop } = deciding(before, made.event);
  if (loop === before) return 'unchanged';
  try {
    return await store.save({
      loop,
      expectedVersion: stored?.version ?? 0,
      ...made,
      wakes: lanesOf(loop),
      freesSlot: holdsSlot(before) && !holdsSlot(loop),
      admission: holdsSlot(before) || !holdsSlot(loop) ? undefined : { limits: slots, queued: queuedOf(loop, made) },
    });
  } catch (error) {
    if (error instanceof ConflictError) return 'conflict';
    throw error;
  }
}

/** The event without calls that the loop was told of already, by a process that took this one's place while it still lived. */
async function withoutCounted(event: Event, loopId: string, store: Store): Promise<Event> {
  if (!('calls' in event) || event.calls.every(({ id }) => id === undefined)) return event;
  const untold = new Set((await store.untold(loopId)).map(({ id }) => id));
  return { ...event, calls: event.calls.filter(({ id }) => id === undefined || untold.has(id)) };
}

/** What is saved where there is no free slot; what is queued already stays so as it is. */
function queuedOf(loop: Loop, { event }: Made): NonNullable<Change['admission']>['queued'] {
  if (event === undefined || event.type === 'admitted') return undefined;
  const queued: Event = { type: 'queued', at: event.at };
  const decided = decide(loop, queued).loop;
  return { loop: decided, event: queued, wakes: lanesOf(decided) };
}

function lanesOf({ pending }: Loop): readonly EffectLane[] {
  return [...new Set(pending.map(laneOf))];
}
