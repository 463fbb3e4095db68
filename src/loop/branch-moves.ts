/** What a loop does when the ground moves under it: commits of people on its branch, and a base that goes on. Pure; one handler per event. */
import { advanceOf, behind, listed, mayMergeBase, onAdvance, withConfigOf } from './behind.ts';
import { defect } from './defect.ts';
import type { EventOf } from './event.ts';
import type { Decision, Loop } from './loop.ts';
import { isHandedOver } from './people/handed-over.ts';
import { say } from './people/people.ts';
import { exhaustedOf, sentBack } from './people/rejection.ts';
import { FIRST, ITERATION, needsApproval, PHASES, REVIEW } from './phases.ts';
import { cancellationOf } from './rest.ts';
import { isReviewed, type ReviewedLoop, type StartedLoop } from './stages.ts';
import { again, close, emit, enter, nextRound, onBase, only, stop, withoutApproval, withoutCandidate } from './walk.ts';

/** A person's commit wins: evidence is void, and when it touches the approved documents so is the approval. Each voiding is said in one sentence. */
export function pushed(loop: StartedLoop, event: EventOf<'pushed'>): Decision {
  if (!isReviewed(loop) || event.sha === loop.review.head) return only(loop);
  const merged = event.base?.before === loop.started.base.sha ? event.base.after : undefined;
  const moved = withHead(onBase(loop, merged), loop.review, event.sha);
  const touchesPacket = event.documentsChanged && (loop.waitingFor === 'approval' || loop.approval !== undefined);
  if (touchesPacket) return documentsPushed(loop, moved, event);
  if (loop.status === 'stopped') return only(withoutCandidate(moved));
  const who = whoOf(event);
  if (!needsApproval(loop.phase))
    return only({ ...moved, note: `${who} to the branch; the next candidate is built on it.` });
  const note = `${who} to the branch, so the evidence is void and the next candidate is built on it.`;
  const restarted = again(
    { ...withoutCandidate(moved), note },
    { at: event.at, reason: `${who}.` },
    { phase: ITERATION, counter: 'interruptions' },
  );
  return voided(restarted, loop, { key: `push/${event.sha}`, sentence: note });
}

function withHead(loop: StartedLoop, review: ReviewedLoop['review'], head: string): StartedLoop {
  return { ...loop, review: { ...review, head } };
}

function whoOf({ by, sha }: EventOf<'pushed'>): string {
  return `${by === undefined ? 'Somebody' : `@${by.login}`} pushed ${sha.slice(0, 7)}`;
}

