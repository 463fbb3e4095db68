/** The whole policy of the App: given where a loop is and what happened, where it goes and what to do. Pure. */

import { behind } from './behind.ts';
import { moved, pushed, regained, relocated, withheld } from './branch-moves.ts';
import { callsOf, charged } from './costs.ts';
import type { Effect } from './effect.ts';
import type { Event, EventOf } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { asked, drafted, failed, published } from './outcomes.ts';
import { awaitsMerge, isHandedOver } from './people/handed-over.ts';
import { closed, ended, isLive, labelled, pressed, unlabelled } from './people/people.ts';
import { reviewed } from './people/reviews.ts';
import { commanded, misspelt } from './people/steering.ts';
import { PHASES } from './phases.ts';
import { checkedAtLast, deferredOrLeft } from './reruns.ts';
import { cancellation } from './rest.ts';
import { completed, dispatched, landed, reported, surfaced } from './runs.ts';
import { elapsed, heard, promoted, readied } from './shipping.ts';
import { timed } from './shortage.ts';
import { admitted, holdsSlot, queued } from './slots.ts';
import { isStarted, type StartedLoop } from './stages.ts';
import { emit, only } from './walk.ts';

type Reaction<On extends Loop, Type extends Event['type']> = (loop: On, event: EventOf<Type>) => Decision;

/** Events that a loop may hear before a label has started it. */
const EARLY = { labelled, commanded, relocated, withheld, regained } as const satisfies {
  readonly [Type in EarlyType]: Reaction<Loop, Type>;
};
type EarlyType = 'labelled' | 'commanded' | 'relocated' | 'withheld' | 'regained';

const HANDLERS: { readonly [Type in Exclude<Event['type'], EarlyType>]: Reaction<StartedLoop, Type> } = {
  unlabelled,
  closed,
  ended,
  misspelt,
  pressed,
  reviewed,
  pushed,
  moved,
  heard,
  surfaced,
  asked,
  drafted,
  published,
  dispatched,
  completed,
  reported,
  landed,
  promoted,
  deferred: deferredOrLeft,
  checked: checkedAtLast,
  behind,
  readied,
  elapsed,
  queued,
  admitted,
  paid: (loop, { calls }) => only(charged(loop, calls)),
  failed,
};

/** Events that often change nothing of what people are shown; then it is not written again. */
const OFTEN_UNSEEN: ReadonlySet<Event['type']> = new Set([
  'heard',
  'elapsed',
  'deferred',
  'relocated',
  'withheld',
  'regained',
  'surfaced',
  'moved',
  'dispatched',
  'completed',
  'misspelt',
]);

/**
 * Decides the next state of a loop and the effects to perform.
 * Never throws and never reads a clock; an event that no longer applies returns the same loop object and no effects.
 */
export function decide(loop: Loop, event: Event): Decision {
  if (!applies(loop, event)) return { loop, effects: [] };
  if (isHeld(loop, event))
    return { loop: { ...loop, seq: loop.seq + 1, held: heldWith(loop.held, event) }, effects: [] };
  const reacted = react({ ...loop, seq: loop.seq + 1 }, event);
  const decision = 'at' in event ? { ...reacted, loop: timed(reacted.loop, event.at) } : reacted;
  const isSeen = !OFTEN_UNSEEN.has(event.type) || faceOf(decision.loop) !== faceOf(loop);
  const isShown = decision.loop.status !== 'idle' && isSeen;
  const decided = withPending(isShown ? emit(decision, show(decision.loop, event)) : decision);
  const { held, status } = decided.loop;
  const isReleased = status !== 'paused' && held.some((one) => !isHeld(decided.loop, one));
  return isReleased ? released(decided, held) : decided;
}

/** What is pending already need not be asked for twice: a run's end may be heard by webhook and by the patrol. */
function withPending({ loop, effects: wanted }: Decision): Decision {
  const waiting = new Set(loop.pending.map(({ key }) => key));
  const effects = wanted.filter(({ key }) => !waiting.has(key));
  return { loop: { ...loop, pending: [...loop.pending, ...effects] }, effects };
}

/**
 * Forgets a performed effect and, when performing it already told what happened, decides on that too: one save for both.
 * A performed `show` also settles those before it, because it shows the newest state.
 */
export function settle(loop: Loop, key: string, outcome: Event | undefined): Decision {
  const index = loop.pending.findIndex((effect) => effect.key === key);
  if (index === -1) return abandoned(loop, key, outcome);
  const shown = loop.pending[index]?.type === 'show';
  const pending = loop.pending.filter((effect, at) => at !== index && !(shown && effect.type === 'show' && at < index));
  const settled = { ...loop, pending };
  return outcome === undefined ? { loop: settled, effects: [] } : decide(settled, outcome);
}

/** Nobody awaits the effect any more, but it was performed: what it cost is counted, and the run that it started is ended. */
function abandoned(loop: Loop, key: string, outcome: Event | undefined): Decision {
  if (!loop.abandoned.includes(key) || outcome === undefined) return { loop, effects: [] };
  const known = { ...loop, seq: loop.seq + 1, abandoned: loop.abandoned.filter((other) => other !== key) };
  const paid = charged(known, callsOf(outcome));
  const isStray = outcome.type === 'dispatched' && outcome.runId !== loop.built.run?.id;
  return withPending({ loop: paid, effects: [...(isStray ? [cancellation(outcome.runId)] : []), show(paid, outcome)] });
}

