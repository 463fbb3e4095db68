/** How a loop moves through its phases: enter, pass, fail, stop. Pure; the rows of PHASES decide where to. */
import type { Effect } from './effect.ts';
import type { Decision, EntryRecord, Loop, Verdict } from './loop.ts';
import type { Defect, Measurement } from './measurement.ts';
import { AFTER_APPROVAL, JUDGING_TREE, LIMITS, PHASES } from './phases.ts';
import { type ForcedStop, forcedStopOf } from './scheduler.ts';
import type { PhaseName } from './terms.ts';

/** Why an entry ended. */
export interface Ending {
  readonly at: string;
  readonly outcome: EntryRecord['outcome'];
  readonly gates: readonly Verdict[];
  readonly measurements: readonly Measurement[];
  readonly defects: readonly Defect[];
  readonly reason: string;
  /** Digest-like text over the defects; the same one twice is a stall. Empty when there is nothing to compare. */
  readonly signature: string;
}

/** Adds an effect to a decision. */
export function emit(decision: Decision, ...effects: readonly Effect[]): Decision {
  return { loop: decision.loop, effects: [...decision.effects, ...effects] };
}

/** Nothing but the changed loop. */
export function only(loop: Loop): Decision {
  return { loop, effects: [] };
}

/** Enters a phase: a new entry, its counter, its work. */
export function enter(loop: Loop, phase: PhaseName, at: string): Decision {
  const { limit, work } = PHASES[phase];
  const drafts =
    limit === 'drafts' ? { ...loop.counters.drafts, [phase]: triesOf(loop, phase) + 1 } : loop.counters.drafts;
  const iterations = phase === 'BUILD' ? loop.counters.iterations + 1 : loop.counters.iterations;
  const { waitingFor: _, run, ...rest } = loop;
  const entered: Loop = {
    ...rest,
    // What an earlier entry still wanted done, such as a run of its own, nobody awaits any more.
    pending: loop.pending.filter((effect) => !('entry' in effect)),
    // SEED_DATA reads the second job of the BUILD run.
    ...(phase === 'SEED_DATA' && run !== undefined ? { run } : {}),
    status: 'working',
    phase,
    entry: loop.entry + 1,
    entryStartedAt: at,
    counters: { ...loop.counters, drafts, iterations },
    reports:
      phase === 'BUILD' ? { ...(loop.reports.build === undefined ? {} : { build: loop.reports.build }) } : loop.reports,
  };
  return { loop: entered, effects: [workOf(entered, work)] };
}

function workOf(loop: Loop, work: (typeof PHASES)[PhaseName]['work']): Effect {
  const { entry, phase } = loop;
  const key = `${entry}/${work}`;
  switch (work) {
    case 'draft':
      return { type: 'draft', key, phase, entry };
    case 'publish':
      return { type: 'publish', key, entry };
    case 'land':
      return { type: 'land', key, entry };
    case 'dispatch':
      return { type: 'dispatch', key, phase: 'BUILD', entry };
    case 'collect':
      return { type: 'collect', key, phase: 'SEED_DATA', entry, runId: loop.run?.id ?? 0 };
  }
}

/** Tries of a phase in the current round (drafts) or of the current plan (BUILD and what follows it). */
export function triesOf(loop: Loop, phase: PhaseName): number {
  return PHASES[phase].limit === 'drafts' ? (loop.counters.drafts[phase] ?? 0) : loop.counters.iterations;
}

/** The number of the builder's try under the approved plan: an iteration that died with its machine has tried nothing. */
export function buildTryOf({ counters, entries }: Loop): number {
  const planned = entries.slice(entries.findLastIndex(({ phase }) => phase === 'ARCH_REVIEW') + 1);
  const died = planned.filter(({ phase, outcome }) => phase === 'BUILD' && outcome === 'cancelled');
  return counters.iterations - died.length;
}

/** Closes the entry as passed and goes where the row says. */
export function pass(loop: Loop, ending: Ending): Decision {
  const closed: Loop = { ...recorded(loop, ending), feedback: [], note: '' };
  const { onPass } = PHASES[loop.phase];
  if (onPass === 'done')
    return only(
      ended(closed, 'succeeded', 'All gates passed. The pull request is ready for review; a person merges it.'),
    );
  return enter(onPass === 'DEFINE' ? nextRound(closed) : closed, onPass, ending.at);
}

