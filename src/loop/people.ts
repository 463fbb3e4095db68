/** What a loop does when a person acts on GitHub: labels, closes, reviews, presses. Pure; one handler per event. */
import { reaches } from './commands.ts';
import { defect } from './defect.ts';
import type { Effect } from './effect.ts';
import type { EventOf } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { FIRST, ITERATION, LIMITS, PHASES, REVIEW } from './phases.ts';
import { ended as atRest, cancellationOf } from './rest.ts';
import { isUnpaid, shortSentence } from './shortage.ts';
import type { StartedLoop } from './stages.ts';
import type { Actor, PhaseName, Role } from './terms.ts';
import { close, emit, enter, nextRound, only, stop, withoutApproval } from './walk.ts';

/** Whether the loop has been started and has not ended. */
export function isLive({ status }: Loop): boolean {
  return status === 'queued' || status === 'working' || status === 'waiting' || status === 'paused';
}

/** Only people with write permission steer; bots and strangers never do. */
export function maySteer({ by, role }: { readonly by: Actor; readonly role: Role }): boolean {
  return by.type === 'User' && reaches(role, 'write');
}

/** What is said to a label on an issue that has a loop. */
const LIVE = {
  queued: 'A loop waits for a free slot to work on this issue; `/status` says where it is.',
  begun: 'A loop is already at work on this issue; `/status` says where it is.',
} as const;

export function labelled(loop: Loop, event: EventOf<'labelled'>): Decision {
  const key = `label/${event.at}`;
  if (!maySteer(event)) {
    return unlabelledWith(
      loop,
      key,
      `@${event.by.login}, only a person with write permission can start a loop and yours is ${event.role}, so the label was removed; ask one of them to set it.`,
    );
  }
  if (isUnpaid(loop)) return emit(only(loop), say(key, 'issue', `@${event.by.login}, ${shortSentence(loop)}`));
  if (loop.status === 'paused')
    return resume({ ...loop, note: `Resumed by @${event.by.login}, who set the label again.` });
  if (isLive(loop)) return emit(only(loop), say(key, 'issue', LIVE[loop.status === 'queued' ? 'queued' : 'begun']));
  // The intake opens the next loop of an issue; this is a label that crossed the end of this one.
  if (loop.status !== 'idle')
    return emit(only(loop), say(key, 'issue', 'The loop ended just now; set the label again to start the next one.'));
  if (event.refusal !== undefined) return unlabelledWith(loop, key, event.refusal);
  return start(loop, event);
}

function start(loop: Loop, event: EventOf<'labelled'>): Decision {
  const { at, by, issue, base, configDigest, limits, lane, branch, price } = event;
  const started = { at, by, issue, base, config: { digest: configDigest }, limits, lane, branch };
  return enter({ ...loop, started: price === undefined ? started : { ...started, price } }, FIRST, at);
}

function unlabelledWith(loop: Loop, key: string, text: string): Decision {
  return emit(only(loop), { type: 'unlabel', key: `${key}/unlabel`, name: 'loop' }, say(key, 'issue', text));
}

/** What is said about a command has a name of its own: one comment may hold several, also of one kind. */
export function keyOf({ commentId, at, command, position = 0 }: EventOf<'commanded'>): string {
  const nth = position === 0 ? '' : `/${position}`;
  return `comment/${commentId ?? at}/${command}${nth}`;
}

/** A reply; the person whom its first word mentions is notified, and nobody else. */
export function say(key: string, target: 'issue' | 'pull', text: string): Effect {
  const [, mention] = /^@([\w-]+)/.exec(text) ?? [];
  return { type: 'reply', key: `${key}/reply`, target, text, ...(mention === undefined ? {} : { mention }) };
}

export function unlabelled(loop: StartedLoop, event: EventOf<'unlabelled'>): Decision {
  return pause(loop, `Paused: @${event.by.login} removed the label; set it again or say \`/resume\`.`);
}

export function closed(loop: StartedLoop, event: EventOf<'closed'>): Decision {
  return pause(loop, `Paused: @${event.by.login} closed the issue; to go on all the same, say \`/resume\`.`);
}

