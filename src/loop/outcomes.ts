/** What a loop does with what its own drafts came to, and with effects that failed. Pure; one handler per event. */

import { charged } from './costs.ts';
import { defect } from './defect.ts';
import type { EventOf } from './event.ts';
import { endingOf, judge, NO_FINDINGS } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { LIMITS, onlyLooksBack, PHASES } from './phases.ts';
import { atRest } from './rest.ts';
import { promote, shippedBy } from './shipping.ts';
import { isShort, shortened } from './shortage.ts';
import type { StartedLoop } from './stages.ts';
import { again, type Ending, fail, onBase, only, stop, stopAt } from './walk.ts';

type Proposal = Loop['proposals'][number];

export function asked(loop: StartedLoop, event: EventOf<'asked'>): Decision {
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
  return {
    loop: waiting,
    effects: [{ type: 'ask', key: `ask/${interviews}`, entry: loop.entry, interview: interviews }],
  };
}

export function drafted({ answered: _, ...loop }: StartedLoop, event: EventOf<'drafted'>): Decision {
  const paid = withFacts(charged(loop, event.calls), event);
  if (PHASES[loop.phase].promotes === 'candidate') {
    const shipping = shippedBy(event.promotion);
    return shipping.promotion.by === 'auto'
      ? promote({ ...paid, shipping })
      : only({ ...paid, shipping, status: 'waiting', waitingFor: 'release' });
  }
  return judge(paid, { ...event, signature: '' });
}

function withFacts(loop: StartedLoop, event: EventOf<'drafted'>): StartedLoop {
  const fresh = new Set(event.documents.map(({ path }) => path));
  return {
    ...loop,
    documents: [...loop.documents.filter(({ path }) => !fresh.has(path)), ...event.documents],
    ...(event.surface === undefined ? {} : { surface: event.surface }),
    ...(event.tasks === undefined ? {} : { tasks: event.tasks }),
    ...(event.supersededTests && { supersededTests: event.supersededTests }),
    ...(event.requirementIds === undefined ? {} : { requirementIds: event.requirementIds }),
    ...(event.lessons && { lessons: event.lessons }),
    ...(event.proposals === undefined
      ? {}
      : { proposals: [...loop.proposals.filter(isDecided), ...event.proposals.map(asOpen)] }),
  };
}

/** What a person decided on stays when the loop looks back once more. */
function isDecided({ decision }: Proposal): boolean {
  return decision !== 'open';
}

function asOpen(proposal: Omit<Proposal, 'decision' | 'by'>): Proposal {
  return { ...proposal, decision: 'open' };
}

export function published(loop: StartedLoop, event: EventOf<'published'>): Decision {
  const { head, pull, pullNodeId, entry, digest, commentId } = event;
  // GitHub tells whole seconds: what was written in that of a renewal may mean the sum before it.
  const isRenewed = loop.review?.packet.entry === entry;
  const publishedAt = isRenewed ? new Date(Date.parse(event.at) + 1000).toISOString() : event.at;
  const packet = { entry, digest, commentId, publishedAt, head };
  const shown: StartedLoop = { ...onBase(loop, event.base), review: { pull, nodeId: pullNodeId, head, packet } };
  if (event.usd !== loop.started.limits.usd) return renewPacket(shown);
  return only({
    ...shown,
    ...(loop.status === 'paused' ? { pausedFrom: 'waiting' } : { status: 'waiting' }),
    waitingFor: 'approval',
  });
}

/** The budget is part of what is approved: a packet that states another one is published again, and cannot be approved meanwhile. */
export function renewPacket(loop: StartedLoop): Decision {
  const { waitingFor: _, ...rest } = loop;
  const renewing: StartedLoop =
    loop.status === 'paused' ? { ...rest, pausedFrom: 'working' } : { ...rest, status: 'working' };
  const key = `${loop.entry}/publish/${loop.started.limits.usd}`;
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

export function failed(loop: StartedLoop, event: EventOf<'failed'>): Decision {
  const paid = remembering(kept(charged(unasked(loop), event.calls), event), event);
  const { at, cause, reason } = event;
  const found = defect({ rule: cause, about: String(event.entry), message: reason });
  // A phase without gates has nothing red, but what failed did not pass.
  const ending: Ending = {
    ...endingOf(paid, { at, ...NO_FINDINGS, defects: [found] }),
    outcome: 'failed',
    reason,
  };
  switch (cause) {
    case 'model':
    case 'setup':
    case 'safety':
    case 'conflict':
      // REFLECT runs after success; its failure does not undo it.
      return onlyLooksBack(paid.phase)
        ? fail(paid, ending)
        : stopAt(
            { ...paid, feedback: cause === 'safety' ? [found] : paid.feedback },
            ending,
            `${reason} ${REMEDIES[cause]}`,
          );
    case 'work':
      return fail(paid, ending);
    case 'budget':
      return unpaid(paid, event);
    case 'cancelled':
      // A run that died with its machine says nothing about the work; it is run anew, also where it was to leave a second report.
      return again(paid, { at, reason }, { phase: PHASES[paid.phase].runOf ?? paid.phase, counter: 'cancellations' });
  }
}

/** Questions that could not be asked were seen by nobody, so none of them was left to its safe default: the next try asks anew. */
function unasked(loop: StartedLoop): StartedLoop {
  if (loop.waitingFor !== 'answers') return loop;
  return { ...loop, questions: [], counters: { ...loop.counters, interviews: loop.counters.interviews - 1 } };
}

/** Nothing was left for the next call: what was drafted is drafted anew, a job runs anew from the tasks that it finished, as soon as there is money. */
function unpaid(loop: StartedLoop, { at, entry, reason }: EventOf<'failed'>): Decision {
  const { phase, seq } = loop;
  const { work, runOf } = PHASES[phase];
  if (work !== 'draft') return again(loop, { at, reason }, { phase: runOf ?? phase, counter: 'cancellations' });
  const redraft = { type: 'draft', key: `${entry}/draft/${seq}`, phase, entry } as const;
  const decision = { loop, effects: [redraft] };
  if (!isShort(loop)) return decision;
  return onlyLooksBack(phase) ? only(atRest(loop, 'succeeded', loop.note)) : shortened(decision);
}

/** What a failed draft had been answered is not asked, and paid for, again. */
function remembering(loop: StartedLoop, { answered = [] }: EventOf<'failed'>): StartedLoop {
  return answered.length === 0 ? loop : { ...loop, answered };
}

/** What a failed build had finished is not built, and paid for, again. */
function kept(loop: StartedLoop, { report }: EventOf<'failed'>): StartedLoop {
  if (report === undefined) return loop;
  return { ...loop, built: { ...loop.built, reports: { ...loop.built.reports, build: report } } };
}