/** Closes the entry as failed, then: forced stop, a new plan, or the next try with the defects as feedback. */
export function fail(loop: Loop, ending: Ending): Decision {
  const closed: Loop = {
    ...recorded(loop, ending),
    feedback: [...ending.defects],
    trees: [...loop.trees, ...failedTreeOf(loop, ending)],
    signatures: ending.signature === '' ? loop.signatures : [...loop.signatures, ending.signature],
  };
  const { onFail } = PHASES[loop.phase];
  if (onFail === 'done')
    return only(ended(closed, 'succeeded', `Finished; ${loop.phase} brought nothing: ${ending.reason}`));
  const forced = forcedStopOf(closed, ending.signature);
  if (forced !== undefined) return forcedTo(closed, forced, ending);
  return enter(closed, onFail, ending.at);
}

/** The tree that its gates refused; one that nobody judged to the end is none. */
function failedTreeOf({ phase, candidate }: Loop, { gates }: Ending): readonly string[] {
  const isRefused = JUDGING_TREE.includes(phase) && gates.some(({ passed }) => !passed);
  return isRefused && candidate !== undefined ? [candidate.codeTree] : [];
}

function forcedTo(loop: Loop, forced: ForcedStop, ending: Ending): Decision {
  const { plans, rounds, grants } = loop.counters;
  if (forced.cause === 'iterations' && plans < LIMITS.plans + grants && rounds < LIMITS.rounds + grants) {
    return enter(
      { ...withoutApproval(nextRound(loop)), note: `${forced.sentence} A new plan is made.` },
      'PLAN',
      ending.at,
    );
  }
  return stop(loop, `${forced.sentence} ${ending.reason}`);
}

/** Ends in *stopped, needs a person* with a problem report. */
export function stop(loop: Loop, sentence: string): Decision {
  const effects: Effect[] = [{ type: 'tell', key: `${loop.entry}/problem`, what: 'problem' }];
  return { loop: ended(loop, 'stopped', sentence), effects: [...cancellationOf(loop), ...effects] };
}

/** Closes the entry and stops there; another try alone would not help. */
export function stopAt(loop: Loop, ending: Ending, sentence: string): Decision {
  return stop(recorded(loop, ending), sentence);
}

/** Cancels what still runs for the current entry. */
export function cancellationOf(loop: Loop): readonly Effect[] {
  return loop.run === undefined ? [] : [{ type: 'cancel', key: `${loop.run.id}/cancel`, runId: loop.run.id }];
}

/** The state of rest: no work of the loop is performed any more, what people were promised still is. */
export function ended(loop: Loop, status: 'succeeded' | 'stopped', note: string): Loop {
  const { waitingFor: _w, pausedFrom: _p, ...rest } = loop;
  return { ...rest, status, note: note.trim(), held: [], pending: loop.pending.filter(isVoice) };
}

function isVoice({ type }: Effect): boolean {
  return (
    type === 'react' ||
    type === 'reply' ||
    type === 'tell' ||
    type === 'unlabel' ||
    type === 'show' ||
    type === 'cancel'
  );
}

/** Opens a review round: its number rises, and with it the tries of drafts start anew. */
export function nextRound(loop: Loop): Loop {
  return { ...loop, counters: { ...loop.counters, rounds: loop.counters.rounds + 1, drafts: {} } };
}

/** Takes back what only an approved plan may have. */
export function withoutApproval(loop: Loop): Loop {
  const { approval: _a, candidate: _c, promotedAt: _p, ...rest } = loop;
  return { ...rest, reports: {} };
}

/** Takes back what was built, and keeps the approval to build. */
export function withoutCandidate(loop: Loop): Loop {
  const { candidate: _, promotedAt: _p, ...rest } = loop;
  return rest;
}

/** The base branch at another commit. */
export function onBase(loop: Loop, sha: string | undefined): Loop {
  return sha === undefined || loop.base === undefined ? loop : { ...loop, base: { ...loop.base, sha } };
}

/** Whether the loop is between approval and the end of SHIP. */
export function isBuilding(loop: Loop): boolean {
  return AFTER_APPROVAL.includes(loop.phase);
}

function recorded(loop: Loop, ending: Ending): Loop {
  const record: EntryRecord = {
    entry: loop.entry,
    phase: loop.phase,
    attempt: triesOf(loop, loop.phase),
    startedAt: loop.entryStartedAt,
    endedAt: ending.at,
    outcome: ending.outcome,
    gates: [...ending.gates],
    measurements: [...ending.measurements],
    reason: ending.reason,
  };
  return { ...loop, entries: [...loop.entries, record] };
}
