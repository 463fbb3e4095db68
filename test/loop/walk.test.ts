import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event, EventOf } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { LIMITS } from '../../src/loop/phases.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { problemReport } from '../../src/render/problem.ts';
import { atReview, building, completed, driven, failure, pushed, reported, started, upTo } from './stands.ts';
import { command, defect, measured, timeOf } from './world.ts';

function cancelled({ entry }: Loop): EventOf<'failed'> {
  return { type: 'failed', at: timeOf(61), entry, cause: 'cancelled', reason: 'The run was cancelled.', calls: [] };
}

/** The run of the current BUILD died with its machine, and the next one is under way. */
function dead(loop: Loop): Loop {
  return driven(decide(loop, completed(loop, 'cancelled')).loop, { collect: cancelled });
}

/** The current BUILD missed a gate in its own way, and the next one is under way. */
function red(loop: Loop): Loop {
  return driven(decide(loop, completed(loop)).loop, {
    collect: (at) => reported(at, { passes: false, at: timeOf(61) }),
  });
}

/** Somebody's commit, another one each time, and the next run is under way. */
function interrupted(loop: Loop): Loop {
  return driven(decide(loop, pushed({ sha: loop.entry.toString(16).padStart(40, 'c') })).loop);
}

function times(count: number, act: (loop: Loop) => Loop, loop: Loop): Loop {
  return Array.from({ length: count }).reduce<Loop>((at) => act(at), loop);
}

describe('an iteration', () => {
  it('is a try of the builder: a run that died with its machine is none, so the next one starts as the same', () => {
    expect(building().counters.iterations).toBe(1);
    expect(red(building()).counters.iterations).toBe(2);
    expect(dead(building()).counters.iterations).toBe(1);
    expect(dead(red(building())).counters.iterations).toBe(2);
  });

  it('that a commit of a person interrupted is none either', () => {
    expect(interrupted(building()).counters.iterations).toBe(1);
    expect(interrupted(red(building())).counters.iterations).toBe(2);
  });

  it('of an earlier plan does not count for the new one, however it ended', () => {
    const replanned = red(red(red(dead(building()))));
    expect(replanned).toMatchObject({ phase: 'ARCH_REVIEW', waitingFor: 'approval' });
    const approved = driven(decide(replanned, command('approve', '', timeOf(62))).loop);
    expect(red(approved).counters).toMatchObject({ plans: 2, iterations: 2 });
  });

  it('that began again leaves no tree, no signature and no feedback behind', () => {
    const before = building();
    const { trees, signatures, feedback } = interrupted(dead(before));
    expect({ trees, signatures, feedback }).toEqual({ trees: [], signatures: [], feedback: before.feedback });
  });
});

describe('a plan whose critic says that only the specification can mend it', () => {
  const found = [defect('R-2 contradicts R-1')];
  const plan = (loop: Loop, passes: boolean): Event => ({
    type: 'drafted',
    at: timeOf(loop.entry),
    entry: loop.entry,
    documents: [],
    measurements: measured(loop.phase, passes || loop.phase !== 'PLAN', 'spec_findings'),
    defects: passes || loop.phase !== 'PLAN' ? [] : found,
    calls: [],
    surface: 'http',
  });
  const planning = (): Loop => {
    const [draft] = started().pending.filter(({ type }) => type === 'draft');
    const defining = settle(started(), draft?.key ?? '', plan(started(), true)).loop;
    return settle(defining, `${defining.entry}/draft`, plan(defining, true)).loop;
  };
  const refused = (loop: Loop): Loop => settle(loop, `${loop.entry}/draft`, plan(loop, false)).loop;

  it('goes back to DEFINE with what was found, in the same round', () => {
    expect(refused(planning())).toMatchObject({
      status: 'working',
      phase: 'DEFINE',
      feedback: found,
      counters: { rounds: 1, drafts: { DEFINE: 2, PLAN: 1 } },
    });
  });

  it('goes back as often as PLAN may be tried, and then a person looks', () => {
    const last = driven(planning(), { draft: (loop) => plan(loop, false) });
    expect(last).toMatchObject({ status: 'stopped', phase: 'PLAN', counters: { drafts: { DEFINE: 3, PLAN: 3 } } });
    expect(last.entries.map(({ phase }) => phase)).toEqual(['DISCOVER', ...Array(3).fill(['DEFINE', 'PLAN']).flat()]);
  });

  it('does not go back to a DEFINE that had its tries', () => {
    const before = planning();
    const used = { ...before, counters: { ...before.counters, drafts: { DEFINE: LIMITS.drafts, PLAN: 1 } } };
    expect(refused(used)).toMatchObject({
      status: 'stopped',
      note: expect.stringContaining('PLAN found what only DEFINE can mend, and DEFINE had its 3 tries.'),
    });
  });
});

