/** What a loop does with its workflow runs: what they reported, and the candidate that came of it. Pure; one handler per event. */
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import { charged, endingOf, judge, NO_FINDINGS } from './judging.ts';
import type { Decision, Loop } from './loop.ts';
import { treeStopOf } from './scheduler.ts';
import { type Ending, emit, only, stopAt } from './walk.ts';

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;

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

/** A run that the loop does not wait for, and is not about to learn of, is cancelled: nobody would ever read what it does. */
export function surfaced(loop: Loop, { runId, entry }: Of<'surfaced'>): Decision {
  const isKnown =
    loop.run?.id === runId || loop.held.some((held) => held.type === 'dispatched' && held.runId === runId);
  const isStarting = loop.pending.some((effect) => effect.type === 'dispatch' && effect.entry === entry);
  if (isKnown || isStarting) return only(loop);
  return emit(only(loop), { type: 'cancel', key: `${runId}/cancel`, runId });
}

/** Pulls the report of the run that the loop waits for. */
export function collect(loop: Loop): Decision {
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
  return judge(kept, event);
}

export function landed(loop: Loop, event: Of<'landed'>): Decision {
  const candidate = { sha: event.candidate, codeTree: event.codeTree, entry: event.entry };
  const stall = treeStopOf(loop, event.codeTree);
  if (stall !== undefined) {
    const ending = endingOf(loop, { at: event.at, ...NO_FINDINGS });
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
