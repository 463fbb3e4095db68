/** Work that a loop no longer awaits: the run that it started is ended, what it cost is counted, and nobody's try is used up. */
import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../../src/loop/brief.ts';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Effect } from '../../src/loop/effect.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { LIMITS } from '../../src/loop/phases.ts';
import { atReview, building, completed, driven, pushed, reported, runEnded, started, upTo } from './stands.ts';
import { command, defect, timeOf } from './world.ts';

const CALL: ModelCall = {
  phase: 'DISCOVER',
  skill: 'interview-me',
  role: 'planner',
  attempt: 1,
  promptTokens: 1000,
  completionTokens: 100,
  durationMs: 5,
};

const dispatching = (): Loop => upTo(decide(atReview(), command('approve', '', timeOf(50))).loop, 'dispatch');
const keyOf = (loop: Loop, type: Effect['type']): string =>
  loop.pending.find((effect) => effect.type === type)?.key ?? '';
const cancelled = (loop: Loop): readonly number[] =>
  loop.pending.flatMap((effect) => (effect.type === 'cancel' ? [effect.runId] : []));
const startedRun = (loop: Loop, runId = 4711): Event => ({
  type: 'dispatched',
  at: timeOf(61),
  entry: loop.entry,
  runId,
});

describe('a run whose start was under way', () => {
  it.each([
    ['/stop', (loop: Loop) => decide(loop, command('stop', '', timeOf(60))).loop],
    ['a push', (loop: Loop) => decide(loop, pushed()).loop],
    [
      'a move of the base',
      (loop: Loop) =>
        decide(loop, {
          type: 'moved',
          at: timeOf(60),
          sha: 'f'.repeat(40),
          paths: [],
          unlisted: false,
          sensitive: [],
          configDigest: `sha256:${'1'.repeat(64)}`,
        }).loop,
    ],
    [
      '/pause and then /stop',
      (loop: Loop) => decide(decide(loop, command('pause', '', timeOf(60))).loop, command('stop', '', timeOf(60))).loop,
    ],
  ])('is ended when the loop went elsewhere meanwhile: %s', (_, interrupt) => {
    const loop = dispatching();
    const key = keyOf(loop, 'dispatch');
    const after = settle(interrupt(loop), key, startedRun(loop)).loop;
    expect(cancelled(after)).toContain(4711);
  });

  it('is ended when a paused loop that knows it is stopped', () => {
    const paused = decide(dispatching(), command('pause', '', timeOf(60))).loop;
    const known = settle(paused, keyOf(paused, 'dispatch'), startedRun(paused)).loop;
    expect(cancelled(decide(known, command('stop', '', timeOf(62))).loop)).toEqual([4711]);
  });

  it('goes on when nothing came between', () => {
    const loop = dispatching();
    const running = settle(loop, keyOf(loop, 'dispatch'), startedRun(loop)).loop;
    expect(running.built.run).toEqual({ id: 4711, entry: loop.entry });
    expect(cancelled(running)).toEqual([]);
  });
});

describe('what nobody awaits any more', () => {
  const drafted = (loop: Loop) => ({
    type: 'drafted' as const,
    at: timeOf(61),
    entry: loop.entry,
    documents: [],
    measurements: [],
    defects: [],
    calls: [CALL],
  });

  it('is paid for all the same, once', () => {
    const loop = started();
    const key = keyOf(loop, 'draft');
    const stopped = decide(loop, command('stop', '', timeOf(60))).loop;
    const paid = settle(stopped, key, drafted(loop)).loop;
    expect(paid.spent).toMatchObject({ calls: 1, promptTokens: 1000, completionTokens: 100 });
    expect(paid.status).toBe('stopped');
    expect(settle(paid, key, drafted(loop)).loop).toBe(paid);
  });

  it('is shown when it is known of only after the loop has stopped', () => {
    const stopped = decide(started(), command('stop', '', timeOf(60))).loop;
    const { effects, loop } = decide(stopped, { type: 'paid', at: timeOf(61), calls: [CALL] });
    expect(effects).toEqual([{ type: 'show', key: `show/${loop.seq}`, since: expect.any(String) }]);
  });

  it('is paid for when it was held behind a push that sets the loop back', () => {
    const paused = decide(building(), command('pause', '', timeOf(60))).loop;
    const pushedTo = decide(paused, pushed({ documentsChanged: true })).loop;
    const { entry } = pushedTo;
    const outcome: Event = { type: 'failed', at: timeOf(61), entry, cause: 'model', reason: 'x', calls: [CALL] };
    const holding = decide(pushedTo, outcome).loop;
    expect(holding).toMatchObject({ held: [{ type: 'pushed' }, { type: 'failed' }], spent: { calls: 0 } });
    const resumed = decide(holding, command('resume', '', timeOf(62))).loop;
    expect(resumed).toMatchObject({ phase: 'DEFINE', held: [], spent: { calls: 1 } });
  });

  it('is paid for when it was held and the loop is stopped', () => {
    const loop = started();
    const key = keyOf(loop, 'draft');
    const paused = decide(loop, command('pause', '', timeOf(60))).loop;
    const holding = settle(paused, key, drafted(loop)).loop;
    expect(holding).toMatchObject({ held: [{ type: 'drafted' }], spent: { calls: 0 } });
    expect(decide(holding, command('stop', '', timeOf(62))).loop).toMatchObject({ held: [], spent: { calls: 1 } });
  });

  it('changes nothing where it was awaited and is told twice', () => {
    const loop = started();
    const key = keyOf(loop, 'draft');
    const once = settle(loop, key, { ...drafted(loop), calls: [] }).loop;
    expect(settle(once, key, drafted(loop)).loop).toBe(once);
  });
});