describe('what the last red entry found', () => {
  const verifying = (passes: boolean): Loop => {
    const run = decide(building(), completed(building())).loop;
    const built = driven(run, { collect: (loop) => reported(loop, { at: timeOf(61) }) });
    return driven(decide(built, completed(built)).loop, { collect: (at) => reported(at, { passes, at: timeOf(62) }) });
  };
  const red = verifying(false);
  const judged = red.entries.findLast(({ outcome }) => outcome === 'failed');

  it('is remembered after a build has passed since', () => {
    expect(judged?.phase).toBe('VERIFY');
    expect(red).toMatchObject({ phase: 'BUILD', red: { entry: judged?.entry, phase: 'VERIFY', left: 0 } });
    const built = upTo(decide(red, completed(red)).loop, 'land');
    expect(built).toMatchObject({ phase: 'VERIFY', feedback: [], red: red.red });
  });

  it('is open again when the same tree comes twice, for people and for the next try', () => {
    const built = upTo(decide(red, completed(red)).loop, 'land');
    const stopped = driven(built);
    expect(stopped).toMatchObject({ status: 'stopped', note: expect.stringContaining('The same tree came twice') });
    expect(stopped.feedback).toEqual(red.red?.defects);
    expect(problemReport(asStarted(stopped))).toContain(`The last entry that was red is ${judged?.entry} (VERIFY):`);
  });

  it('is open again when the next build says that it changed nothing, and nothing is landed', () => {
    const stopped = driven(decide(red, completed(red)).loop, {
      collect: (at) => reported(at, { at: timeOf(63), measurements: [], unchanged: true }),
    });
    expect(stopped).toMatchObject({ status: 'stopped', phase: 'BUILD', feedback: red.feedback });
    expect(stopped.note).toContain('The same tree came twice');
    expect(stopped.red).toEqual(red.red);
  });

  it('is the gates that were red where nobody said more', () => {
    const silent = driven(decide(building(), completed(building())).loop, {
      collect: (at) => reported(at, { passes: false, at: timeOf(61), defects: [] }),
    });
    const found = 'BUILD: build_errors is 1; it needs <= 0.';
    expect(silent.feedback.map(({ message }) => message)).toEqual([found]);
    expect(problemReport(asStarted(silent))).toContain(found);
  });

  it('is the reason where the work could not be done, and what was open before stays open', () => {
    const stopped = decide(red, failure(red, 'setup')).loop;
    expect(stopped.red?.defects.map(({ message }) => message)).toEqual(['Because.']);
    expect(stopped.feedback).toEqual(red.feedback);
  });
});

describe('the record of an entry', () => {
  const [rounds, iterations, drafts] = [2, 3, 4];
  const counted = (loop: Loop): Loop => ({
    ...loop,
    counters: { ...loop.counters, rounds, iterations, drafts: { DISCOVER: drafts } },
  });
  const review = counted(atReview());
  const build = counted(building());
  const draft: Loop = counted(started());
  const { digest: configDigest } = asStarted(review).started.config;
  const moved: EventOf<'moved'> = {
    type: 'moved',
    at: timeOf(60),
    sha: 'f'.repeat(40),
    paths: [],
    unlisted: true,
    sensitive: [],
    configDigest,
  };

  it.each<[string, Loop, Event, number]>([
    ['a packet that was approved: its round', review, command('approve', '', timeOf(60)), rounds],
    ['a packet that was sent back: its round', review, command('reject', 'R1: no', timeOf(60)), rounds],
    ['a packet whose base moved: its round', review, moved, rounds],
    ['a draft that failed: its number among those of the phase', draft, failure(draft, 'setup'), drafts],
    ['a build that failed: its iteration', build, failure(build, 'setup'), iterations],
    ['a build that a push interrupted: its iteration', build, pushed(), iterations],
  ])('tells which try it was of %s', (_, loop, event, attempt) => {
    expect(decide(loop, event).loop.entries.at(-1)).toMatchObject({ entry: loop.entry, attempt });
  });
});

describe('a beginning that is nobody’s fault', () => {
  it.each([
    [
      'runs without a report',
      'cancellations',
      dead,
      '6 runs ended without a report; see in their logs why the runners or the set-up stop, then `/rerun`.',
    ],
    [
      'pushes to the branch',
      'interruptions',
      interrupted,
      'The branch was pushed to 21 times while it was being built or judged; see whether a bot does that, then `/rerun`.',
    ],
  ] as const)('is bounded for %s, over the whole loop, and then a person looks', (_, counter, act, sentence) => {
    const last = times(LIMITS[counter], act, building());
    expect(last).toMatchObject({ status: 'working', phase: 'BUILD', counters: { iterations: 1 } });
    expect(act(last)).toMatchObject({ status: 'stopped', note: sentence });
  });

  it('begins with the run, also where it is the second report of the run that the run did not leave', () => {
    const before = building();
    const seeding = upTo(
      settle(
        decide(before, completed(before)).loop,
        `${before.entry}/collect/ended`,
        reported(before, { at: timeOf(61) }),
      ).loop,
      'collect',
    );
    expect(seeding.phase).toBe('SEED_DATA');
    const again = settle(seeding, `${seeding.entry}/collect`, cancelled(seeding)).loop;
    expect(again).toMatchObject({ phase: 'BUILD', counters: { iterations: 1, cancellations: 1 } });
    expect(again.pending.map(({ type }) => type)).toContain('dispatch');
  });

  it('is granted once more by `/rerun`, and no more than once', () => {
    const stopped = times(LIMITS.cancellations + 1, dead, building());
    const rerun = driven(decide(stopped, command('rerun', '', timeOf(70))).loop);
    expect(rerun).toMatchObject({ status: 'working', phase: 'BUILD' });
    expect(dead(rerun)).toMatchObject({ status: 'stopped' });
  });

  it('does not send the packet back', () => {
    expect(interrupted(atReview())).toMatchObject({
      status: 'waiting',
      waitingFor: 'approval',
      counters: { rounds: 1 },
    });
  });
});
