/** What a loop does when a person acts on GitHub: labels, closes, reviews, presses. Pure; one handler per event. */
import { reaches } from './commands.ts';
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { LIMITS } from './phases.ts';
import type { Actor, Role } from './terms.ts';
import { ended as atRest, cancellationOf, emit, enter, nextRound, only, stop, withoutApproval } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

export function isLive({ status }: Loop): boolean {
  return status === 'working' || status === 'waiting' || status === 'paused' || status === 'queued';
}

/** Only people with write permission steer; bots and strangers never do. */
export function maySteer({ by, role }: { readonly by: Actor; readonly role: Role }): boolean {
  return by.type === 'User' && reaches(role, 'write');
}

export function labelled(loop: Loop, event: Of<'labelled'>): Decision {
  const key = `label/${event.at}`;
  if (!maySteer(event)) {
    return unlabelledWith(
      loop,
      key,
      `@${event.by.login}, only a person with write permission can start a loop and yours is ${event.role}, so the label was removed; ask one of them to set it.`,
    );
  }
  if (loop.status === 'paused')
    return resume({ ...loop, note: `Resumed by @${event.by.login}, who set the label again.` }, event.at);
  if (isLive(loop))
    return emit(only(loop), say(key, 'issue', 'A loop is already at work on this issue; `/status` says where it is.'));
  // The intake opens the next loop of an issue; this is a label that crossed the end of this one.
  if (loop.status !== 'idle')
    return emit(only(loop), say(key, 'issue', 'The loop ended just now; set the label again to start the next one.'));
  if (event.refusal !== undefined) return unlabelledWith(loop, key, event.refusal);
  return start(loop, event);
}

function start(loop: Loop, event: Of<'labelled'>): Decision {
  const started: Loop = {
    ...loop,
    startedAt: event.at,
    startedBy: event.by,
    issue: event.issue,
    base: event.base,
    configDigest: event.configDigest,
    limits: event.limits,
    lane: event.lane,
    branch: event.branch,
    ...(event.price === undefined ? {} : { price: event.price }),
  };
  return enter(started, 'DISCOVER', event.at);
}

function unlabelledWith(loop: Loop, key: string, text: string): Decision {
  return emit(only(loop), { type: 'unlabel', key: `${key}/unlabel`, name: 'loop' }, say(key, 'issue', text));
}

/** A sentence of ours; it notifies only whom it begins with. */
export function say(key: string, target: 'issue' | 'pull', text: string): Effect {
  const [, mention] = /^@([\w-]+)/.exec(text) ?? [];
  return { type: 'reply', key: `${key}/reply`, target, text, ...(mention === undefined ? {} : { mention }) };
}

export function unlabelled(loop: Loop, event: Of<'unlabelled'>): Decision {
  return pause(loop, `Paused: @${event.by.login} removed the label; set it again or say \`/resume\`.`);
}

export function closed(loop: Loop, event: Of<'closed'>): Decision {
  return pause(loop, `Paused: @${event.by.login} closed the issue; to go on all the same, say \`/resume\`.`);
}

export function ended(loop: Loop, event: Of<'ended'>): Decision {
  if (!isLive(loop))
    return event.how === 'pull request merged' && loop.status === 'succeeded'
      ? only({ ...loop, note: `Merged by @${event.by.login}.` })
      : only(loop);
  return emit(only(atRest(loop, 'stopped', `Stopped: ${event.how} by @${event.by.login}.`)), ...cancellationOf(loop));
}

/** Holds the loop; what already runs finishes, and its outcome waits. */
export function pause(loop: Loop, note: string): Decision {
  return loop.status === 'working' || loop.status === 'waiting' || loop.status === 'queued'
    ? only({ ...loop, status: 'paused', pausedFrom: loop.status, note })
    : only(loop);
}

/** Goes on where the loop was held. The held outcomes are decided on by `decide`. */
export function resume(loop: Loop, _at: string): Decision {
  const { pausedFrom, ...rest } = loop;
  return only({ ...rest, status: pausedFrom ?? 'working' });
}

export function pressed(loop: Loop, event: Of<'pressed'>): Decision {
  const key = `press/${event.at}`;
  if (!maySteer(event))
    return emit(only(loop), say(key, 'pull', `@${event.by.login}, this button needs write permission.`));
  if (event.button === 'rerun')
    return emit(only(loop), say(key, 'pull', 'Say `/rerun` to grant one more try after a stop.'));
  if (loop.waitingFor !== 'approval' || event.digest !== loop.packetDigest) {
    return emit(
      only(loop),
      say(key, 'pull', 'That button belongs to an earlier packet, so nothing was approved; use the newest packet.'),
    );
  }
  if (loop.status === 'paused') return emit(only(loop), say(key, 'pull', resumeFirst('press it')));
  return approve(loop, event, event.digest);
}

