/** What a loop hears about its repository, and about runs and checks that are not the work of its entry. */
import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import { type Loop, newLoop } from '../../src/loop/loop.ts';
import { atReview, building, SHA, upTo } from './stands.ts';
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

  it('goes on while the loop is about to learn its number', () => {
    const loop = upTo(decide(atReview(), command('approve', '', timeOf(50))).loop, 'dispatch');
    expect(cancelled(decide(loop, surfaced(loop, 4711)).loop)).toEqual([]);
    const paused = pausedBy(loop);
    const dispatch = paused.pending.find(({ type }) => type === 'dispatch');
    const outcome: Event = { type: 'dispatched', at: timeOf(61), entry: loop.entry, runId: 4711 };
    const holding = settle(paused, dispatch?.key ?? '', outcome).loop;
    expect(holding.built.run).toEqual({ id: 4711, entry: loop.entry });
    expect(cancelled(decide(holding, surfaced(holding, 4711)).loop)).toEqual([]);
  });
});
