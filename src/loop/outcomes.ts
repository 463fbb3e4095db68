/** What a loop does with what its own drafts came to, and with effects that failed. Pure; one handler per event. */
import type { Event } from './event.ts';
import { charged, defectOf, endingOf, judge, NO_FINDINGS } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { LIMITS, PHASES } from './phases.ts';
import { promote } from './shipping.ts';
import { type Ending, enter, fail, onBase, only, stop, stopAt, withoutCandidate } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** Runs that died with their machine before a person is asked. */
const MAX_CANCELLATIONS = 5;

export function asked(loop: Loop, event: Of<'asked'>): Decision {
  const paid = charged(loop, event.calls);
  if (loop.counters.interviews >= LIMITS.interviews) {
    return stop(
      paid,
      `Questions were still open after ${LIMITS.interviews} interview rounds; write the answers into the issue and label it again.`,
    );
  }
  const interviews = loop.counters.interviews + 1;
  const questions = event.questions.map((question, index) => ({ ...question, number: index + 1, assumed: false }));
  const waiting: Loop = {
    ...paid,
    status: 'waiting',
    waitingFor: 'answers',
    questions,
    counters: { ...paid.counters, interviews },
  };
  return { loop: waiting, effects: [{ type: 'ask', key: `ask/${interviews}`, interview: interviews }] };
}

export function drafted(loop: Loop, event: Of<'drafted'>): Decision {
  const paid = withFacts(charged(loop, event.calls), event);
  if (loop.phase === 'SHIP')
    return paid.promotion?.by === 'auto' ? promote(paid) : only({ ...paid, status: 'waiting', waitingFor: 'release' });
  return judge(paid, { ...event, signature: '' });
}

function withFacts(loop: Loop, event: Of<'drafted'>): Loop {
  const fresh = new Set(event.documents.map(({ path }) => path));
  return {
    ...loop,
    documents: [...loop.documents.filter(({ path }) => !fresh.has(path)), ...event.documents],
    ...(event.surface === undefined ? {} : { surface: event.surface }),
    ...(event.tasks === undefined ? {} : { tasks: event.tasks }),
    ...(event.requirementIds === undefined ? {} : { requirementIds: event.requirementIds }),
    ...(event.promotion === undefined ? {} : { promotion: event.promotion }),
    ...(event.proposals === undefined
      ? {}
      : { proposals: event.proposals.map((proposal) => ({ ...proposal, decision: 'open' as const })) }),
  };
}

export function published(loop: Loop, event: Of<'published'>): Decision {
  const { head, pull, pullNodeId, entry } = event;
  const shown: Loop = { ...onBase(loop, event.base), head, pull, pullNodeId, packetEntry: entry };
  if (event.usd !== loop.limits.usd) return renewPacket(shown);
  return only({
    ...shown,
    status: 'waiting',
    waitingFor: 'approval',
    packetDigest: event.digest,
    packetCommentId: event.commentId,
    // GitHub tells whole seconds: what was written in that of a renewal may mean the sum before it.
    publishedAt: loop.packetEntry === entry ? new Date(Date.parse(event.at) + 1000).toISOString() : event.at,
  });
}

/** The budget is part of what is approved: a packet that states another one is published again, and cannot be approved meanwhile. */
export function renewPacket(loop: Loop): Decision {
  const { waitingFor: _, ...rest } = loop;
  const renewing: Loop = loop.status === 'paused' ? { ...rest, pausedFrom: 'working' } : { ...rest, status: 'working' };
  const key = `${loop.entry}/publish/${loop.limits.usd}`;
  return { loop: renewing, effects: [{ type: 'publish', key, entry: loop.entry }] };
}

/** What a person does when another try alone would not help. */
const REMEDIES = {
  model: 'See that the model answers, then say `/rerun`.',
  setup: 'Set that right, then say `/rerun`.',
  safety: 'Look at the run and its log before you say `/rerun`.',
  /** The reason names the files, the merge and the command. */
  conflict: '',
} as const;

export function failed(loop: Loop, event: Of<'failed'>): Decision {
  const paid = kept(charged(loop, event.calls), event);
  // A phase without gates has nothing red, but what failed did not pass.
  const found = endingOf(paid, { at: event.at, ...NO_FINDINGS, defects: [defectOf(event)] });
  const ending: Ending = { ...found, outcome: 'failed' };
  switch (event.cause) {
    case 'model':
    case 'setup':
    case 'safety':
    case 'conflict':
      // What only looks back takes nothing from a loop that has reached its end.
      return PHASES[paid.phase].onFail === 'done'
        ? fail(paid, { ...ending, reason: event.reason })
        : stopAt(
            { ...paid, feedback: event.cause === 'safety' ? [defectOf(event)] : paid.feedback },
            { ...ending, reason: event.reason },
            `${event.reason} ${REMEDIES[event.cause]}`,
          );
    case 'work':
      return fail(paid, { ...ending, reason: event.reason });
    case 'cancelled':
      return again(
        { ...paid, counters: { ...paid.counters, cancellations: paid.counters.cancellations + 1 } },
        { ...ending, outcome: 'cancelled', reason: event.reason },
      );
    case 'moved':
      return fail(withoutCandidate(paid), { ...ending, reason: event.reason });
  }
}

/** What a failed build had finished is not built, and paid for, again. */
function kept(loop: Loop, { report }: Of<'failed'>): Loop {
  return report === undefined ? loop : { ...loop, reports: { ...loop.reports, build: report } };
}

/** A run that died with its machine says nothing about the work: the same phase is entered again, a bounded number of times. */
function again(loop: Loop, ending: Ending): Decision {
  if (loop.counters.cancellations > MAX_CANCELLATIONS)
    return stop(
      loop,
      `Runs were cancelled ${loop.counters.cancellations} times; see why the runners stop, then \`/rerun\`.`,
    );
  if (loop.phase === 'BUILD') return fail(loop, { ...ending, defects: loop.feedback });
  const record = {
    entry: loop.entry,
    phase: loop.phase,
    attempt: loop.counters.iterations,
    startedAt: loop.entryStartedAt,
    endedAt: ending.at,
    outcome: ending.outcome,
    gates: [],
    measurements: [],
    reason: ending.reason,
  };
  return enter({ ...loop, entries: [...loop.entries, record] }, loop.phase, ending.at);
}
