/** Where a loop of the made-up world can stand, and events that people cause there. */
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event, EventOf } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { command, defect, labelledEvent, measured, PERSON, RAW, REF, timeOf } from './world.ts';

export const SHA = 'b'.repeat(40);

/** Settles every pending effect of the work lane with an outcome that passes, until somebody or something else is awaited. */
export function driven(loop: Loop, outcomes: Partial<Record<string, (loop: Loop) => Event>> = {}): Loop {
  const [effect] = loop.pending.filter(({ type }) => type in outcome);
  if (effect === undefined || !('entry' in effect)) return loop;
  const make = outcomes[effect.type] ?? outcome[effect.type];
  return make === undefined ? loop : driven(settle(loop, effect.key, make(loop)).loop, outcomes);
}

/** Drives until an effect of this type is the next. */
export function upTo(loop: Loop, type: string): Loop {
  const [effect] = loop.pending.filter((pending) => pending.type in outcome);
  if (effect === undefined || effect.type === type) return loop;
  return upTo(settle(loop, effect.key, outcome[effect.type]?.(loop)).loop, type);
}

const outcome: Record<string, (loop: Loop) => Event> = {
  draft: ({ entry, phase }) => ({
    type: 'drafted',
    at: timeOf(entry),
    entry,
    documents: [],
    measurements: measured(phase, true),
    defects: [],
    calls: [],
    surface: 'http',
    promotion: { by: 'auto', why: 'no secrets' },
  }),
  publish: (loop) => published(loop),
  dispatch: ({ entry }) => ({ type: 'dispatched', at: timeOf(entry), entry, runId: 500 + entry }),
  collect: (loop) => reported(loop),
  land: ({ entry }) => ({ type: 'landed', at: timeOf(entry), entry, candidate: SHA, codeTree: SHA }),
};

/** What the run of the current entry says: it passes unless told otherwise; one that does not has a defect and a signature of its own. */
export function reported(
  { entry, phase }: Loop,
  { passes = true, ...over }: Partial<EventOf<'reported'>> & { readonly passes?: boolean } = {},
): EventOf<'reported'> {
  return {
    type: 'reported',
    at: timeOf(entry),
    entry,
    measurements: measured(phase, passes),
    defects: passes ? [] : [defect(`d${entry}`)],
    calls: [],
    sandbox: 'bubblewrap',
    report: RAW,
    signature: passes ? '' : `s${entry}`,
    ...over,
  };
}

export const published = (loop: Loop, at = timeOf(loop.entry)): Event => ({
  type: 'published',
  at,
  entry: loop.entry,
  head: SHA,
  pull: 13,
  pullNodeId: 'PR_1',
  commentId: 90,
  digest: RAW,
  usd: asStarted(loop).started.limits.usd,
});
export const failure = (loop: Loop, cause: 'model' | 'setup' | 'safety') => ({
  type: 'failed' as const,
  at: timeOf(61),
  entry: loop.entry,
  cause,
  reason: 'Because.',
  calls: [],
});
export const started = () => decide(newLoop(REF), labelledEvent()).loop;
export const atReview = () => driven(started());
export const building = () => driven(decide(atReview(), command('approve', '', timeOf(50))).loop);
export const awaitingRelease = (): Loop => ({ ...building(), phase: 'SHIP', status: 'waiting', waitingFor: 'release' });
export const asking = (): Loop => {
  const loop = started();
  const questions = [{ question: 'Which?', why: 'It matters', options: [], safeDefault: 'this' }];
  const [draft] = loop.pending.filter(({ type }) => type === 'draft');
  const asked: Event = { type: 'asked', at: timeOf(1), entry: loop.entry, calls: [], questions };
  return settle(loop, draft?.key ?? '', asked).loop;
};
export const press: Event = {
  type: 'pressed',
  at: timeOf(56),
  by: PERSON,
  role: 'write',
  button: 'approve',
  digest: RAW,
};
export const review = (over: Partial<Extract<Event, { type: 'reviewed' }>> = {}): Event => ({
  type: 'reviewed',
  at: timeOf(56),
  by: PERSON,
  role: 'write',
  state: 'changes_requested',
  body: 'clearer',
  submittedAt: timeOf(56),
  ...over,
});
export const pushed = (over: Partial<Extract<Event, { type: 'pushed' }>> = {}): Event => ({
  type: 'pushed',
  at: timeOf(56),
  by: PERSON,
  sha: 'c'.repeat(40),
  codeTree: SHA,
  documentsChanged: false,
  ...over,
});
/** The run that the loop awaits ended. */
export const completed = (loop: Loop, conclusion = 'success'): Event => ({
  type: 'completed',
  at: timeOf(60),
  runId: loop.built.run?.id ?? 0,
  conclusion,
});
export const runEnded = (loop: Loop): Loop => driven(decide(loop, completed(loop)).loop);
export const sentences = (loop: Loop): string[] =>
  loop.pending.flatMap((effect) => (effect.type === 'reply' ? [effect.text] : []));