/** What was held is decided on now, in order; what still is to be held is held again, and what one before it made pointless is paid for. */
function released({ loop, effects }: Decision, held: readonly Event[]): Decision {
  return held.reduce<Decision>(
    (sofar, event) => {
      const next = applies(sofar.loop, event) ? decide(sofar.loop, event) : only(charged(sofar.loop, callsOf(event)));
      return { loop: next.loop, effects: [...sofar.effects, ...next.effects] };
    },
    { loop: { ...loop, held: [] }, effects },
  );
}

function react(loop: Loop, event: Event): Decision {
  if (isEarly(event)) return reactEarly(loop, event);
  return isStarted(loop) ? reactStarted(loop, event) : only(loop);
}

function reactEarly<Type extends EarlyType>(loop: Loop, event: EventOf<Type>): Decision {
  const handlers: { readonly [One in EarlyType]: Reaction<Loop, One> } = EARLY;
  return handlers[event.type](loop, event);
}

function reactStarted<Type extends keyof typeof HANDLERS>(loop: StartedLoop, event: EventOf<Type>): Decision {
  return HANDLERS[event.type](loop, event);
}

function isEarly(event: Event): event is EventOf<EarlyType> {
  return Object.hasOwn(EARLY, event.type);
}

/** What of a loop those events can change that people see; links name the repository. */
function faceOf({ ref, status, entry, note, shipping, withheld: without }: Loop): string {
  const { waitsFor, outdated } = shipping ?? {};
  // In which files a base went on is told once: it may go on every few minutes.
  return JSON.stringify([ref.owner, ref.repo, status, entry, note, waitsFor, outdated !== undefined, without?.reason]);
}

function show(loop: Loop, event: Event): Effect {
  return { type: 'show', key: `show/${loop.seq}`, ...('at' in event ? { since: event.at } : {}) };
}

/** Where an event means anything; outcomes of an earlier entry never do. */
const WHEN: { readonly [Type in Event['type']]: (loop: Loop, event: EventOf<Type>) => boolean } = {
  labelled: () => true,
  commanded: () => true,
  misspelt: isStarted,
  relocated: (loop, event) => !isHere(loop, event),
  withheld: isNews,
  regained: (loop) => loop.withheld !== undefined,
  paid: (loop, { calls }) => isStarted(loop) && calls.length > 0,
  ended: isStarted,
  queued: holdsSlot,
  admitted: ({ status }) => status === 'queued',
  completed: (loop, { runId }) => isLive(loop) && runId === loop.built.run?.id,
  surfaced: ({ built }, { runId }) => runId !== built.run?.id,
  unlabelled: isLive,
  closed: isLive,
  pressed: isLive,
  reviewed: (loop) => isLive(loop) || isHandedOver(loop),
  moved: (loop) => isLive(loop) || awaitsMerge(loop),
  // A stopped loop may be set going again, and then builds on what is there.
  pushed: (loop) => isLive(loop) || loop.status === 'stopped',
  heard: (loop, { sha }) => isLive(loop) && loop.shipping?.promotedAt !== undefined && sha === loop.review?.head,
  asked: isOfEntry,
  drafted: isOfEntry,
  published: isOfEntry,
  dispatched: isOfEntry,
  reported: isOfEntry,
  landed: isOfEntry,
  promoted: isOfEntry,
  deferred: isOfEntry,
  checked: isOfEntry,
  behind: isOfEntry,
  readied: isOfEntry,
  elapsed: isOfEntry,
  failed: isOfEntry,
};

function applies<Type extends Event['type']>(loop: Loop, event: EventOf<Type>): boolean {
  return WHEN[event.type](loop, event);
}

function isOfEntry(loop: Loop, { entry }: { readonly entry: number }): boolean {
  return entry === loop.entry && isLive(loop);
}

function isHere({ ref }: Loop, { installationId, owner, repo }: EventOf<'relocated'>): boolean {
  return ref.installationId === installationId && ref.owner === owner && ref.repo === repo;
}

function isNews({ withheld: known }: Loop, { reason, lanes }: EventOf<'withheld'>): boolean {
  return known?.reason !== reason || lanes.some((lane) => !known.lanes.includes(lane));
}

function isHeld(loop: Loop, event: Event): boolean {
  if (loop.status === 'paused') return isForLater(event);
  return loop.status === 'working' && PHASES[loop.phase].waits === 'approval' && isOnPacket(event);
}

/** A base that moved on was compared with the loop's own, so it tells what the move before it told too: a long pause keeps one of them. */
function heldWith(held: readonly Event[], event: Event): Event[] {
  const isTold = (one: Event): boolean =>
    one.type === 'moved' && event.type === 'moved' && one.before !== undefined && one.before === event.before;
  return [...held.filter((one) => !isTold(one)), event];
}

/** Known at once, also while paused: a run that was started, and a packet that people see. */
const KNOWN_AT_ONCE: readonly Event['type'][] = ['dispatched', 'surfaced', 'published'];

/** Outcomes, and what others do to branch and base: none of it may set a paused loop going again. */
function isForLater(event: Event): boolean {
  if (KNOWN_AT_ONCE.includes(event.type)) return false;
  return 'entry' in event || event.type === 'completed' || event.type === 'pushed' || event.type === 'moved';
}

/** What people say to a packet waits until it is published: they may see it before the loop knows that it can be seen. */
function isOnPacket(event: Event): boolean {
  if (event.type === 'commanded') return event.permitted && ['approve', 'reject'].includes(event.command);
  return event.type === 'pressed' || event.type === 'reviewed';
}
