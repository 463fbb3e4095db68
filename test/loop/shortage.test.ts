/** A loop without money: it waits with what it has, says how it goes on, and never makes the next call. */
import { describe, expect, it } from 'vitest';
import { charged, purse, purseOf } from '../../src/loop/costs.ts';
import { decide, settle } from '../../src/loop/decide.ts';
import type { Event } from '../../src/loop/event.ts';
import { type Loop, loop as loopShape } from '../../src/loop/loop.ts';
import { asStarted } from '../../src/loop/stages.ts';
import { atReview, building, completed, driven, reported, sentences, started } from './stands.ts';
import { command, labelledEvent, timeOf } from './world.ts';

const PRICE = { prompt: 1, completion: 4 };
/** The loop with a limit of 3 USD, of which this much is spent. */
function spentOf(loop: Loop, usd: number): Loop {
  const { started: terms } = asStarted(loop);
  return { ...loop, started: { ...terms, price: PRICE }, spent: { ...loop.spent, usd } };
}
const call = {
  phase: 'BUILD',
  skill: 's',
  role: 'r',
  attempt: 1,
  promptTokens: 1_000_000,
  completionTokens: 0,
  durationMs: 1,
};
const say = (loop: Loop, name: 'budget' | 'resume' | 'approve', argument = ''): Loop =>
  decide(loop, command(name, argument, timeOf(70))).loop;
/** BUILD, whose run has just ended. */
const collecting = (): Loop => decide(building(), completed(building())).loop;
/** What fails for want of money, told to the effect of this type. */
function unpaid(loop: Loop, type: string, calls: readonly (typeof call)[] = []): Loop {
  const effect = loop.pending.find((pending) => pending.type === type);
  const reason = 'Nothing is left in the budget.';
  const event: Event = {
    type: 'failed',
    at: timeOf(60),
    entry: loop.entry,
    cause: 'budget',
    reason,
    calls: [...calls],
  };
  return settle(loop, effect?.key ?? '', event).loop;
}
const SENTENCE =
  '@maria, the budget of 3 USD is used up (3.10 USD spent), so BUILD waits; `/budget +<usd>` goes on where it is, `/stop` ends the loop.';

describe('a loop whose budget is used up', () => {
  it('waits before the next phase that asks a model, also after one that passed, and tells its starter once', () => {
    const waiting = say(spentOf(atReview(), 3.1), 'approve');
    expect(waiting).toMatchObject({ status: 'paused', pausedFor: 'budget', phase: 'BUILD' });
    expect(waiting.pending.map(({ type }) => type)).toContain('dispatch');
    expect(sentences(waiting)).toEqual([SENTENCE]);
  });

  it.each(['resume', 'label'] as const)('is not set going by %s', (how) => {
    const waiting = say(spentOf(atReview(), 3.1), 'approve');
    const after = how === 'label' ? decide(waiting, labelledEvent({ at: timeOf(71) })).loop : say(waiting, 'resume');
    expect(after.status).toBe('paused');
    expect(sentences(after).at(-1)).toContain('the budget of 3 USD is used up');
  });

  it('goes on where it is as soon as there is enough, and not before', () => {
    const waiting = say(spentOf(atReview(), 3.1), 'approve');
    expect(say(waiting, 'budget', '+0.1').status).toBe('paused');
    const on = say(waiting, 'budget', '+2');
    expect(on).toMatchObject({ status: 'working', phase: 'BUILD', entry: waiting.entry });
    expect(on.pausedFor).toBeUndefined();
    expect(on.pending.map(({ type }) => type)).toContain('dispatch');
  });

  it('that somebody stopped is not set going by money', () => {
    const waiting = say(spentOf(atReview(), 3.1), 'approve');
    const stopped = decide(waiting, command('stop', '', timeOf(71))).loop;
    expect(say(stopped, 'budget', '+2')).toMatchObject({ status: 'stopped', started: { limits: { usd: 5 } } });
  });

  it('does not wait before what costs nothing', () => {
    const broke = spentOf(collecting(), 3.1);
    const [collect] = broke.pending.filter(({ type }) => type === 'collect');
    const seeding = settle(broke, collect?.key ?? '', reported(broke)).loop;
    expect(seeding).toMatchObject({ status: 'working', phase: 'SEED_DATA' });
  });

  it('ends with success where only looking back is left', () => {
    const loop: Loop = { ...spentOf(building(), 3.1), phase: 'REFLECT' };
    const drafting: Loop = { ...loop, pending: [{ type: 'draft', key: 'd', phase: 'REFLECT', entry: loop.entry }] };
    expect(unpaid(drafting, 'draft')).toMatchObject({ status: 'succeeded' });
  });

  it('whose price nobody stated has no limit in USD', () => {
    expect(purseOf({ ...asStarted(building()), spent: { ...building().spent, usd: 0 } })).toBeUndefined();
    expect(purseOf(spentOf(building(), 1))).toEqual({ money: { usd: 2, price: PRICE } });
  });
});

it('can be read again after calls that count as more than can be counted', () => {
  const huge = { ...call, completionTokens: Number.MAX_SAFE_INTEGER };
  const { started: terms } = asStarted(building());
  const limited = { ...building(), started: { ...terms, limits: { ...terms.limits, tokens: 1000 } } };
  const after = charged(limited, [huge, huge]);
  expect(after.spent.completionTokens).toBe(Number.MAX_SAFE_INTEGER);
  expect(loopShape.parse(after)).toEqual(after);
  expect(purse.parse(purseOf(after)).tokens).toBeLessThan(0);
});

