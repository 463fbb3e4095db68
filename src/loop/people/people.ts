/** What a loop does when a person acts on GitHub: labels, closes, presses. Pure; one handler per event. */
import type { Effect } from '../effect.ts';
import type { EventOf } from '../event.ts';
import { priorityOf } from '../goal.ts';
import type { Decision, Loop } from '../loop.ts';
import { FIRST, ITERATION } from '../phases.ts';
import { atRest, cancellationOf } from '../rest.ts';
import { isUnpaid, shortSentence } from '../shortage.ts';
import { isStarted, type StartedLoop } from '../stages.ts';
import type { Actor, Role } from '../terms.ts';
import { close, emit, enter, only } from '../walk.ts';
import { reaches } from './commands.ts';

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
  if (isStarted(loop) && isUnpaid(loop))
    return emit(only(loop), say(key, 'issue', `@${event.by.login}, ${shortSentence(loop)}`));
  if (loop.status === 'paused') return labelledAgain(loop, event, key);
  if (isLive(loop)) return emit(only(loop), say(key, 'issue', LIVE[loop.status === 'queued' ? 'queued' : 'begun']));
  // The intake opens the next loop of an issue; this is a label that crossed the end of this one.
  if (loop.status !== 'idle')
    return emit(only(loop), say(key, 'issue', 'The loop ended just now; set the label again to start the next one.'));
  if (event.refusal !== undefined) return unlabelledWith(loop, key, event.refusal);
  return start(loop, event);
}

/** Setting the label again sets a paused loop going; GitHub tells webhooks late, and then it was set before the `/pause` that is known already. */
function labelledAgain(loop: Loop, { by, setAt }: EventOf<'labelled'>, key: string): Decision {
  if (!isBefore(setAt, loop.pausedAt))
    return resume({ ...loop, note: `Resumed by @${by.login}, who set the label again.` });
  const text = `@${by.login}, \`/pause\` was said after you set the label, so the loop stays paused; \`/resume\` goes on.`;
  return emit(only(loop), say(key, 'issue', text));
}

function isBefore(at: string | undefined, other: string | undefined): boolean {
  return at !== undefined && other !== undefined && Date.parse(at) < Date.parse(other);
}

function start(loop: Loop, event: EventOf<'labelled'>): Decision {
  const { at, by, issue, base, configDigest, limits, thresholds, strength, lane, branch, price, goal } = event;
  const started = {
    ...{ at, by, issue, base, config: { digest: configDigest }, limits, lane, branch },
    ...(thresholds && { thresholds }),
    ...(strength && { strength }),
    ...(price && { price }),
    ...(goal && { goal }),
  };
  return enter({ ...loop, started, priority: goal === undefined ? loop.priority : priorityOf(goal) }, FIRST, at);
}

function unlabelledWith(loop: Loop, key: string, text: string): Decision {
  return emit(only(loop), { type: 'unlabel', key: `${key}/unlabel`, name: 'loop' }, say(key, 'issue', text));
}

/** What a handler says about a command has a name of its own: one comment may hold several, also of one kind. */
export function keyOf({ commentId, at, command, position = 0 }: EventOf<'commanded'>): string {
  const nth = position === 0 ? '' : `/${position}`;
  return `comment/${commentId ?? at}/${command}${nth}`;
}

/** Of the reply to what has this key. */
export function replyKey(key: string): string {
  return `${key}/reply`;
}

/** A reply; the person whom its first word mentions is notified, and nobody else. */
export function say(key: string, target: 'issue' | 'pull', text: string): Effect {
  const [, mention] = /^@([\w-]+)/.exec(text) ?? [];
  return { type: 'reply', key: replyKey(key), target, text, ...(mention === undefined ? {} : { mention }) };
}

export function unlabelled(loop: StartedLoop, event: EventOf<'unlabelled'>): Decision {
  return pause(loop, `Paused: @${event.by.login} removed the label; set it again or say \`/resume\`.`);
}

export function closed(loop: StartedLoop, event: EventOf<'closed'>): Decision {
  return pause(loop, `Paused: @${event.by.login} closed the issue; to go on all the same, say \`/resume\`.`);
}

export function ended(loop: StartedLoop, event: EventOf<'ended'>): Decision {
  const by = event.by === undefined ? '' : ` by @${event.by.login}`;
  if (!isLive(loop)) return only(overWith(loop, event.how, by));
  return emit(only(atRest(loop, 'stopped', `Stopped: ${event.how}${by}.`)), ...cancellationOf(loop));
}

/** A finished loop whose pull request people are done with. */
function overWith(loop: StartedLoop, how: EventOf<'ended'>['how'], by: string): StartedLoop {
  if (loop.status !== 'succeeded' || loop.review === undefined) return loop;
  const over: StartedLoop = { ...loop, review: { ...loop.review, isOver: true } };
  return how === 'pull request merged' ? { ...over, note: `Merged${by}.` } : over;
}

/** Holds the loop; what already runs finishes, and its outcome waits. `saidAt` is when a command for it was written. */
export function pause(loop: Loop, note: string, saidAt?: string): Decision {
  const { status } = loop;
  return status === 'working' || status === 'waiting' || status === 'queued'
    ? only({ ...loop, status: 'paused', pausedFrom: status, ...(saidAt && { pausedAt: saidAt }), note })
    : only(loop);
}

/** Goes on where the loop was held. The held outcomes are decided on by `decide`. */
export function resume(loop: Loop): Decision {
  const { pausedFrom, pausedFor: _f, pausedAt: _a, ...rest } = loop;
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

/** Whether something was written before the packet as it now is could be seen. GitHub tells times in whole seconds; within one, ids of comments tell the order. */
export function isOlderThanPacket({ review }: Loop, writtenAt: string, commentId?: number): boolean {
  if (review === undefined) return false;
  if (commentId !== undefined && commentId < review.packet.commentId) return true;
  return Date.parse(writtenAt) < Math.floor(Date.parse(review.packet.publishedAt) / 1000) * 1000;
}
