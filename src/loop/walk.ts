/** How a loop moves through its phases: enter, pass, fail, begin again, stop. Pure; the traits of PHASES decide where to. */
import { builtFor, retiredBy, seededBy, startText } from './built.ts';
import { CONTRADICTION } from './defect.ts';
import type { Effect } from './effect.ts';
import { type ForcedStop, forcedStopOf } from './forced-stops.ts';
import { blocks } from './gates.ts';
import type { Decision, EntryRecord, Loop, Verdict } from './loop.ts';
import type { Defect, Measurement } from './measurement.ts';
import { LIMITS, onlyLooksBack, PHASES } from './phases.ts';
import { foundBy, redBy } from './red.ts';
import { atRest, cancellationOf, withoutWork } from './rest.ts';
import { isShort, shortened } from './shortage.ts';
import type { StartedLoop } from './stages.ts';
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

/** Enters a phase: a new entry, its work and, unless it is entered `again`, its counter. From where the pull request is ready it becomes a draft again. */
export function enter(loop: StartedLoop, phase: PhaseName, at: string, how: 'counted' | 'again' = 'counted'): Decision {
  const { waitingFor: _w, pausedFor: _p, shipping, ...rest } = loop;
  const entered: StartedLoop = {
    ...withoutWork(rest),
    status: 'working',
    phase,
    entry: loop.entry + 1,
    entryStartedAt: at,
    counters: how === 'again' ? loop.counters : counted(loop, phase),
    built: builtFor(loop, phase),
    // REFLECT reads how the loop was shipped.
    ...(shipping !== undefined && onlyLooksBack(phase) ? { shipping } : {}),
    ...(onlyLooksBack(phase) && !onlyLooksBack(loop.phase) ? { requested: [] } : {}),
  };
  const about = how === 'counted' ? startText(loop, phase) : undefined;
  const told = about === undefined ? entered : { ...entered, note: about };
  const decision = { loop: told, effects: [...redraftOf(loop, entered), workOf(entered)] };
  if (!isShort(entered)) return decision;
  return onlyLooksBack(phase) ? only(atRest(entered, 'succeeded', NOTHING_LEFT_TO_LOOK_BACK)) : shortened(decision);
}

/** It is ready, or may be: of an effect that nobody awaited to its end nobody knows whether it was performed. */
function redraftOf(before: Loop, { phase, entry }: Loop): readonly Effect[] {
  const readyKey = `${before.entry}/ready`;
  const mayBeReady = before.pending.some(({ key }) => key === readyKey) || before.abandoned.includes(readyKey);
  const isTakenBack = (onlyLooksBack(before.phase) || mayBeReady) && !onlyLooksBack(phase);
  return isTakenBack ? [{ type: 'redraft', key: `${entry}/redraft`, entry }] : [];
}

/** What is done is done; nobody is asked for money to look back at it. */
const NOTHING_LEFT_TO_LOOK_BACK =
  'All gates passed. The pull request is ready for review; a person merges it. The budget is used up, so nothing was looked back on.';

function counted({ counters }: Loop, phase: PhaseName): Loop['counters'] {
  const { counts, opens } = PHASES[phase];
  if (opens === 'iteration') return { ...counters, iterations: counters.iterations + 1 };
  if (counts === 'iterations') return counters;
  return { ...counters, drafts: { ...counters.drafts, [phase]: (counters.drafts[phase] ?? 0) + 1 } };
}

function workOf(loop: Loop): Effect {
  const { entry, phase } = loop;
  const { work } = PHASES[phase];
  const key = `${entry}/${work}`;
  switch (work) {
    case 'draft':
      return { type: 'draft', key, phase, entry };
    case 'publish':
      return { type: 'publish', key, entry };
    case 'land':
      return { type: 'land', key, entry };
    case 'run':
      return runOf(loop);
    case 'collect':
      return reportOf(loop);
  }
}

/** Has the phase's job run in Actions. */
export function runOf({ entry, phase }: Loop): Effect {
  const { job } = PHASES[phase];
  if (job === undefined) throw new Error(`the process gives ${phase} no job to run`);
  return { type: 'dispatch', key: `${entry}/dispatch`, job, entry };
}

/** Reads a further report of the run that an earlier phase awaited. */
function reportOf({ entry, phase, built }: Loop): Effect {
  const { report } = PHASES[phase];
  const runId = built.run?.id;
  if (report === undefined || runId === undefined) throw new Error(`${phase} has no run to read a report of`);
  return { type: 'collect', key: `${entry}/collect`, phase, report, entry, runId, because: 'ended' };
}

/** Tries of a phase: its rounds where people decide, else its drafts in this round, or the iterations of the current plan. */
export function triesOf({ counters }: Loop, phase: PhaseName): number {
  const { waits, counts } = PHASES[phase];
  if (waits === 'approval') return counters.rounds;
  return counts === 'drafts' ? (counters.drafts[phase] ?? 0) : counters.iterations;
}

/** Closes the entry as passed and goes where the row says. */
export function pass(loop: StartedLoop, ending: Ending): Decision {
  const closed: StartedLoop = { ...close(loop, ending), feedback: [], note: '' };
  const { pass: to, passOpens } = PHASES[loop.phase];
  if (to === 'done')
    return only(
      atRest(closed, 'succeeded', 'All gates passed. The pull request is ready for review; a person merges it.'),
    );
  return enter(passOpens === 'round' ? nextRound(closed) : closed, to, ending.at);
}