function documentsPushed(loop: ReviewedLoop, moved: StartedLoop, event: EventOf<'pushed'>): Decision {
  const key = `push/${event.sha}`;
  const subject = loop.approval === undefined ? 'packet' : 'approval';
  const because = `${whoOf(event)} and changed the documents on the branch, so the ${subject} is void`;
  if (loop.status === 'stopped') {
    const sentence = `${because}; \`/rerun PLAN\` makes a new packet.`;
    return emit(only(withoutApproval(moved)), say(key, 'pull', sentence));
  }
  const note = `${because} and a new packet is made.`;
  const points = [{ message: `${note} Take the changes over.` }];
  const back = PHASES[REVIEW].back?.default ?? FIRST;
  return voided(sentBack({ ...moved, note }, { at: event.at, reason: `${whoOf(event)}.`, points }, back), loop, {
    key,
    sentence: note,
  });
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

/**
 * The default branch moved. A packet or an approval is void where its configuration, the plan's own files or sensitive paths changed under it;
 * then the next one is made on the base as it is now. What is on the branch already is proved again with it. Any other move only stands in the log,
 * and the loop keeps the base that it read.
 */
export function moved(loop: StartedLoop, event: EventOf<'moved'>): Decision {
  if (event.before !== undefined && event.before !== loop.started.base.sha) return only(loop);
  const found = shiftOf(loop, event);
  const { replan } = PHASES[loop.phase];
  if (isHandedOver(loop)) return movedAway(loop, event);
  if (loop.shipping?.promotedAt !== undefined) return movedBehind(loop, event);
  if (replan === undefined || found === undefined) return only(withConfigOf(loop, event));
  const current = onAdvance(loop, event);
  const subject = loop.approval === undefined ? 'packet' : 'approval';
  const because = `${found.sentence}, so the ${subject} is void`;
  const exhausted = exhaustedOf(loop);
  if (exhausted !== undefined) return stop(withoutApproval(current), `${because}. ${exhausted}`);
  const note = `${because} and a new plan is made.`;
  const feedback = [
    defect({ rule: 'base-moved', about: event.sha, file: found.file, severity: 'major', message: note }),
  ];
  const ending = { at: event.at, outcome: 'cancelled', gates: [], measurements: [], reason: `${because}.` } as const;
  const replanned = enter({ ...withoutApproval(nextRound(close(current, ending))), feedback, note }, replan, event.at);
  return voided(replanned, loop, { key: `base/${event.sha}`, sentence: note });
}

/** The candidate is on the branch: nothing is planned anew, but it is proved again where the base went on in what the proof may depend on. */
function movedBehind(loop: StartedLoop, event: EventOf<'moved'>): Decision {
  const advance = advanceOf(event);
  if (advance === undefined || !mayMergeBase(loop, advance)) return only(withConfigOf(loop, event));
  return behind(loop, { ...advance, at: event.at });
}

/** The pull request is ready and people decide: they are told that what was proved holds for an older base, and `/rerun` proves it again. */
function movedAway(loop: StartedLoop, event: EventOf<'moved'>): Decision {
  const outdated = advanceOf(event);
  if (outdated === undefined || loop.shipping === undefined) return only(loop);
  return only({ ...loop, shipping: { ...loop.shipping, outdated } });
}

/** What changed of that which an approval is bound to, if anything; the rows in the order in which they are said. */
export function shiftOf(
  { started, tasks, supersededTests = [] }: StartedLoop,
  event: EventOf<'moved'>,
): { readonly file: string | null; readonly sentence: string } | undefined {
  if (event.configDigest !== started.config.digest)
    return {
      file: '.github/loopwright.yml',
      sentence: `The configuration .github/loopwright.yml changed on the base at ${event.sha.slice(0, 7)}`,
    };
  if (event.unlisted)
    return { file: null, sentence: "The base moved in more files than GitHub lists, the plan's perhaps among them" };
  const planned = new Set([...tasks.flatMap(({ files }) => files), ...supersededTests.map(({ file }) => file)]);
  const touched = event.paths.filter((path) => planned.has(path));
  if (touched[0] !== undefined)
    return { file: touched[0], sentence: `The base moved in ${listed(touched)}, which the plan changes` };
  const [sensitive] = event.sensitive;
  if (sensitive === undefined) return undefined;
  const words = event.sensitive.length === 1 ? 'a sensitive path' : 'sensitive paths';
  return { file: sensitive, sentence: `The base moved in ${listed(event.sensitive)}, ${words}` };
}

/** The repository is called otherwise or lies elsewhere; everything else of the loop goes by its id and stays. */
export function relocated(loop: Loop, { installationId, owner, repo }: EventOf<'relocated'>): Decision {
  return only({ ...loop, ref: { ...loop.ref, installationId, owner, repo } });
}

/** The App may not do its work in the repository: what was decided waits, and nothing of it is lost. Another reason replaces the one before. */
export function withheld(loop: Loop, { at, reason, lanes }: EventOf<'withheld'>): Decision {
  const { since = at, reason: before, lanes: held = [] } = loop.withheld ?? {};
  const waiting = reason === before ? [...new Set([...held, ...lanes])] : lanes;
  return only({ ...loop, withheld: { since, reason, lanes: waiting } });
}

/** It may again, and the loop goes on where it was. */
export function regained({ withheld: _, ...loop }: Loop): Decision {
  return only(loop);
}
