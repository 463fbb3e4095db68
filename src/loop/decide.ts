/** The whole policy of the App: given where a loop is and what happened, where it goes and what to do. Pure. */
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import { moved, pushed } from './ground.ts';
import type { Decision, Loop } from './loop.ts';
import { asked, drafted, failed, published } from './outcomes.ts';
import { closed, ended, isLive, labelled, pressed, reviewed, unlabelled } from './people.ts';
import { completed, dispatched, landed, reported } from './runs.ts';
import { checked, elapsed, promoted, readied } from './shipping.ts';
import { admitted, holdsSlot, queued } from './slots.ts';
import { commanded } from './steering.ts';

type Handlers = { readonly [Type in Event['type']]: (loop: Loop, event: Extract<Event, { type: Type }>) => Decision };

const HANDLERS: Handlers = {
  labelled,
  queued,
  admitted,
  unlabelled,
  closed,
  ended,
  commanded,
  pressed,
  reviewed,
  pushed,
  moved,
  asked,
  drafted,
  published,
  dispatched,
  completed,
  reported,
  landed,
  promoted,
  checked,
  readied,
  elapsed,
  failed,
};

/**
 * Decides the next state of a loop and the effects to perform.
 * Never throws and never reads a clock; an event that no longer applies returns the same loop object and no effects.
 */
export function decide(loop: Loop, event: Event): Decision {
  if (!applies(loop, event)) return { loop, effects: [] };
  if (isHeld(loop, event)) return { loop: { ...loop, seq: loop.seq + 1, held: [...loop.held, event] }, effects: [] };
  const decision = react({ ...loop, seq: loop.seq + 1 }, event);
  const waiting = new Set(decision.loop.pending.map(({ key }) => key));
  const wanted = decision.loop.status === 'idle' ? decision.effects : [...decision.effects, show(decision.loop)];
  // What is pending already need not be asked for twice: a run's end may be heard by webhook and by reconciling.
  const effects = wanted.filter(({ key }) => !waiting.has(key));
  const decided: Decision = { loop: { ...decision.loop, pending: [...decision.loop.pending, ...effects] }, effects };
  const isReleased = decided.loop.status !== 'paused' && loop.held.some((held) => !isHeld(decided.loop, held));
  return isReleased ? released(decided, loop.held) : decided;
}

/**
 * Forgets a performed effect and, when performing it already told what happened, decides on that too: one save for both.
 * A performed `show` also settles those before it, because it shows the newest state.
 */
export function settle(loop: Loop, key: string, outcome: Event | undefined): Decision {
  const index = loop.pending.findIndex((effect) => effect.key === key);
  if (index === -1) return { loop, effects: [] };
  const shown = loop.pending[index]?.type === 'show';
  const pending = loop.pending.filter((effect, at) => at !== index && !(shown && effect.type === 'show' && at < index));
  const settled = { ...loop, pending };
  return outcome === undefined ? { loop: settled, effects: [] } : decide(settled, outcome);
}

/** What was held is decided on now, in order; what still is to be held is held again. */
function released({ loop, effects }: Decision, held: readonly Event[]): Decision {
  return held.reduce<Decision>(
    (sofar, event) => {
      const next = decide(sofar.loop, event);
      return { loop: next.loop, effects: [...sofar.effects, ...next.effects] };
    },
    { loop: { ...loop, held: [] }, effects },
  );
}

function react(loop: Loop, event: Event): Decision {
  // TypeScript cannot correlate the key with the event's type across a union of handlers, so the lookup is spelled as one call.
  const handler: (loop: Loop, event: never) => Decision = HANDLERS[event.type];
  return Reflect.apply(handler, undefined, [loop, event]);
}

function show(loop: Loop): Effect {
  return { type: 'show', key: `show/${loop.seq}` };
}

/** Whether the event means anything where the loop is; outcomes of an earlier entry never do. */
function applies(loop: Loop, event: Event): boolean {
  switch (event.type) {
    case 'labelled':
    case 'commanded':
      return true;
    case 'ended':
      return loop.status !== 'idle';
    case 'queued':
      return holdsSlot(loop);
    case 'admitted':
      return loop.status === 'queued';
    case 'completed':
      return isLive(loop) && event.runId === loop.run?.id;
    case 'unlabelled':
    case 'closed':
    case 'pressed':
    case 'reviewed':
    case 'moved':
      return isLive(loop);
    case 'pushed':
      // A stopped loop may be set going again, and then builds on what is there.
      return isLive(loop) || loop.status === 'stopped';
    case 'asked':
    case 'drafted':
    case 'published':
    case 'dispatched':
    case 'reported':
    case 'landed':
    case 'promoted':
    case 'checked':
    case 'readied':
    case 'elapsed':
    case 'failed':
      return event.entry === loop.entry && isOngoing(loop);
  }
}

/** An outcome matters while its entry works, waits for the release that it leads to, or is held. */
function isOngoing({ status }: Loop): boolean {
  return status === 'working' || status === 'paused';
}

function isHeld(loop: Loop, event: Event): boolean {
  if (loop.status === 'paused') return isForLater(event);
  return loop.status === 'working' && loop.phase === 'ARCH_REVIEW' && isOnPacket(event);
}

/** Outcomes, and what others do to branch and base: none of it may set a paused loop going again. */
function isForLater(event: Event): boolean {
  return 'entry' in event || event.type === 'completed' || event.type === 'pushed' || event.type === 'moved';
}

/** What people say to a packet waits until it is published: they may see it before the loop knows that it can be seen. */
function isOnPacket(event: Event): boolean {
  if (event.type === 'commanded') return event.permitted && ['approve', 'reject'].includes(event.command);
  return event.type === 'pressed' || event.type === 'reviewed';
}
