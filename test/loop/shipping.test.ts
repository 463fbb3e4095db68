/** SHIP's one clock: the checks of the repository are asked for seldom, whatever is heard about them, and judged when it is quiet. */
import { describe, expect, it } from 'vitest';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Effect } from '../../src/loop/effect.ts';
import type { Event } from '../../src/loop/event.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { pullBody } from '../../src/render/board.ts';
import { building, driven, runEnded, SHA } from './stands.ts';
import { measured } from './world.ts';

const HEAD = 'd'.repeat(40);
const QUIET = 120;
const T0 = Date.parse('2026-01-02T04:00:00.000Z');
const at = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

/** SHIP just after the branch moved; the quiet time is two minutes. */
function promoted(): Loop {
  const judged = runEnded(runEnded(building()));
  const effect = judged.pending.find(({ type }) => type === 'promote');
  if (effect === undefined) throw new Error(`no promotion is pending in ${judged.phase}`);
  return settle(judged, effect.key, { type: 'promoted', at: at(0), entry: judged.entry, head: HEAD }).loop;
}

const timers = (loop: Loop): readonly Extract<Effect, { type: 'wait' }>[] =>
  loop.pending.filter((effect) => effect.type === 'wait').filter(({ timer }) => timer === 'checks');

/** Minutes of virtual time with one answer to each look, and what is heard; gives the seconds at which GitHub was asked. */
function watched(loop: Loop, seconds: number, answer: (now: number) => Event, heardAt: readonly number[] = []) {
  const asked: number[] = [];
  const due: { readonly key: string; readonly at: number }[] = [];
  let now = 0;
  let current = loop;
  const perform = (): void => {
    for (const effect of current.pending) {
      if (effect.type === 'wait') {
        due.push({ key: effect.key, at: now + effect.seconds });
        current = settle(current, effect.key, undefined).loop;
      } else if (effect.type === 'inspect') {
        asked.push(now);
        current = settle(current, effect.key, answer(now)).loop;
        perform();
        return;
      }
    }
  };
  perform();
  for (now = 1; now <= seconds; now += 1) {
    if (heardAt.includes(now)) current = decide(current, { type: 'heard', at: at(now), sha: HEAD }).loop;
    for (const { key } of due.filter((timer) => timer.at === now))
      current = decide(current, { type: 'elapsed', at: at(now), entry: current.entry, timer: 'checks', key }).loop;
    perform();
  }
  return { asked, loop: current };
}

const pending =
  (entry: number) =>
  (now: number): Event => ({
    type: 'deferred',
    at: at(now),
    entry,
    waitsFor: ['build (linux)'],
  });
const green =
  (entry: number) =>
  (now: number): Event => ({
    type: 'checked',
    at: at(now),
    entry,
    measurements: measured('SHIP', true),
    defects: [],
    signature: '',
  });

