/** Where each phase stands, read from the loop's record: the source of the board and of the check runs. */
import { standardOf, verdictsOf } from '../loop/gates.ts';
import type { EntryRecord, Loop, Verdict } from '../loop/loop.ts';
import { type PhaseName, phaseName } from '../loop/terms.ts';

export interface PhaseState {
  readonly phase: PhaseName;
  /** `unproven`: behind the loop, but its last entry did not pass; never shown as done. */
  readonly state: 'done' | 'unproven' | 'queued' | 'working' | 'waiting' | 'paused' | 'stopped' | 'ahead';
  /** Gates of the entry that counts now; without values while nothing is measured. */
  readonly gates: readonly Verdict[];
  /** Ended entries of this phase, oldest first. */
  readonly entries: readonly EntryRecord[];
}

/** All phases in their order. */
export function phaseStates(loop: Loop): readonly PhaseState[] {
  return phaseName.options.map((phase) => phaseState(loop, phase));
}

function phaseState(loop: Loop, phase: PhaseName): PhaseState {
  const entries = loop.entries.filter((record) => record.phase === phase);
  const last = entries.at(-1);
  const state = stateOf(loop, phase, last);
  const counts = state === 'done' || state === 'unproven' || last?.entry === loop.entry;
  const gates = counts && last !== undefined ? last.gates : verdictsOf(standardOf(loop, phase), []);
  return { phase, state, gates, entries };
}

function stateOf(loop: Loop, phase: PhaseName, last: EntryRecord | undefined): PhaseState['state'] {
  const behind = phaseName.options.indexOf(loop.phase) - phaseName.options.indexOf(phase);
  if (loop.status === 'idle' || behind < 0) return 'ahead';
  const passed = last?.outcome === 'passed';
  if (behind > 0) return passed ? 'done' : 'unproven';
  if (loop.status === 'succeeded') return passed ? 'done' : 'unproven';
  return loop.status === 'queued' ? 'waiting' : loop.status;
}
