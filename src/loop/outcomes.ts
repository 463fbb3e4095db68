/** What a loop does with the outcomes of its own effects. Pure; one handler per event. */
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import { allPassed, verdictsOf } from './gates.ts';
import { charged, defectOf, endingOf, judge, signatureOf } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { LIMITS, PHASES } from './phases.ts';
import { treeStopOf } from './scheduler.ts';
import { type Ending, enter, fail, onBase, only, stop, stopAt, withoutCandidate } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** Runs that died with their machine before a person is asked. */
const MAX_CANCELLATIONS = 5;
/** How long the repository's own checks are awaited, in seconds (PRODUCT.md, SHIP). */
const CHECKS_SECONDS = 3600;

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
  return judge(paid, event, event.measurements, event.defects, '');
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

/** Moves the branch to the verified candidate; also what `/release` does. */
export function promote(loop: Loop): Decision {
  const { waitingFor: _, ...rest } = loop;
  return {
    loop: { ...rest, status: 'working' },
    effects: [{ type: 'promote', key: `${loop.entry}/promote`, entry: loop.entry }],
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

export function dispatched(loop: Loop, event: Of<'dispatched'>): Decision {
  const wait: Effect = {
    type: 'wait',
    key: `${event.entry}/wait/run`,
    entry: event.entry,
    timer: 'run',
    seconds: loop.limits.runMinutes * 60,
  };
  return { loop: { ...loop, run: { id: event.runId, entry: event.entry } }, effects: [wait] };
}

export function completed(loop: Loop, event: Of<'completed'>): Decision {
  return event.runId === loop.run?.id && (loop.phase === 'BUILD' || loop.phase === 'VERIFY')
    ? collect(loop)
    : only(loop);
}

function collect(loop: Loop): Decision {
  if (loop.run === undefined || (loop.phase !== 'BUILD' && loop.phase !== 'VERIFY')) return only(loop);
  return {
    loop,
    effects: [
      { type: 'collect', key: `${loop.entry}/collect`, phase: loop.phase, entry: loop.entry, runId: loop.run.id },
    ],
  };
}

const REPORT_OF = { BUILD: 'build', SEED_DATA: 'seed', VERIFY: 'verify' } as const;

export function reported(loop: Loop, event: Of<'reported'>): Decision {
  const { phase } = loop;
  if (phase !== 'BUILD' && phase !== 'SEED_DATA' && phase !== 'VERIFY') return only(loop);
  const paid = charged(loop, event.calls);
  const kept: Loop = {
    ...paid,
    sandbox: event.sandbox,
    reports: { ...paid.reports, [REPORT_OF[phase]]: event.report },
  };
  return judge(kept, event, event.measurements, event.defects, event.signature);
}

export function landed(loop: Loop, event: Of<'landed'>): Decision {
  const candidate = { sha: event.candidate, codeTree: event.codeTree, entry: event.entry };
  const stall = treeStopOf(loop, event.codeTree);
  if (stall !== undefined) {
    const ending = endingOf(loop, event, [], [], '');
    const closing: Ending = { ...ending, outcome: 'failed', gates: [], reason: stall.sentence };
    return stopAt(
      { ...loop, candidate },
      closing,
      `${stall.sentence} Say with \`/context\` what to do differently, then \`/rerun\`.`,
    );
  }
  return {
    loop: { ...loop, candidate },
    effects: [{ type: 'dispatch', key: `${loop.entry}/dispatch`, phase: 'VERIFY', entry: loop.entry }],
  };
}

export function promoted(loop: Loop, event: Of<'promoted'>): Decision {
  return inspect({ ...loop, head: event.head, promotedAt: event.at }, event.at);
}

export function checked(loop: Loop, event: Of<'checked'>): Decision {
  const verdicts = verdictsOf('SHIP', event.measurements, loop.surface);
  if (!allPassed(verdicts)) {
    const { promotedAt: _, ...unpromoted } = loop;
    return judge(unpromoted, event, event.measurements, event.defects, signatureOf(event.defects));
  }
  return {
    loop: { ...loop, checks: event.measurements },
    effects: [{ type: 'ready', key: `${loop.entry}/ready`, entry: loop.entry }],
  };
}

export function readied(loop: Loop, event: Of<'readied'>): Decision {
  return judge(loop, event, loop.checks, [], '');
}

export function elapsed(loop: Loop, event: Of<'elapsed'>): Decision {
  if (event.timer === 'run') return collect(loop);
  if (loop.promotedAt === undefined || loop.phase !== 'SHIP') return only(loop);
  const awaitedSeconds = (Date.parse(event.at) - Date.parse(loop.promotedAt)) / 1000;
  if (awaitedSeconds > CHECKS_SECONDS)
    return stop(loop, "The repository's own checks did not finish within 60 minutes; look at them and then `/rerun`.");
  return inspect(loop, event.at);
}

function inspect(loop: Loop, at: string): Decision {
  const seconds = Math.max(1, Math.min(10, loop.limits.checksQuietSeconds));
  return {
    loop,
    effects: [
      { type: 'inspect', key: `${loop.entry}/inspect/${at}`, entry: loop.entry },
      { type: 'wait', key: `${loop.entry}/wait/checks/${at}`, entry: loop.entry, timer: 'checks', seconds },
    ],
  };
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
  const paid = charged(loop, event.calls);
  // A phase without gates has nothing red, but what failed did not pass.
  const ending: Ending = { ...endingOf(paid, event, [], [defectOf(event)], ''), outcome: 'failed' };
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