describe('the checks of the repository', () => {
  it('are first asked for when it has been quiet since the promotion', () => {
    const loop = promoted();
    expect(timers(loop).map(({ seconds }) => seconds)).toEqual([QUIET]);
    expect(watched(loop, QUIET, green(loop.entry)).asked).toEqual([QUIET]);
  });

  it('are asked for at most 40 times in an hour in which forty jobs end and are told of twice', () => {
    const loop = promoted();
    const heard = Array.from({ length: 80 }, (_, index) => 30 + index * 43);
    const { asked } = watched(loop, 3600, pending(loop.entry), heard);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThanOrEqual(40);
  });

  it('are asked for more and more seldom while nothing is heard', () => {
    const loop = promoted();
    const { asked } = watched(loop, 3600, pending(loop.entry));
    const pauses = asked.slice(1).map((seconds, index) => seconds - (asked[index] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([QUIET, 2 * QUIET, 300]);
    expect(Math.max(...pauses)).toBe(300);
    expect(asked.length).toBeLessThan(15);
  });

  it('are asked for soon after something is heard, although the pauses have grown', () => {
    const loop = promoted();
    const { asked } = watched(loop, 1200, pending(loop.entry), [800]);
    expect(asked).toContain(800 + QUIET);
  });

  it('set one timer, whatever is heard: webhooks start none of their own', () => {
    let loop = promoted();
    for (let second = 1; second <= 50; second += 1)
      loop = decide(loop, { type: 'heard', at: at(second), sha: HEAD }).loop;
    expect(timers(loop)).toHaveLength(1);
    expect(loop.pending.filter(({ type }) => type === 'inspect')).toEqual([]);
  });

  it('are not asked for by a timer that a later one replaced', () => {
    const loop = promoted();
    const [first] = timers(loop);
    const late = { ...loop, shipping: { ...loop.shipping, timer: { key: 'later', dueAt: at(300) } } } as Loop;
    const fired: Event = { type: 'elapsed', at: at(QUIET), entry: loop.entry, timer: 'checks', key: first?.key ?? '' };
    expect(decide(loop, fired).loop.pending.map(({ type }) => type)).toContain('inspect');
    expect(decide(late, fired).loop.pending).toEqual(late.pending);
  });

  it('of another commit are nothing to the loop', () => {
    const loop = promoted();
    expect(decide(loop, { type: 'heard', at: at(5), sha: SHA }).loop).toBe(loop);
  });

  it('are not shown anew while the same ones are awaited', () => {
    const loop = promoted();
    const waits = pending(loop.entry);
    const inspected = (before: Loop, now: number): Loop => {
      const timer = before.shipping?.timer?.key ?? '';
      const due = decide(
        { ...before, pending: [] },
        { type: 'elapsed', at: at(now), entry: before.entry, timer: 'checks', key: timer },
      ).loop;
      const effect = due.pending.find(({ type }) => type === 'inspect');
      return settle(due, effect?.key ?? '', waits(now)).loop;
    };
    const first = inspected(loop, 200);
    expect(first.pending.map(({ type }) => type)).toContain('show');
    expect(inspected(first, 600).pending.map(({ type }) => type)).not.toContain('show');
  });

  it('that do not end within an hour stop the loop, which names them', () => {
    const loop = promoted();
    const { loop: stopped } = watched(loop, 4000, pending(loop.entry));
    expect(stopped).toMatchObject({ status: 'stopped', note: expect.stringContaining('(build (linux))') });
  });

  const cancelled =
    (entry: number) =>
    (now: number): Event => ({ type: 'deferred', at: at(now), entry, waitsFor: [], rerun: ['e2e'] });

  it('that ended without a verdict are asked of a person once, for as long as it takes', () => {
    const loop = promoted();
    const { loop: waiting, asked } = watched(loop, 4 * 3600, cancelled(loop.entry));
    expect(waiting).toMatchObject({ status: 'waiting', waitingFor: 'rerun', phase: 'SHIP' });
    expect(waiting.pending.filter(({ type }) => type === 'reply')).toMatchObject([
      {
        target: 'pull',
        mention: 'maria',
        text: expect.stringContaining('never started): `e2e`. Run it again on GitHub'),
      },
    ]);
    expect(asked.length).toBeLessThan(6);
  });

  it('that a person ran again are looked at as soon as they are heard, and have their hour anew', () => {
    const loop = promoted();
    const [cancelledAt, reranAt] = [2 * 3600, 2 * 3600 + 1000];
    const answer = (now: number): Event =>
      (now < cancelledAt ? cancelled : now < reranAt ? pending : green)(loop.entry)(now);
    const { loop: ready, asked } = watched(loop, 3 * 3600, answer, [cancelledAt]);
    expect(asked).toContain(cancelledAt + QUIET);
    expect(ready).toMatchObject({ status: 'working', shipping: { waitsFor: [] } });
    expect(ready.pending.filter(({ type }) => type === 'ready')).toHaveLength(1);
  });

  it('that are red without the change too are remembered for people', () => {
    const loop = promoted();
    const excused = [{ name: 'lint', sha: SHA }];
    const { loop: ready } = watched(loop, 600, (now) => ({ ...green(loop.entry)(now), excused }) as Event);
    expect(ready.shipping).toMatchObject({ excused });
    expect(pullBody(asStarted(ready), { name: 'm', scripted: false })).toContain(
      '**Red without this change too**, so nobody counted it against the change: `lint` (at bbbbbbb).',
    );
  });

  it('that are green make the draft ready, once', () => {
    const loop = promoted();
    const { loop: checked, asked } = watched(loop, 600, green(loop.entry));
    expect(asked).toHaveLength(1);
    expect(driven(checked).pending.filter(({ type }) => type === 'ready')).toHaveLength(1);
  });
});
