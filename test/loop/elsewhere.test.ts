/** What a loop hears about its repository, and about runs and checks that are not the work of its entry. */
import { describe, expect, it } from 'vitest';
import { nextEffect } from '../../src/engine/next-effect.ts';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { atReview, building, pushed, SHA, upTo } from './stands.ts';
import { command, REF, timeOf } from './world.ts';

const relocated: Event = { type: 'relocated', at: timeOf(70), installationId: 2, owner: 'globex', repo: 'store' };
const stoppedBy = (loop: Loop) => decide(loop, command('stop', '', timeOf(60))).loop;
const pausedBy = (loop: Loop) => decide(loop, command('pause', '', timeOf(60))).loop;

describe('a repository that has another name, owner or installation', () => {
  it.each([
    ['at work', building()],
    ['waiting', atReview()],
    ['paused', pausedBy(building())],
    ['stopped', stoppedBy(building())],
    ['refused', newLoop(REF)],
  ])('is where a loop goes on that is %s, and nothing else of it changes', (_, loop) => {
    const after = decide(loop, relocated).loop;
    expect(after.ref).toEqual({ ...REF, installationId: 2, owner: 'globex', repo: 'store' });
    expect({ ...after, ref: REF, seq: 0, pending: [] }).toEqual({ ...loop, seq: 0, pending: [] });
  });

  it('is shown, because links name it; another installation is not', () => {
    const loop = { ...stoppedBy(building()), pending: [] };
    const shown = ({ pending }: Loop) => pending.map(({ type }) => type);
    expect(shown(decide(loop, relocated).loop)).toEqual(['show']);
    expect(shown(decide(loop, { ...relocated, owner: REF.owner, repo: REF.repo }).loop)).toEqual([]);
  });
});

it('checks of other people decide nothing and ask for nothing', () => {
  const heard: Event = { type: 'heard', at: timeOf(70), sha: SHA };
  const loop: Loop = { ...building(), phase: 'SHIP' };
  expect(decide(loop, heard)).toEqual({ loop, effects: [] });
});

describe('a run that is in the name of a loop', () => {
  const surfaced = (loop: Loop, runId: number): Event => ({
    type: 'surfaced',
    at: timeOf(70),
    runId,
    entry: loop.entry,
  });
  const cancelled = ({ pending }: Loop) => pending.flatMap((one) => (one.type === 'cancel' ? [one.runId] : []));

  it.each([
    ['at work', building()],
    ['waiting', atReview()],
    ['stopped', { ...stoppedBy(building()), pending: [] }],
    ['paused', pausedBy(building())],
  ])('and that it does not know is cancelled: the loop is %s', (_, loop) => {
    expect(cancelled(decide(loop, surfaced(loop, 4711)).loop)).toEqual([4711]);
  });

  it('and that it knows goes on', () => {
    const loop = building();
    expect(cancelled(decide(loop, surfaced(loop, loop.built.run?.id ?? 0)).loop)).toEqual([]);
  });

  describe('whose start was not yet answered', () => {
    const outcome = (loop: Loop, runId: number): Event => ({
      type: 'dispatched',
      at: timeOf(71),
      entry: loop.entry,
      runId,
    });
    const dispatching = () => upTo(decide(atReview(), command('approve', '', timeOf(50))).loop, 'dispatch');
    const keyIn = (loop: Loop) => loop.pending.find(({ type }) => type === 'dispatch')?.key ?? '';
    const timers = ({ pending }: Loop) => pending.filter(({ type }) => type === 'wait');

    it.each([
      ['at work', dispatching()],
      ['paused', pausedBy(dispatching())],
    ])('is awaited from now on, with its timer: the loop is %s', (_, loop) => {
      const known = decide(loop, surfaced(loop, 4711)).loop;
      expect(known.built.run).toEqual({ id: 4711, entry: loop.entry });
      expect(timers(known)).toEqual(timers(settle(loop, keyIn(loop), outcome(loop, 4711)).loop));
      expect(timers(known)).toHaveLength(1);
      expect(cancelled(known)).toEqual([]);
    });

    it('is awaited once, also when its dispatch is answered after all', () => {
      const loop = dispatching();
      const known = decide(loop, surfaced(loop, 4711)).loop;
      const set = settle(known, timers(known)[0]?.key ?? '', undefined).loop;
      const answered = settle(set, keyIn(set), outcome(loop, 4711)).loop;
      expect(answered.built).toEqual(known.built);
      expect(answered.pending).toEqual(set.pending.filter(({ type }) => type !== 'dispatch'));
    });

    it('stays the one of its entry: a further one is ended, by whomever it is told', () => {
      const loop = dispatching();
      const known = decide(loop, surfaced(loop, 4711)).loop;
      for (const told of [decide(known, surfaced(loop, 4712)), settle(known, keyIn(known), outcome(loop, 4712))]) {
        expect(cancelled(told.loop)).toEqual([4712]);
        expect(told.loop.built.run).toEqual({ id: 4711, entry: loop.entry });
      }
    });

    it.each([
      ['/stop', (loop: Loop) => stoppedBy(loop)],
      ['a push', (loop: Loop) => decide(loop, pushed()).loop],
      ['/pause and then /stop', (loop: Loop) => stoppedBy(pausedBy(loop))],
    ])('is ended when its loop goes elsewhere before that: %s', (_, interrupt) => {
      const loop = dispatching();
      expect(cancelled(interrupt(decide(loop, surfaced(loop, 4711)).loop))).toEqual([4711]);
    });

    it('is ended when it is of an earlier entry', () => {
      const loop = dispatching();
      const earlier: Event = { type: 'surfaced', at: timeOf(70), runId: 4711, entry: loop.entry - 1 };
      expect(cancelled(decide(loop, earlier).loop)).toEqual([4711]);
    });
  });
});