/** Closes the entry as failed, then: forced stop, a new plan, or the next try with the defects as feedback. */
export function fail(loop: StartedLoop, ending: Ending): Decision {
  const closed: StartedLoop = {
    ...close(loop, ending),
    feedback: [...foundBy(loop, ending)],
    trees: [...loop.trees, ...failedTreeOf(loop, ending)],
    signatures: ending.signature === '' ? loop.signatures : [...loop.signatures, ending.signature],
  };
  const { fail: to } = PHASES[loop.phase];
  if (to === 'done')
    return only(atRest(closed, 'succeeded', `Finished; ${loop.phase} brought nothing: ${ending.reason}`));
  const mender = menderOf(loop, ending);
  const forced = forcedStopOf(closed, ending.signature, mender);
  if (forced !== undefined) return forcedTo(closed, forced, ending);
  return enter(closed, mender ?? to, ending.at);
}

/** The earlier phase that alone can mend what made a gate red; what was not measured is nobody's to mend. */
function menderOf({ phase }: Loop, { gates }: Ending): PhaseName | undefined {
  const { mends = {} } = PHASES[phase];
  return gates.flatMap(({ name, value, passed }) => (passed || value === undefined ? [] : (mends[name] ?? [])))[0];
}

/** The tree that failed a gate; a cancelled entry has none. */
function failedTreeOf({ phase, built }: Loop, { gates }: Ending): readonly string[] {
  const isRefused = PHASES[phase].judges === 'tree' && gates.some(blocks);
  return isRefused && built.candidate !== undefined ? [built.candidate.codeTree] : [];
}

function forcedTo(loop: StartedLoop, forced: ForcedStop, ending: Ending): Decision {
  const { plans, rounds, grants } = loop.counters;
  const { replan } = PHASES[loop.phase];
  const mayReplan = plans < LIMITS.plans + grants && rounds < LIMITS.rounds + grants;
  if ((forced.cause === 'iterations' || isContradicted(forced, ending)) && replan !== undefined && mayReplan) {
    const replanned = { ...withoutApproval(nextRound(loop)), note: `${forced.sentence} A new plan is made.` };
    return enter(replanned, replan, ending.at);
  }
  return stop(loop, `${forced.sentence} ${ending.reason}`);
}

/** An existing test asserts the opposite of what is asked, try after try: only a plan that names it, which people approve, can settle that. */
function isContradicted({ cause }: ForcedStop, { defects }: Ending): boolean {
  return cause === 'stall' && defects.some(({ rule }) => rule === CONTRADICTION);
}

/** Beginnings that are nobody's fault, each with its bound and what a person is told there. */
const RESTARTS = {
  cancellations: (times: number) =>
    `${times} runs ended without a report; see in their logs why the runners or the set-up stop, then \`/rerun\`.`,
  interruptions: (times: number) =>
    `The branch was pushed to ${times} times while it was being built or judged; see whether a bot does that, then \`/rerun\`.`,
} as const;

/** Closes the entry as cancelled and enters a phase again without counting a try; how often is bounded by a counter of its own. */
export function again(
  loop: StartedLoop,
  ending: Pick<Ending, 'at' | 'reason'>,
  { phase, counter }: { readonly phase: PhaseName; readonly counter: keyof typeof RESTARTS },
): Decision {
  const times = loop.counters[counter] + 1;
  const closed: StartedLoop = {
    ...close(loop, { ...ending, outcome: 'cancelled', gates: [], measurements: [] }),
    counters: { ...loop.counters, [counter]: times },
  };
  if (times > LIMITS[counter] + loop.counters.grants) return stop(closed, RESTARTS[counter](times));
  return enter(closed, phase, ending.at, 'again');
}

/** Ends in *stopped, needs a person* with a problem report. */
export function stop(loop: Loop, sentence: string): Decision {
  const problem: Effect = { type: 'tell', key: `${loop.entry}/problem`, what: 'problem' };
  return { loop: atRest(loop, 'stopped', sentence), effects: [...cancellationOf(loop), problem] };
}

/** Closes the entry and stops there; another try alone would not help. */
export function stopAt(loop: Loop, ending: Ending, sentence: string): Decision {
  return stop(close(loop, ending), sentence);
}

/** Opens a review round: its number rises, and with it the tries of drafts start anew. */
export function nextRound(loop: StartedLoop): StartedLoop {
  return { ...loop, counters: { ...loop.counters, rounds: loop.counters.rounds + 1, drafts: {} } };
}

/** Takes back what only an approved plan may have. */
export function withoutApproval({ approval: _, ...loop }: StartedLoop): StartedLoop {
  const cleared = withoutCandidate(loop);
  const { reports } = cleared.built;
  return { ...cleared, built: { ...cleared.built, ...seededBy(reports), ...retiredBy(cleared.built), reports: {} } };
}

/** Takes back what was built, and keeps the approval to build. */
export function withoutCandidate({ shipping: _, ...loop }: StartedLoop): StartedLoop {
  const { candidate: _c, ...built } = loop.built;
  return { ...loop, built };
}

/** The base branch at another commit. */
export function onBase(loop: StartedLoop, sha: string | undefined): StartedLoop {
  if (sha === undefined) return loop;
  return { ...loop, started: { ...loop.started, base: { ...loop.started.base, sha } } };
}

type Closing = Omit<Ending, 'defects' | 'signature'> & { readonly defects?: readonly Defect[] };

/** Closes the current entry: it stands in the record with what it was judged by. */
export function close<Some extends Loop>(loop: Some, ending: Closing): Some {
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
  return { ...loop, entries: [...loop.entries, record], ...redBy(loop, ending) };
}