describe('a call that nothing is left for', () => {
  it('leaves a draft to be drafted anew, in the same entry and without a try', () => {
    const loop = spentOf(started(), 2.5);
    const waiting = unpaid(loop, 'draft', [call]);
    expect(waiting).toMatchObject({
      status: 'paused',
      pausedFor: 'budget',
      entry: loop.entry,
      counters: loop.counters,
    });
    expect(waiting.spent.usd).toBe(3.5);
    const drafts = waiting.pending.filter(({ type }) => type === 'draft');
    expect(drafts).toHaveLength(1);
    const on = say(waiting, 'budget', '+1');
    expect(driven(on)).toMatchObject({ waitingFor: 'approval' });
  });

  it('leaves a build to be built anew, without an iteration', () => {
    const loop = spentOf(collecting(), 2.5);
    const waiting = unpaid(loop, 'collect', [call]);
    expect(waiting).toMatchObject({ status: 'paused', pausedFor: 'budget', phase: 'BUILD' });
    expect(waiting.entry).toBe(loop.entry + 1);
    expect(waiting.counters.iterations).toBe(loop.counters.iterations);
    expect(sentences(waiting)).toHaveLength(1);
  });
});

describe('what a goal limits', () => {
  const limited = (limits: object): Loop => {
    const loop = atReview();
    const { started: terms } = asStarted(loop);
    return { ...loop, started: { ...terms, limits: { ...terms.limits, ...limits } } };
  };

  it('is waited for at the limit of tokens, without any price, and goes on with more of them', () => {
    const loop = limited({ tokens: 1000 });
    const used = { ...loop, spent: { ...loop.spent, promptTokens: 900, completionTokens: 200 } };
    expect(purseOf(used)).toEqual({ tokens: -100 });
    const waiting = say(used, 'approve');
    expect(waiting).toMatchObject({ status: 'paused', pausedFor: 'budget', phase: 'BUILD' });
    expect(sentences(waiting)).toEqual([
      "@maria, the goal's 1000 tokens are used up (1100 were used), so BUILD waits; `/budget +<number> tokens` goes on where it is, `/stop` ends the loop.",
    ]);
    expect(say(waiting, 'budget', '+50 tokens').status).toBe('paused');
    expect(say(waiting, 'budget', '+2')).toMatchObject({ status: 'paused', started: { limits: { usd: 5 } } });
    expect(say(waiting, 'budget', '+500 tokens')).toMatchObject({ status: 'working', phase: 'BUILD' });
  });

  it('is waited for at the limit of minutes, of which only work counts', () => {
    const loop = limited({ minutes: 30 });
    const worked = (ms: number): Loop => ({ ...loop, worked: { ms } });
    expect(say(worked(29 * 60_000), 'approve')).toMatchObject({ status: 'working', phase: 'BUILD' });
    const waiting = say(worked(30 * 60_000), 'approve');
    expect(sentences(waiting).at(-1)).toContain("the goal's 30 minutes of work are used up (30 were worked)");
    expect(say(waiting, 'budget', '+10 minutes')).toMatchObject({
      status: 'working',
      started: { limits: { minutes: 40 } },
    });
  });

  it('counts the minutes in which it worked, and none of those in which people were waited for', () => {
    const begun = say(limited({ minutes: 30 }), 'approve');
    const paused = decide(begun, command('pause', '', timeOf(80))).loop;
    expect(paused.worked).toEqual({ ms: 10 * 60_000 });
    const resumed = decide(paused, command('resume', '', timeOf(20_000))).loop;
    expect(resumed.worked).toEqual({ ms: 10 * 60_000, since: timeOf(20_000) });
    const stopped = decide(resumed, command('stop', '', timeOf(20_005))).loop;
    expect(stopped.worked).toEqual({ ms: 15 * 60_000 });
  });

  it('is raised by sums of cents to a sum of cents', () => {
    const raised = ['+0.01', '+0.02', '+0.07'].reduce((loop, sum) => say(loop, 'budget', sum), building());
    expect(raised.started?.limits.usd).toBe(3.1);
  });

  it.each(['+0', '+0.00', '+0 tokens', '-1'])('is not raised by %s, which says how it is', (amount) => {
    const heard = say(building(), 'budget', amount);
    expect(heard.started?.limits.usd).toBe(3);
    expect(sentences(heard).at(-1)).toMatch(/^Say by how many USD/);
  });

  it('that has no limit cannot be raised', () => {
    const reply = sentences(say(atReview(), 'budget', '+500 tokens')).at(-1);
    expect(reply).toBe('The goal of this loop sets no limit of tokens, so there is none to raise.');
  });
});

describe('what a draft had been answered before it failed', () => {
  const answered = [{ asked: `sha256:${'1'.repeat(64)}`, answer: `sha256:${'2'.repeat(64)}` }];
  const broke = (): Loop => {
    const loop = spentOf(started(), 2.5);
    const effect = loop.pending.find(({ type }) => type === 'draft');
    const event: Event = {
      ...{ type: 'failed', at: timeOf(60), entry: loop.entry, cause: 'budget', reason: 'Nothing is left.' },
      ...{ calls: [call], answered },
    };
    return settle(loop, effect?.key ?? '', event).loop;
  };

  it('is kept for the next draft, and forgotten once that is made', () => {
    const waiting = broke();
    expect(waiting).toMatchObject({ pausedFor: 'budget', answered });
    const on = driven(say(waiting, 'budget', '+1'));
    expect(on.phase).toBe('ARCH_REVIEW');
    expect(on.answered).toBeUndefined();
  });
});