describe('a right that the App does not have', () => {
  const withheld: Event = { type: 'withheld', at: timeOf(70), reason: 'It is archived.', lanes: ['work', 'voice'] };
  const regained: Event = { type: 'regained', at: timeOf(80) };
  const lanesOf = (loop: Loop) =>
    (['work', 'voice', 'cancel'] as const).map((lane) => nextEffect(loop, lane, () => new Date(timeOf(90)))?.valueOf());

  it.each([
    ['at work', building()],
    ['waiting', atReview()],
    ['paused', pausedBy(building())],
    ['stopped', stoppedBy(building())],
    ['refused', newLoop(REF)],
  ])('changes nothing of a loop that is %s, and is forgotten when it is back', (_, loop) => {
    const waiting = decide(loop, withheld).loop;
    expect(waiting.withheld).toEqual({ since: timeOf(70), reason: 'It is archived.', lanes: ['work', 'voice'] });
    const after = decide(waiting, regained).loop;
    expect({ ...after, seq: 0, pending: [] }).toEqual({ ...loop, seq: 0, pending: [] });
    expect(decide(loop, regained)).toEqual({ loop, effects: [] });
  });

  it('holds the lanes that need it, and no other', () => {
    const [work, voice, cancel] = lanesOf(decide(stoppedBy(building()), withheld).loop);
    expect([work, voice, cancel]).toEqual([undefined, undefined, expect.objectContaining({ type: 'cancel' })]);
  });

  it('is told once for each reason; of the same one the lanes add up', () => {
    const once = decide(building(), withheld).loop;
    expect(decide(once, withheld)).toEqual({ loop: once, effects: [] });
    const more = decide(once, { ...withheld, at: timeOf(75), lanes: ['cancel'] }).loop;
    expect(more.withheld).toMatchObject({ since: timeOf(70), lanes: ['work', 'voice', 'cancel'] });
    const other = decide(more, { ...withheld, at: timeOf(76), reason: 'It is suspended.', lanes: ['work'] }).loop;
    expect(other.withheld).toEqual({ since: timeOf(70), reason: 'It is suspended.', lanes: ['work'] });
  });

  it('takes none of the minutes that a goal allows', () => {
    const goal = building();
    const limited: Loop = {
      ...goal,
      started: goal.started && { ...goal.started, limits: { ...goal.started.limits, minutes: 30 } },
    };
    const working = decide(limited, { ...withheld, at: timeOf(70), lanes: [] }).loop;
    const after = decide(working, regained).loop;
    expect(after.worked?.ms).toBe(working.worked?.ms);
    expect(after.worked?.since).toBe(timeOf(80));
  });
});
