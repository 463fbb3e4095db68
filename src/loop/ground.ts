/** What a loop does when the ground moves under it: commits of people on its branch, and a base that goes on, a repository that moves. Pure; one handler per event. */
import type { Event } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import type { Defect } from './measurement.ts';
import { exhaustedOf, reject, say } from './people.ts';
import {
  cancellationOf,
  type Ending,
  emit,
  enter,
  fail,
  isBuilding,
  nextRound,
  onBase,
  only,
  stop,
  withoutApproval,
  withoutCandidate,
} from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** A person's commit wins: evidence is void, and when it touches the approved documents so is the approval. Each voiding is said in one sentence. */
export function pushed(loop: Loop, event: Of<'pushed'>): Decision {
  if (loop.head === undefined || event.sha === loop.head) return only(loop);
  const merged = event.base?.before === loop.base?.sha ? event.base?.after : undefined;
  const moved: Loop = { ...onBase(loop, merged), head: event.sha };
  const touchesPacket = event.documentsChanged && (loop.waitingFor === 'approval' || loop.approval !== undefined);
  if (touchesPacket) return documentsPushed(loop, moved, event);
  // A stopped loop may be set going again, and then builds on what is there.
  if (loop.status === 'stopped') return only(withoutCandidate(moved));
  const who = whoOf(event);
  if (!isBuilding(loop)) return only({ ...moved, note: `${who} to the branch; the next candidate is built on it.` });
  const ending: Ending = {
    at: event.at,
    outcome: 'cancelled',
    gates: [],
    measurements: [],
    defects: [],
    reason: `${who}.`,
    signature: '',
  };
  const note = `${who} to the branch, so the evidence is void and the next candidate is built on it.`;
  return voided(fail({ ...withoutCandidate(moved), note }, ending), loop, { key: `push/${event.sha}`, sentence: note });
}

function whoOf({ by, sha }: Of<'pushed'>): string {
  return `@${by.login} pushed ${sha.slice(0, 7)}`;
}

function documentsPushed(loop: Loop, moved: Loop, event: Of<'pushed'>): Decision {
  const key = `push/${event.sha}`;
  const subject = loop.approval === undefined ? 'packet' : 'approval';
  const because = `@${event.by.login} changed the documents on the branch at ${event.sha.slice(0, 7)}, so the ${subject} is void`;
  if (loop.status === 'stopped') {
    const sentence = `${because}; \`/rerun PLAN\` makes a new packet.`;
    return emit(only(withoutApproval(moved)), say(key, 'pull', sentence));
  }
  const note = `${because} and a new packet is made.`;
  return voided(reject({ ...moved, note }, event, `${note} Take the changes over.`), loop, { key, sentence: note });
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

/** The loop goes on where its repository is now, by the same id; also one that has ended, because it may be spoken to again. */
export function relocated(loop: Loop, { installationId, owner, repo }: Of<'relocated'>): Decision {
  return only({ ...loop, ref: { ...loop.ref, installationId, owner, repo } });
}

/**
 * The default branch moved. A packet or an approval is void where its configuration, the plan's own files or sensitive paths changed under it;
 * then the next one is made on the base as it is now. Any other move only stands in the log, and the loop keeps the base that it read.
 */
export function moved(loop: Loop, event: Of<'moved'>): Decision {
  if (event.before !== undefined && event.before !== loop.base?.sha) return only(loop);
  const found = shiftOf(loop, event);
  const isPromoted = loop.phase === 'SHIP' && loop.promotedAt !== undefined;
  const isBound = (isBuilding(loop) && !isPromoted) || loop.phase === 'ARCH_REVIEW';
  if (!isBound || found === undefined) return only(withConfigOf(loop, event));
  const current = onBase(withConfigOf(loop, event), event.sha);
  const subject = loop.approval === undefined ? 'packet' : 'approval';
  const because = `${found.sentence}, so the ${subject} is void`;
  const exhausted = exhaustedOf(loop);
  if (exhausted !== undefined) return stop(withoutApproval(current), `${because}. ${exhausted}`);
  const note = `${because} and a new plan is made.`;
  const feedback: Defect[] = [
    {
      id: `moved-${event.sha}`,
      requirement: null,
      file: found.file,
      line: null,
      rule: 'base-moved',
      severity: 'major',
      message: note,
      suggestion: null,
    },
  ];
  const replanned = enter({ ...withoutApproval(nextRound(current)), feedback, note }, 'PLAN', event.at);
  return voided(replanned, loop, { key: `base/${event.sha}`, sentence: note });
}

/** A configuration that changed is the loop's from now on; what was bound to the earlier one is void. */
function withConfigOf(loop: Loop, { configDigest, sha }: Of<'moved'>): Loop {
  return configDigest === loop.configDigest ? loop : { ...loop, configDigest, configSha: sha };
}

/** What changed of that which an approval is bound to, if anything; the rows in the order in which they are said. */
export function shiftOf(
  { configDigest, tasks }: Loop,
  event: Of<'moved'>,
): { readonly file: string | null; readonly sentence: string } | undefined {
  if (event.configDigest !== configDigest)
    return {
      file: '.github/loopwright.yml',
      sentence: `The configuration .github/loopwright.yml changed on the base at ${event.sha.slice(0, 7)}`,
    };
  if (event.unlisted)
    return { file: null, sentence: "The base moved in more files than GitHub lists, the plan's perhaps among them" };
  const planned = new Set(tasks.flatMap(({ files }) => files));
  const touched = event.paths.filter((path) => planned.has(path));
  if (touched[0] !== undefined)
    return { file: touched[0], sentence: `The base moved in ${listed(touched)}, which the plan changes` };
  const [sensitive] = event.sensitive;
  if (sensitive === undefined) return undefined;
  const words = event.sensitive.length === 1 ? 'a sensitive path' : 'sensitive paths';
  return { file: sensitive, sentence: `The base moved in ${listed(event.sensitive)}, ${words}` };
}

/** At most three, and how many more. */
export function listed(paths: readonly string[]): string {
  const more = paths.length - 3;
  return `${paths.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