describe('the iterations of a plan', () => {
  it('are not used up by people who push, and what they pushed is where the next build starts', () => {
    let loop = building();
    const { iterations } = loop.counters;
    for (let push = 1; push <= 5; push += 1) {
      const sha = String(push).repeat(40);
      loop = driven(decide(loop, pushed({ sha })).loop);
      expect(loop).toMatchObject({ phase: 'BUILD', status: 'working', review: { head: sha } });
    }
    expect(loop.counters).toMatchObject({ iterations, interruptions: 5 });
  });

  it('are not used up by runners that die, as often as is promised', () => {
    let loop = building();
    const { iterations } = loop.counters;
    const died = (current: Loop): Loop => {
      const collecting = decide(current, completed(current, 'cancelled')).loop;
      const failed: Event = {
        type: 'failed',
        at: timeOf(62),
        entry: current.entry,
        cause: 'cancelled',
        reason: 'The run was cancelled.',
        calls: [],
      };
      return settle(collecting, keyOf(collecting, 'collect'), failed).loop;
    };
    for (let death = 1; death <= LIMITS.cancellations; death += 1) loop = driven(died(loop));
    expect(loop).toMatchObject({ phase: 'BUILD', status: 'working', counters: { iterations, cancellations: 5 } });
    expect(died(loop)).toMatchObject({
      status: 'stopped',
      note: expect.stringContaining('why the runners or the set-up stop'),
    });
  });

  it('are not built for ever on a branch that a bot pushes to', () => {
    let loop = building();
    for (let push = 0; push <= LIMITS.interruptions && loop.status === 'working'; push += 1)
      loop = driven(decide(loop, pushed({ sha: (push + 16).toString(16).padStart(2, '0').repeat(20) })).loop);
    expect(loop).toMatchObject({ status: 'stopped', note: expect.stringContaining('see whether a bot does that') });
  });

  it('keep what the last failure taught when somebody pushes', () => {
    const loop: Loop = { ...building(), feedback: [] };
    const red = reported(loop, { at: timeOf(61), measurements: [], defects: [defect('Red.')], signature: 'one' });
    const collecting = decide(loop, completed(loop)).loop;
    const retried = driven(settle(collecting, keyOf(collecting, 'collect'), red).loop);
    expect(decide(retried, pushed()).loop.feedback).toEqual(red.defects);
  });
});

describe('a new plan', () => {
  it('is not stopped by a failure that resembles one of the last plan', () => {
    const before: Loop = { ...atReview(), signatures: ['the same'], trees: ['e'.repeat(40)] };
    const approved = decide(before, command('approve', '', timeOf(50))).loop;
    expect(approved).toMatchObject({ phase: 'BUILD', signatures: [], trees: [] });
  });
});

describe('a run that ended', () => {
  it('is collected as ended, and one whose time is up as overdue', () => {
    const loop = building();
    const ended = decide(loop, completed(loop)).loop;
    expect(ended.pending.find(({ type }) => type === 'collect')).toMatchObject({ because: 'ended' });
    const key = `${loop.entry}/wait/run`;
    const overdue = decide(loop, { type: 'elapsed', at: timeOf(70), entry: loop.entry, timer: 'run', key }).loop;
    expect(overdue.pending.find(({ type }) => type === 'collect')).toMatchObject({ because: 'overdue' });
    expect(runEnded(loop).phase).not.toBe('BUILD');
  });
});