export function ended(loop: StartedLoop, event: EventOf<'ended'>): Decision {
  const by = event.by === undefined ? '' : ` by @${event.by.login}`;
  if (!isLive(loop))
    return event.how === 'pull request merged' && loop.status === 'succeeded'
      ? only({ ...loop, note: `Merged${by}.` })
      : only(loop);
  return emit(only(atRest(loop, 'stopped', `Stopped: ${event.how}${by}.`)), ...cancellationOf(loop));
}

/** Holds the loop; what already runs finishes, and its outcome waits. */
export function pause(loop: Loop, note: string): Decision {
  const { status } = loop;
  return status === 'working' || status === 'waiting' || status === 'queued'
    ? only({ ...loop, status: 'paused', pausedFrom: status, note })
    : only(loop);
}

/** Goes on where the loop was held. The held outcomes are decided on by `decide`. */
export function resume(loop: Loop): Decision {
  const { pausedFrom, pausedFor: _, ...rest } = loop;
  return only({ ...rest, status: pausedFrom ?? 'working' });
}

export function pressed(loop: StartedLoop, event: EventOf<'pressed'>): Decision {
  const key = `press/${event.at}`;
  if (!maySteer(event))
    return emit(only(loop), say(key, 'pull', `@${event.by.login}, this button needs write permission.`));
  if (event.button === 'rerun')
    return emit(only(loop), say(key, 'pull', 'Say `/rerun` to grant one more try after a stop.'));
  if (loop.waitingFor !== 'approval' || event.digest !== loop.review?.packet.digest) {
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

/** Who decides on a packet, and when. */
interface Decider {
  readonly by: Actor;
  readonly role: Role;
  readonly at: string;
}

/** The one way past the review: a permitted person, for the digest as posted. It opens a new plan number, under which nothing has failed yet. */
export function approve(loop: StartedLoop, { by, role, at }: Decider, digest: string): Decision {
  const gate = { name: 'approval', value: 1, threshold: `by a person, for ${digest.slice(7, 19)}`, passed: true };
  const reason = `Approved by @${by.login}.`;
  const closed = close(loop, { at, outcome: 'passed', gates: [gate], measurements: [], reason });
  const approved: StartedLoop = {
    ...closed,
    approval: { by, role, at, digest },
    counters: { ...loop.counters, plans: loop.counters.plans + 1, iterations: 0 },
    feedback: [],
    trees: [],
    signatures: [],
    note: '',
  };
  return enter(approved, ITERATION, at);
}

export function reviewed(loop: StartedLoop, event: EventOf<'reviewed'>): Decision {
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
export function isOlderThanPacket({ review }: Loop, writtenAt: string, commentId?: number): boolean {
  if (review === undefined) return false;
  if (commentId !== undefined && commentId < review.packet.commentId) return true;
  return Date.parse(writtenAt) < Math.floor(Date.parse(review.packet.publishedAt) / 1000) * 1000;
}

/** Sends the packet back: `plan: …` to the plan, anything else to the specification; each opens a review round, and those are bounded. */
export function reject(loop: StartedLoop, event: Pick<Decider, 'by' | 'at'>, text: string): Decision {
  const [, toPlan] = /^plan:\s*([\s\S]+)$/i.exec(text.trim()) ?? [];
  const message = (toPlan ?? text).trim();
  const { back } = PHASES[REVIEW];
  return sentBack(
    loop,
    { at: event.at, reason: `Rejected by @${event.by.login}.`, message },
    (toPlan === undefined ? back?.default : back?.plan) ?? FIRST,
  );
}

interface SentBack {
  readonly at: string;
  readonly reason: string;
  /** What should change, as the next draft reads it. */
  readonly message: string;
}

/** Closes the entry as not approved and opens the next review round, while there is one. */
export function sentBack(loop: StartedLoop, { at, reason, message }: SentBack, to: PhaseName): Decision {
  const gate = { name: 'approval', value: 0, threshold: 'by a person', passed: false };
  const rejected = defect({
    rule: 'rejected',
    about: String(loop.entry),
    requirement: requirementOf(message),
    severity: 'major',
    message,
  });
  const closed = close(loop, { at, outcome: 'failed', gates: [gate], measurements: [], defects: [rejected], reason });
  const back: StartedLoop = { ...withoutApproval(closed), feedback: [rejected] };
  const exhausted = exhaustedOf(loop);
  if (exhausted !== undefined) return stop(back, exhausted);
  return enter(nextRound(back), to, at);
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
