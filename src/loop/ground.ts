/** What a loop does when the ground moves under it: commits of people on its branch, and a base that goes on. Pure; one handler per event. */
import type { Event } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import type { Defect } from './measurement.ts';
import { exhaustedOf, isLive, reject, say } from './people.ts';
import {
  cancellationOf,
  type Ending,
  emit,
  enter,
  fail,
  isBuilding,
  nextRound,
  only,
  stop,
  withoutApproval,
} from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** A person's commit wins: evidence is void, and when it touches the approved documents so is the approval. Each voiding is said in one sentence. */
export function pushed(loop: Loop, event: Of<'pushed'>): Decision {
  if (!isLive(loop) || loop.head === undefined || event.sha === loop.head) return only(loop);
  const moved: Loop = { ...loop, head: event.sha };
  const who = `@${event.by.login}`;
  const sha = event.sha.slice(0, 7);
  if (event.documentsChanged && (loop.waitingFor === 'approval' || loop.approval !== undefined)) {
    const subject = loop.approval === undefined ? 'packet' : 'approval';
    const note = `${who} changed the documents on the branch at ${sha}, so the ${subject} is void and a new packet is made.`;
    const rejected = reject({ ...moved, note }, event, `${note} Take the changes over.`);
    return voided(rejected, loop, { key: `push/${event.sha}`, sentence: note });
  }
  if (!isBuilding(loop)) {
    return only({ ...moved, note: `${who} pushed ${sha} to the branch; the next candidate is built on it.` });
  }
  const ending: Ending = {
    at: event.at,
    outcome: 'cancelled',
    gates: [],
    measurements: [],
    defects: [],
    reason: `${who} pushed ${sha}.`,
    signature: '',
  };
  const { candidate: _c, promotedAt: _p, ...unjudged } = moved;
  const note = `${who} pushed ${sha} to the branch, so the evidence is void and the next candidate is built on it.`;
  return voided(fail({ ...unjudged, note }, ending), loop, { key: `push/${event.sha}`, sentence: note });
}

/** Says what was voided, unless the loop stopped: then its problem report says it. What ran for `before` is cancelled. */
function voided(
  decision: Decision,
  before: Loop,
  { key, sentence }: { readonly key: string; readonly sentence: string },
): Decision {
  const said = decision.loop.status === 'stopped' ? [] : [say(key, 'pull', sentence)];
  return emit(decision, ...cancellationOf(before), ...said);
}

/** The default branch moved: a packet or an approval is void only where the plan's own files changed under it; the loop keeps the base that it read. */
export function moved(loop: Loop, event: Of<'moved'>): Decision {
  const planned = new Set(loop.tasks.flatMap(({ files }) => files));
  const touched = event.paths.filter((path) => planned.has(path));
  const isBound = isBuilding(loop) || loop.phase === 'ARCH_REVIEW';
  if (!isBound || loop.promotedAt !== undefined || touched.length === 0) return only(loop);
  const note = `The base moved in ${touched.slice(0, 3).join(', ')}, which the plan changes, so the packet is void and a new plan is made.`;
  if (exhaustedOf(loop) !== undefined) return stop(loop, note);
  const feedback: Defect[] = [
    {
      id: `moved-${event.sha}`,
      requirement: null,
      file: touched[0] ?? null,
      line: null,
      rule: 'base-moved',
      severity: 'major',
      message: note,
      suggestion: null,
    },
  ];
  const replanned = enter({ ...withoutApproval(nextRound(loop)), feedback, note }, 'PLAN', event.at);
  return voided(replanned, loop, { key: `base/${event.sha}`, sentence: note });
}