/** What a decision is answered with while the loop is paused: only `/resume` or the label sets it going again. */
export function resumeFirst(again: string): string {
  return `The loop is paused, so nothing was decided; say \`/resume\` first, and then ${again} again.`;
}

/** The one way past ARCH_REVIEW: a permitted person, for the digest as posted. It opens a new plan number. */
export function approve(
  loop: Loop,
  event: { readonly by: Actor; readonly role: Role; readonly at: string },
  digest: string,
): Decision {
  const { by, role, at } = event;
  const approved: Loop = {
    ...loop,
    approval: { by, role, at, digest },
    counters: { ...loop.counters, plans: loop.counters.plans + 1, iterations: 0 },
    feedback: [],
    trees: [],
    entries: [
      ...loop.entries,
      {
        entry: loop.entry,
        phase: loop.phase,
        attempt: loop.counters.rounds,
        startedAt: loop.entryStartedAt,
        endedAt: at,
        outcome: 'passed',
        gates: [{ name: 'approval', value: 1, threshold: `by a person, for ${digest.slice(7, 19)}`, passed: true }],
        measurements: [],
        reason: `Approved by @${by.login}.`,
      },
    ],
    note: '',
  };
  return enter(approved, 'BUILD', at);
}

export function reviewed(loop: Loop, event: Of<'reviewed'>): Decision {
  const key = `review/${event.at}`;
  if (loop.waitingFor !== 'approval') return only(loop);
  if (event.state === 'approved') {
    return emit(
      only(loop),
      say(
        key,
        'pull',
        'A review "Approve" is not taken here: GitHub would count it for code that does not exist yet. Say `/approve` to approve the packet.',
      ),
    );
  }
  if (event.state !== 'changes_requested' || event.body.trim() === '' || !maySteer(event)) return only(loop);
  if (isOlderThanPacket(loop, event.submittedAt)) {
    const text = 'The packet changed after that review was written; read the newest one and request the changes again.';
    return emit(only(loop), say(key, 'pull', text));
  }
  if (loop.status === 'paused') return emit(only(loop), say(key, 'pull', resumeFirst('request the changes')));
  return reject(loop, event, event.body);
}

/** Whether something was written before the packet as it now is could be seen. GitHub tells times in whole seconds; within one, ids of comments tell the order. */
export function isOlderThanPacket(
  { publishedAt, packetCommentId }: Loop,
  writtenAt: string,
  commentId?: number,
): boolean {
  if (commentId !== undefined && packetCommentId !== undefined && commentId < packetCommentId) return true;
  return publishedAt !== undefined && Date.parse(writtenAt) < Math.floor(Date.parse(publishedAt) / 1000) * 1000;
}

/** Sends the packet back: `plan: …` to PLAN, anything else to DEFINE; each opens a review round, and those are bounded. */
export function reject(loop: Loop, event: { readonly by: Actor; readonly at: string }, text: string): Decision {
  const [, toPlan] = /^plan:\s*([\s\S]+)$/i.exec(text.trim()) ?? [];
  const message = (toPlan ?? text).trim();
  const gates = [{ name: 'approval', value: 0, threshold: 'by a person', passed: false }];
  const closed: Loop = {
    ...withoutApproval(loop),
    feedback: [
      {
        id: `rejected-${loop.entry}`,
        requirement: requirementOf(message),
        file: null,
        line: null,
        rule: 'rejected',
        severity: 'major',
        message: message.slice(0, 4000),
        suggestion: null,
      },
    ],
    entries: [
      ...loop.entries,
      {
        entry: loop.entry,
        phase: loop.phase,
        attempt: loop.counters.rounds,
        startedAt: loop.entryStartedAt,
        endedAt: event.at,
        outcome: 'failed',
        gates,
        measurements: [],
        reason: `Rejected by @${event.by.login}.`,
      },
    ],
  };
  const exhausted = exhaustedOf(loop);
  if (exhausted !== undefined) return stop(closed, exhausted);
  return enter(nextRound(closed), toPlan === undefined ? 'DEFINE' : 'PLAN', event.at);
}

/** Why no further packet may be made, if so. Every packet needs a review round, and every approval a plan number. */
export function exhaustedOf({ counters }: Loop): string | undefined {
  if (counters.rounds >= LIMITS.rounds + counters.grants)
    return `The packet was sent back in ${counters.rounds} review rounds; talk it over in the issue, then \`/rerun DEFINE\`.`;
  if (counters.plans >= LIMITS.plans + counters.grants)
    return `${counters.plans} approved plans are used up; talk it over in the issue, then \`/rerun DEFINE\`.`;
  return undefined;
}

function requirementOf(message: string): string | null {
  const [, number] = /^R-?(\d+)\b/i.exec(message) ?? [];
  return number === undefined ? null : `R-${number}`;
}
